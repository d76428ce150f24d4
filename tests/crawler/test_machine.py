"""Undercarriage, superstructure and seat of a crawler against Lagrange's equations, derived by SymPy."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.catalog.crawler.build import LOWER, SEAT, UPPER, make_crawler
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.integrators.solvers import make_integrator

sympy = pytest.importorskip("sympy")

EQUAL = 1e-10


def make_machine(spec):
    """The crawler without its track and sprocket."""
    model = make_crawler(spec)
    keep = {name: model.bodies[name] for name in (LOWER, UPPER, SEAT)}
    joints = {name: model.joints[name] for name in ("pivot", "rail")}
    return model.with_changes(
        bodies=keep, joints=joints, motions={}, shapes={}, contacts={}, tracks={}, sensors={}, terrain=None
    )


def derive(spec):
    """Accelerations of (x, z, angle) of the undercarriage, the superstructure's angle, and the seat, as a function of
    coordinates and speeds; with the positions of the bodies."""
    t = sympy.Symbol("t")
    q = [sympy.Function(name)(t) for name in ("x", "z", "a", "b", "s")]
    x, z, a, b, s = q

    def turn(angle, v):
        return sympy.Matrix(
            [
                sympy.cos(angle) * v[0] + sympy.sin(angle) * v[1],
                sympy.cos(angle) * v[1] - sympy.sin(angle) * v[0],
            ]
        )

    lower, upper, seat = spec.undercarriage, spec.superstructure, spec.seat

    def place(lump, point):
        return point[0] - lump.centre[0], point[1] - lump.centre[1]

    p1 = sympy.Matrix([x, z])
    p2 = p1 + turn(a, place(lower, spec.pivot)) - turn(b, place(upper, spec.pivot))
    dx, dz = place(upper, seat.position)
    p3 = p2 + turn(b, (dx, dz + s))
    end = p2 + turn(b, place(upper, spec.mount.upper)) - p1 - turn(a, place(lower, spec.mount.lower))
    length = sympy.sqrt(end.dot(end))
    free = float(np.hypot(*(np.array(spec.mount.upper) - spec.mount.lower)))
    kinetic = sum(
        m / 2 * p.diff(t).dot(p.diff(t)) + i / 2 * w.diff(t) ** 2
        for m, i, p, w in (
            (lower.mass, lower.inertia, p1, a),
            (upper.mass, upper.inertia, p2, b),
            (seat.mass, 0.05 * seat.mass, p3, b),
        )
    )
    stored = sum(m * 9.81 * p[1] for m, p in ((lower.mass, p1), (upper.mass, p2), (seat.mass, p3)))
    stored += spec.mount.stiffness / 2 * (length - free) ** 2 + seat.stiffness / 2 * s**2 - 9.81 * seat.mass * s
    lost = spec.mount.damping / 2 * length.diff(t) ** 2 + seat.damping / 2 * s.diff(t) ** 2
    qd, qdd = [c.diff(t) for c in q], [c.diff(t, 2) for c in q]
    names = sympy.symbols("q0:5 v0:5 w0:5")
    swap = dict(zip([*qdd, *qd, *q], [*names[10:], *names[5:10], *names[:5]], strict=True))
    rows = []
    for c, d in zip(q, qd, strict=True):
        rows.append((kinetic.diff(d).diff(t) - kinetic.diff(c) + stored.diff(c) + lost.diff(d)).subs(swap))
    mass = sympy.Matrix(rows).jacobian(names[10:])
    rest = sympy.Matrix(rows).subs(dict.fromkeys(names[10:], 0))
    places = sympy.Matrix([*p1, *p2, *p3]).subs(swap)
    rates = places.jacobian(names[:5])
    return [sympy.lambdify(names[:10], e, "numpy") for e in (mass, rest, places, rates)]


def test_machine_moves_by_lagranges_equations():
    spec = load_vehicle("crawler")
    mass, rest, places, rates = derive(spec)
    compiled = compile_model(make_machine(spec), {"*": Ideal()}, Ideal(), ideal=True)
    solver = make_integrator(compiled, "recursive", "trapezoidal")
    index = [compiled.layout.find_body(name) for name in (LOWER, UPPER, SEAT)]
    start = copy_state(compiled.initial)
    rng = np.random.default_rng(4)
    for _ in range(5):
        q = np.array([*start.x[index[0], [0, 2]], 0.0, 0.0, 0.0]) + rng.normal(scale=0.1, size=5)
        v = rng.normal(size=5)
        state = copy_state(start)
        xz, vel = places(*q, *v).reshape(3, 2), (rates(*q, *v) @ v).reshape(3, 2)
        for body, angle, rate, p, u in zip(index, q[[2, 3, 3]], v[[2, 3, 3]], xz, vel, strict=True):
            c, s = np.cos(angle), np.sin(angle)
            state.R[body] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
            state.w[body] = [0.0, rate, 0.0]
            state.x[body, [0, 2]], state.v[body, [0, 2]] = p, u
        held = state.x.copy()
        solver.advance(state, 0, 1e-4)
        assert np.abs(state.x - held).max() < 1e-12
        qdd = np.linalg.solve(mass(*q, *v), -rest(*q, *v).ravel())
        found = [*solver.work.a[index[0], [0, 2]], solver.work.dw[index[0], 1], solver.work.dw[index[1], 1]]
        assert found == pytest.approx(qdd[:4], rel=EQUAL, abs=EQUAL * np.abs(qdd).max())
        # along the seat's rail: what is left of the seat's acceleration
        rail = list(solver.tree.tree.joint).index(compiled.layout.joints.index("rail"))
        slide = solver.work.u_rate[solver.tree.tree.v_start[rail]]
        sign = 1.0 if not solver.tree.tree.reversed[rail] else -1.0
        assert sign * slide == pytest.approx(qdd[4], rel=EQUAL, abs=EQUAL * np.abs(qdd).max())
