"""The state: exactly what a restart needs."""

from __future__ import annotations

import zipfile
from collections import namedtuple
from pathlib import Path

import numpy as np

from grouser.compile.layout import Layout
from grouser.errors import IncompatibleError, ResultError
from grouser.model.fingerprint import calc_fingerprints
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.whole_file import save_whole

State = namedtuple("State", ["time", "x", "R", "v", "w", "z", "ledger", "anchor", "anchor_stamp", "stamp"])
"""State of a system of n nodes, of which f have a frame; the rows are those of `grouser.kernels.nodes`.

time (1,) [s]; x (n, 3) points and centres of mass [m]; R (f, 3, 3) body to world; v (n, 3) [m/s]; w (f, 3) body axes
[rad/s]; z (m,) states of actuators, motions, tyres, gearboxes, brakes, drivers and friction of joints
(`Layout.state_start`); ledger (2, families) energy dissipated and supplied so far [J]; anchor (k, 3) friction memory
[m] with anchor_stamp (k,) and stamp (1,), the number of the evaluation at which each was last in contact.
"""


def make_state(model: Model, layout: Layout, z: np.ndarray, *, ledger_count: int, memory_count: int) -> State:
    """The initial state of a model, with the states z of its elements, so many energies and places of friction."""
    rows, frames = len(layout.nodes), layout.frame_count
    x, v, w = np.zeros((rows, 3)), np.zeros((rows, 3)), np.zeros((frames, 3))
    R = np.tile(np.eye(3), (frames, 1, 1))
    for i, body in enumerate(model.bodies.values(), start=1):
        R[i] = quaternion_to_matrix(body.orientation)
        lever = R[i] @ layout.com[i]
        w[i] = body.angular_velocity
        x[i] = np.array(body.position) + lever
        v[i] = np.array(body.velocity) + np.cross(R[i] @ w[i], lever)
    x[frames:], v[frames:] = layout.point_data.position, layout.point_data.velocity
    for i, marker in enumerate(layout.markers, start=1 + len(layout.bodies)):
        R[i], carriers = marker.axes, frames + marker.points
        x[i], v[i] = marker.weights @ x[carriers], marker.weights @ v[carriers]
        w[i] = marker.turning @ np.cross(marker.gradients, v[carriers] @ R[i]).sum(axis=0)
    if model.planar:
        v, w = _calc_in_plane(R, v, w)
    return State(
        time=np.zeros(1),
        x=x,
        R=R,
        v=v,
        w=w,
        z=z,
        ledger=np.zeros((2, ledger_count)),
        anchor=np.zeros((memory_count, 3)),
        anchor_stamp=np.full(memory_count, -1, dtype=np.int64),
        stamp=np.zeros(1, dtype=np.int64),
    )


def with_plane(state: State, start: State) -> State:
    """A copy of a state of a model that moves in the x-z plane, without what is out of the plane.

    Places across the plane, and what of the rotations is not about y, are those of the initial state.
    """
    x = np.column_stack([state.x[:, 0], start.x[:, 1], state.x[:, 2]])
    turn = state.R @ start.R.transpose(0, 2, 1)
    angle = np.arctan2(turn[:, 0, 2] - turn[:, 2, 0], turn[:, 0, 0] + turn[:, 2, 2])
    about_y = np.zeros_like(state.R)
    about_y[:, 1, 1] = 1.0
    about_y[:, 0, 0] = about_y[:, 2, 2] = np.cos(angle)
    about_y[:, 0, 2] = np.sin(angle)
    about_y[:, 2, 0] = -about_y[:, 0, 2]
    R = about_y @ start.R
    v, w = _calc_in_plane(R, state.v, state.w)
    return copy_state(state)._replace(x=x, R=R, v=v, w=w)


def _calc_in_plane(R: np.ndarray, v: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities without those along y, and angular velocities, body axes, without those that are not about it."""
    across = R[:, 1]
    return v * (1.0, 0.0, 1.0), np.einsum("ij,ij->i", across, w)[:, None] * across


def copy_state(state: State) -> State:
    """An independent copy."""
    return State(*(array.copy() for array in state))


def make_trace(state: State) -> bytes:
    """Bytes that tell whether it is the same state, up to its time."""
    return b"".join([array.tobytes() for array in state[1:]])


def with_restart(state: State) -> State:
    """A copy at time zero with an empty energy ledger: the state from which a new run starts."""
    fresh = copy_state(state)
    fresh.time[:] = 0.0
    fresh.ledger[:] = 0.0
    return fresh


def with_rest(state: State) -> State:
    """A copy in which nothing moves."""
    still = copy_state(state)
    still.v[:] = 0.0
    still.w[:] = 0.0
    return still


def with_start_motion(state: State, initial: State, layout: Layout) -> State:
    """A copy of a state of rest in which bodies move as in the initial state of the model, in the gear and at the place
    along the path that go with it."""
    moving = copy_state(state)
    moving.v[:] += initial.v
    moving.w[:] += initial.w
    for name in (*layout.names["powertrain"], *layout.names["track_powertrain"], *layout.names["driver"]):
        start = layout.state_start[name]
        place = slice(start, start + layout.state_counts[name])
        moving.z[place] = initial.z[place]
    return moving


def save_state(path: str | Path, state: State, layout: Layout) -> None:
    """Write a state with the names and fingerprints of the model that it belongs to (NumPy archive)."""
    path = Path(path)
    prints = [f"{family} {value}" for family, value in calc_fingerprints(layout.model).items()]
    with save_whole(path, "state") as unfinished, unfinished.open("wb") as file:
        np.savez(file, names=np.array(_list_names(layout)), prints=np.array(prints), **state._asdict())


def load_state(path: str | Path, template: State, layout: Layout) -> State:
    """Read a state and check that it belongs to this model; its drives and its terrain may be others."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            names = [str(n) for n in archive["names"]]
            prints = dict(str(line).split() for line in archive["prints"])
            state = State(**{field: archive[field] for field in State._fields})
    except FileNotFoundError:
        raise ResultError(f"no state file {str(path)!r}") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise ResultError(f"{str(path)!r} is not a saved state: make one with `grouser settle`") from None
    if names != _list_names(layout):
        raise IncompatibleError(
            f"state {str(path)!r} belongs to another model (it has {len(names)} elements, this model "
            f"{len(_list_names(layout))}): settle this model anew"
        )
    other = [family for family, value in calc_fingerprints(layout.model).items() if prints.get(family) != value]
    if other:
        raise IncompatibleError(
            f"state {str(path)!r} belongs to another vehicle: its {', '.join(other)} differ from those of "
            f"{layout.model.name!r}; settle this one anew with `grouser settle`"
        )
    return check_state(state, template)


def _list_names(layout: Layout) -> list[str]:
    return [*layout.nodes, *layout.state_counts]


def check_state(state: State, template: State) -> State:
    """The state, if its arrays fit the model that the template belongs to."""
    if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(state, template, strict=True)):
        raise IncompatibleError(
            f"the initial state has {len(state.x) - 1} nodes and does not fit this model with {len(template.x) - 1}: "
            "settle this model anew"
        )
    return state
