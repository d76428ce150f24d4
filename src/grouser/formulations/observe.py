"""Channels: one frame of named values from a state and its evaluation."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.state import State
from grouser.formulations.workspace import Workspace
from grouser.kernels.kinds import FAMILY_CONTACTS, FAMILY_FORCES, FAMILY_FRICTION, FAMILY_JOINTS, FAMILY_MOTIONS
from grouser.model.body import Frame
from grouser.model.force import Applied, Bushing
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
    "stored_contacts": "energy stored in contacts and friction anchors",
    "dissipated_joints": "energy dissipated in joints and bushings",
    "dissipated_forces": "energy dissipated in springs, dampers and drives",
    "dissipated_contacts": "energy dissipated by contact damping",
    "dissipated_friction": "energy dissipated by friction",
    "work_motions": "work of prescribed motions",
    "work_forces": "work of actuators and applied forces",
    "residual": "energy that the balance does not account for",
}


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

    def calc_frame(self, state: State, work: Workspace) -> dict[str, Array]:
        """Values of all blocks (items, components) at a state whose evaluation is in `work`.

        The peak of joint deformation starts anew.
        """
        frame = self._calc_bodies(state)
        frame |= self._calc_joints(state, work)
        count = self._force_count
        value = work.scalar_value
        frame["force/force"] = value[:count, 0:1]
        frame["force/coordinate"] = value[:count, 1:2]
        frame["force/rate"] = value[:count, 2:3]
        frame["motion/effort"] = value[count:, 0:1]
        frame["motion/target"] = value[count:, 3:4]
        frame["motion/power"] = value[count:, 0:1] * value[count:, 2:3]
        sums = work.contact_sum
        frame["contact/normal"] = sums[:, 0:1]
        frame["contact/friction"] = sums[:, 1:4] * self.compiled.contact_sign[:, None]
        frame["contact/count"] = sums[:, 4:5]
        frame["contact/penetration"] = sums[:, 5:6]
        frame |= self._calc_tracks(state, work)
        frame |= self._calc_energies(state, work)
        if self._sensors:
            frame["sensor/value"] = np.array([_calc_sensor(s, state, work) for s in self._sensors])
        return frame

    def _calc_bodies(self, state: State) -> dict[str, Array]:
        R, com = state.R[:-1], self.compiled.layout.com[:-1]
        lever = np.einsum("nij,nj->ni", R, com)
        spin = np.einsum("nij,nj->ni", R, state.w[:-1])
        return {
            "body/position": state.x[:-1] - lever,
            "body/orientation": calc_quaternions(R),
            "body/velocity": state.v[:-1] - np.cross(spin, lever),
            "body/angular_velocity": state.w[:-1],
        }

    def _calc_joints(self, state: State, work: Workspace) -> dict[str, Array]:
        x, R = state.x, state.R
        a, b = self._body_a, self._body_b
        axes_a = R[a] @ self._axes_a
        axes_b = R[b] @ self._axes_b
        gap = x[b] - x[a] + np.einsum("nij,nj->ni", R[b], self._p_b) - np.einsum("nij,nj->ni", R[a], self._p_a)
        m = np.swapaxes(axes_a, 1, 2) @ axes_b
        twist = np.arctan2(m[:, 1, 0] - m[:, 0, 1], m[:, 0, 0] + m[:, 1, 1])
        slide = np.einsum("ni,ni->n", axes_a[:, :, 2], gap)
        deformation = np.sqrt(work.joint_peak)[:, None]
        work.joint_peak[:] = 0.0
        return {
            "joint/force": np.einsum("nji,nj->ni", axes_a, work.joint_force),
            "joint/torque": np.einsum("nji,nj->ni", axes_a, work.joint_moment),
            "joint/deformation": deformation,
            "joint/coordinate": np.column_stack([slide, twist]),
        }

    def _calc_tracks(self, state: State, work: Workspace) -> dict[str, Array]:
        if not self._tracks:
            return {}
        tension = [track.calc_tension(state, work) for track in self._tracks]
        slip = [track.calc_slip(state, self._main_forward(state)) for track in self._tracks]
        return {
            "link/tension": np.concatenate(tension)[:, None],
            "track/slip": np.array([[s] for s, _ in slip]),
            "track/sprocket_speed": np.array([[speed] for _, speed in slip]),
        }

    def _main_forward(self, state: State) -> Array:
        """Forward axis of the main body, world axes."""
        model, layout = self.compiled.model, self.compiled.layout
        main = layout.find_body(model.main_body) if model.main_body else 0
        return state.R[main][:, 0]

    def _calc_energies(self, state: State, work: Workspace) -> dict[str, Array]:
        body = self.compiled.tables.body
        v, w, x = state.v[:-1], state.w[:-1], state.x[:-1]
        spin = np.einsum("ni,nij,nj->", w, body.inertia, w)
        values = {
            "kinetic": 0.5 * float(body.mass @ np.einsum("ni,ni->n", v, v)) + 0.5 * float(spin),
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
        return {f"energy/{name}": np.array([[value]]) for name, value in values.items()}

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

    def calc_tension(self, state: State, work: Workspace) -> Array:
        """Pull along each link: mean of the forces of its two pins along it [N]."""
        direction = np.einsum("nij,nj->ni", state.R[self.links], self.along)
        force = work.joint_force[self.pins]  # on link i + 1
        return -0.5 * np.einsum("ni,ni->n", force + np.roll(force, 1, axis=0), direction)

    def calc_slip(self, state: State, forward: Array) -> tuple[float, float]:
        """Slip of the track over the ground, and the speed of its sprocket relative to its carrier [rad/s]."""
        axis = state.R[self.carrier] @ self.axis
        spin = state.R[self.sprocket] @ state.w[self.sprocket] - state.R[self.carrier] @ state.w[self.carrier]
        sprocket_speed = float(axis @ spin)
        track_speed = sprocket_speed * self.rolling_radius
        if abs(track_speed) < SLOWEST:
            return 0.0, sprocket_speed
        return 1.0 - float(forward @ state.v[self.sprocket]) / track_speed, sprocket_speed


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
    assert not isinstance(element, Bushing | Applied)
    return getattr(element, "coordinate", "translation") == "rotation"


def _calc_sensor(sensor: tuple, state: State, work: Workspace) -> Array:
    body, p, axes, quantity, resolve = sensor
    R = state.R[body]
    lever, spin = R @ p, R @ state.w[body]
    if quantity == "position":
        value = state.x[body] + lever
    elif quantity == "velocity":
        value = state.v[body] + np.cross(spin, lever)
    else:
        turn = R @ work.dw[body]
        value = work.a[body] + np.cross(turn, lever) + np.cross(spin, np.cross(spin, lever))
    return (R @ axes).T @ value if resolve == "body" else value
