"""Table of the thick beams, and how it is made of an undeformed shape."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

ThickBeamTable = namedtuple(
    "ThickBeamTable",
    ["body_a", "body_b", "frame_a", "frame_b", "p_a", "p_b", "length", "section", "time", "is_damped", "pre_strain"],
)
"""body_a, body_b (n,) rows of the bodies; frame_a, frame_b (n, 3, 3) the beam's axes on each body, in columns, in its
axes; p_a, p_b (n, 3) the centre point of the element from each centre of mass [m], in its axes; length (n,) [m];
section (n, 6) EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2], GA with the shear factor; time (n, 6) damping over stiffness
[s]; is_damped (n,) 1 where a time is not zero; pre_strain (n,) axial strain of the shape without stress [-], negative
for a beam that is put in under tension."""


def make_thick_beams(
    body_a: np.ndarray,
    body_b: np.ndarray,
    *,
    x: np.ndarray,
    R: np.ndarray,
    centre: np.ndarray,
    frame: np.ndarray,
    frame_b: np.ndarray | None = None,
    length: np.ndarray,
    section: np.ndarray,
    time: float | np.ndarray = 0.0,
    pre_strain: float | np.ndarray = 0.0,
) -> ThickBeamTable:
    """Elements in a given position; without stress there, if both ends have the same frame.

    Parameters
    ----------
    body_a, body_b : (n,) rows of the two bodies
    x : (rows, 3) centres of mass [m], world axes
    R : (rows, 3, 3) body to world
    centre : (n, 3) centre points of the elements [m], world axes
    frame : (n, 3, 3) axes of the elements there, in columns: X along the beam from a to b, Y and Z of the section
    frame_b : (n, 3, 3) likewise on the second body, of beams that lie bent and are relaxed straight; by default `frame`
    length : (n,) length of the elements [m]
    section : (6,) or (n, 6) EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2]
    time : one or six for all, or (n, 6): damping over stiffness [s]
    pre_strain : one for all or (n,): axial strain of the shape without stress [-]
    """
    n = len(body_a)
    times = np.array(np.broadcast_to(time, (n, 6)), dtype=float)
    return ThickBeamTable(
        body_a=np.ascontiguousarray(body_a, dtype=np.uint32),
        body_b=np.ascontiguousarray(body_b, dtype=np.uint32),
        frame_a=np.ascontiguousarray(np.swapaxes(R[body_a], 1, 2) @ frame),
        frame_b=np.ascontiguousarray(np.swapaxes(R[body_b], 1, 2) @ (frame if frame_b is None else frame_b)),
        p_a=np.einsum("nji,nj->ni", R[body_a], centre - x[body_a]),
        p_b=np.einsum("nji,nj->ni", R[body_b], centre - x[body_b]),
        length=np.array(np.broadcast_to(length, n), dtype=float),
        section=np.array(np.broadcast_to(section, (n, 6)), dtype=float),
        time=times,
        is_damped=(times != 0.0).any(axis=1).astype(np.int64),
        pre_strain=np.array(np.broadcast_to(pre_strain, n), dtype=float),
    )
