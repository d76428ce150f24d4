"""Checks of frames: what they sit on, and whether it can turn."""

from __future__ import annotations

from collections.abc import Iterator

from grouser.mesh.attach import find_attachment
from grouser.model.body import Frame
from grouser.model.carrier import carry, does_turn, is_thick, split_node
from grouser.model.check import Scope, find_frame_faults, find_orientation_faults
from grouser.model.fault import Fault, Path, make_fault


def find_carrier_faults(path: Path, frame: Frame, scope: Scope) -> Iterator[Fault]:
    """A frame on what does not exist, or where nothing is: on a body, a point, a mesh or a node of a mesh."""
    if frame.body in scope.meshes:
        yield from find_orientation_faults((*path, "orientation"), frame.orientation)
        found = find_attachment(scope.model.meshes[frame.body], frame)
        if isinstance(found, str):
            yield make_fault(path, f"on mesh {frame.body!r}: {found}")
        elif is_thick(scope.model, frame.body) and len(found.nodes) > 1 and frame.nodes:
            yield make_fault(
                (*path, "nodes"),
                f"names {len(found.nodes)} nodes of thick beams, each of which turns by itself; name a set of one",
            )
    elif frame.body in scope.points or (frame.body not in scope.bodies and split_node(scope.model, frame.body)):
        if any(frame.position) or tuple(frame.orientation) != (1.0, 0.0, 0.0, 0.0) or frame.nodes:
            yield make_fault(
                path, f"{frame.body!r} is a point, which has no axes; leave out 'position', 'orientation' and 'nodes'"
            )
    elif ("meshes", frame.body) not in scope.absent and frame.body not in scope.model.meshes:
        known = scope.bodies | scope.points | scope.meshes
        yield from find_frame_faults(path, frame, known)


def find_pair_faults(path: Path, frame_a: Frame, frame_b: Frame, scope: Scope) -> Iterator[Fault]:
    """Two frames that connect something with itself."""
    faults = [
        *find_carrier_faults((*path, "frame_a"), frame_a, scope),
        *find_carrier_faults((*path, "frame_b"), frame_b, scope),
    ]
    yield from faults
    if not faults and (carry(scope.model, frame_a).body == carry(scope.model, frame_b).body):
        yield make_fault(path, f"both frames are on {frame_a.body!r}; it must connect two different bodies")


def is_still(frame: Frame, scope: Scope) -> bool:
    """Whether a frame sits on what cannot turn: a point, or the nodes of trusses and thin beams."""
    is_read = frame.body in scope.meshes and not isinstance(find_attachment(scope.model.meshes[frame.body], frame), str)
    known = frame.body in scope.points or is_read or split_node(scope.model, frame.body) is not None
    return known and ("points", frame.body) not in scope.absent and not does_turn(scope.model, frame)
