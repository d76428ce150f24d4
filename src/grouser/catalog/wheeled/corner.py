"""One wheel with its double wishbone: bodies, joints and forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.catalog.tracked.inertia import mirror_inertia
from grouser.catalog.wheeled.parts import Axle, CoilSpring, Solid
from grouser.families.tyre.spec import TyreData
from grouser.model.builder import ModelBuilder
from grouser.model.rotation import matrix_to_quaternion

Array = np.ndarray
CHASSIS = "chassis"
SUSPENSION, WHEELS, TIE_RODS, STEERING = "suspension", "wheels", "tie-rods", "steering"
"""Joint groups."""


@dataclass(frozen=True)
class CornerMaker:
    """Adds a corner to a model under the name of its axle and side.

    Attributes
    ----------
    builder : of the model; the chassis is there already
    name : such as ``front.left``
    axle : its data
    outward : 1 on the left side, -1 on the right
    """

    builder: ModelBuilder
    name: str
    axle: Axle
    outward: float

    def find_point(self, key: str) -> Array:
        """A hardpoint in the vehicle's frame [m]."""
        return (np.array(getattr(self.axle.points, key)) + self.axle.origin) * [1.0, self.outward, 1.0]

    def add(self, tyre: TyreData, tie_rod_body: str) -> str:
        """Add everything but drives; returns the joint on which the wheel turns."""
        parts = self.axle.parts
        upper = self._add_arm("upper", parts.upper_arm)
        lower = self._add_arm("lower", parts.lower_arm)
        upright = self._add_body("upright", parts.upright, self.find_point("upright"))
        wheel = self._add_body("wheel", parts.spindle, self.find_point("spindle"))
        self._add_joint("upper_ball", "spherical", upper, upright, self.find_point("upper_ball"))
        self._add_joint("lower_ball", "spherical", lower, upright, self.find_point("lower_ball"))
        spin = self._add_joint("spin", "revolute", upright, wheel, self.find_point("spindle"), (0.0, 1.0, 0.0), WHEELS)
        self.builder.add_distance(
            f"{self.name}.tie_rod",
            tie_rod_body,
            upright,
            point_a=self.find_point("tie_rod_inner"),
            point_b=self.find_point("tie_rod_outer"),
            group=TIE_RODS,
        )
        spring, shock = self.axle.spring, self.axle.shock
        self._add_spring("spring", lower, stiffness=make_spring_curve(spring), free=spring.free_length)
        damper = [(-1.0, -shock.compression), (0.0, 0.0), (1.0, shock.rebound)]
        self._add_spring("shock", lower, damping=damper)
        self.builder.add_tyre(f"{self.name}.tyre", wheel, **tyre.model_dump())
        return spin

    def _add_arm(self, which: str, part: Solid) -> str:
        rear, front, ball = (self.find_point(f"{which}_{end}") for end in ("rear", "front", "ball"))
        along = (front - rear) / np.linalg.norm(front - rear)
        normal = np.cross(along, ball - rear)
        normal *= 1.0 / np.linalg.norm(normal)
        axes = np.column_stack([along, np.cross(normal, along), normal])
        arm = self._add_body(f"{which}_arm", part, self.find_point(f"{which}_arm"), axes)
        self._add_joint(f"{which}_hinge", "revolute", CHASSIS, arm, 0.5 * (rear + front), along)
        return arm

    def _add_body(self, part: str, solid: Solid, place: Array, axes: Array | None = None) -> str:
        orientation = (1.0, 0.0, 0.0, 0.0) if axes is None else matrix_to_quaternion(axes)
        inertia = mirror_inertia(solid.inertia) if self.outward < 0.0 and axes is None else solid.inertia
        return self.builder.add_body(
            f"{self.name}.{part}", solid.mass, inertia, position=place, orientation=orientation
        )

    def _add_joint(
        self,
        joint: str,
        kind: str,
        body_a: str,
        body_b: str,
        point: Array,
        axis: Array | tuple[float, float, float] = (0.0, 0.0, 1.0),
        group: str = SUSPENSION,
    ) -> str:
        return self.builder.add_joint(
            f"{self.name}.{joint}",
            kind,  # type: ignore[arg-type]
            body_a,
            body_b,
            point=point,
            axis=axis,
            group=group,
        )

    def _add_spring(self, part: str, lower: str, **law: object) -> None:
        top, bottom = (self.find_point(f"{part}_{end}") for end in ("top", "bottom"))
        self.builder.add_spring(f"{self.name}.{part}", CHASSIS, lower, point_a=top, point_b=bottom, **law)


def make_spring_curve(spring: CoilSpring) -> list[tuple[float, float]] | float:
    """Force of a spring with its stops over length less free length: a number, or a table for both directions.

    >>> make_spring_curve(CoilSpring(free_length=0.3, stiffness=[(0.0, 0.0), (0.1, 500.0)]))
    [(-0.1, -500.0), (0.0, 0.0), (0.1, 500.0)]
    """
    stops = spring.stops
    if isinstance(spring.stiffness, float) and stops is None:
        return spring.stiffness
    ways = {0.0}
    if not isinstance(spring.stiffness, float):
        ways |= {sign * way for way, _ in spring.stiffness for sign in (1.0, -1.0)}
    if stops is not None:
        ways |= {stops.shortest - spring.free_length - way for way, _ in stops.curve}
        ways |= {stops.longest - spring.free_length + way for way, _ in stops.curve}
    return [(way, _calc_spring_force(spring, way)) for way in sorted(ways)]


def _calc_spring_force(spring: CoilSpring, way: float) -> float:
    size, length, stops = abs(way), spring.free_length + way, spring.stops
    if isinstance(spring.stiffness, float):
        force = spring.stiffness * way
    else:
        force = float(np.copysign(_read_curve(spring.stiffness, size), way)) if way else 0.0
    if stops is None:
        return force
    pushed, pulled = max(stops.shortest - length, 0.0), max(length - stops.longest, 0.0)
    return force - _read_curve(stops.curve, pushed) + _read_curve(stops.curve, pulled)


def _read_curve(curve: list[tuple[float, float]], way: float) -> float:
    """Value of a table that goes on with its last slope."""
    (a, fa), (b, fb) = curve[-2], curve[-1]
    if way > b:
        return fb + (fb - fa) / (b - a) * (way - b)
    return float(np.interp(way, [p[0] for p in curve], [p[1] for p in curve]))
