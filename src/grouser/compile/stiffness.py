"""Stiffness and damping of a compiled model in its initial state, and the stable step that follows.

Every force element acts along scalar deformations e(q) with a gradient g on the velocities (v, w) of its two
bodies, so its blocks are

    K = g k g^T,   C = g c g^T                                                            (1)

(the geometric part, force times the change of g, is small beside stiff springs and left out). With the mass
matrix M, a mode of angular frequency omega and damping rate gamma is stable in the two-pass trapezoidal scheme up to

    dt = 2/omega (sqrt(1 + zeta^2) - zeta),   zeta = gamma/(2 omega)                      (2)

that is, 1 = dt^2/4 omega^2 + dt/2 gamma. An integrator that is stable up to dt omega = a without damping and up to
dt gamma = b without stiffness takes 1 = dt^2/a^2 omega^2 + dt/b gamma; the trapezoidal scheme has a = b = 2. For all
modes together the step is the one for which the largest eigenvalue of

    dt^2/a^2 M^-1 K + dt/b M^-1 C                                                         (3)

is one: exact for the trapezoidal scheme where K and C share their modes, and on the safe side for Runge-Kutta's. Ideal
joints leave the motions u with G u = 0, so (3) is taken on those: with the masses normalised to one, P (3) P with

    P = 1 - G^T (G G^T)^-1 G                                                              (4)

A damper that would throw a light carrier about then acts on all that moves with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, identity

from grouser.compile.compile import Compiled
from grouser.compile.signals import calc_largest_slope
from grouser.kernels.forces.powertrain import SETTLING
from grouser.kernels.kinds import (
    COORDINATE_DISTANCE,
    COORDINATE_TWIST,
    FRICTION_ASPERITY,
    LAW_SPEED,
    PAIR_GROOVE_HORN,
    PAIR_LAST_TERRAIN,
    PAIR_SPHERE_PLATE,
    PAIR_WHEEL_RAIL,
    PAIRS_OF_SPHERES,
    PER_CONTACT,
    POINT_DISTANCE,
    POINT_LOCKED,
    POINT_ROTATION_FREE,
    POINT_UNIVERSAL,
    ROW_DISTANCE,
    ROW_NORMAL,
    ROW_POINT,
    ROW_SLIDE,
    WORLD_ROW,
)
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE

Array = np.ndarray
SAFETY = 0.95
"""Share of the stable step that is used: covers geometric stiffness and configurations yet to come."""
LOAD_SHARE = 0.02
"""Least share of the total weight taken as the normal force of one touching body when friction is linearised; where
fewer bodies can touch, they share all of it."""
REDUNDANT = 1.0e-10
"""Added to the diagonal of G G^T, whose rows have length one, so that redundant rows do no harm."""
MOST_TURNS = 20
"""Turns of the search for the stable step."""
TOUCHING = 6
"""Links that may touch one wheel at the same time, for the estimate."""


@dataclass(frozen=True)
class StableStep:
    """Largest stable step of an explicit integrator and what limits it.

    Attributes
    ----------
    step : stable step with the safety factor applied [s]
    frequency : undamped angular frequency of the limiting mode [rad/s]
    damping_rate : damping rate of the limiting mode [1/s]
    body : body that moves most in it
    """

    step: float
    frequency: float
    damping_rate: float
    body: str


class Springs:
    """Stiffness and damping of all elements on the velocities of the nodes, normalised by the masses.

    Attributes
    ----------
    tables, state : the model, and its initial state
    size : number of velocities: six a body, three a point
    """

    def __init__(self, compiled: Compiled) -> None:
        self.tables, self.state = compiled.tables, compiled.initial
        self._frames = compiled.layout.frame_count
        bodies, points = len(compiled.layout.bodies), len(compiled.layout.points)
        self.size = FRAME_SIZE * bodies + POINT_SIZE * points
        self._entries: list[tuple[Array, Array, Array, Array]] = []

    def find_places(self, row: int) -> range:
        """Velocities of the node in a row."""
        if row < self._frames:
            return range(FRAME_SIZE * (row - 1), FRAME_SIZE * row)
        start = FRAME_SIZE * (self._frames - 1) + POINT_SIZE * (row - self._frames)
        return range(start, start + POINT_SIZE)

    @cached_property
    def mass_roots(self) -> list[Array]:
        """Inverse roots of the mass matrices of the nodes by row, world axes."""
        body, R = self.tables.body, self.state.R
        roots = [np.zeros((FRAME_SIZE, FRAME_SIZE))]
        for i in range(1, self._frames):
            root = np.zeros((FRAME_SIZE, FRAME_SIZE))
            root[:3, :3] = np.eye(3) / math.sqrt(body.mass[i])
            values, vectors = np.linalg.eigh(R[i] @ body.inertia[i] @ R[i].T)
            root[3:, 3:] = (vectors / np.sqrt(values)) @ vectors.T
            roots.append(root)
        return roots + [np.eye(3) / math.sqrt(mass) for mass in body.mass[self._frames :]]

    def add(self, a: int, b: int, gradient: Array, k: Array, c: Array) -> None:
        """Deformations with a gradient (m, 12) on (v_a, w_a, v_b, w_b) of two bodies, world axes; k and c (m, m)."""
        ends = [(gradient[:, :FRAME_SIZE], a), (gradient[:, FRAME_SIZE:], b)]
        # the world has no mass of its own and drops out
        parts = [(part @ self.mass_roots[body], self.find_places(body)) for part, body in ends if body != WORLD_ROW]
        for left, p in parts:
            for right, q in parts:
                i, j = np.repeat(p, len(q)), np.tile(q, len(p))
                self._entries.append((i, j, (left.T @ k @ right).ravel(), (left.T @ c @ right).ravel()))

    def add_entries(self, i: Array, j: Array, k: Array, c: Array) -> None:
        """Entries of both matrices in rows i and columns j, normalised by the masses."""
        self._entries.append((i, j, k, c))

    def assemble(self) -> tuple[csr_matrix, csr_matrix]:
        """The matrices of stiffness and of damping."""
        shape = (self.size, self.size)
        if not self._entries:
            return csr_matrix(shape), csr_matrix(shape)
        i, j, k, c = (np.concatenate(values) for values in zip(*self._entries, strict=True))
        stiffness, damping = (coo_matrix((values, (i, j)), shape=shape).tocsr() for values in (k, c))
        for matrix in (stiffness, damping):
            matrix.eliminate_zeros()  # ideal motions have rows without stiffness
        return stiffness, damping


def _skew(p: Array) -> Array:
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def _calc_levers(springs: Springs, table: tuple, i: int) -> tuple[Array, Array, Array, Array, Array]:
    """Levers of p_b from the centres of a and b, p_b - p_a, and both frames' axes, world."""
    x, R = springs.state.x, springs.state.R
    a, b = table.body_a[i], table.body_b[i]  # type: ignore[attr-defined]
    r_b = R[b] @ table.p_b[i]  # type: ignore[attr-defined]
    q = x[b] + r_b - x[a]
    axes_a, axes_b = R[a] @ table.frame_a[i], R[b] @ table.frame_b[i]  # type: ignore[attr-defined]
    return q, r_b, q - R[a] @ table.p_a[i], axes_a, axes_b  # type: ignore[attr-defined]


def _calc_translation(q: Array, r_b: Array) -> Array:
    return np.hstack([-np.eye(3), _skew(q), np.eye(3), -_skew(r_b)])


def _calc_rotation() -> Array:
    return np.hstack([np.zeros((3, 3)), -np.eye(3), np.zeros((3, 3)), np.eye(3)])


def _add_joints(springs: Springs) -> None:
    point, frame = springs.tables.point, springs.tables.frame
    for i in range(len(point.body_a)):
        q, r_b, e, axes_a, axes_b = _calc_levers(springs, point, i)
        a, b = point.body_a[i], point.body_b[i]
        if point.rotation[i] == POINT_DISTANCE:
            along = (e / np.linalg.norm(e))[None, :]
            springs.add(a, b, along @ _calc_translation(q, r_b), point.k[i] * np.eye(1), point.c[i] * np.eye(1))
            continue
        springs.add(a, b, _calc_translation(q, r_b), point.k[i] * np.eye(3), point.c[i] * np.eye(3))
        if point.rotation[i] == POINT_ROTATION_FREE:
            continue
        if point.rotation[i] == POINT_UNIVERSAL:
            held = np.cross(axes_b[:, 1], axes_a[:, 0])[None, :]
        else:
            held = axes_a.T if point.rotation[i] == POINT_LOCKED else axes_a.T[:2]
        one = np.eye(len(held))
        springs.add(a, b, held @ _calc_rotation(), point.k_turn[i] * one, point.c_turn[i] * one)
    for i in range(len(frame.body_a)):
        q, r_b, _, axes_a, _ = _calc_levers(springs, frame, i)
        gradient = np.vstack([axes_a.T @ _calc_translation(q, r_b), axes_a.T @ _calc_rotation()])
        springs.add(frame.body_a[i], frame.body_b[i], gradient, frame.stiffness[i], frame.damping[i])


def calc_held_motions(compiled: Compiled) -> csr_matrix | None:
    """Rows G of the ideal joints and motions in the initial state, normalised by the masses and to length one; None if
    there are none."""
    springs = Springs(compiled)
    table = springs.tables.constraint
    rows = np.zeros((len(table.row_kind), 12))
    places = np.zeros((len(table.row_kind), 12), dtype=int)
    for i in range(len(table.body_a)):
        q, r_b, e, axes_a, axes_b = _calc_levers(springs, table, i)
        for row in range(table.row_start[i], table.row_start[i] + table.row_count[i]):
            kind, h, j = table.row_kind[row], axes_a[:, table.row_axis_a[row]], axes_b[:, table.row_axis_b[row]]
            if kind == ROW_POINT:
                gradient = _calc_translation(q - e, r_b)[table.row_axis_a[row]]
            elif kind in (ROW_SLIDE, ROW_DISTANCE):
                gradient = (h if kind == ROW_SLIDE else e / np.linalg.norm(e)) @ _calc_translation(q, r_b)
            else:
                gradient = (np.cross(j, h) if kind == ROW_NORMAL else axes_a[:, 2]) @ _calc_rotation()
            for side, body in enumerate((table.body_a[i], table.body_b[i])):
                columns = slice(6 * side, 6 * side + 6)
                if body != WORLD_ROW:
                    rows[row, columns] = gradient[columns] @ springs.mass_roots[body]
                    places[row, columns] = springs.find_places(body)
            rows[row] /= np.linalg.norm(rows[row])
    if not len(rows):
        return None
    index = np.repeat(np.arange(len(rows)), 12)
    return coo_matrix((rows.ravel(), (index, places.ravel())), shape=(len(rows), springs.size)).tocsr()


def _add_scalars(springs: Springs) -> None:
    scalar, signal = springs.tables.scalar, springs.tables.signal
    for i in range(len(scalar.coordinate)):
        q, r_b, e, axes_a, _ = _calc_levers(springs, scalar, i)
        if scalar.coordinate[i] == COORDINATE_TWIST:
            gradient = axes_a[:, 2][None, :] @ _calc_rotation()
        else:
            length = np.linalg.norm(e)
            along = e / length if scalar.coordinate[i] == COORDINATE_DISTANCE and length > 0 else axes_a[:, 2]
            gradient = along[None, :] @ _calc_translation(q, r_b)
        k, c = scalar.k[i] + scalar.stop_k[i], scalar.c[i] + scalar.stop_c[i]
        if scalar.law[i] == LAW_SPEED:  # gain p acts on the rate, gain d on the target alone
            k, c = 0.0, scalar.k[i]
        for curve, is_damping in ((scalar.curve_k[i], False), (scalar.curve_c[i], True)):
            if curve >= 0:
                slope = calc_largest_slope(signal.point[signal.start[curve] : signal.stop[curve]])
                k, c = (k, c + slope) if is_damping else (k + slope, c)
        c += scalar.friction[i] / scalar.friction_velocity[i]
        springs.add(scalar.body_a[i], scalar.body_b[i], gradient, np.array([[k]]), np.array([[c]]))


def _add_contacts(springs: Springs) -> None:
    """Each shape as if it touched something heavy: an upper bound for its own body."""
    tables, R = springs.tables, springs.state.R
    shape, contact = tables.shape, tables.contact
    weight = float(tables.body.mass.sum() * np.linalg.norm(tables.body.gravity))
    for g in range(len(contact.kind)):
        touching = len(set(shape.body[contact.member[contact.a_start[g] : contact.b_stop[g]]]))
        load = weight * max(LOAD_SHARE, 1.0 / touching)
        for side, start, stop in (
            ("a", contact.a_start[g], contact.a_stop[g]),
            ("b", contact.b_start[g], contact.b_stop[g]),
        ):
            for i in contact.member[start:stop]:
                body = shape.body[i]
                items = shape.item[shape.item_start[i] : shape.item_stop[i]]
                points = items if len(items) else shape.centre[i][None, :]
                times = TOUCHING if side == "a" and contact.kind[g] > PAIR_LAST_TERRAIN else 1
                if contact.kind[g] == PAIR_GROOVE_HORN:
                    points, times = shape.centre[i][None, :], 1
                if contact.kind[g] == PAIR_WHEEL_RAIL and side == "b":
                    points = items.mean(axis=0)[None, :]
                # friction turns a sphere: whichever way its normal points, its arm is the radius
                is_plate = contact.kind[g] == PAIR_SPHERE_PLATE and side == "b"
                is_sphere = contact.kind[g] in PAIRS_OF_SPHERES and not is_plate
                arm = np.array([0.0, 0.0, -shape.size[i, 0] if is_sphere else 0.0])
                area = shape.size[i, 0] if contact.per[g] != PER_CONTACT else 1.0
                k = times * contact.k[g] * area
                anchor = contact.k_tangent[g] if contact.friction[g] == FRICTION_ASPERITY else 0.0
                friction = times * contact.mu[g] * load / contact.velocity[g] / len(points)
                # the direction of the normal is not known beforehand: the larger value in all directions
                spring = max(k, anchor) * np.eye(3)
                damper = max(times * contact.c[g] * area, friction) * np.eye(3)
                for p in points:
                    gradient = np.hstack([np.zeros((3, 6)), np.eye(3), -_skew(R[body] @ p + arm)])
                    springs.add(WORLD_ROW, body, gradient, spring, damper)


def _add_tyres(springs: Springs) -> None:
    """Each tyre as if it stood on level ground, deflected as by twice its nominal load, and stuck there."""
    tyre, R = springs.tables.tyre, springs.state.R
    for i in range(len(tyre.body)):
        body, axis = tyre.body[i], R[tyre.body[i]] @ tyre.axis[i]
        forward = np.cross(axis, (0.0, 0.0, 1.0))
        size = float(np.linalg.norm(forward))
        forward = forward / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
        up = np.cross(forward, axis)
        gradient = np.hstack([np.zeros((3, 6)), np.eye(3), -_skew(R[body] @ tyre.p[i] - tyre.radius[i] * up)])
        slope = math.sqrt(tyre.k[i] ** 2 + 8.0 * tyre.k2[i] * tyre.load[i])
        directions = np.array([forward, axis, up])
        springs.add(
            WORLD_ROW,
            body,
            directions @ gradient,
            np.diag([*tyre.k_tread[i], slope]),
            np.diag([*tyre.c_tread[i], tyre.c[i]]),
        )


def _add_brakes(springs: Springs) -> None:
    brake, R = springs.tables.brake, springs.state.R
    for i in range(len(brake.body)):
        gradient = (R[brake.body[i]] @ brake.axis[i])[None, :] @ _calc_rotation()
        stiffness = np.array([[brake.torque[i] / brake.angle[i]]])
        springs.add(brake.reaction[i], brake.body[i], gradient, stiffness, SETTLING * stiffness)


def find_stable_step(compiled: Compiled, imaginary: float = 2.0, real: float = 2.0) -> StableStep:
    """Stable step for a compiled model (3) of an explicit integrator with the bounds a (`imaginary`) and b (`real`)."""
    springs = Springs(compiled)
    _add_joints(springs)
    _add_scalars(springs)
    _add_contacts(springs)
    _add_tyres(springs)
    _add_brakes(springs)
    stiffness, damping = springs.assemble()
    if not stiffness.nnz and not damping.nnz:
        return StableStep(math.inf, 0.0, 0.0, compiled.layout.nodes[1])
    held = calc_held_motions(compiled)
    step, before = 1.0e-4, math.inf
    omega2 = gamma = 0.0
    mode = np.ones(stiffness.shape[0])
    # the mode of (3) at one step gives the next: the root of its own quadratic; it converges within a few turns
    for _ in range(MOST_TURNS):
        if abs(step - before) <= 1e-3 * step:
            break
        mode = _find_largest_mode((step / imaginary) ** 2 * stiffness + step / real * damping, held)
        omega2, gamma = float(mode @ (stiffness @ mode)), float(mode @ (damping @ mode))
        if omega2 <= 0.0 and gamma <= 0.0:
            return StableStep(math.inf, 0.0, 0.0, compiled.layout.nodes[1])
        share = gamma / real
        step, before = 2.0 / (math.sqrt(4.0 * omega2 / imaginary**2 + share**2) + share), step
    moving = [np.linalg.norm(mode[springs.find_places(row)]) for row in range(1, len(compiled.layout.nodes))]
    return StableStep(
        step=SAFETY * step,
        frequency=math.sqrt(omega2),
        damping_rate=gamma,
        body=compiled.layout.nodes[1 + int(np.argmax(moving))],
    )


def _find_largest_mode(matrix: csr_matrix, held: csr_matrix | None) -> Array:
    """Unit eigenvector of the largest eigenvalue of a symmetric matrix, on the motions that the rows `held` leave."""
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    size = matrix.shape[0]
    if held is None and (size <= 60 or abs(matrix).max() == 0.0):
        return np.linalg.eigh(matrix.toarray())[1][:, -1]
    operator: Any = matrix
    if held is not None:
        factor = splu((held @ held.T + REDUNDANT * identity(held.shape[0])).tocsc())

        def leave(u: Array) -> Array:  # (4)
            return u - held.T @ factor.solve(held @ u)

        if size <= 60:
            free = leave(np.eye(size))
            return np.linalg.eigh(free @ matrix.toarray() @ free)[1][:, -1]
        operator = LinearOperator((size, size), matvec=lambda u: leave(matrix @ leave(u)), dtype=float)
    start = np.random.default_rng(0).standard_normal(size)
    return eigsh(operator, k=1, which="LA", v0=start, tol=1e-4)[1][:, 0]
