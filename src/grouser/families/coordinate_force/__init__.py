"""Forces along one coordinate: springs, actuators, prescribed motions."""
