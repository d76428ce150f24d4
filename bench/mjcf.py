"""A tracked vehicle in the words of MuJoCo (MJCF), made from the routed model: no number is written twice.

Alike: masses, centres of mass, inertias and starting poses of all bodies; joints, as hinges and slides along the
spanning tree that the formulation `recursive` has, with the loop of each track closed by a `connect`; torsion bars,
tensioners and shock absorbers; geometry of pads, wheel faces, pins, gaps of the sprockets and discs of the wheels;
which of them may touch, at one point for a disc and four for a pad; coefficients of friction; speeds of the sprockets.

Unlike:

- Contacts have the time constant that our stiffness gives a link, sqrt(m/k), with critical damping. MuJoCo's default
  is four times as long: pins then sink into the teeth by 20 mm, and the run diverges at 5 s. Friction is its pyramid,
  not our tanh. Stops of joints have the default time constant, the closing of the loops the shortest, two steps.
- A gap between teeth is made of `CAPSULES` capsules that touch its arc, so a pin, a capsule from ring to ring, lies up
  to 1.2 mm deeper in it.
- Pads are boxes of which corners touch the ground. Discs are cylinders, wheel faces boxes; `multiccd` is off, so that
  a pair of them touches at one point. The length of a horn, a box, is assumed.
- A sprocket has an actuator for its speed, and an armature so large that nothing disturbs it.
- Left out: points of the hull, and horns between the rings of the sprocket. Neither touches on level ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as xml

import numpy as np

from grouser.compile.compile import make_layout
from grouser.compile.topology import NO_JOINT, make_topology
from grouser.families.coordinate_force.rows import calc_initial_coordinate
from grouser.model.body import Frame
from grouser.model.contact import Horn, Pin, Plate, Points, Shape, Sprocket, Wheel
from grouser.model.force import JointSpring, Spring
from grouser.model.gap import calc_tip_angle
from grouser.model.model import Model
from grouser.model.rotation import conjugate_quaternion, multiply_quaternions, rotate
from grouser.model.terrain import Plane

CAPSULES = 7
"""Capsules along the arc of a gap."""
DRIVE_INERTIA = 1.0e5
"""Armature of a driven axle [kg m^2]; the driving force on an M113's teeth would change its speed by 0.02 rad/s^2."""
DRIVE_LAG = 0.01
"""Time by which the speed of a driven axle follows the control of its actuator [s]."""
GROUND, ROLLING, TEETH, GUIDE = 1, 2, 4, 8
"""What may touch, as bits."""


def make_mjcf(model: Model, step: float) -> str:
    """MJCF of a tracked vehicle on a plane, for steps of a length [s]; all other options are MuJoCo's defaults.

    Bodies, joints and actuators have the names of our bodies, joints and motions.
    """
    return _Writer(model, step).write()


def _say(*values: float) -> str:
    return " ".join(f"{value:.12g}" for value in values)


class _Writer:
    def __init__(self, model: Model, step: float) -> None:
        self.model, self.step = model, step
        self.root = xml.Element("mujoco", model=model.name)
        xml.SubElement(self.root, "compiler", angle="radian")
        option = xml.SubElement(self.root, "option", timestep=_say(step), gravity=_say(*model.gravity))
        xml.SubElement(option, "flag", multiccd="disable")
        self.world = xml.SubElement(self.root, "worldbody")
        self.tendons, self.actuators, self.equalities = (
            xml.SubElement(self.root, tag) for tag in ("tendon", "actuator", "equality")
        )
        self.bodies: dict[str, xml.Element] = {}
        self.joints: dict[str, xml.Element] = {}
        self.faces = {s.body: s.position[2] for s in model.shapes.values() if isinstance(s, Plate)}

    def write(self) -> str:
        """The whole document."""
        self._add_tree()
        for name, force in self.model.forces.items():
            if isinstance(force, JointSpring):
                self._add_joint_spring(force)
            elif isinstance(force, Spring):
                self._add_spring(name, force)
        for name, motion in self.model.motions.items():
            self.joints[motion.joint].set("armature", _say(DRIVE_INERTIA))
            gain = _say(DRIVE_INERTIA / DRIVE_LAG)
            xml.SubElement(self.actuators, "velocity", name=name, joint=motion.joint, kv=gain)
        self._add_ground()
        for shape in self.model.shapes.values():
            self._add_shape(shape)
        return xml.tostring(self.root, encoding="unicode")

    def _add_tree(self) -> None:
        """Bodies and joints along the spanning tree; joints that close a loop become equality constraints."""
        model, layout = self.model, make_layout(self.model)
        joints = [(name, joint, joint.frame_a, joint.frame_b) for name, joint in model.joints.items()]
        ends = [(layout.find_body(a.body), layout.find_body(b.body)) for _, _, a, b in joints]
        topology = make_topology([0.0, *(body.mass for body in model.bodies.values())], ends)
        for index in topology.order.tolist():
            name = layout.nodes[index]
            if topology.parent_joint[index] == NO_JOINT:
                self._add_body(name, None)
                xml.SubElement(self.bodies[name], "freejoint")
                continue
            joint_name, joint, a, b = joints[topology.parent_joint[index]]
            is_side_b = bool(topology.is_side_b[index])
            self._add_body(name, a.body if is_side_b else b.body)
            self._add_joint(joint_name, joint.type, b if is_side_b else a)
        for cut in topology.cuts:
            _, _, a, b = joints[cut]
            solref = _say(2.0 * self.step, 1.0)
            anchor = _say(*a.position)
            xml.SubElement(self.equalities, "connect", body1=a.body, body2=b.body, anchor=anchor, solref=solref)

    def _add_body(self, name: str, parent: str | None) -> None:
        body = self.model.bodies[name]
        position, orientation, holder = np.array(body.position), np.array(body.orientation), self.world
        if parent is not None:
            carrier = self.model.bodies[parent]
            back = conjugate_quaternion(carrier.orientation)
            position, orientation = rotate(back, position - carrier.position), multiply_quaternions(back, orientation)
            holder = self.bodies[parent]
        element = xml.SubElement(holder, "body", name=name, pos=_say(*position), quat=_say(*orientation))
        inertia = (*body.inertia, 0.0, 0.0, 0.0)[:6]
        xml.SubElement(element, "inertial", pos=_say(*body.com), mass=_say(body.mass), fullinertia=_say(*inertia))
        self.bodies[name] = element

    def _add_joint(self, name: str, kind: str, frame: Frame) -> None:
        """A joint by its frame on the child. Pins of the half track whose children are side a turn the other way."""
        self.joints[name] = xml.SubElement(
            self.bodies[frame.body],
            "joint",
            name=name,
            type={"revolute": "hinge", "prismatic": "slide"}[kind],
            pos=_say(*frame.position),
            axis=_say(*rotate(frame.orientation, (0.0, 0.0, 1.0))),
        )

    def _add_joint_spring(self, force: JointSpring) -> None:
        """preload - k (q - free) - c dq/dt within a range of q - free."""
        start = calc_initial_coordinate(self.model, force)
        free = start if force.free is None else force.free
        joint = self.joints[force.joint]
        joint.set("ref", _say(start))
        joint.set("stiffness", _say(force.stiffness))
        joint.set("damping", _say(force.damping))
        joint.set("springref", _say(free + force.preload / force.stiffness))
        if force.stops is not None:
            joint.set("range", _say(free + force.stops.lower, free + force.stops.upper))

    def _add_spring(self, name: str, force: Spring) -> None:
        law = {"stiffness": _say(force.stiffness), "damping": _say(force.damping)}
        tendon = xml.SubElement(self.tendons, "spatial", **law)
        for end, frame in (("a", force.frame_a), ("b", force.frame_b)):
            xml.SubElement(self.bodies[frame.body], "site", name=f"{name}.{end}", pos=_say(*frame.position))
            xml.SubElement(tendon, "site", site=f"{name}.{end}")

    def _add_ground(self) -> None:
        ground = self.model.terrain
        assert isinstance(ground, Plane)
        place = {"pos": _say(*ground.point), "zaxis": _say(*ground.normal), "size": "0 0 1"}
        xml.SubElement(self.world, "geom", type="plane", **place, **_make_passive(GROUND))

    def _add_shape(self, shape: Shape) -> None:
        if isinstance(shape, Points) and shape.body in self.faces:
            corners = np.array(shape.positions)
            low, high = corners.min(axis=0), corners.max(axis=0)
            high[2] = 0.0
            self._add_box(shape, (low + high) / 2.0, (high - low) / 2.0, GROUND)
        elif isinstance(shape, Plate):
            x, y, z = shape.position
            self._add_box(shape, (x, y, z / 2.0), (shape.length / 2.0, shape.width / 2.0, z / 2.0), ROLLING)
        elif isinstance(shape, Horn):
            height = shape.position[2] - self.faces[shape.body]
            self._add_box(shape, shape.position, (height / 2.0, shape.half_width, height), GUIDE)
        elif isinstance(shape, Pin):
            ends = (*shape.positions[0], *shape.positions[-1])
            self._add_rod(shape.body, "capsule", ends, shape.radius, self._make_active(shape, TEETH))
        elif isinstance(shape, Wheel):
            for plane in shape.planes:
                half = abs(plane) - shape.groove
                ends = (0.0, plane - half, 0.0, 0.0, plane + half, 0.0)
                self._add_rod(shape.body, "cylinder", ends, shape.radius, _make_passive(ROLLING | GUIDE))
        elif isinstance(shape, Sprocket):
            self._add_sprocket(shape)

    def _add_sprocket(self, shape: Sprocket) -> None:
        """Capsules behind the arc of every gap, a quarter as thick as a tooth at its waist."""
        first, half_gap = math.atan2(shape.reference[2], shape.reference[0]), math.pi / shape.teeth
        centre, radius, tip = shape.arc_centre_radius, shape.arc_radius, calc_tip_angle(shape)
        size = (centre * math.sin(half_gap) - radius) / 2.0
        # seen from the centre of the arc, its ends lie at +-reach from the direction of the axle
        reach = math.atan2(shape.addendum_radius * math.sin(tip), centre - shape.addendum_radius * math.cos(tip))
        turns = reach * (2.0 * np.arange(CAPSULES) + 1.0 - CAPSULES) / CAPSULES
        low, high = min(shape.planes), max(shape.planes)
        for angle in (first + 2.0 * half_gap * np.arange(shape.teeth)).tolist():
            for inward in (angle + math.pi + turns).tolist():
                x, z = (centre * f(angle) + (radius + size) * f(inward) for f in (math.cos, math.sin))
                self._add_rod(shape.body, "capsule", (x, low, z, x, high, z), size, _make_passive(TEETH))

    def _add_box(self, shape: Shape, centre: Iterable[float], half: Iterable[float], bit: int) -> None:
        place = {"pos": _say(*centre), "size": _say(*half)}
        xml.SubElement(self.bodies[shape.body], "geom", type="box", **place, **self._make_active(shape, bit))

    def _add_rod(self, body: str, kind: str, ends: Iterable[float], radius: float, contact: dict[str, str]) -> None:
        xml.SubElement(self.bodies[body], "geom", type=kind, fromto=_say(*ends), size=_say(radius), **contact)

    def _make_active(self, shape: Shape, bit: int) -> dict[str, str]:
        """Attributes of a shape of a link: its law of contact has priority over that of what it touches."""
        law = next(contact for contact in self.model.contacts.values() if contact.a == shape.group)
        time = math.sqrt(self.model.bodies[shape.body].mass / law.stiffness)
        touch = {"contype": str(bit), "conaffinity": "0", "priority": "1"}
        return {**touch, "friction": _say(law.friction.mu), "solref": _say(time, 1.0)}


def _make_passive(bits: int) -> dict[str, str]:
    """Attributes of what shapes of links touch."""
    return {"contype": "0", "conaffinity": str(bits)}
