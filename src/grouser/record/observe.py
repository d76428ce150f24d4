"""Channels: frames of named values from states and their evaluations.

A frame is noted as it is made, which is a copy of what compiled code left behind, and its energies are summed, which
control the step. Channels are worked out for many frames at once: an array operation costs the same for one or for
fifty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.signals import InputRows
from grouser.compile.state import State
from grouser.compile.tables import make_record
from grouser.families.registry import FAMILIES
from grouser.families.track_powertrain.spec import TrackPowertrain
from grouser.formulations.workspace import VALUED, Workspace
from grouser.kernels.kinds import (
    LEDGER_CONTACTS,
    LEDGER_ELEMENTS,
    LEDGER_FORCES,
    LEDGER_FRICTION,
    LEDGER_JOINTS,
    LEDGER_MOTIONS,
    LEDGER_NUMERICAL,
)
from grouser.mesh.make import make_mesh_data
from grouser.model.body import Frame
from grouser.model.inputs import find_input_units
from grouser.model.model import Model, Track
from grouser.model.rotation import (
    cross_all,
    dot_all,
    multiply_all,
    put_first,
    put_last,
    put_matrices_first,
    turn_all,
    turn_all_back,
)
from grouser.record.webs import make_web_pull
from grouser.result.writer import Block

Array = np.ndarray
XYZ = ("x", "y", "z")
SLOWEST = 0.05
"""Track speed [m/s] below which slip has no meaning and is given as zero."""


class Energies(NamedTuple):
    """Energies of a frame [J], or of many."""

    kinetic: Any
    potential: Any
    stored_joints: Any
    stored_forces: Any
    stored_contacts: Any
    stored_elements: Any
    dissipated_joints: Any
    dissipated_forces: Any
    dissipated_contacts: Any
    dissipated_friction: Any
    dissipated_elements: Any
    dissipated_numerically: Any
    work_motions: Any
    work_forces: Any
    residual: Any


_ENERGIES = (
    "kinetic energy",
    "potential energy of gravity",
    "energy stored in joints and bushings",
    "energy stored in springs and drives",
    "energy stored in contacts, friction anchors and tyres",
    "energy stored in elastic elements",
    "energy dissipated in joints and bushings",
    "energy dissipated in springs, dampers, brakes, friction of joints and drives",
    "energy dissipated by the damping of contacts and tyres",
    "energy dissipated by friction and by the slip of tyres",
    "energy dissipated in elastic elements",
    "energy that the steps of the integrator damp",
    "work of prescribed motions",
    "work of actuators, powertrains and applied forces",
    "energy that the balance does not account for",
)
"""What the energies are."""
_STATE = ("x", "R", "v", "w")
_KEPT = (
    "a", "dw", "joint_force", "joint_moment", "joint_peak", "contact_sum", "contact_energy", "contact_force",
    "ground_force",
    *(f"{family.name}_value" for family in VALUED),
)  # fmt: skip
"""What of a state and of its evaluation is noted."""


_NOTE: Any = make_record("Note", [*_STATE, *_KEPT, "input_value", "energies"])


class Note(_NOTE):
    """One frame: copies of the state and of its evaluation (nodes or elements, components), and its energies."""

    __slots__ = ()


class Notes(Note):
    """Many frames as one, with components first (components, frames, nodes or elements)."""

    __slots__ = ()


def join_notes(notes: Sequence[Note]) -> Notes:
    """Many frames as one."""
    names = (*_STATE, *_KEPT, "input_value")
    arrays = {name: np.array([getattr(note, name) for note in notes]) for name in names}
    rotation, peak = put_matrices_first(arrays.pop("R")), arrays.pop("joint_peak")
    stacks = {name: put_first(array) for name, array in arrays.items()}
    energies = Energies(*np.array([note.energies for note in notes]).T)
    return Notes(R=rotation, joint_peak=peak, **stacks, energies=energies)


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
        self._p_a, self._axes_a = _stack(placed_a)
        self._p_b, self._axes_b = _stack(placed_b)
        self._com = put_first(layout.com[1 : len(layout.bodies) + 1])
        self._force_count = len(layout.scalars) - len(model.motions)
        self._tracks = [_TrackIndex(compiled, track) for track in model.tracks.values()]
        self._sensors = [
            (*layout.place_frame(sensor.frame), sensor.quantity, sensor.axes) for sensor in model.sensors.values()
        ]
        body = compiled.tables.node
        mass = body.mass[1:]
        heavy = mass.copy()
        heavy[body.coupled - 1] = body.coupled_weight
        self._mass, self._inertia, self._weight = mass[:, None], body.inertia[1:], np.outer(heavy, body.gravity)
        self._pair, self._pair_mass = body.pair.T - 1, body.pair_mass[:, None]
        self._bodies = slice(1, len(layout.bodies) + 1)
        self._named = np.array([layout.find_point(name) for name in model.points], dtype=int)
        self._marked = {layout.find_body(name): name for name in layout.mesh_markers}
        of_mesh = [
            layout.frame_count + rows[: len(make_mesh_data(model.meshes[name]).nodes)]
            for name, rows in layout.point_data.of_mesh.items()
        ]
        self._meshed = np.concatenate([np.zeros(0, dtype=int), *of_mesh])
        self._moving = len(body.mass)
        self._energy_start: float | None = None
        self.blocks = self._make_blocks()

    def note(self, state: State, work: Workspace) -> Note:
        """A frame: the state, and its evaluation, which is in `work`. The peak of joint deformation starts anew."""
        for family in FAMILIES:
            if family.show is not None and self.compiled.layout.names[family.name]:
                family.show(self.compiled.tables, state, work)
        kept = {name: getattr(state, name).copy() for name in _STATE}
        kept |= {name: getattr(work, name).copy() for name in _KEPT}
        work.joint_peak[:] = 0.0
        return Note(
            **kept, input_value=self.calc_inputs(float(state.time[0])), energies=self._calc_energies(state, work)
        )

    def calc_inputs(self, t: float) -> Array:
        """Values of the inputs at a time [s] (inputs, 1)."""
        signal = self.compiled.tables.signal
        values = [_calc_input(signal.point, rows[0], t) for rows in self.compiled.inputs.values()]
        return np.array(values).reshape(-1, 1)

    def calc_frames(self, notes: Notes) -> dict[str, Array]:
        """Values of all blocks (frames, items, components)."""
        frames = self._calc_bodies(notes) | self._calc_joints(notes) | self._calc_tracks(notes)
        count, value, sums = self._force_count, notes.scalar_value, notes.contact_sum
        forces, motions = value[:, :, :count], value[:, :, count:]
        frames["force/force"] = forces[0]
        frames["force/coordinate"] = forces[1]
        frames["force/rate"] = forces[2]
        frames["motion/effort"] = motions[0]
        frames["motion/target"] = motions[3]
        frames["motion/power"] = motions[0] * motions[2]
        for family in FAMILIES:
            for column, output in enumerate(family.outputs):
                shown = getattr(notes, f"{family.name}_value")[column]
                frames[f"{family.name}/{output.quantity}"] = shown if output.shown is None else output.shown(shown)
        frames["input/value"] = notes.input_value[0]
        frames["contact/normal"] = sums[0]
        frames["contact/friction"] = sums[1:4] * self.compiled.contact_sign
        frames["contact/count"] = sums[4]
        frames["contact/penetration"] = sums[5]
        frames["contact/damping_loss"] = notes.contact_energy[1]
        frames["contact/friction_loss"] = notes.contact_energy[2]
        for name, energy in notes.energies._asdict().items():
            frames[f"energy/{name}"] = energy[:, None]
        if self._sensors:
            frames["sensor/value"] = np.stack([_calc_sensor(s, notes) for s in self._sensors], axis=-1)
        return {name: put_last(stack) if stack.ndim == 3 else stack[..., None] for name, stack in frames.items()}

    def _calc_bodies(self, notes: Notes) -> dict[str, Array]:
        bodies = self._bodies
        R, w = notes.R[..., bodies], notes.w[..., bodies]
        lever = turn_all(R, self._com)
        return {
            "body/position": notes.x[..., bodies] - lever,
            "body/orientation": calc_quaternions(R),
            "body/velocity": notes.v[..., bodies] - cross_all(turn_all(R, w), lever),
            "body/angular_velocity": w,
            "body/contact_force": notes.contact_force[..., bodies],
            "marker/position": notes.x[..., [*self._marked]],
            "marker/orientation": calc_quaternions(notes.R[..., [*self._marked]]),
            "point/position": notes.x[..., self._named],
            "point/velocity": notes.v[..., self._named],
            "node/position": notes.x[..., self._meshed],
            "node/velocity": notes.v[..., self._meshed],
        }

    def _calc_joints(self, notes: Notes) -> dict[str, Array]:
        (x_a, R_a), (x_b, R_b) = (
            (np.take(notes.x, body, axis=-1), np.take(notes.R, body, axis=-1)) for body in (self._body_a, self._body_b)
        )
        axes_a, axes_b = multiply_all(R_a, self._axes_a), multiply_all(R_b, self._axes_b)
        gap = x_b - x_a + turn_all(R_b, self._p_b) - turn_all(R_a, self._p_a)
        (ax, ay), (bx, by) = (axes_a[:, 0], axes_a[:, 1]), (axes_b[:, 0], axes_b[:, 1])
        twist = np.arctan2(dot_all(ay, bx) - dot_all(ax, by), dot_all(ax, bx) + dot_all(ay, by))
        return {
            "joint/force": turn_all_back(axes_a, notes.joint_force),
            "joint/torque": turn_all_back(axes_a, notes.joint_moment),
            "joint/deformation": np.sqrt(notes.joint_peak),
            "joint/coordinate": np.stack([dot_all(axes_a[:, 2], gap), twist]),
        }

    def _calc_tracks(self, notes: Notes) -> dict[str, Array]:
        if not self._tracks:
            return {}
        model, layout = self.compiled.model, self.compiled.layout
        main = layout.find_body(model.main_body) if model.main_body else 1
        forward = notes.R[:, 0, :, main]
        slip, speed = zip(*(track.calc_slip(notes, forward) for track in self._tracks), strict=True)
        return {
            "link/tension": np.concatenate([track.calc_tension(notes) for track in self._tracks], axis=1),
            "link/ground_force": np.concatenate([notes.ground_force[..., t.links] for t in self._tracks], axis=-1),
            "track/slip": np.stack(slip, axis=-1),
            "track/sprocket_speed": np.stack(speed, axis=-1),
        }

    def _calc_energies(self, state: State, work: Workspace) -> Energies:
        v, w, x = state.v[1 : self._moving], state.w[self._bodies], state.x[1 : self._moving]
        motion = np.vdot(self._mass * v, v) + 2.0 * np.vdot(self._pair_mass * v[self._pair[0]], v[self._pair[1]])
        spin = np.vdot(self._inertia, w[:, :, None] * w[:, None, :])
        stored, (dissipated, supplied) = work.stored.tolist(), state.ledger.tolist()
        kept = (
            float(0.5 * (motion + spin)),
            -float(np.vdot(self._weight, x)),
            stored[LEDGER_JOINTS],
            stored[LEDGER_FORCES] + stored[LEDGER_MOTIONS],
            stored[LEDGER_CONTACTS] + stored[LEDGER_FRICTION],
            sum(stored[LEDGER_ELEMENTS:]),
            dissipated[LEDGER_JOINTS],
            dissipated[LEDGER_FORCES] + dissipated[LEDGER_MOTIONS],
            dissipated[LEDGER_CONTACTS],
            dissipated[LEDGER_FRICTION],
            sum(dissipated[LEDGER_ELEMENTS:]),
            dissipated[LEDGER_NUMERICAL],
        )
        given = (supplied[LEDGER_MOTIONS], supplied[LEDGER_FORCES])
        total = sum(kept) - sum(given)
        if self._energy_start is None:
            self._energy_start = total
        return Energies(*kept, *given, total - self._energy_start)

    def _make_blocks(self) -> list[Block]:
        model, layout = self.compiled.model, self.compiled.layout
        forces, motions = layout.scalars[: self._force_count], layout.scalars[self._force_count :]
        turning = {n: _is_turning(model, n) for n in layout.scalars}
        effort = {n: "N m" if turning[n] else "N" for n in layout.scalars}
        place = {n: "rad" if turning[n] else "m" for n in layout.scalars}
        meshed = tuple(layout.nodes[row] for row in self._meshed)
        marked = tuple(self._marked.values())
        links = tuple(link for track in model.tracks.values() for link in track.links)
        tracks = tuple(model.tracks)
        one = ("value",)
        blocks = [
            Block("body", "position", layout.bodies, XYZ, "m", "world", "origin of the body"),
            Block("body", "orientation", layout.bodies, ("w", "x", "y", "z"), "-", "body to world", "quaternion"),
            Block("body", "velocity", layout.bodies, XYZ, "m/s", "world", "velocity of the origin"),
            Block("body", "angular_velocity", layout.bodies, XYZ, "rad/s", "body", "angular velocity"),
            Block("body", "contact_force", layout.bodies, XYZ, "N", "world", "sum of all contacts of the body"),
            Block("marker", "position", marked, XYZ, "m", "world", "position of a frame on a mesh"),
            Block("marker", "orientation", marked, ("w", "x", "y", "z"), "-", "mesh to world", "quaternion"),
            Block("point", "position", tuple(model.points), XYZ, "m", "world", "position"),
            Block("point", "velocity", tuple(model.points), XYZ, "m/s", "world", "velocity"),
            Block("node", "position", meshed, XYZ, "m", "world", "position of a node of a mesh"),
            Block("node", "velocity", meshed, XYZ, "m/s", "world", "velocity of a node of a mesh"),
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
            Block("contact", "damping_loss", layout.contacts, one, "W", "", "power lost by its damping"),
            Block("contact", "friction_loss", layout.contacts, one, "W", "", "power lost by its friction"),
            Block("link", "tension", links, one, "N", "", "pull along the link"),
            Block("link", "ground_force", links, XYZ, "N", "world", "force of the ground"),
            Block("track", "slip", tracks, one, "-", "", "1 - speed over ground / track speed"),
            Block("track", "sprocket_speed", tracks, one, "rad/s", "", "sprocket relative to the hull"),
            Block("sensor", "value", tuple(model.sensors), XYZ, self._sensor_units(), "", "sensor"),
        ]
        units = find_input_units(model)
        blocks.append(
            Block("input", "value", tuple(units), one, tuple(units.values()), "", "what is set from outside, limited")
        )
        blocks += [
            Block(family.name, output.quantity, layout.names[family.name], one, output.unit, "", output.meaning)
            for family in FAMILIES
            for output in family.outputs
        ]
        energies = zip(Energies._fields, _ENERGIES, strict=True)
        blocks += [Block("energy", q, ("energy",), one, "J", "", text) for q, text in energies]
        return blocks

    def _sensor_units(self) -> tuple[str, ...]:
        units = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2", "angular_acceleration": "rad/s^2"}
        return tuple(units[s.quantity] for s in self.compiled.model.sensors.values())


class _TrackIndex:
    """Indices of a track in the tables."""

    def __init__(self, compiled: Compiled, track: Track) -> None:
        layout = compiled.layout
        joints = {name: i for i, name in enumerate(layout.joints)}
        self.links = np.array([layout.find_body(name) for name in track.links], dtype=int)
        self.pins = np.array([joints[name] for name in track.pins], dtype=int)
        model = compiled.model
        self.webs = None if track.belt is None else make_web_pull(compiled, track)
        self.along = np.zeros((3, 0))
        if self.webs is None and track.chain is None:
            ends = [_find_ends(model, name) for name in track.pins]
            front = [layout.place_frame(a)[1] for a, _ in ends]
            rear = [layout.place_frame(b)[1] for _, b in ends]
            # link i carries frame a of pin i and frame b of pin i - 1
            along = np.array(front) - np.roll(np.array(rear), 1, axis=0)
            self.along = put_first(along / np.linalg.norm(along, axis=1)[:, None])
        self.sprocket = layout.find_body(track.sprocket)
        self.carrier, self.axis = _find_spin(compiled, track)
        self.rolling_radius = track.rolling_radius

    def calc_tension(self, notes: Notes) -> Array:
        """Pull along each link: mean of the forces of its two pins along it, or of the pulls of its two webs [N]
        (frames, links)."""
        if self.webs is not None:
            pull = self.webs.calc(notes)
            return np.asarray(0.5 * (pull + np.roll(pull, 1, axis=-1)))
        direction = turn_all(notes.R[..., self.links], self.along)
        force = notes.joint_force[..., self.pins]  # on link i + 1
        return -0.5 * dot_all(force + np.roll(force, 1, axis=-1), direction)

    def calc_slip(self, notes: Notes, forward: Array) -> tuple[Array, Array]:
        """Slip of the track over the ground, and the speed of its sprocket relative to its carrier [rad/s]."""
        carrier, sprocket = notes.R[..., self.carrier], notes.R[..., self.sprocket]
        spin = turn_all(sprocket, notes.w[..., self.sprocket]) - turn_all(carrier, notes.w[..., self.carrier])
        sprocket_speed = dot_all(turn_all(carrier, self.axis), spin)
        track_speed = sprocket_speed * self.rolling_radius
        is_slow = np.abs(track_speed) < SLOWEST
        ground_speed = dot_all(forward, notes.v[..., self.sprocket])
        return np.where(is_slow, 0.0, 1.0 - ground_speed / np.where(is_slow, 1.0, track_speed)), sprocket_speed


def _find_spin(compiled: Compiled, track: Track) -> tuple[int, Array]:
    """Carrier of the sprocket of a track, and the axis on it about which its drive turns it."""
    layout, model = compiled.layout, compiled.model
    powertrain = model.forces.get(track.drive)
    if isinstance(powertrain, TrackPowertrain):
        sides = [model.joints[joint] for joint in (powertrain.left, powertrain.right)]
        joint = next(side for side in sides if side.frame_b.body == track.sprocket)
        carrier, _, axes = layout.place_frame(joint.frame_a)
        return carrier, axes[:, 2]
    drive, scalar = layout.scalars.index(track.drive), compiled.tables.scalar
    return int(scalar.body_a[drive]), scalar.frame_a[drive][:, 2]


def calc_quaternions(R: Array) -> Array:
    """Quaternions (w, x, y, z), w >= 0, of a stack of rotation matrices; by the largest component, so that nothing
    small is divided by."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = np.stack([1.0 + trace, *(1.0 + 2.0 * R[i, i] - trace for i in range(3))])
    largest = np.argmax(squares, axis=0)
    half = 0.5 / np.sqrt(np.take_along_axis(squares, largest[None], axis=0)[0])
    # four times the products of the components with the largest one
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, yz, zx = R[0, 1] + R[1, 0], R[1, 2] + R[2, 1], R[2, 0] + R[0, 2]
    w, x, y, z = squares
    rows = ((w, wx, wy, wz), (wx, x, xy, zx), (wy, xy, y, yz), (wz, zx, yz, z))
    q = half * np.stack([np.choose(largest, row) for row in rows])
    return np.where(q[0] < 0.0, -q, q)


def _calc_input(point: Array, rows: InputRows, t: float) -> float:
    """Value of an input from its points at one place; between equal times the later one counts."""
    times, values = point[rows.start : rows.stop].T
    return float(values[-1] if t >= times[-1] else np.interp(t, times, values)) / rows.factor


def _stack(placed: Sequence[tuple]) -> tuple[Array, Array]:
    """Positions and axes of placed frames."""
    positions = np.array([p[1] for p in placed]).reshape(-1, 3)
    return put_first(positions), put_matrices_first(np.array([p[2] for p in placed]).reshape(-1, 3, 3))


def _find_ends(model: Model, name: str) -> tuple[Frame, Frame]:
    holder = model.joints[name] if name in model.joints else model.forces[name]
    return holder.frame_a, holder.frame_b  # type: ignore[union-attr]


def _is_turning(model: Model, name: str) -> bool:
    element = model.forces[name] if name in model.forces else model.motions[name]
    return getattr(element, "coordinate", "translation") == "rotation"


def _calc_sensor(sensor: tuple, notes: Notes) -> Array:
    """Value of a sensor (3, frames)."""
    body, p, axes, quantity, resolve = sensor
    R = notes.R[..., body]
    lever, spin = turn_all(R, p[:, None]), turn_all(R, notes.w[..., body])
    if quantity == "position":
        value = notes.x[..., body] + lever
    elif quantity == "velocity":
        value = notes.v[..., body] + cross_all(spin, lever)
    elif quantity == "angular_acceleration":
        value = turn_all(R, notes.dw[..., body])
    else:
        turn = turn_all(R, notes.dw[..., body])
        value = notes.a[..., body] + cross_all(turn, lever) + cross_all(spin, cross_all(spin, lever))
    return turn_all_back(multiply_all(R, axes[..., None]), value) if resolve == "body" else value
