"""Accelerations and reactions of bodies with ideal joints, by multipliers in absolute coordinates: another way to the
same numbers, which shares nothing with the code under test but the tables of bodies and the model.

Constraints are plain functions of the poses. Along x + v t, R (1 + [w] t + [w]^2 t^2/2) they are polynomials of t, so
their first and second derivatives are coefficients, found from values on the unit circle of the complex plane to the
last digit.
"""

from __future__ import annotations

import numpy as np

from grouser.model.rotation import quaternion_to_matrix

POINTS = 16
CIRCLE = np.exp(2j * np.pi * np.arange(POINTS) / POINTS)

ROTATION_ROWS = {
    "fixed": "xy xz yz",
    "revolute": "xz yz",
    "prismatic": "xy xz yz",
    "cylindrical": "xz yz",
    "universal": "xy",
    "spherical": "",
    "planar": "xz yz",
    "free": "",
}
SLIDE_ROWS = {"prismatic": "xy", "cylindrical": "xy", "planar": "z", "free": ""}


def skew(w):
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def calc_violations(joint, pose_a, pose_b, com_a, com_b):
    """Rows of a joint: held slides in the axes of a, and axes of a that stay normal to axes of b."""
    (x_a, R_a), (x_b, R_b) = pose_a, pose_b
    A, B = R_a @ quaternion_to_matrix(joint.frame_a.orientation), R_b @ quaternion_to_matrix(joint.frame_b.orientation)
    gap = (
        x_b + R_b @ (np.array(joint.frame_b.position) - com_b) - x_a - R_a @ (np.array(joint.frame_a.position) - com_a)
    )
    slides = [A[:, "xyz".index(c)] @ gap for c in SLIDE_ROWS.get(joint.type, "xyz")]
    turns = [A[:, "xyz".index(r[0])] @ B[:, "xyz".index(r[1])] for r in ROTATION_ROWS[joint.type].split()]
    return np.array(slides + turns)


def calc_rows(joint, poses, velocities, coms):
    """Jacobian (rows, 12) on (v_a, w_a, v_b, w_b), w in body axes, and the second derivative at zero acceleration."""

    def move(pose, u, t):
        W = skew(u[3:])
        return pose[0] + t * u[:3], pose[1] @ (np.eye(3) + t * W + 0.5 * t * t * W @ W)

    def find_coefficient(u, power):
        values = [
            calc_violations(joint, *(move(p, u[6 * s : 6 * s + 6], t) for s, p in enumerate(poses)), *coms)
            for t in CIRCLE
        ]
        return np.real(np.array(values).T @ CIRCLE**-power) / POINTS

    G = np.array([find_coefficient(u, 1) for u in np.eye(12)]).T
    return G, 2.0 * find_coefficient(np.concatenate(velocities), 2)


def solve_dense(system, joints=None):
    """Accelerations a (n, 3), dw (n, 3), and force and moment of every joint on b at p_b, of a `System`.

    Forces along speeds (tau) are left out.
    """
    state, layout, body, n = system.state, system.layout, system.body, system.count
    A = np.zeros((6 * n, 6 * n))
    F = np.zeros(6 * n)
    for i in range(1, n + 1):
        w, R, o = state.w[i], state.R[i], 6 * (i - 1)
        A[o : o + 3, o : o + 3] = body.mass[i] * np.eye(3)
        A[o + 3 : o + 6, o + 3 : o + 6] = body.inertia[i]
        F[o : o + 3] = system.f[i] + body.mass[i] * (body.gravity - system.drag * state.v[i])
        spin = body.inertia[i] @ w
        F[o + 3 : o + 6] = R.T @ system.torque[i] - np.cross(w, spin) - system.drag * spin
    rows, gammas, owner = [], [], []
    for name, joint in system.model.joints.items():
        a, b = layout.find_body(joint.frame_a.body), layout.find_body(joint.frame_b.body)
        poses = [(state.x[i], state.R[i]) for i in (a, b)]
        velocities = [np.concatenate([state.v[i], state.w[i]]) for i in (a, b)]
        G, second = calc_rows(joint, poses, velocities, [layout.com[i] for i in (a, b)])
        wide = np.zeros((len(G), 6 * n + 6))
        wide[:, 6 * a : 6 * a + 6] += G[:, :6]
        wide[:, 6 * b : 6 * b + 6] += G[:, 6:]
        rows.append(wide[:, 6:])
        gammas.append(-second)
        owner += [(name, b, G[i, 6:]) for i in range(len(G))]
    G, gamma = np.vstack(rows), np.concatenate(gammas)
    m = len(G)
    matrix = np.block([[A, G.T], [G, np.zeros((m, m))]])
    solution = np.linalg.lstsq(matrix, np.concatenate([F, gamma]), rcond=1e-13)[0]
    acceleration, multipliers = solution[: 6 * n].reshape(n, 6), solution[6 * n :]
    force, moment = np.zeros((len(layout.joints), 3)), np.zeros((len(layout.joints), 3))
    for (name, b, row), multiplier in zip(owner, multipliers, strict=True):
        k = layout.joints.index(name)
        joint = system.model.joints[name]
        lever = state.R[b] @ (np.array(joint.frame_b.position) - layout.com[b])
        force[k] -= multiplier * row[:3]
        moment[k] -= multiplier * (state.R[b] @ row[3:] - np.cross(lever, row[:3]))
    return acceleration[:, :3], acceleration[:, 3:], force, moment
