"""Faults of elements by gradients: of their fields, of pins and corners, of the shape without stress."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.errors import say_unknown
from grouser.families.ancf_beam.table import check_reference
from grouser.mesh.ancf import NAMES, find_pins, is_ancf, make_ends, share_rows
from grouser.mesh.finding import Finding, make_finding
from grouser.mesh.narrow import find_narrowing
from grouser.mesh.raw import RawMesh
from grouser.model.check import find_direction_faults
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.mesh import LineMesh, Mesh, RingMesh


def find_ancf_field_faults(path: Path, mesh: LineMesh | RingMesh) -> Iterator[Fault]:
    """What can be seen before any node is made."""
    if not is_ancf(mesh):
        for name in ("pins", "hinged"):
            if getattr(mesh, name):
                yield make_fault(
                    (*path, name), f"is for elements by gradients, and the element is {mesh.element!r}; leave it out"
                )
    if mesh.element != "ancf_beam" and mesh.integration != "axis":
        yield make_fault((*path, "integration"), f"is for ancf_beam, and the element is {mesh.element!r}; leave it out")
    if not is_ancf(mesh):
        return
    for name, body in mesh.bonded.items():
        yield make_fault(
            (*path, "bonded", name),
            f"cannot be carried by {body!r}, because masses of elements by gradients are coupled; connect a frame on "
            "the mesh with the body by a fixed joint instead",
        )
    for name, line in mesh.pins.items():
        if mesh.element == "ancf_cable" and line != "ball":
            yield make_fault((*path, "pins", name), "is a line, and a cable has no line across; take 'ball'")
        elif isinstance(line, str) and line not in (*NAMES, "ball"):
            yield make_fault(
                (*path, "pins", name), f"{say_unknown('line', line, (*NAMES, 'ball'))}; or give a direction"
            )
        elif not isinstance(line, str):
            yield from find_direction_faults((*path, "pins", name), line, "the line of the pin")
    if np.isnan(find_narrowing(mesh.material, 1.0 / (1.0 + mesh.pre_strain))):
        yield make_fault(
            (*path, "pre_strain"),
            f"is {mesh.pre_strain:g}: the mesh cannot close at it, since a bar of this linear material would have no "
            "width left there; take a smaller one, or neo_hookean",
        )


def find_ancf_faults(raw: RawMesh, mesh: Mesh) -> Iterator[Finding]:
    """Pins that do not exist, corners of cables, and elements that are inside out."""
    if not (isinstance(mesh, LineMesh | RingMesh) and is_ancf(mesh)):
        return
    sets = {"all": np.arange(len(raw.nodes)), **raw.node_sets}
    unknown = [(name, key) for key in ("pins", "hinged") for name in getattr(mesh, key) if name not in sets]
    for name, key in unknown:
        yield make_finding(say_unknown("node set", name, sets), key, *([name] if key == "pins" else []))
    if unknown:
        return
    degree = np.bincount(raw.lines.ravel(), minlength=len(raw.nodes))
    for name in mesh.pins:
        if not (degree[sets[name]] == 2).any():
            yield make_finding(f"{name!r} has no node where two elements meet, which a pin needs", "pins", name)
            return
    ends = make_ends(raw, mesh, raw.nodes, np.eye(3))
    for node, missed in sorted(share_rows(raw, mesh, ends, np.eye(3)).apart.items()):
        key = "pins" if node in find_pins(raw, mesh) else "element"
        yield make_finding(f"node {node} {missed} or move the elements", key)
        return
    if mesh.element == "ancf_beam":
        count = len(raw.lines)
        places = (1.0 + mesh.pre_strain) * raw.nodes[raw.lines][:, :, None]
        reference = np.concatenate([places, ends.frame.swapaxes(2, 3)], axis=2).reshape(count, 8, 3)
        try:
            check_reference(reference, ends.length)
        except ValueError as error:
            yield make_finding(f"{error}; take more elements, or another normal")
