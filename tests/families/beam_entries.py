"""Kernels of the beams as Python calls them, for all elements of a table."""

from __future__ import annotations

from thick_tangent import calc_thick_beam_tangent

from grouser.families.beam_thick.kernel import add_thick_beam_forces
from grouser.families.beam_thin.kernel import add_thin_beam_forces, calc_thin_beam_tangent
from grouser.kernels._jit import kernel
from grouser.kernels.turn import calc_turn_excess


@kernel(entry=True)
def calc_thick_forces(table, x, R, v, w_world, f_out, torque_out, section_out, strain_out):
    """Forces and torques of all elements; energy and power."""
    f_out[:, :] = 0.0
    torque_out[:, :] = 0.0
    return add_thick_beam_forces(table, x, R, v, w_world, f_out, torque_out, section_out, strain_out)


@kernel(entry=True)
def calc_thick_tangents(table, x, R, geometric, K_out, C_out):
    """Matrices (n, 12, 12) of all elements."""
    for i in range(K_out.shape[0]):
        calc_thick_beam_tangent(table, i, x, R, geometric, K_out[i], C_out[i])


@kernel(entry=True)
def calc_thin_forces(table, x, v, f_out, section_out):
    """Forces of all elements; energy and power."""
    f_out[:, :] = 0.0
    return add_thin_beam_forces(table, x, v, f_out, section_out)


@kernel(entry=True)
def calc_thin_tangents(table, x, geometric, K_out, C_out):
    """Matrices (n, 9, 9) of all elements."""
    for i in range(K_out.shape[0]):
        calc_thin_beam_tangent(table, i, x, geometric, K_out[i], C_out[i])


@kernel(entry=True)
def calc_excess(z):
    """psi of `kernels/turn.py`."""
    return calc_turn_excess(z)
