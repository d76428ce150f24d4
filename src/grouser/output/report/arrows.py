"""Forces that are drawn as arrows: at contacts, pins, joints and springs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grouser.model.body import Frame
from grouser.model.force import Spring
from grouser.output.report.channels import CONTACT_FORCE, find_pins, find_stored
from grouser.output.units import choose_unit
from grouser.result.places import calc_axes, calc_places, is_drawn

if TYPE_CHECKING:
    from grouser.result.result import Array, Result

LARGEST = 99.5
"""The longest arrow is this percentile of all forces; those of single jolts may be longer."""


@dataclass(frozen=True, eq=False)
class ArrowSet:
    """Forces on bodies.

    Attributes
    ----------
    key, label : name for programs, name for people
    bodies : body on which each acts, or ``world``
    points : where it acts, in the body's frame, (forces, 3) [m]
    vectors : world axes, (frames, forces, 3)
    unit : of the vectors
    """

    key: str
    label: str
    bodies: tuple[str, ...]
    points: Array
    vectors: Array
    unit: str = "N"

    @property
    def largest(self) -> float:
        """The force of the longest arrow."""
        size = np.linalg.norm(self.vectors, axis=2)
        size = size[np.isfinite(size)]
        return float(np.percentile(size, LARGEST)) if size.size else 0.0


def make_arrow_sets(result: Result) -> list[ArrowSet]:
    """All forces that a result holds."""
    made = (make(result) for make in MAKERS)
    return [_scale(arrows) for arrows in made if arrows is not None and arrows.largest > 0]


def _scale(arrows: ArrowSet) -> ArrowSet:
    """The same in the unit in which it is read best."""
    factor, unit = choose_unit(arrows.largest, arrows.unit)
    return replace(arrows, vectors=factor * arrows.vectors, unit=unit)


def _make_contacts(result: Result) -> ArrowSet | None:
    if not result.has_block(CONTACT_FORCE):
        return None
    values, bodies = result.block(CONTACT_FORCE)
    points = np.array([result.model.bodies[body].com for body in bodies])
    return ArrowSet("contacts", "contact forces", bodies, points, values)


def _make_pins(result: Result) -> ArrowSet | None:
    return _make_joints(result, find_pins(result), "pins", "pin forces")


def _make_others(result: Result) -> ArrowSet | None:
    pins = set(find_pins(result))
    return _make_joints(result, [name for name in result.model.joints if name not in pins], "joints", "joint forces")


def _make_joints(result: Result, joints: Sequence[str], key: str, label: str) -> ArrowSet | None:
    """Forces of joints on their bodies b."""
    frames = {name: result.model.joints[name] for name in find_stored(result, "joint/force", joints)}
    shown = [name for name, joint in frames.items() if is_drawn(result, joint.frame_b)]
    if not shown:
        return None
    values, _ = result.block("joint/force", shown)
    axes = calc_axes(result, [frames[name].frame_a for name in shown])
    vectors = np.einsum("fnij,fnj->fni", axes, values)
    ends = [frames[name].frame_b for name in shown]
    return _make_set(key, label, ends, vectors)


def _make_springs(result: Result) -> ArrowSet | None:
    """Forces of springs on both of their ends, along the line between them."""
    lines = {name: force for name, force in result.model.forces.items() if isinstance(force, Spring)}
    springs = {name: lines[name] for name in find_stored(result, "force/force", lines)}
    if not springs:
        return None
    force = result.block("force/force", list(springs))[0]
    a = calc_places(result, [spring.frame_a for spring in springs.values()])
    b = calc_places(result, [spring.frame_b for spring in springs.values()])
    length = np.linalg.norm(b - a, axis=2, keepdims=True)
    push = force * (b - a) / np.where(length > 0, length, 1.0)
    ends = [spring.frame_b for spring in springs.values()] + [spring.frame_a for spring in springs.values()]
    drawn = [i for i, frame in enumerate(ends) if is_drawn(result, frame)]
    if not drawn:
        return None
    vectors = np.concatenate([push, -push], axis=1)[:, drawn]
    return _make_set("springs", "spring forces", [ends[i] for i in drawn], vectors)


def _make_set(key: str, label: str, ends: Sequence[Frame], vectors: Array) -> ArrowSet:
    points = np.array([frame.position for frame in ends])
    return ArrowSet(key, label, tuple(frame.body for frame in ends), points, vectors)


MAKERS: tuple[Callable[[Result], ArrowSet | None], ...] = (_make_contacts, _make_pins, _make_others, _make_springs)
