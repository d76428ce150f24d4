"""Faults of contact shapes, contact pairs and terrain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from itertools import pairwise, product
from typing import TYPE_CHECKING

from grouser.errors import say_unknown
from grouser.model.body import Frame
from grouser.model.carrier import does_turn, is_thick
from grouser.model.check import (
    SHORTEST,
    Scope,
    find_body_faults,
    find_direction_faults,
    find_orientation_faults,
    find_reference_faults,
    find_table_faults,
)
from grouser.model.check_frame import find_carrier_faults
from grouser.model.contact import (
    CONTACT_PAIRS,
    TERRAIN,
    Contact,
    Pin,
    Plate,
    Rail,
    Shape,
    Sphere,
    Sprocket,
    Strip,
    Toothed,
    Wheel,
)
from grouser.model.fault import Fault, Path, make_fault
from grouser.model.gap import find_tooth_faults
from grouser.model.surface import Surface
from grouser.model.terrain import Grid, MeshTerrain, Plane, Profile
from grouser.model.validate_surface import find_mesh_terrain_faults, find_shape_surface_faults
from grouser.model.valley import find_valley_faults

if TYPE_CHECKING:
    from grouser.model.model import Model

PAIRS = frozenset(frozenset(pair) for pair in CONTACT_PAIRS)
"""The same pairs, in either order."""

ACROSS = 1e-3
"""Largest cosine of the angle between two directions that count as normal to each other."""


def find_shape_faults(scope: Scope) -> Iterator[Fault]:
    """Faults of the shapes by themselves."""
    bodies = scope.bodies
    for name, shape in scope.model.shapes.items():
        path: Path = ("shapes", name)
        if isinstance(shape, Surface):
            yield from find_shape_surface_faults(path, shape, scope)
        elif isinstance(shape, Sphere):
            yield from find_carrier_faults(path, Frame(body=shape.body, position=shape.position), scope)
        elif shape.body in scope.meshes:
            yield from _find_mesh_faults(path, shape, scope)
        else:
            yield from find_body_faults((*path, "body"), shape.body, bodies)
            if getattr(shape, "at", None) is not None:
                yield make_fault((*path, "at"), f"is a place in a mesh, and {shape.body!r} is none; leave it out")
        if isinstance(shape, Plate):
            yield from find_orientation_faults((*path, "orientation"), shape.orientation)
        if isinstance(shape, Wheel | Sprocket | Toothed):
            yield from find_direction_faults((*path, "axis"), shape.axis, "the spin axis")
        if isinstance(shape, Sprocket):
            yield from _find_reference_faults(path, shape)
            yield from find_tooth_faults(path, shape)
        if isinstance(shape, Toothed):
            yield from _find_reference_faults(path, shape)
            yield from find_valley_faults(path, shape)
        if isinstance(shape, Rail):
            yield from _find_rail_faults(path, shape)
        if isinstance(shape, Strip) and math.dist(shape.start, shape.end) < SHORTEST:
            yield make_fault((*path, "end"), "is where 'start' is; a strip needs a length")
        if isinstance(shape, Pin) and shape.shared is not None:
            yield from find_reference_faults((*path, "shared"), "body", shape.shared, bodies)
            if shape.shared == shape.body:
                yield make_fault((*path, "shared"), f"is {shape.body!r} itself; name the link that is hinged to it")


def _find_mesh_faults(path: Path, shape: Shape, scope: Scope) -> Iterator[Fault]:
    """A shape on a mesh, which needs a place there that turns with it."""
    if isinstance(shape, Sprocket | Toothed):
        yield make_fault((*path, "body"), f"is the mesh {shape.body!r}; teeth sit on bodies alone")
    elif is_thick(scope.model, shape.body):
        yield make_fault((*path, "body"), f"is a mesh of thick beams; name a node of it, as {shape.body + '.0'!r}")
    elif getattr(shape, "at", None) is None:
        yield make_fault(path, f"sits on the mesh {shape.body!r}, and misses key 'at', its place there [m]")
    else:
        frame = Frame(body=shape.body, position=shape.at)  # type: ignore[union-attr]
        found = list(find_carrier_faults((*path, "at"), frame, scope))
        yield from found
        if not found and not does_turn(scope.model, frame):
            yield make_fault(
                (*path, "at"), "does not turn, as the mesh has lines alone there; take ancf_beam or bricks, or a sphere"
            )


def _find_rail_faults(path: Path, rail: Rail) -> Iterator[Fault]:
    for number, (one, next_one) in enumerate(pairwise(rail.points), start=1):
        if math.dist(one, next_one) < SHORTEST:
            yield make_fault((*path, "points", number), "is where the corner before is; each segment needs a length")


def _find_reference_faults(path: Path, sprocket: Sprocket | Toothed) -> Iterator[Fault]:
    yield from find_direction_faults((*path, "reference"), sprocket.reference, "the middle of a gap")
    lengths = math.hypot(*sprocket.axis) * math.hypot(*sprocket.reference)
    along = abs(sum(a * b for a, b in zip(sprocket.axis, sprocket.reference, strict=True)))
    if along > ACROSS * lengths:
        yield make_fault((*path, "reference"), f"is not normal to the axis {list(sprocket.axis)}")


def find_contact_faults(model: Model, unreadable: Set[str]) -> Iterator[Fault]:
    """Faults of contact pairs; families in `unreadable` have elements that the model lacks."""
    groups: dict[str, list[str]] = {}
    for name, shape in model.shapes.items():
        groups.setdefault(shape.group, []).append(name)
    kinds: dict[str, dict[str, str]] = {
        group: {model.shapes[name].type: name for name in names} for group, names in groups.items()
    }
    for name, contact in model.contacts.items():
        path: Path = ("contacts", name)
        if contact.a == TERRAIN:
            yield make_fault((*path, "a"), "is the terrain, which stands in 'b'; exchange a and b")
            continue
        unknown = [
            make_fault((*path, key), say_unknown("group of shapes", group, groups))
            for key, group in (("a", contact.a), ("b", contact.b))
            if group not in groups and not (key == "b" and group == TERRAIN)
        ]
        if "shapes" not in unreadable:
            yield from unknown
        if contact.b == TERRAIN and model.terrain is None and TERRAIN not in unreadable:
            yield make_fault((*path, "b"), "is the terrain, but the model has none; add 'terrain'")
        if not unknown:
            yield from _find_pair_faults(path, contact, model, groups, kinds)


def _find_pair_faults(
    path: Path, contact: Contact, model: Model, groups: dict[str, list[str]], kinds: dict[str, dict[str, str]]
) -> Iterator[Fault]:
    """Faults of a pair; `groups` has the shapes of each group, `kinds` the last shape of each of its types."""
    first = kinds[contact.a]
    second = {TERRAIN: TERRAIN} if contact.b == TERRAIN else kinds[contact.b]
    is_known = True
    for (kind_a, name_a), (kind_b, name_b) in product(first.items(), second.items()):
        if frozenset((kind_a, kind_b)) not in PAIRS:
            is_known = False
            known = ", ".join(sorted("-".join(sorted(pair)) for pair in CONTACT_PAIRS))
            yield make_fault(
                path,
                f"there is no contact between {kind_a} ({name_a!r}) and {kind_b} ({name_b!r}); there is: {known}",
            )
    # wheels and sprockets guide horns alike
    if is_known and "horn" not in {*first, *second} and len(first) * len(second) > 1:
        mixed, key = (first, "a") if len(first) > 1 else (second, "b")
        listed = " and ".join(f"{kind} ({name!r})" for kind, name in sorted(mixed.items()))
        yield make_fault((*path, key), f"holds {listed}; give each type a group and a contact of its own")
    if "horn" in {*first, *second}:
        for name in (*groups[contact.a], *groups.get(contact.b, ())):
            yield from _find_groove_faults(path, name, model.shapes[name])
    is_surface = "surface" in {*first, *second}
    if contact.per == "area" and not is_surface and not (set(first) == {"points"} and contact.b == TERRAIN):
        yield make_fault((*path, "per"), "is 'area', but only points have an area; use 'contact'")
    if (contact.per == "length") != (set(first) == {"strip"}):
        yield make_fault((*path, "per"), f"is {contact.per!r}; strips, and they alone, have contacts per 'length'")
    if "toothed" in {*first, *second}:
        yield from _find_seat_faults(path, [model.shapes[n] for n in (*groups[contact.a], *groups.get(contact.b, ()))])


def _find_seat_faults(path: Path, shapes: list[Shape]) -> Iterator[Fault]:
    """A bushing that does not fit into the seats would touch on both sides at a time."""
    radius = max((shape.radius for shape in shapes if isinstance(shape, Pin)), default=0.0)
    seat = min((shape.seat_radius for shape in shapes if isinstance(shape, Toothed)), default=math.inf)
    if radius > seat:
        yield make_fault(
            path, f"pins of radius {radius:g} m do not fit into seats of radius {seat:g} m; enlarge seat_radius"
        )


def _find_groove_faults(path: Path, name: str, shape: Shape) -> Iterator[Fault]:
    if isinstance(shape, Wheel | Sprocket) and shape.groove is None:
        yield make_fault(path, f"{shape.type} {name!r} has no groove in which a horn could run; add 'groove'")


def find_terrain_faults(model: Model) -> Iterator[Fault]:
    """Faults of the terrain."""
    terrain = model.terrain
    if isinstance(terrain, Plane):
        yield from find_direction_faults(("terrain", "normal"), terrain.normal, "a vector that points up")
        if any(terrain.normal) and terrain.normal[2] <= 0:
            yield make_fault(("terrain", "normal"), f"is {list(terrain.normal)}; its z must be positive (up)")
    elif isinstance(terrain, MeshTerrain):
        yield from find_mesh_terrain_faults(model)
    elif isinstance(terrain, Profile):
        yield from find_table_faults(("terrain", "points"), terrain.points)
    elif isinstance(terrain, Grid):
        lengths = [len(row) for row in terrain.heights]
        if len(lengths) < 2 or min(lengths) < 2:
            yield make_fault(("terrain", "heights"), "needs at least 2 rows and 2 columns")
        for i, length in enumerate(lengths):
            if length != lengths[0]:
                yield make_fault(
                    ("terrain", "heights", i),
                    f"row has {length} values and the first row {lengths[0]}; all rows must be equally long",
                )
                break
