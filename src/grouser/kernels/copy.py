"""Copies and fills as plain loops: slice assignment may allocate, and nothing allocates inside a step."""

from __future__ import annotations

from grouser.kernels._jit import kernel


@kernel
def calc_copy(source, copy_out):
    """Copy a vector."""
    for i in range(source.shape[0]):
        copy_out[i] = source[i]


@kernel
def calc_copy_rows(source, copy_out):
    """Copy an (n, m) array."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            copy_out[i, j] = source[i, j]


@kernel
def calc_copy_matrices(source, copy_out):
    """Copy an (n, 3, 3) array."""
    for i in range(source.shape[0]):
        for j in range(3):
            for k in range(3):
                copy_out[i, j, k] = source[i, j, k]


@kernel
def calc_zero(zero_out):
    """Set a vector to zero."""
    for i in range(zero_out.shape[0]):
        zero_out[i] = 0.0


@kernel
def calc_zero_rows(zero_out):
    """Set an (n, m) array to zero."""
    for i in range(zero_out.shape[0]):
        for j in range(zero_out.shape[1]):
            zero_out[i, j] = 0.0
