"""What generators and files give: nodes, connections and sets, before anything is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from grouser.mesh.data import INDEX
from grouser.model.mesh import Cord


@dataclass(frozen=True)
class CordLines:
    """Lines of a layer of cords.

    Attributes
    ----------
    cord : what they are
    lines : (k, 2) nodes
    share : (k,) share of each in the section of the layer
    """

    cord: Cord
    lines: np.ndarray
    share: np.ndarray


@dataclass(frozen=True)
class RawMesh:
    """A mesh in its own axes.

    Attributes
    ----------
    nodes : (n, 3) [m]
    bricks : (m, 8) nodes
    lines : (k, 2) nodes
    node_sets : nodes by name
    faces : (k, 4) nodes of surfaces that a file names
    cell_sets : bricks (``brick``) and lines (``line``) that a file names
    cords : layers of cords
    tangents : (k, 2, 3) directions of lines at both of their ends, or None where they are straight
    relaxed : (n, 3) the nodes without stress, or None where they are as they are given [m]
    material : (m,) which of the materials of the mesh each brick has, or None for the first
    turned : (n, 3) unit vectors along thick beams that lie bent, at their nodes; without rows where all are straight
    """

    nodes: np.ndarray
    bricks: np.ndarray = field(default_factory=lambda: np.empty((0, 8), dtype=INDEX))
    lines: np.ndarray = field(default_factory=lambda: np.empty((0, 2), dtype=INDEX))
    node_sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    faces: Mapping[str, np.ndarray] = field(default_factory=dict)
    cell_sets: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    cords: tuple[CordLines, ...] = ()
    tangents: np.ndarray | None = None
    relaxed: np.ndarray | None = None
    material: np.ndarray | None = None
    turned: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))

    def find_edges(self) -> np.ndarray:
        """All lines, those of cords last (k, 2)."""
        return np.concatenate([self.lines, *(cord.lines for cord in self.cords)])
