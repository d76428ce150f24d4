"""Channels: frames of named values from states and their evaluations.

A frame is noted as it is made, which is a copy of what compiled code left behind, and its energies are summed, which
control the step. Channels are worked out for many frames at once: an array operation costs the same for one or for
fifty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.state import State
from grouser.formulations.workspace import Workspace
from grouser.kernels.kinds import FAMILY_CONTACTS, FAMILY_FORCES, FAMILY_FRICTION, FAMILY_JOINTS, FAMILY_MOTIONS
from grouser.model.body import Frame
from grouser.model.model import Model, Track
from grouser.result.writer import Block

Array = np.ndarray
XYZ = ("x", "y", "z")
SLOWEST = 0.05
"""Track speed [m/s] below which slip has no meaning and is given as zero."""

_ENERGIES = {
    "kinetic": "kinetic energy",
    "potential": "potential energy of gravity",
    "stored_joints": "energy stored in joints and bushings",
    "stored_forces": "energy stored in springs and drives",
    "stored_contacts": "energy stored in contacts, friction anchors and tyres",
    "dissipated_joints": "energy dissipated in joints and bushings",
    "dissipated_forces": "energy dissipated in springs, dampers, brakes and drives",
    "dissipated_contacts": "energy dissipated by the damping of contacts and tyres",
    "dissipated_friction": "energy dissipated by friction and by the slip of tyres",
    "work_motions": "work of prescribed motions",
    "work_forces": "work of actuators, powertrains and applied forces",
    "residual": "energy that the balance does not account for",
}


_CHANNELS = {
    "tyre": (
        ("longitudinal_force", "N", "along the wheel, on the wheel"),
        ("lateral_force", "N", "across the wheel, to its left, on the wheel"),
        ("vertical_force", "N", "along the normal of the ground"),
        ("aligning_torque", "N m", "about the normal of the ground, by the pneumatic trail"),
        ("slip", "-", "longitudinal slip; positive drives"),
        ("slip_angle", "rad", "arc tangent of the lateral slip; positive gives a force to the left"),
        ("camber", "rad", "spin axis over the ground; positive where the left end is up"),
        ("deflection", "m", "unloaded radius less distance of the ground"),
    ),
    "powertrain": (
        ("engine_speed", "rad/s", "speed of the engine"),
        ("engine_torque", "N m", "torque of the engine"),
        ("gear", "-", "gear; between whole numbers while shifting"),
        ("throttle", "-", "throttle, 0 to 1"),
        ("power", "W", "power put into the wheels"),
    ),
    "brake": (("torque", "N m", "torque on the wheel"), ("pedal", "-", "pedal, 0 to 1")),
    "driver": (
        ("lateral_offset", "m", "from the path, positive to its left"),
        ("speed_error", "m/s", "wanted speed less speed"),
        ("progress", "m", "way along the path"),
        ("wanted_angle", "rad", "angle of the steered motion that the driver wants"),
    ),
}
"""Channels of the families whose kernels leave their values in this order: quantity, unit, meaning."""


class Note(NamedTuple):
    """One frame: copies of the state and of its evaluation, and its energies by name [J]."""

    x: Array
    R: Array
    v: Array
    w: Array
    a: Array
    dw: Array
    joint_force: Array
    joint_moment: Array
    joint_peak: Array
    scalar_value: Array
    tyre_value: Array
    powertrain_value: Array
    brake_value: Array
    driver_value: Array
    contact_sum: Array
    contact_force: Array
    energies: dict[str, float]


_VALUES = {"tyre": "tyre_value", "powertrain": "powertrain_value", "brake": "brake_value", "driver": "driver_value"}
"""Values that kernels leave as they are shown, by family."""
_KEPT = (
    "a", "dw", "joint_force", "joint_moment", "joint_peak", "scalar_value", *_VALUES.values(), "contact_sum",
    "contact_force",
)  # fmt: skip
"""What of an evaluation is noted."""


def join_notes(notes: Sequence[Note]) -> Note:
    """Many frames as one note, whose arrays have the frames as their first axis; energies are left out."""
    arrays = {name: np.array([getattr(note, name) for note in notes]) for name in ("x", "R", "v", "w", *_KEPT)}
    return Note(**arrays, energies={})


class Observer:
    """Knows the blocks of a compiled model and fills them."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        model, layout = compiled.model, compiled.layout
        ends = [_find_ends(model, name) for name in layout.joints]
        placed_a = [layout.place_frame(a) for a, _ in ends]
        placed_b = [layout.place_frame(b) for _, b in ends]
        self._body_a = np.array([p[0] for p in placed_a], dtype=int)
        self._body_b = np.array([p[0] for p in placed_b], dtype=int)
        self._p_a = np.array([p[1] for p in placed_a]).reshape(-1, 3)
        self._p_b = np.array([p[1] for p in placed_b]).reshape(-1, 3)
        self._axes_a = np.array([p[2] for p in placed_a]).reshape(-1, 3, 3)
        self._axes_b = np.array([p[2] for p in placed_b]).reshape(-1, 3, 3)
        self._force_count = len(layout.scalars) - len(model.motions)
        self._tracks = [_TrackIndex(compiled, track) for track in model.tracks.values()]
        self._sensors = [
            (*layout.place_frame(sensor.frame), sensor.quantity, sensor.axes) for sensor in model.sensors.values()
        ]
        self._energy_start: float | None = None
        self.blocks = self._make_blocks()

    def note(self, state: State, work: Workspace) -> Note:
        """A frame: the state, and its evaluation, which is in `work`. The peak of joint deformation starts anew."""
        kept = {name: getattr(state, name).copy() for name in ("x", "R", "v", "w")}
        kept |= {name: getattr(work, name).copy() for name in _KEPT}
        work.joint_peak[:] = 0.0
        return Note(**kept, energies=self._calc_energies(state, work))

    def calc_frames(self, notes: Sequence[Note]) -> dict[str, Array]:
        """Values of all blocks (frames, items, components)."""
        all_notes = join_notes(notes)
        frames = self._calc_bodies(all_notes) | self._calc_joints(all_notes) | self._calc_tracks(all_notes)
        count, value = self._force_count, all_notes.scalar_value
        frames["force/force"] = value[:, :count, 0:1]
        frames["force/coordinate"] = value[:, :count, 1:2]
        frames["force/rate"] = value[:, :count, 2:3]
        frames["motion/effort"] = value[:, count:, 0:1]
        frames["motion/target"] = value[:, count:, 3:4]
        frames["motion/power"] = value[:, count:, 0:1] * value[:, count:, 2:3]
        for family, values in _VALUES.items():
            for column, (quantity, *_) in enumerate(_CHANNELS[family]):
                frames[f"{family}/{quantity}"] = getattr(all_notes, values)[:, :, column : column + 1]
        frames["tyre/slip_angle"] = np.arctan(frames["tyre/slip_angle"])
        frames["tyre/camber"] = np.arcsin(frames["tyre/camber"])
        sums = all_notes.contact_sum
        frames["contact/normal"] = sums[:, :, 0:1]
        frames["contact/friction"] = sums[:, :, 1:4] * self.compiled.contact_sign[:, None]
        frames["contact/count"] = sums[:, :, 4:5]
        frames["contact/penetration"] = sums[:, :, 5:6]
        for name in _ENERGIES:
            frames[f"energy/{name}"] = np.array([note.energies[name] for note in notes])[:, None, None]
        if self._sensors:
            frames["sensor/value"] = np.stack([_calc_sensor(s, all_notes) for s in self._sensors], axis=1)
        return frames

    def _calc_bodies(self, notes: Note) -> dict[str, Array]:
        R, com, w = notes.R[:, :-1], self.compiled.layout.com[:-1], notes.w[:, :-1]
        lever, spin = calc_turned(R, com), calc_turned(R, w)
        return {
            "body/position": notes.x[:, :-1] - lever,
            "body/orientation": calc_quaternions(R.reshape(-1, 3, 3)).reshape(*R.shape[:2], 4),
            "body/velocity": notes.v[:, :-1] - np.cross(spin, lever),
            "body/angular_velocity": w,
            "body/contact_force": notes.contact_force[:, :-1],
        }

    def _calc_joints(self, notes: Note) -> dict[str, Array]:
        a, b = self._body_a, self._body_b
        R_a, R_b = notes.R[:, a], notes.R[:, b]
        axes_a, axes_b = R_a @ self._axes_a, R_b @ self._axes_b
        gap = notes.x[:, b] - notes.x[:, a] + calc_turned(R_b, self._p_b) - calc_turned(R_a, self._p_a)
        back = np.swapaxes(axes_a, -1, -2)
        m = back @ axes_b
        twist = np.arctan2(m[..., 1, 0] - m[..., 0, 1], m[..., 0, 0] + m[..., 1, 1])
        slide = np.sum(axes_a[..., 2] * gap, axis=-1)
        return {
            "joint/force": calc_turned(back, notes.joint_force),
            "joint/torque": calc_turned(back, notes.joint_moment),
            "joint/deformation": np.sqrt(notes.joint_peak)[..., None],
            "joint/coordinate": np.stack([slide, twist], axis=-1),
        }

    def _calc_tracks(self, notes: Note) -> dict[str, Array]:
        if not self._tracks:
            return {}
        model, layout = self.compiled.model, self.compiled.layout
        main = layout.find_body(model.main_body) if model.main_body else 0
        forward = notes.R[:, main, :, 0]
        slip = [track.calc_slip(notes, forward) for track in self._tracks]
        return {
            "link/tension": np.concatenate([track.calc_tension(notes) for track in self._tracks], axis=1)[..., None],
            "track/slip": np.stack([s for s, _ in slip], axis=1)[..., None],
            "track/sprocket_speed": np.stack([speed for _, speed in slip], axis=1)[..., None],
        }

    def _calc_energies(self, state: State, work: Workspace) -> dict[str, float]:
        body = self.compiled.tables.body
        v, w, x = state.v[:-1], state.w[:-1], state.x[:-1]
        spin = np.sum(w * calc_turned(body.inertia, w))
        values = {
            "kinetic": 0.5 * float(body.mass @ np.sum(v * v, axis=1)) + 0.5 * float(spin),
            "potential": -float(body.mass @ (x @ body.gravity)),
            "stored_joints": work.stored[FAMILY_JOINTS],
            "stored_forces": work.stored[FAMILY_FORCES] + work.stored[FAMILY_MOTIONS],
            "stored_contacts": work.stored[FAMILY_CONTACTS] + work.stored[FAMILY_FRICTION],
            "dissipated_joints": state.ledger[0, FAMILY_JOINTS],
            "dissipated_forces": state.ledger[0, FAMILY_FORCES] + state.ledger[0, FAMILY_MOTIONS],
            "dissipated_contacts": state.ledger[0, FAMILY_CONTACTS],
            "dissipated_friction": state.ledger[0, FAMILY_FRICTION],
            "work_motions": state.ledger[1, FAMILY_MOTIONS],
            "work_forces": state.ledger[1, FAMILY_FORCES],
        }
        total = values["kinetic"] + values["potential"]
        total += sum(value for name, value in values.items() if name.startswith(("stored", "dissipated")))
        total -= values["work_motions"] + values["work_forces"]
        if self._energy_start is None:
            self._energy_start = total
        values["residual"] = total - self._energy_start
        return {name: float(value) for name, value in values.items()}

    def _make_blocks(self) -> list[Block]:
        model, layout = self.compiled.model, self.compiled.layout
        forces, motions = layout.scalars[: self._force_count], layout.scalars[self._force_count :]
        turning = {n: _is_turning(model, n) for n in layout.scalars}
        effort = {n: "N m" if turning[n] else "N" for n in layout.scalars}
        place = {n: "rad" if turning[n] else "m" for n in layout.scalars}
        links = tuple(link for track in model.tracks.values() for link in track.links)
        tracks = tuple(model.tracks)
        one = ("value",)
        blocks = [
            Block("body", "position", layout.bodies, XYZ, "m", "world", "origin of the body"),
            Block("body", "orientation", layout.bodies, ("w", "x", "y", "z"), "-", "body to world", "quaternion"),
            Block("body", "velocity", layout.bodies, XYZ, "m/s", "world", "velocity of the origin"),
            Block("body", "angular_velocity", layout.bodies, XYZ, "rad/s", "body", "angular velocity"),
            Block("body", "contact_force", layout.bodies, XYZ, "N", "world", "sum of all contacts of the body"),
            Block("joint", "force", layout.joints, XYZ, "N", "frame a", "force of the joint on b"),
            Block("joint", "torque", layout.joints, XYZ, "N m", "frame a", "torque of the joint on b"),
            Block("joint", "deformation", layout.joints, one, "m", "", "peak violation since the last frame"),
            Block(
                "joint",
                "coordinate",
                layout.joints,
                ("translation", "rotation"),
                "m, rad",
                "frame a",
                "along z",
            ),
            Block("force", "force", forces, one, tuple(effort[n] for n in forces), "", "positive pushes apart"),
            Block("force", "coordinate", forces, one, tuple(place[n] for n in forces), "", "coordinate"),
            Block("force", "rate", forces, one, tuple(place[n] + "/s" for n in forces), "", "its rate"),
            Block("motion", "effort", motions, one, tuple(effort[n] for n in motions), "", "force of the drive"),
            Block(
                "motion",
                "target",
                motions,
                one,
                tuple(place[n] for n in motions),
                "",
                "prescribed coordinate",
            ),
            Block("motion", "power", motions, one, "W", "", "power of the drive"),
            Block("contact", "normal", layout.contacts, one, "N", "", "sum of normal forces"),
            Block("contact", "friction", layout.contacts, XYZ, "N", "world", "sum of friction on side a"),
            Block("contact", "count", layout.contacts, one, "-", "", "touching points"),
            Block("contact", "penetration", layout.contacts, one, "m", "", "largest penetration"),
            Block("link", "tension", links, one, "N", "", "pull along the link"),
            Block("track", "slip", tracks, one, "-", "", "1 - speed over ground / track speed"),
            Block("track", "sprocket_speed", tracks, one, "rad/s", "", "sprocket relative to the hull"),
            Block("sensor", "value", tuple(model.sensors), XYZ, self._sensor_units(), "", "sensor"),
        ]
        names = {
            "tyre": layout.tyres,
            "powertrain": layout.powertrains,
            "brake": layout.brakes,
            "driver": layout.drivers,
        }
        blocks += [
            Block(family, quantity, names[family], one, unit, "", text)
            for family, channels in _CHANNELS.items()
            for quantity, unit, text in channels
        ]
        blocks += [Block("energy", q, ("energy",), one, "J", "", text) for q, text in _ENERGIES.items()]
        return blocks

    def _sensor_units(self) -> tuple[str, ...]:
        units = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2"}
        return tuple(units[s.quantity] for s in self.compiled.model.sensors.values())


class _TrackIndex:
    """Indices of a track in the tables."""

    def __init__(self, compiled: Compiled, track: Track) -> None:
        layout = compiled.layout
        joints = {name: i for i, name in enumerate(layout.joints)}
        self.links = np.array([layout.find_body(name) for name in track.links])
        self.pins = np.array([joints[name] for name in track.pins])
        model = compiled.model
        front = [layout.place_frame(model.joints[n].frame_a)[1] for n in track.pins]
        rear = [layout.place_frame(model.joints[n].frame_b)[1] for n in track.pins]
        # link i carries frame a of pin i and frame b of pin i - 1
        self.along = np.array(front) - np.roll(np.array(rear), 1, axis=0)
        self.along /= np.linalg.norm(self.along, axis=1)[:, None]
        self.sprocket = layout.find_body(track.sprocket)
        self.drive = layout.scalars.index(track.drive)
        scalar = compiled.tables.scalar
        self.axis = scalar.frame_a[self.drive][:, 2]
        self.carrier = int(scalar.body_a[self.drive])
        self.rolling_radius = track.rolling_radius

    def calc_tension(self, notes: Note) -> Array:
        """Pull along each link: mean of the forces of its two pins along it [N] (frames, links)."""
        direction = calc_turned(notes.R[:, self.links], self.along)
        force = notes.joint_force[:, self.pins]  # on link i + 1
        return -0.5 * np.sum((force + np.roll(force, 1, axis=1)) * direction, axis=-1)

    def calc_slip(self, notes: Note, forward: Array) -> tuple[Array, Array]:
        """Slip of the track over the ground, and the speed of its sprocket relative to its carrier [rad/s]."""
        carrier, sprocket = notes.R[:, self.carrier], notes.R[:, self.sprocket]
        spin = calc_turned(sprocket, notes.w[:, self.sprocket]) - calc_turned(carrier, notes.w[:, self.carrier])
        sprocket_speed = np.sum(calc_turned(carrier, self.axis) * spin, axis=-1)
        track_speed = sprocket_speed * self.rolling_radius
        is_slow = np.abs(track_speed) < SLOWEST
        ground_speed = np.sum(forward * notes.v[:, self.sprocket], axis=-1)
        return np.where(is_slow, 0.0, 1.0 - ground_speed / np.where(is_slow, 1.0, track_speed)), sprocket_speed


def calc_turned(R: Array, vector: Array) -> Array:
    """Vectors (..., 3) turned by matrices (..., 3, 3)."""
    return np.matmul(R, vector[..., None])[..., 0]


def calc_quaternions(R: Array) -> Array:
    """Quaternions (w, x, y, z) of rotation matrices (n, 3, 3), w >= 0, by the largest component."""
    diagonal = np.einsum("nii->ni", R)
    trace = diagonal.sum(axis=1)
    squares = np.column_stack([1.0 + trace, 1.0 + 2.0 * diagonal - trace[:, None]])
    q = np.empty((len(R), 4))
    largest = np.argmax(squares, axis=1)
    pairs = ((2, 1), (0, 2), (1, 0))
    for k in range(4):
        rows = np.flatnonzero(largest == k)
        if not len(rows):
            continue
        m = R[rows]
        root = np.sqrt(squares[rows, k])
        if k == 0:
            columns = [root] + [(m[:, i, j] - m[:, j, i]) / root for i, j in pairs]
        else:
            i = k - 1
            columns = [(m[:, pairs[i][0], pairs[i][1]] - m[:, pairs[i][1], pairs[i][0]]) / root]
            columns += [root if j == i else (m[:, i, j] + m[:, j, i]) / root for j in range(3)]
        q[rows] = 0.5 * np.column_stack(columns)
    q[q[:, 0] < 0] *= -1.0
    return q


def _find_ends(model: Model, name: str) -> tuple[Frame, Frame]:
    holder = model.joints[name] if name in model.joints else model.forces[name]
    return holder.frame_a, holder.frame_b  # type: ignore[union-attr]


def _is_turning(model: Model, name: str) -> bool:
    element = model.forces[name] if name in model.forces else model.motions[name]
    return getattr(element, "coordinate", "translation") == "rotation"


def _calc_sensor(sensor: tuple, notes: Note) -> Array:
    body, p, axes, quantity, resolve = sensor
    R = notes.R[:, body]
    lever, spin = R @ p, calc_turned(R, notes.w[:, body])
    if quantity == "position":
        value = notes.x[:, body] + lever
    elif quantity == "velocity":
        value = notes.v[:, body] + np.cross(spin, lever)
    else:
        turn = calc_turned(R, notes.dw[:, body])
        value = notes.a[:, body] + np.cross(turn, lever) + np.cross(spin, np.cross(spin, lever))
    return calc_turned(np.swapaxes(R @ axes, -1, -2), value) if resolve == "body" else value
