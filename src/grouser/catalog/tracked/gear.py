"""Road wheels of one side with their arms, torsion bars and shock absorbers, whether it has a track or not.

All bodies start with the vehicle's axes. Joint axes point to +y (left) on both sides: a positive angle of an axle is
rolling forward, a positive angle of a trailing arm is its wheel going up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Protocol

from grouser.catalog.tracked.inertia import calc_arm_inertia, mirror_inertia
from grouser.catalog.tracked.parts import RoadArms, RoadWheels, Shocks, Side, TrackWheel
from grouser.catalog.tracked.statics import calc_static_preload
from grouser.families.coordinate_force.motion import Motion
from grouser.families.coordinate_force.spec import Stops
from grouser.families.joint.spec import Joint, JointType
from grouser.model.base import Quaternion, Vec3
from grouser.model.body import Body, Frame, Moments
from grouser.model.contact import Contact, Shape, Wheel
from grouser.model.force import Force, JointSpring, Spring
from grouser.model.mesh import Mesh
from grouser.model.model import Track

CHASSIS = "chassis"

ALONG_Y: Quaternion = (sqrt(0.5), -sqrt(0.5), 0.0, 0.0)
"""Frame whose z axis points to +y."""


@dataclass
class Elements:
    """Elements of a model while they are being collected."""

    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    motions: dict[str, Motion] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    contacts: dict[str, Contact] = field(default_factory=dict)
    tracks: dict[str, Track] = field(default_factory=dict)
    meshes: dict[str, Mesh] = field(default_factory=dict)


class Gear(Protocol):
    """What carries one side of a vehicle."""

    @property
    def track_y(self) -> float: ...
    @property
    def road_wheels(self) -> RoadWheels: ...
    @property
    def arms(self) -> RoadArms | None: ...
    @property
    def shocks(self) -> Shocks | None: ...


class GearMaker:
    """Adds road wheels of one side to the elements of a vehicle.

    Parameters
    ----------
    loads : load of each axle for static preloads, front to rear [N]; None without suspension
    """

    def __init__(self, elements: Elements, name: Side, gear: Gear, loads: Sequence[float] | None):
        self.elements, self.name, self.gear, self.loads = elements, name, gear, loads
        self.outward = 1.0 if name == "left" else -1.0
        self.y = self.outward * gear.track_y

    def flip(self, vector: Vec3) -> Vec3:
        """A vector of the left side, on this side."""
        return vector[0], self.outward * vector[1], vector[2]

    def add_body(self, name: str, mass: float, inertia: Moments, position: Vec3, com: Vec3) -> str:
        """A body, its inertia given for the left side."""
        full = f"{self.name}.{name}"
        turned = inertia if self.outward > 0.0 else mirror_inertia(inertia)
        self.elements.bodies[full] = Body(mass=mass, inertia=turned, position=position, com=com)
        return full

    def add_joint(
        self, name: str, kind: JointType, a: str, p_a: Vec3, b: str, p_b: Vec3, axes: Quaternion = ALONG_Y
    ) -> str:
        """A joint between a point of a and a point of b."""
        full = f"{self.name}.{name}"
        frame_a = Frame(body=a, position=p_a, orientation=axes)
        frame_b = Frame(body=b, position=p_b, orientation=axes)
        self.elements.joints[full] = Joint(type=kind, frame_a=frame_a, frame_b=frame_b)
        return full

    def add_wheel(self, name: str, wheel: TrackWheel, centre: tuple[float, float], carrier: str, p: Vec3) -> str:
        """A wheel that turns on the point p of a carrier."""
        body = self.add_body(name, wheel.mass, wheel.inertia, (centre[0], self.y, centre[1]), (0.0, 0.0, 0.0))
        self.add_joint(f"{name}.axle", "revolute", carrier, p, body, (0.0, 0.0, 0.0))
        self.elements.shapes[f"{body}.rim"] = Wheel(
            body=body,
            group=f"{self.name}.{name.rstrip('0123456789')}s",
            radius=wheel.radius,
            planes=[-wheel.disc_place, wheel.disc_place],
            groove=wheel.gap / 2.0 if wheel.gap > 0.0 else None,
        )
        return body

    def add_road_wheel(self, i: int) -> None:
        """Road wheel i, from 0 at the front, with its arm and what holds that."""
        wheels, arms = self.gear.road_wheels, self.gear.arms
        x, z = wheels.centres[i]
        carrier, axle = CHASSIS, (x, self.y, z)
        if arms is not None and self.loads is not None:
            carrier, axle = self._add_arm(i, arms, self.loads[i]), self.flip(_subtract((0.0, 0.0, 0.0), arms.pivot))
        self.add_wheel(f"wheel{i + 1}", wheels, (x, z), carrier, axle)

    def _add_arm(self, i: int, arms: RoadArms, load: float) -> str:
        x, z = self.gear.road_wheels.centres[i]
        dx, dy, dz = self.flip(arms.pivot)
        pivot = (x + dx, self.y + dy, z + dz)
        com = self.flip(_subtract(arms.com, arms.pivot))
        body = self.add_body(f"arm{i + 1}", arms.mass, calc_arm_inertia(arms), pivot, com)
        joint = self.add_joint(f"arm{i + 1}.pivot", "revolute", CHASSIS, pivot, body, (0.0, 0.0, 0.0))
        bar, stops = arms.torsion_bar, None
        if bar.stops:
            # a trailing arm's wheel rises with the angle, a leading arm's wheel sinks
            rise = (-bar.stops.rebound, bar.stops.bump)
            lower, upper = rise if arms.pivot[0] > 0.0 else (-rise[1], -rise[0])
            stops = Stops(lower=lower, upper=upper, stiffness=bar.stops.stiffness, damping=bar.stops.damping)
        self.elements.forces[f"{self.name}.torsion{i + 1}"] = JointSpring(
            joint=joint,
            coordinate="rotation",
            stiffness=bar.stiffness,
            damping=bar.damping,
            free=0.0,
            preload=calc_static_preload(arms, load) if isinstance(bar.preload, str) else bar.preload,
            friction=bar.friction,
            stops=stops,
        )
        self._add_shock(i, arms, body)
        return body

    def _add_shock(self, i: int, arms: RoadArms, arm: str) -> None:
        shocks = self.gear.shocks
        if shocks is None or i + 1 not in shocks.stations:
            return
        x, z = self.gear.road_wheels.centres[i]
        dx, dy, dz = self.flip(shocks.chassis_point)
        self.elements.forces[f"{self.name}.shock{i + 1}"] = Spring(
            frame_a=Frame(body=CHASSIS, position=(x + dx, self.y + dy, z + dz)),
            frame_b=Frame(body=arm, position=self.flip(_subtract(shocks.arm_point, arms.pivot))),
            stiffness=shocks.stiffness,
            damping=shocks.damping,
            preload=shocks.preload,
        )


def _subtract(a: Vec3, b: Vec3) -> Vec3:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
