"""Table of the thin beams, and how it is made of an undeformed shape."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

ThinBeamTable = namedtuple(
    "ThinBeamTable",
    ["node", "length", "weight", "EA", "EI", "angle", "pre_strain", "time_axial", "time_bending", "is_damped"],
)
"""node (n, 3) rows of the nodes; length (n, 2) undeformed edges 1-2 and 2-3 [m]; weight (n, 2) of their half trusses, 2
where no other element has the edge; EA (n,) [N]; EI (n,) [N m^2]; angle (n,) between the edges of the shape without
stress [rad]; pre_strain (n,) axial strain of the shape without stress [-], negative for a beam that is put in under
tension; time_axial, time_bending (n,) damping over stiffness [s]; is_damped (n,) 1 where one of them is not zero."""


def calc_edge_weights(node: np.ndarray) -> np.ndarray:
    """Weights (n, 2) of the half trusses of elements (n, 3), so that every edge is whole: 2 for an edge that one
    element has alone.

    >>> calc_edge_weights(np.array([[0, 1, 2], [1, 2, 3]]))
    array([[2., 1.],
           [1., 2.]])
    """
    edges = np.sort(np.stack([node[:, :2], node[:, 1:]], axis=1).reshape(-1, 2), axis=1)
    _, place, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    return (2.0 / count[place.ravel()]).reshape(-1, 2)


def make_thin_beams(
    node: np.ndarray,
    *,
    x: np.ndarray,
    EA: float | np.ndarray,
    EI: float | np.ndarray,
    is_straight: bool = False,
    pre_strain: float | np.ndarray = 0.0,
    time_axial: float | np.ndarray = 0.0,
    time_bending: float | np.ndarray = 0.0,
) -> ThinBeamTable:
    """Elements without stress in a given shape.

    Parameters
    ----------
    node : (n, 3) rows of the nodes
    x : (rows, 3) nodes [m]
    EA, EI : one for all or (n,): axial [N] and bending stiffness [N m^2] of the section
    is_straight : the shape has no bending stress when it is straight, even if it is curved in `x`
    pre_strain : one for all or (n,): axial strain of the shape without stress [-]
    time_axial, time_bending : one for all or (n,): damping over stiffness [s]
    """
    n = len(node)
    edge = x[node[:, 1:]] - x[node[:, :2]]
    sine = np.linalg.norm(np.cross(edge[:, 0], edge[:, 1]), axis=1)
    angle = np.zeros(n) if is_straight else np.arctan2(sine, (edge[:, 0] * edge[:, 1]).sum(axis=1))
    axial, bending = (np.array(np.broadcast_to(time, n), dtype=float) for time in (time_axial, time_bending))
    return ThinBeamTable(
        node=np.ascontiguousarray(node, dtype=np.uint32),
        length=np.linalg.norm(edge, axis=2),
        weight=calc_edge_weights(node),
        EA=np.array(np.broadcast_to(EA, n), dtype=float),
        EI=np.array(np.broadcast_to(EI, n), dtype=float),
        angle=angle,
        pre_strain=np.array(np.broadcast_to(pre_strain, n), dtype=float),
        time_axial=axial,
        time_bending=bending,
        is_damped=((axial != 0.0) | (bending != 0.0)).astype(np.int64),
    )
