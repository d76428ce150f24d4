"""Forces and torques as functions of time."""
