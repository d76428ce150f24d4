"""Drivers: who steers and works the pedals."""
