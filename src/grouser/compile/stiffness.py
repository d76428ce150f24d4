"""Stiffness and damping of a compiled model in its initial state, and the stable step that follows.

Every family gives the stiffness K and the damping C of its elements (`grouser.compile.springs`, (1)). With the mass
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
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, identity

from grouser.compile.compile import Compiled
from grouser.compile.mesh_mass import calc_total_mass
from grouser.compile.resting import find_weights
from grouser.compile.springs import Springs, calc_levers, calc_rotation, calc_translation, skew
from grouser.compile.surface_step import add_surface_springs
from grouser.families.registry import FAMILIES
from grouser.kernels.kinds import (
    FRICTION_ASPERITY,
    PAIR_GROOVE_HORN,
    PAIR_LAST_TERRAIN,
    PAIR_SPHERE_PLATE,
    PAIR_SURFACE,
    PAIR_WHEEL_RAIL,
    PAIRS_OF_SPHERES,
    PER_CONTACT,
    ROW_DISTANCE,
    ROW_NORMAL,
    ROW_POINT,
    ROW_SLIDE,
    WORLD_ROW,
)
from grouser.model.model import Model

Array = np.ndarray
SAFETY = 0.95
"""Share of the stable step that is used: covers geometric stiffness and configurations yet to come."""
LOAD_SHARE = 0.02
"""Least share of the total weight taken as the normal force of one touching body when friction is linearised; where
fewer bodies can touch, they share all of it."""
STRIKE = 3.0
"""Load of a wheel that strikes the stops of its post, in equal shares of the weight: 2.5 in runs of `npost-12`."""
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


def calc_held_motions(compiled: Compiled) -> csr_matrix | None:
    """Rows G of the ideal joints and motions in the initial state, normalised by the masses and to length one; None if
    there are none."""
    springs = Springs(compiled.tables, compiled.initial, compiled.layout)
    table = springs.tables.constraint
    rows = np.zeros((len(table.row_kind), 12))
    places = np.zeros((len(table.row_kind), 12), dtype=int)
    for i in range(len(table.body_a)):
        q, r_b, e, axes_a, axes_b = calc_levers(springs, table, i)
        for row in range(table.row_start[i], table.row_start[i] + table.row_count[i]):
            kind, h, j = table.row_kind[row], axes_a[:, table.row_axis_a[row]], axes_b[:, table.row_axis_b[row]]
            if kind == ROW_POINT:
                gradient = calc_translation(q - e, r_b)[table.row_axis_a[row]]
            elif kind in (ROW_SLIDE, ROW_DISTANCE):
                gradient = (h if kind == ROW_SLIDE else e / np.linalg.norm(e)) @ calc_translation(q, r_b)
            else:
                gradient = (np.cross(j, h) if kind == ROW_NORMAL else axes_a[:, 2]) @ calc_rotation()
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


def find_standing(model: Model) -> list[bool]:
    """Of every contact, whether it is that of one wheel with its post: the wheel meets one pan, and all of them share
    the weight."""
    standing = {name for post in model.posts.values() for name in (post.on_pan, post.on_stops, post.on_rails)}
    return [name in standing for name in model.contacts]


def _add_contacts(springs: Springs, model: Model) -> None:
    """Each shape as if it touched something heavy: an upper bound for its own body."""
    tables, R = springs.tables, springs.state.R
    shape, contact = tables.shape, tables.contact
    weight = float(calc_total_mass(tables.node) * np.linalg.norm(tables.node.gravity))
    for g, is_standing in enumerate(find_standing(model)):
        if contact.kind[g] == PAIR_SURFACE:
            continue
        touching = len(set(shape.body[contact.member[contact.a_start[g] : contact.b_stop[g]]]))
        load = weight * max(LOAD_SHARE, 1.0 / touching)
        if is_standing:
            load = weight * min(1.0, STRIKE / len(model.posts))
        for side, start, stop in (
            ("a", contact.a_start[g], contact.a_stop[g]),
            ("b", contact.b_start[g], contact.b_stop[g]),
        ):
            for i in contact.member[start:stop]:
                body = shape.body[i]
                items = shape.item[shape.item_start[i] : shape.item_stop[i]]
                points = items if len(items) else shape.centre[i][None, :]
                meets_many = side == "a" and contact.kind[g] > PAIR_LAST_TERRAIN and not is_standing
                times = TOUCHING if meets_many else 1
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
                    gradient = np.hstack([np.zeros((3, 6)), np.eye(3), -skew(R[body] @ p + arm)])
                    springs.add(WORLD_ROW, body, gradient, spring, damper)


def find_stable_step(compiled: Compiled, imaginary: float = 2.0, real: float = 2.0) -> StableStep:
    """Stable step for a compiled model (3) of an explicit integrator with the bounds a (`imaginary`) and b (`real`)."""
    springs = Springs(compiled.tables, compiled.initial, compiled.layout)
    for family in FAMILIES:
        if family.add_springs is not None:
            family.add_springs(springs)
    _add_contacts(springs, compiled.model)
    if compiled.surfaces.meetings:
        weight = float(compiled.tables.node.mass.sum() * np.linalg.norm(compiled.tables.node.gravity))
        load = weight * max(LOAD_SHARE, 1.0 / len(compiled.surfaces.sheets))
        weights = find_weights(compiled.tables, compiled.surfaces, weight)
        add_surface_springs(springs, compiled.surfaces, [min(load, one) for one in weights])
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
    rows = [row for row, mass in enumerate(compiled.tables.node.mass) if mass > 0.0]
    moving = [np.linalg.norm(mode[springs.find_places(row)]) for row in rows]
    return StableStep(
        step=SAFETY * step,
        frequency=math.sqrt(omega2),
        damping_rate=gamma,
        body=compiled.layout.nodes[rows[int(np.argmax(moving))]],
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
