"""Quantities by which bodies are coloured: tension of links, forces of pins and joints, contact forces, speed.

A new quantity, such as the stress of an element, is another maker in `MAKERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grouser.model.body import WORLD
from grouser.output.colour_scale import find_scale
from grouser.output.units import choose_unit
from grouser.result.places import is_drawn

if TYPE_CHECKING:
    from grouser.result.result import Array, Result

CONTACT_FORCE = "body/contact_force"
"""Block of the force of all contacts on each body, world axes, if a result has it [N]."""


@dataclass(frozen=True, eq=False)
class Channel:
    """Values of bodies.

    Attributes
    ----------
    key, label, unit : name for programs, name for people, unit
    bodies : names
    values : (frames, bodies)
    """

    key: str
    label: str
    unit: str
    bodies: tuple[str, ...]
    values: Array

    def find_range(self) -> tuple[float, float]:
        """Ends of the scale of colours; it begins at zero unless there are negative values."""
        return find_scale(self.values)


def make_channels(result: Result) -> list[Channel]:
    """All quantities that a result holds, the most telling first."""
    made = (make(result) for make in MAKERS)
    return [_scale(channel) for channel in made if channel is not None and channel.bodies]


def _scale(channel: Channel) -> Channel:
    """The same in the unit in which it is read best."""
    factor, unit = choose_unit(channel.values, channel.unit)
    return replace(channel, values=factor * channel.values, unit=unit)


def _make_tension(result: Result) -> Channel | None:
    if not result.has_block("link/tension"):
        return None
    values, links = result.block("link/tension")
    return Channel("tension", "link tension", "N", links, values[:, :, 0])


def _make_contact(result: Result) -> Channel | None:
    if not result.has_block(CONTACT_FORCE):
        return None
    values, bodies = result.block(CONTACT_FORCE, _list_bodies(result, CONTACT_FORCE))
    return Channel("contact", "contact force", "N", bodies, np.linalg.norm(values, axis=2))


def _make_pins(result: Result) -> Channel | None:
    return _make_joints(result, "joint/force", find_pins(result), "pin", "pin force", "N")


def _make_others(result: Result) -> Channel | None:
    pins = set(find_pins(result))
    others = [name for name in result.model.joints if name not in pins]
    return _make_joints(result, "joint/force", others, "joint", "joint force", "N")


def _make_deformation(result: Result) -> Channel | None:
    joints = find_pins(result) or list(result.model.joints)
    return _make_joints(result, "joint/deformation", joints, "deformation", "joint deformation", "mm", 1e3)


def _make_speed(result: Result) -> Channel | None:
    if not result.has_block("body/velocity"):
        return None
    values, bodies = result.block("body/velocity", _list_bodies(result, "body/velocity"))
    return Channel("speed", "speed", "m/s", bodies, np.linalg.norm(values, axis=2))


def _list_bodies(result: Result, block: str) -> list[str]:
    """Items of a block but for nodes of flexible meshes, which may be rigid bodies too."""
    meshes = tuple(f"{name}." for name in result.model.meshes)
    bodies = result.model.bodies
    return [item for item in result.list_items(block) if item in bodies or not item.startswith(meshes)]


def find_pins(result: Result) -> list[str]:
    """Pins of all tracks."""
    return [pin for track in result.model.tracks.values() for pin in track.pins]


def find_stored(result: Result, block: str, names: Iterable[str]) -> list[str]:
    """Those of some elements of which a block holds values."""
    if not result.has_block(block):
        return []
    stored = set(result.list_items(block))
    return [name for name in names if name in stored]


def _make_joints(
    result: Result, block: str, joints: Sequence[str], key: str, label: str, unit: str, scale: float = 1.0
) -> Channel | None:
    """Sizes of a quantity of joints, told of the body b of each, or of a where b is the world."""
    found = {name: _find_owner(result, name) for name in find_stored(result, block, joints)}
    shown = {name: owner for name, owner in found.items() if owner}
    if not shown:
        return None
    values, _ = result.block(block, list(shown))
    size = np.linalg.norm(values, axis=2) * scale
    owners = list(shown.values())
    bodies = tuple(dict.fromkeys(owners))
    largest = [_find_largest(size, (i for i, owner in enumerate(owners) if owner == body)) for body in bodies]
    return Channel(key, label, unit, bodies, np.stack(largest, axis=1))


def _find_owner(result: Result, joint: str) -> str:
    """Body or point that shows a joint; empty where both of its ends are on meshes or the world."""
    element = result.model.joints[joint]
    ends = [frame for frame in (element.frame_b, element.frame_a) if frame.body != WORLD and is_drawn(result, frame)]
    return ends[0].body if ends else ""


def _find_largest(size: Array, columns: Iterable[int]) -> Array:
    largest: Array = size[:, list(columns)].max(axis=1)
    return largest


MAKERS: tuple[Callable[[Result], Channel | None], ...] = (
    _make_tension,
    _make_contact,
    _make_pins,
    _make_others,
    _make_deformation,
    _make_speed,
)
