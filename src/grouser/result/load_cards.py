"""Loads of a part as cards of finite-element programs: CalculiX (.inp) and Nastran (.bdf), in SI units.

Each load has a node, in the part's frame, where it acts at the first of the written instants. Later on the force may
act elsewhere, p(t), and is moved to its node with the moment (p(t) - p) x F. Whoever has the mesh ties each node to the
surface that carries the load, by a distributing coupling or an RBE3. The node of gravity, inertia and other loads is
the centre of mass: tied to all nodes with their masses as weights, a moment there becomes what angular acceleration
makes of the masses. All loads of an instant are in balance. Forces by which a spinning part strains itself are not
among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from grouser.errors import ResultError
from grouser.result.part_loads import Array, PartLoads
from grouser.result.target import check_place
from grouser.whole_file import save_whole

FIRST_NODE = 900001
"""Number of the first node, beyond those of most meshes."""


class Node(NamedTuple):
    """A node with its loads: number, source, place (3,), force and moment (instants, 3)."""

    number: int
    source: str
    place: Array
    force: Array
    moment: Array


def save_cards(loads: PartLoads, path: str | Path, frames: Sequence[int]) -> Path:
    """Write the loads of some frames, a load case each; the suffix .inp or .bdf says for which program."""
    path = Path(path)
    make = {".inp": _make_calculix, ".bdf": _make_nastran}.get(path.suffix.lower())
    if make is None:
        raise ResultError(f"cards for {path.name!r}: the suffix {path.suffix!r} is neither .inp (CalculiX) nor .bdf")
    check_place(path, "cards")
    nodes = [
        Node(
            FIRST_NODE + i,
            load.source,
            load.place[frames[0]],
            load.force[frames],
            load.torque[frames] + np.cross(load.place[frames] - load.place[frames[0]], load.force[frames]),
        )
        for i, load in enumerate(loads.loads)
    ]
    with save_whole(path, "cards") as unfinished, unfinished.open("w", encoding="ascii", errors="replace") as file:
        file.writelines(f"{line}\n" for line in make(loads, nodes, loads.time[frames]))
    return path


def _make_calculix(loads: PartLoads, nodes: Sequence[Node], times: Array) -> Iterator[str]:
    yield f"** Loads on {loads.part}, in its frame: N, N m, m. The loads of each step are in balance."
    yield "*NODE, NSET=LOAD_NODES"
    for node in nodes:
        yield f"** {node.source}"
        yield f"{node.number}, " + ", ".join(f"{value:.12e}" for value in node.place)
    for i, time in enumerate(times):
        yield f"** t = {time:.9g} s"
        yield "*STEP"
        yield "*STATIC"
        yield "*CLOAD, OP=NEW"
        for node in nodes:
            for direction, value in enumerate((*node.force[i], *node.moment[i]), start=1):
                if value != 0.0:
                    yield f"{node.number}, {direction}, {value:.12e}"
        yield "*END STEP"


def _make_nastran(loads: PartLoads, nodes: Sequence[Node], times: Array) -> Iterator[str]:
    yield f"$ Loads on {loads.part}, in its frame: N, N m, m. The loads of each set are in balance."
    for node in nodes:
        yield f"$ {node.source}"
        yield from _make_wide("GRID", node.number, "", *node.place)
    for i, time in enumerate(times):
        yield f"$ set {i + 1}: t = {time:.9g} s"
        for node in nodes:
            for card, vector in (("FORCE", node.force[i]), ("MOMENT", node.moment[i])):
                if vector.any():
                    yield from _make_wide(card, i + 1, node.number, 0, 1.0, *vector)


def _make_wide(card: str, *fields: float | str) -> Iterator[str]:
    """A card of fields of 16 letters, four a line."""
    texts = [
        f"{value:16d}" if isinstance(value, int) else f"{value:>16s}" if isinstance(value, str) else _say(value)
        for value in fields
    ]
    for start in range(0, len(texts), 4):
        yield f"{f'{card}*' if start == 0 else '*':<8s}" + "".join(texts[start : start + 4])


def _say(value: float) -> str:
    """A number of 16 letters, which is known as no integer."""
    return f"{value:16.8E}"
