"""Faults of a whole model: what no field can see by itself. All faults are found, not the first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from itertools import chain, islice
from typing import TYPE_CHECKING

from grouser.errors import say_names
from grouser.families.coordinate_force.motion import find_motion_faults
from grouser.families.coordinate_force.spec import Actuator
from grouser.families.driver.spec import find_driver_faults
from grouser.families.joint.bushing import Bushing
from grouser.families.joint.spec import find_still_faults
from grouser.families.track_powertrain.spec import TrackPowertrain
from grouser.mesh.make import find_mesh_faults
from grouser.model.base import Input
from grouser.model.body import WORLD
from grouser.model.carrier import can_move
from grouser.model.check import (
    Scope,
    find_inertia_faults,
    find_orientation_faults,
    find_reference_faults,
)
from grouser.model.check_frame import find_carrier_faults, find_pair_faults
from grouser.model.fault import MOST_FAULTS, Fault, Path, make_fault
from grouser.model.force import FAULTS, Force
from grouser.model.mesh import LinesMesh, RingMesh, WebsMesh
from grouser.model.signal import list_signals
from grouser.model.start import calc_rod_length
from grouser.model.validate_contact import find_contact_faults, find_shape_faults, find_terrain_faults
from grouser.model.validate_mesh import find_meshes_faults, list_mesh_bodies
from grouser.model.validate_plane import find_plane_faults

if TYPE_CHECKING:
    from grouser.model.model import Model, Track

RESERVED = ("world", "terrain", "energy", "run")
"""Names that mean something else wherever a name is written."""

CHANNEL_FAMILIES = (
    "bodies",
    "points",
    "meshes",
    "joints",
    "forces",
    "motions",
    "contacts",
    "sensors",
    "tracks",
    "drivers",
)
"""Families whose elements give result channels, so that a name may appear in one of them only."""

FAMILIES = (*CHANNEL_FAMILIES, "shapes", "posts")
"""All fields of a model that hold elements by name."""

SHORTEST_ROD = 1e-6
"""Rods of distance joints are longer than this [m]."""

LONGEST_NAME = 100
"""Most characters of the name of an element or of a group."""

_NAME = re.compile(r"[A-Za-z0-9_.\-]+")


def find_faults(model: Model, *, absent: Set[tuple[str, str]] = frozenset()) -> list[Fault]:
    """All faults of a model up to `MOST_FAULTS`, each a sentence with the path of its element.

    Parameters
    ----------
    absent : (family, name) of what exists but could not be read; nothing is held against a reference to it
    """
    bodies = set(model.bodies) | {name for family, name in absent if family == "bodies"}
    bodies |= list_mesh_bodies(model)
    points = set(model.points) | {name for family, name in absent if family == "points"}
    joints = set(model.joints) | {name for family, name in absent if family == "joints"}
    meshes = {name for name, mesh in model.meshes.items() if not find_mesh_faults(mesh)}
    scope = Scope(model, bodies, points, joints, meshes, absent)
    drives = {*model.motions, *find_actuators(model.forces), *find_track_powertrains(model)}
    drives |= {name for family, name in absent if family in ("motions", "forces")}
    found = chain(
        _find_name_faults(model),
        _find_body_faults(scope),
        _find_point_faults(model, bodies),
        find_meshes_faults(scope),
        _find_joint_faults(scope),
        _find_force_faults(scope),
        find_motion_faults(scope),
        find_shape_faults(scope),
        find_contact_faults(model, {family for family, _ in absent}),
        find_terrain_faults(model),
        _find_sensor_faults(scope),
        _find_track_faults(model, bodies, joints, drives),
        _find_post_faults(scope),
        find_driver_faults(model, bodies, {family for family, _ in absent}),
        find_plane_faults(model),
    )
    return list(islice(found, MOST_FAULTS))


def _find_name_faults(model: Model) -> Iterator[Fault]:
    owners: dict[str, str] = {}
    for family in FAMILIES:
        for name in getattr(model, family):
            yield from _find_spelling_faults((family, name), name)
            if family in CHANNEL_FAMILIES:
                owner = owners.setdefault(name, family)
                if owner != family:
                    yield make_fault((family, name), f"the name is taken in {owner!r} already; use another name")
    yield from _find_input_name_faults(model, owners)
    for family in ("joints", "shapes"):
        for name, element in getattr(model, family).items():
            yield from _find_spelling_faults((family, name, "group"), element.group)


def _find_input_name_faults(model: Model, owners: Mapping[str, str]) -> Iterator[Fault]:
    """Inputs are channels too; one that stands at several places has the same limits everywhere."""
    seen: dict[str, Input] = {}
    for path, signal, _ in list_signals(model):
        if not isinstance(signal, Input):
            continue
        yield from _find_spelling_faults((*path, "input"), signal.input)
        if signal.input in owners:
            yield make_fault(
                (*path, "input"),
                f"the name {signal.input!r} is taken in {owners[signal.input]!r} already; use another name",
            )
        other = seen.setdefault(signal.input, signal)
        if other.model_copy(update={"factor": signal.factor}) != signal:
            yield make_fault(
                path, f"input {signal.input!r} stands elsewhere with another start, min, max or rate; give the same"
            )


def _find_spelling_faults(path: Path, name: str) -> Iterator[Fault]:
    if name in RESERVED:
        yield make_fault(path, f"the name {name!r} is reserved ({', '.join(RESERVED)}); use another name")
    elif not _NAME.fullmatch(name):
        yield make_fault(path, f"the name {name!r} may have only letters, digits, '_', '-' and '.'")
    elif len(name) > LONGEST_NAME:
        yield make_fault(path, f"the name has {len(name)} characters; at most {LONGEST_NAME} are taken, so shorten it")


def _find_body_faults(scope: Scope) -> Iterator[Fault]:
    model = scope.model
    has_unread = any(family in ("bodies", "points", "meshes") for family, _ in scope.absent)
    if not model.bodies and not model.points and not model.meshes and not has_unread:
        yield make_fault(
            ("bodies",), "is empty, and so are 'points' and 'meshes'; a model has at least one of any of them"
        )
    for name, body in model.bodies.items():
        yield from find_orientation_faults(("bodies", name, "orientation"), body.orientation)
        yield from find_inertia_faults(("bodies", name, "inertia"), body.mass, body.inertia)
    if model.main_body:
        yield from find_reference_faults(("main_body",), "body", model.main_body, model.bodies)


def _find_point_faults(model: Model, bodies: Set[str]) -> Iterator[Fault]:
    for name, point in model.points.items():
        if point.is_carried and any(point.velocity):
            how = "fixed" if point.fixed else f"carried by {point.body!r}"
            yield make_fault(
                ("points", name, "velocity"), f"is {list(point.velocity)} m/s, and the point is {how}; leave out one"
            )
        if point.fixed and point.body:
            yield make_fault(("points", name), f"is fixed, and is carried by {point.body!r}; leave out one of both")
        if not point.is_carried and "mass" not in point.model_fields_set:
            yield make_fault(("points", name), "has no mass; give one [kg], or say that it is fixed")
        if point.body:
            yield from find_reference_faults(("points", name, "body"), "body", point.body, bodies)


def _find_joint_faults(scope: Scope) -> Iterator[Fault]:
    model = scope.model
    for name, joint in model.joints.items():
        faults = list(find_pair_faults(("joints", name), joint.frame_a, joint.frame_b, scope))
        yield from faults or find_still_faults(("joints", name), joint, scope)
        if (
            not faults
            and {joint.frame_a.body, joint.frame_b.body}.isdisjoint(scope.bodies)
            and not (can_move(model, joint.frame_a) or can_move(model, joint.frame_b))
        ):
            yield make_fault(
                ("joints", name),
                f"is between {joint.frame_a.body!r} and {joint.frame_b.body!r}, which both stay where they are: "
                "there is nothing to hold; leave it out",
            )
        if joint.type != "distance":
            if joint.length is not None:
                yield make_fault(
                    ("joints", name, "length"),
                    f"a {joint.type} joint has no length; remove it, or use a distance joint",
                )
        elif not faults and {joint.frame_a.body, joint.frame_b.body} <= {
            WORLD,
            *model.bodies,
            *model.points,
            *scope.meshes,
        }:
            length = calc_rod_length(model, joint)
            if length < SHORTEST_ROD:
                yield make_fault(
                    ("joints", name),
                    f"is a rod of length {length:.3g} m: its ends on {joint.frame_a.body!r} and "
                    f"{joint.frame_b.body!r} coincide and give no direction; move an end, or use a spherical joint",
                )


def _find_force_faults(scope: Scope) -> Iterator[Fault]:
    for name, force in scope.model.forces.items():
        yield from FAULTS[type(force)](("forces", name), force, scope)


def find_actuators(forces: Mapping[str, Force]) -> dict[str, Actuator]:
    """The actuators among the forces."""
    return {name: force for name, force in forces.items() if isinstance(force, Actuator)}


def find_track_powertrains(model: Model) -> dict[str, TrackPowertrain]:
    """The powertrains of tracks of a model."""
    return {name: force for name, force in model.forces.items() if isinstance(force, TrackPowertrain)}


def _find_sensor_faults(scope: Scope) -> Iterator[Fault]:
    for name, sensor in scope.model.sensors.items():
        yield from find_carrier_faults(("sensors", name, "frame"), sensor.frame, scope)


def _find_track_faults(model: Model, bodies: Set[str], joints: Set[str], drives: Set[str]) -> Iterator[Fault]:
    for name, track in model.tracks.items():
        path: Path = ("tracks", name)
        for key in ("links", "wheels"):
            for i, body in enumerate(getattr(track, key)):
                yield from find_reference_faults((*path, key, i), "body", body, bodies)
        for key in ("sprocket", "idler"):
            yield from find_reference_faults((*path, key), "body", getattr(track, key), bodies)
        for i, joint in enumerate(track.pins):
            yield from find_reference_faults((*path, "pins", i), "joint", joint, {*joints, *find_bushings(model)})
        yield from find_reference_faults((*path, "drive"), "motion or actuator", track.drive, drives)
        yield from _find_loop_faults(path, track, model)
        yield from _find_drive_faults(path, track, model)


def _find_post_faults(scope: Scope) -> Iterator[Fault]:
    model = scope.model
    unread = {family for family, _ in scope.absent}
    families = (
        (("pan", "wheel"), "body", "bodies", scope.bodies),
        (("motion",), "motion", "motions", model.motions.keys()),
        (("arm",), "force", "forces", model.forces.keys()),
        (("on_pan", "on_stops", "on_rails"), "contact", "contacts", model.contacts.keys()),
    )
    for name, post in model.posts.items():
        for keys, kind, family, valid in families:
            for key in keys:
                if (value := getattr(post, key)) and family not in unread:
                    yield from find_reference_faults(("posts", name, key), kind, value, valid)


def find_bushings(model: Model) -> dict[str, Bushing]:
    """The bushings among the forces."""
    return {name: force for name, force in model.forces.items() if isinstance(force, Bushing)}


def _find_web_faults(path: Path, track: Track, model: Model) -> Iterator[Fault]:
    """Webs of a band that do not join its links in order."""
    if track.pins:
        yield make_fault((*path, "pins"), "are there beside 'belt'; a track has one of them")
        return
    yield from find_reference_faults((*path, "belt"), "mesh", str(track.belt), model.meshes)
    mesh = model.meshes.get(str(track.belt))
    if mesh is None:
        return
    count = len(track.links)
    is_thick = isinstance(mesh, LinesMesh) and mesh.element == "beam_thick"
    if not (is_thick or isinstance(mesh, WebsMesh)) or len(mesh.ends) != count:  # type: ignore[union-attr]
        text = f"is no mesh of {count} lines of beam_thick, or of so many webs, one for each link"
        yield make_fault((*path, "belt"), text)
        return
    for i, link in enumerate(track.links):
        for name, body in ((f"start{i}", link), (f"end{i}", track.links[(i + 1) % count])):
            if mesh.bonded.get(name) != body:
                yield make_fault(
                    (*path, "belt"), f"needs {name!r} in 'bonded', at link {body!r}: webs join links in order"
                )
                return


def _find_chain_faults(path: Path, track: Track, model: Model) -> Iterator[Fault]:
    """A chain that is no ring of beams by gradients, or has bodies beside it."""
    if track.links or track.pins or track.belt is not None:
        yield make_fault((*path, "chain"), "is there beside links, pins or a belt; a track has one of them")
        return
    yield from find_reference_faults((*path, "chain"), "mesh", str(track.chain), model.meshes)
    mesh = model.meshes.get(str(track.chain))
    if mesh is not None and not (isinstance(mesh, RingMesh) and mesh.element == "ancf_beam" and mesh.points):
        yield make_fault((*path, "chain"), "is no ring of ancf_beam with corners")


def _find_loop_faults(path: Path, track: Track, model: Model) -> Iterator[Fault]:
    count = len(track.links)
    if track.chain is not None:
        yield from _find_chain_faults(path, track, model)
        return
    if track.belt is not None:
        yield from _find_web_faults(path, track, model)
        return
    if count != len(track.pins):
        yield make_fault(path, f"has {count} links and {len(track.pins)} pins; a closed loop has as many pins as links")
        return
    if count < 3:
        yield make_fault((*path, "links"), f"has {count} links; a closed loop has at least 3")
    for key in ("links", "pins"):
        names = getattr(track, key)
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        if repeated:
            yield make_fault((*path, key), f"names {say_names(repeated)} more than once")
            return
    for i, pin in enumerate(track.pins):
        joint = model.joints.get(pin) or find_bushings(model).get(pin)
        if joint is None:
            continue
        expected = (track.links[i], track.links[(i + 1) % count])
        found = (joint.frame_a.body, joint.frame_b.body)
        if found != expected:
            yield make_fault(
                (*path, "pins", i),
                f"joint {pin!r} connects {found[0]!r} with {found[1]!r}, but pin {i + 1} of the track "
                f"must connect {expected[0]!r} (frame a) with {expected[1]!r} (frame b)",
            )


def _find_drive_faults(path: Path, track: Track, model: Model) -> Iterator[Fault]:
    powertrain = find_track_powertrains(model).get(track.drive)
    if powertrain is not None:
        sides = [model.joints.get(joint) for joint in (powertrain.left, powertrain.right)]
        if all(side and side.frame_b.body != track.sprocket for side in sides):
            yield make_fault((*path, "drive"), f"{track.drive!r} does not drive the sprocket {track.sprocket!r}")
    drive = model.motions.get(track.drive) or find_actuators(model.forces).get(track.drive)
    joint = model.joints.get(drive.joint) if drive else None
    if joint and track.sprocket not in (joint.frame_a.body, joint.frame_b.body):
        yield make_fault(
            (*path, "drive"),
            f"{track.drive!r} drives a joint between {joint.frame_a.body!r} and {joint.frame_b.body!r}, "
            f"not the sprocket {track.sprocket!r}",
        )
