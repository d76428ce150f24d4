"""Limits of a vehicle: the largest obstacle that it passes, and the speed up to which it passes."""
