"""The N-post rig: a vehicle whose wheels stand on posts that shake it."""
