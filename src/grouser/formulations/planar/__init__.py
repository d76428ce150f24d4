"""Recursion for models whose motion is in the x-z plane."""
