"""Compiled code: numpy, math, numba and itself, nothing else."""
