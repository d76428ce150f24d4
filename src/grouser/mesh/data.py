"""A mesh as arrays: nodes, elements by family, sets. All arrays are read-only, for they are shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType

import numpy as np

from grouser.errors import ModelError, say_unknown
from grouser.mesh.trilinear import calc_node_volumes
from grouser.model.material import Material

INDEX = np.int64


@dataclass(frozen=True)
class TrussCells:
    """Trusses.

    Attributes
    ----------
    node : (m, 2) nodes
    length : (m,) as they are given [m]
    modulus : (m,) Young's modulus [Pa]
    area : (m,) [m^2]
    time : (m,) viscous modulus over elastic modulus [s]
    pre_strain : (m,) strain of the shape without stress [-]: it is relaxed at length (1 + pre_strain)
    mass_per_length : (m,) [kg/m]
    is_rope : (m,) whether it goes slack instead of pushing
    """

    node: np.ndarray
    length: np.ndarray
    modulus: np.ndarray
    area: np.ndarray
    time: np.ndarray
    pre_strain: np.ndarray
    mass_per_length: np.ndarray
    is_rope: np.ndarray


@dataclass(frozen=True)
class ThinBeamCells:
    """Thin beams; those along one line overlap by an edge.

    Attributes
    ----------
    node : (m, 3) nodes: previous, middle, next
    length : (m, 2) edges as they are given [m]
    weight : (m, 2) of the half trusses: 2 where no other element has the edge, else 1
    EA, EI : (m,) stiffness of the section [N], [N m^2]
    time : (m,) damping over stiffness [s]
    pre_strain : (m,) axial strain of the shape without stress [-]
    mass_per_length : (m,) [kg/m]
    """

    node: np.ndarray
    length: np.ndarray
    weight: np.ndarray
    EA: np.ndarray
    EI: np.ndarray
    time: np.ndarray
    pre_strain: np.ndarray
    mass_per_length: np.ndarray


@dataclass(frozen=True)
class ThickBeamCells:
    """Thick beams. Their nodes are rigid bodies.

    Attributes
    ----------
    node : (m, 2) nodes
    centre : (m, 3) centre points, world axes [m]
    frame : (m, 3, 3) axes in columns, world axes: X from the first to the second node, Y and Z of the section
    frame_b : (m, 3, 3) likewise of the second node: others than `frame` where a beam lies bent and is relaxed straight
    length : (m,) [m]
    section : (m, 6) EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2], GA with the shear factor
    time : (m, 6) damping over stiffness of each of them [s]
    pre_strain : (m,) axial strain of the shape without stress [-]
    mass_per_length : (m,) [kg/m]
    rotary : (m, 2) rotary inertia per length about Y and Z of the section [kg m]
    """

    node: np.ndarray
    centre: np.ndarray
    frame: np.ndarray
    frame_b: np.ndarray
    length: np.ndarray
    section: np.ndarray
    time: np.ndarray
    pre_strain: np.ndarray
    mass_per_length: np.ndarray
    rotary: np.ndarray


@dataclass(frozen=True)
class BrickCells:
    """Bricks.

    Attributes
    ----------
    node : (m, 8) nodes as in VTK: around the bottom, counter-clockwise seen from above, then above them
    material : (m,) index into the materials of the mesh
    pre_strain : (m,) strain of the shape without stress, in all directions [-]
    """

    node: np.ndarray
    material: np.ndarray
    pre_strain: np.ndarray


@dataclass(frozen=True)
class AncfCells:
    """Elements by gradients, of which a mesh has beams (k = 8 coordinates) or cables (k = 4).

    Attributes
    ----------
    node : (m, 2) nodes
    row : (m, k) rows of the coordinates: nodes, and behind them the gradients of the mesh
    turn : (m,) which of `turns` an element has, -1 for none
    turns : (t, 2, 3, 3) by end the matrix by which its gradients are made of rows (`grouser.mesh.ancf`, (4))
    length : (m,) without stress [m]
    reference : (m, k, 3) its own coordinates without stress
    make : (m, k, k) its own coordinates of rows
    mass : (m, k, k) mass matrix by rows [kg], [kg m], [kg m^2]
    half : (2,) half of the section along y and z, that of a rectangle with the same second moments [m]
    """

    node: np.ndarray
    row: np.ndarray
    turn: np.ndarray
    turns: np.ndarray
    length: np.ndarray
    reference: np.ndarray
    make: np.ndarray
    mass: np.ndarray
    half: np.ndarray

    @classmethod
    def make_empty(cls, size: int) -> AncfCells:
        """No elements."""
        node, row, turn = np.zeros((0, 2), dtype=INDEX), np.zeros((0, size), dtype=INDEX), np.zeros(0, dtype=INDEX)
        square = np.zeros((0, size, size))
        return cls(
            node, row, turn, np.zeros((0, 2, 3, 3)), np.zeros(0), np.zeros((0, size, 3)), square, square, np.zeros(2)
        )


@dataclass(frozen=True)
class MeshData:
    """A mesh without faults.

    Attributes
    ----------
    nodes : (n, 3) at the start, world axes [m]
    relaxed : (n, 3) without stress [m]: the same, or each strip of webs straight, where it may stand otherwise
    velocities : (n, 3) at the start, world axes [m/s]
    masses : (n,) lumped [kg]
    gradients, gradient_rates : (g, 3) gradients at the start, and their rates, world axes; as rows they are numbered
        behind the nodes
    truss, beam_thin, beam_thick, brick, ancf_beam, ancf_cable : elements by family; without rows where there are none
    materials : of bricks
    node_sets : (k,) nodes by name, increasing, each once
    surface_sets : (k, 4) nodes of faces by name, counter-clockwise seen from outside; `surface` is the whole surface
    cell_sets : (k,) elements by name and family
    fixed : (k,) nodes that are held in the world, and behind them gradients
    bonded : (k,) nodes by the name of the body that carries them
    """

    nodes: np.ndarray
    relaxed: np.ndarray
    velocities: np.ndarray
    masses: np.ndarray
    truss: TrussCells
    beam_thin: ThinBeamCells
    beam_thick: ThickBeamCells
    brick: BrickCells
    ancf_beam: AncfCells
    ancf_cable: AncfCells
    gradients: np.ndarray
    gradient_rates: np.ndarray
    materials: tuple[Material, ...]
    node_sets: Mapping[str, np.ndarray]
    surface_sets: Mapping[str, np.ndarray]
    cell_sets: Mapping[str, Mapping[str, np.ndarray]]
    fixed: np.ndarray
    bonded: Mapping[str, np.ndarray]

    @cached_property
    def brick_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest coordinates (m, 3) of the bricks [m]."""
        corners = self.nodes[self.brick.node]
        return corners.min(axis=1), corners.max(axis=1)

    @cached_property
    def cell_size(self) -> float:
        """Mean size of the elements: the length of lines, the cube root of the volume of bricks [m]."""
        if len(self.brick.node):
            return float(np.cbrt(calc_node_volumes(self.nodes, self.brick.node).sum() / len(self.brick.node)))
        lines = [self.truss.length, self.beam_thin.length.ravel(), self.beam_thick.length]
        lines += [self.ancf_beam.length, self.ancf_cable.length]
        return float(np.mean(np.concatenate(lines)))


def find_nodes(node_sets: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """Nodes of a set, or those that several sets have in common.

    Parameters
    ----------
    name : of a set, or of several with ``&`` between them

    >>> find_nodes({"x0": np.array([0, 2]), "y0": np.array([0, 1])}, "x0 & y0")
    array([0])
    """
    found: np.ndarray | None = None
    for part in (word.strip() for word in name.split("&")):
        if part not in node_sets:
            raise ModelError(say_unknown("node set", part, node_sets))
        found = node_sets[part] if found is None else np.intersect1d(found, node_sets[part])
    assert found is not None
    return found


def freeze(part: object) -> None:
    """Make the arrays of a dataclass read-only."""
    for field in fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


def freeze_sets(sets: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """Arrays by name that cannot be changed."""
    for value in sets.values():
        value.setflags(write=False)
    return MappingProxyType(dict(sets))
