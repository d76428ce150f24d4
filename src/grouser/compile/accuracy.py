"""How long a step may be for its accuracy, where no stiffness asks for a smaller one: impacts to come, and spin.

Impacts. A mass m that meets a spring k with a damper c is thrown back after half a period, pi sqrt(m/k). The step in
which they meet is the worst one. Where the meeting lies within it is seen only at its end, so the force c v that acts
at once is half a step too early or too late: an impulse of c v dt/2, and a share of the restitution of

    c dt/(2 m)                                                                            (1)

The spring, whose force grows from zero, adds a share of k dt^2/m. Measured with 20 places of the meeting within a step
and damping ratios up to 0.6, the restitution misses by at most 0.5 c dt/m with the trapezoidal rule and less with rk4,
by 0.7 c dt/m in leapfrog and Euler steps, where damping acts late; without damping by 0.1 k dt^2/m in leapfrog and
Euler steps, and 0.2 k dt^2/m with the trapezoidal rule, whose steps the energy balance shortens besides. So

    dt^2/a^2 k/m + dt/b c/m <= 1,     a = 0.3,   b = 0.014                                (2)

keeps the restitution within 1 %. It has the form of the stable step (`stiffness.py`); without damping it is ten steps
in half a period. A part of the mass m_i of an assembly of the mass m (bodies that joints hold together, with a track
what it runs round) can lose no more than the energy that it has: its error counts with the share m_i/m. So m_i drops
out of (2), and m is that of the whole. That is exact for a body on its own. Of an assembly whose light part strikes
while the rest stands still, it bounds the error of the energy of the whole, and not that of the part.

Every shape counts whether it touches at the start or not, unless all that it can touch belongs to its own assembly,
which cannot throw itself back. How many of its points touch at once follows from its
supporting planes in the directions n of a cube's faces, edges and corners; the mass that resists there, at the centre p
of these points, is that of the assembly as one rigid body,

    1/m_n = 1/m + (p x n).I^-1 (p x n)                                                    (3)

Spin. Velocities of a body that turns with w have rates in its own axes that turn with w, so a step must be short beside
1/|w|. What joints hold does not turn: a wheel in its bearings may turn as fast as it likes, a top may not. With all
joints taken for ideal, P as in `stiffness.py` (4), and the velocities scaled by the roots of the masses,

    rate = | P S P |,     S = w x on (v, w) of each body                                  (4)

is |w| for a body on its own, or on a ball joint, zero for a rotor in fixed bearings, and small for the wheels of a
heavy vehicle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.sparse import block_diag, coo_matrix, csr_matrix, identity
from scipy.sparse.csgraph import connected_components

from grouser.compile.compile import Compiled
from grouser.compile.markers import Marker
from grouser.compile.mesh_mass import find_inverse
from grouser.compile.realization import Ideal
from grouser.compile.signals import SignalCollector
from grouser.compile.state import State
from grouser.compile.stiffness import REDUNDANT, TOUCHING, calc_held_motions, find_standing
from grouser.compile.surface_step import calc_stiffness
from grouser.families.family import Source
from grouser.families.joint.constraint_rows import make_constraints
from grouser.kernels.kinds import PAIR_LAST_TERRAIN, PAIR_SURFACE, PER_CONTACT, WORLD_ROW
from grouser.kernels.nodes import FRAME_SIZE

Array = np.ndarray

IMPACT_FREQUENCY, IMPACT_DAMPING = 0.3, 0.014
"""Largest dt sqrt(k/m) and dt c/m of an impact whose restitution is to be right within 1 %: a and b of (2)."""
SUPPORT = 0.01
"""Share of the extent of a shape within which its points touch a plane together."""
DIRECTIONS = np.array([n for n in product((-1.0, 0.0, 1.0), repeat=3) if any(n)])
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]
SMALL = 60
"""Size of the matrix up to which (4) is worked out densely."""


@dataclass(frozen=True)
class AccurateStep:
    """Longest step of sufficient accuracy, and what asks for it.

    Attributes
    ----------
    step : [s], infinite where nothing asks for one
    body : body that is thrown back, or that spins
    reason : as part of a sentence
    """

    step: float
    body: str = ""
    reason: str = ""


def find_impact_step(compiled: Compiled) -> AccurateStep:
    """Longest step (2) for the contacts that the model can come to have."""
    tables = compiled.tables
    shape, contact = tables.shape, tables.contact
    assemblies = _Assemblies(compiled)
    found = AccurateStep(math.inf)
    standing = find_standing(compiled.model)
    # pans of posts follow their motions, whatever meets them
    driven = {compiled.layout.find_body(post.pan) for post in compiled.model.posts.values()}
    for g, name in enumerate(compiled.layout.contacts):
        if contact.kind[g] == PAIR_SURFACE:
            continue
        sides = ((contact.a_start[g], contact.a_stop[g]), (contact.b_start[g], contact.b_stop[g]))
        for side, (start, stop) in enumerate(sides):
            meets_many = side == 0 and contact.kind[g] > PAIR_LAST_TERRAIN and not standing[g]
            times = TOUCHING if meets_many else 1
            others = {assemblies.of[shape.body[i]] for i in contact.member[slice(*sides[1 - side])]}
            for i in contact.member[start:stop]:
                body = int(shape.body[i])
                if body == WORLD_ROW or body in driven or others == {assemblies.of[body]}:
                    continue
                items = shape.item[shape.item_start[i] : shape.item_stop[i]]
                points = items if len(items) else shape.centre[i][None, :]
                area = shape.size[i, 0] if contact.per[g] != PER_CONTACT else 1.0
                share = times * area * assemblies.calc_largest_mobility(body, points)
                k, c = share * contact.k[g], share * contact.c[g]
                step = _find_root(k / IMPACT_FREQUENCY**2, c / IMPACT_DAMPING)
                if step < found.step:
                    reason = f"the contact {name!r}, with {math.sqrt(k):.3g} rad/s and a damping rate of {c:.3g} 1/s"
                    found = AccurateStep(step, compiled.layout.nodes[body], reason)
    return _find_surface_step(compiled, assemblies, found)


def _find_surface_step(compiled: Compiled, assemblies: _Assemblies, found: AccurateStep) -> AccurateStep:
    """The same for contacts of surfaces; a deforming one counts with the mass of all its nodes."""
    mass = compiled.tables.node.mass
    for meeting in compiled.surfaces.meetings:
        a, b = (compiled.surfaces.sheets[number] for number in (meeting.a, meeting.b))
        stiffness = calc_stiffness(compiled.tables, meeting, a)
        damping = float(stiffness.c.sum() / stiffness.k.sum())
        own = {number: assemblies.of[number] for number in (a.body, b.body)}
        if not (a.is_deforming or b.is_deforming) and own[a.body] == own[b.body]:
            continue
        sides = ((a, a.points, stiffness.k, None), (b, b.x, np.ones(len(b.x)), stiffness.total))
        for sheet, points, weights, total in sides:
            if sheet.is_deforming:
                rows = sheet.node_row[sheet.node_row < len(mass)]
                k, node = stiffness.total / max(float(mass[rows].sum()), 1e-30), int(rows[0]) if len(rows) else 0
            else:
                node = sheet.body
                k = 0.0 if node == WORLD_ROW else assemblies.calc_largest_mobility(node, points, weights, total)
            step = _find_root(k / IMPACT_FREQUENCY**2, damping * k / IMPACT_DAMPING)
            if step < found.step:
                name = compiled.layout.contacts[meeting.group]
                reason = (
                    f"the contact {name!r}, with {math.sqrt(k):.3g} rad/s and a damping rate of {damping * k:.3g} 1/s"
                )
                found = AccurateStep(step, compiled.layout.nodes[node], reason)
    return found


def _find_root(square: float, linear: float) -> float:
    """dt with square dt^2 + linear dt = 1."""
    size = linear + math.sqrt(linear**2 + 4.0 * square)
    return 2.0 / size if size > 0.0 else math.inf


class _Assemblies:
    """Bodies that joints and tracks hold together, each assembly as one rigid body in the initial state.

    Attributes
    ----------
    of : number of the assembly of every body
    """

    def __init__(self, compiled: Compiled) -> None:
        model, body = compiled.model, compiled.tables.node
        self._x, self._R = compiled.initial.x, compiled.initial.R
        index = {name: i for i, name in enumerate(compiled.layout.bodies)}
        count = len(index)
        mass = body.mass[1 : count + 1]
        ends = [
            (index[joint.frame_a.body], index[joint.frame_b.body])
            for joint in model.joints.values()
            if joint.type != "free" and {joint.frame_a.body, joint.frame_b.body} <= index.keys()
        ]
        for track in model.tracks.values():
            if track.chain is not None:
                continue
            ends += [(index[track.links[0]], index[name]) for name in (track.sprocket, track.idler, *track.wheels)]
            if not track.pins or track.pins[0] not in model.joints:  # bands, and links on bushings
                ends += [(index[track.links[0]], index[link]) for link in track.links[1:]]
        i, j = np.array(ends, dtype=int).reshape(-1, 2).T
        inverse = np.zeros(len(compiled.layout.points))
        inverse[: len(compiled.layout.free_points)] = 1.0 / body.mass[compiled.layout.frame_count :]
        graph = coo_matrix((np.ones(len(ends)), (i, j)), shape=(count, count))
        number, of = connected_components(graph, directed=False)
        # the world belongs to none, and each marker is alone
        markers = compiled.layout.markers
        self.of = np.array([-1, *of, *range(number, number + len(markers))])
        self._first_marker = count + 1
        self._marker_mobility = [_calc_marker_mobility(compiled, marker, inverse) for marker in markers]
        self._mass = np.bincount(of, mass, number)
        weights = mass[:, None] * self._x[1 : count + 1]
        self._centre = np.array([np.bincount(of, axis, number) for axis in weights.T]).T / self._mass[:, None]
        inertia = np.zeros((number, 3, 3))
        for b in range(1, count + 1):
            d = self._x[b] - self._centre[self.of[b]]
            inertia[self.of[b]] += self._R[b] @ body.inertia[b] @ self._R[b].T
            inertia[self.of[b]] += body.mass[b] * (d @ d * np.eye(3) - np.outer(d, d))
        self._mobility = np.linalg.inv(inertia)

    def calc_largest_mobility(
        self, body: int, points: Array, weights: Array | None = None, total: float | None = None
    ) -> float:
        """Largest count/m_n (3) [1/kg] of the points of a body, in its axes, that can touch a plane together; that of a
        marker from the points that carry it. Points count with their weights, or have all the same sum."""
        if weights is None:
            weights = np.ones(len(points))
        if body >= self._first_marker:
            return self._marker_mobility[body - self._first_marker] * (1.0 if total is None else total)
        extent = np.ptp(points, axis=0).max()
        heights = points @ DIRECTIONS.T
        touching = heights >= heights.max(axis=0) - SUPPORT * extent
        counts = touching.T @ weights
        centres = (touching.T @ (weights[:, None] * points)) / counts[:, None]
        if total is not None:
            counts = np.full(len(counts), total)
        assembly = self.of[body]
        levers = self._x[body] - self._centre[assembly] + centres @ self._R[body].T
        turns = np.cross(levers, DIRECTIONS @ self._R[body].T)
        mobility = 1.0 / self._mass[assembly] + np.einsum("ni,ij,nj->n", turns, self._mobility[assembly], turns)
        return float((counts * mobility).max())


def _calc_marker_mobility(compiled: Compiled, marker: Marker, inverse: Array) -> float:
    """Inverse mass of a frame on points [1/kg], with the inverse masses of all points; in an element by gradients that
    of its mass matrix."""
    rows = compiled.layout.frame_count + marker.points
    found = find_inverse(compiled.layout, rows) if len(compiled.tables.node.coupled) else None
    if found is not None:
        return float(marker.weights @ found[0] @ marker.weights)
    return float(marker.weights**2 @ inverse[marker.points])


def calc_spin(compiled: Compiled, state: State) -> tuple[float, str]:
    """Rate (4) [rad/s] of a state, and the name of the body that has most of it."""
    model, count = compiled.model, len(compiled.layout.bodies)
    constraint = make_constraints(Source(model, compiled.layout, SignalCollector(), {"*": Ideal()}, Ideal()))
    held = calc_held_motions(replace(compiled, tables=compiled.tables._replace(constraint=constraint), initial=state))
    if count == 0:
        return 0.0, ""
    world = np.einsum("nij,nj->ni", state.R[1 : count + 1], state.w[1 : count + 1])
    x, y, z = world.T
    spins = np.zeros((count, 3, 3))
    spins[:, 0, 1], spins[:, 0, 2], spins[:, 1, 2] = -z, y, -x
    spins -= spins.transpose(0, 2, 1)
    turning = csr_matrix(block_diag(np.repeat(spins, 2, axis=0)))
    if held is not None:
        held = held[:, : FRAME_SIZE * count]
    mode = _find_fastest(turning, held)
    rate = float(np.linalg.norm(mode))
    body = int(np.argmax(np.linalg.norm(mode.reshape(-1, FRAME_SIZE), axis=1)))
    return rate, compiled.layout.bodies[body]


def _find_fastest(turning: csr_matrix, held: csr_matrix | None) -> Array:
    """P S P u of the unit vector u for which it is longest."""
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    size = turning.shape[0]
    if held is not None:
        factor = splu((held @ held.T + REDUNDANT * identity(held.shape[0])).tocsc())

    def leave(u: Array) -> Array:
        return u if held is None else u - held.T @ factor.solve(held @ u)

    def turn(u: Array) -> Array:
        return leave(turning @ leave(u))

    if size <= SMALL:
        matrix = turn(np.eye(size))
        return matrix @ np.linalg.eigh(matrix.T @ matrix)[1][:, -1]
    operator = LinearOperator((size, size), matvec=lambda u: -turn(turn(u)), dtype=float)  # S is antisymmetric
    start = np.random.default_rng(0).standard_normal(size)
    return turn(eigsh(operator, k=1, which="LA", v0=start, tol=1e-2)[1][:, 0])
