"""All points of a model in the order of their rows: named ones and nodes of meshes, and last those that are carried."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD
from grouser.model.model import Model

Array = np.ndarray


@dataclass(frozen=True)
class Points:
    """Points by row, counted from the first point.

    Attributes
    ----------
    names : of named points, ``mesh.number`` of the nodes of meshes, and ``mesh.gradient.number`` of gradients there
    position, velocity : (n, 3) at the start, world axes [m], [m/s]; gradients and their rates likewise
    mass : (n,) [kg]; what is carried has none of its own, and of elements by gradients these are no masses at all
        (`grouser.compile.mesh_mass`)
    carriers : names of the bodies that carry points, that of the world for fixed ones, empty for those that move freely
    free_count : so many of the first ones move freely
    of_mesh : by mesh, the place of each of its nodes among the points, and behind them of its gradients
    """

    names: tuple[str, ...]
    position: Array
    velocity: Array
    mass: Array
    carriers: tuple[str, ...]
    free_count: int
    of_mesh: dict[str, Array]


def collect_points(model: Model) -> Points:
    """The points of a model."""
    names: list[str] = []
    carriers: list[str] = []
    parts: list[tuple[Array, Array, Array]] = []
    starts: dict[str, int] = {}
    for name, point in model.points.items():
        names.append(name)
        carriers.append(WORLD if point.fixed else point.body)
        parts.append((np.array([point.position]), np.array([point.velocity]), np.array([point.mass])))
    for name, mesh in model.meshes.items():
        data = make_mesh_data(mesh)
        if len(data.beam_thick.node):
            continue  # its nodes are bodies
        starts[name] = len(names)
        names += [f"{name}.{i}" for i in range(len(data.nodes))]
        names += [f"{name}.gradient.{i}" for i in range(len(data.gradients))]
        place = np.concatenate([data.nodes, data.gradients])
        pace = np.concatenate([data.velocities, data.gradient_rates])
        owner = np.full(len(place), "", dtype=object)
        for body, nodes in data.bonded.items():
            owner[nodes] = body
        owner[data.fixed] = WORLD
        carriers += owner.tolist()
        still = (owner != "")[:, None]
        masses = np.concatenate([data.masses, np.ones(len(data.gradients))])
        parts.append((place, np.where(still, 0.0, pace), masses))
    if not names:
        empty = np.zeros((0, 3))
        return Points((), empty, empty, np.zeros(0), (), 0, {})
    position, velocity, mass = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    is_carried = np.array([carrier != "" for carrier in carriers])
    order = np.argsort(is_carried, kind="stable")
    place_of = np.empty_like(order)
    place_of[order] = np.arange(len(order))
    of_mesh = {}
    for name, start in starts.items():
        data = make_mesh_data(model.meshes[name])
        of_mesh[name] = place_of[start : start + len(data.nodes) + len(data.gradients)]
    return Points(
        names=tuple(names[i] for i in order),
        position=position[order],
        velocity=velocity[order],
        mass=mass[order],
        carriers=tuple(carriers[i] for i in order),
        free_count=int((~is_carried).sum()),
        of_mesh=of_mesh,
    )
