"""What the right-hand side of the tree owes to velocities and applied forces.

With all qd constant the axes of a joint turn with the bodies that they are fixed in. With r the lever from the child's
centre to its point, d + r the one from the parent's centre, w and u the angular velocities of parent and child, and
v_rel the velocity of the point as seen from the parent,

    beta = sum over turns (w of the body that holds the axis x e) qd                               (1)
    alpha_child = alpha_parent + beta                                                              (2)
    a_child = a_parent + alpha_parent x d + w x (w x (d + r)) + 2 w x v_rel - u x (u x r) - beta x r   (3)

from root to leaf: B of `articulated.py`.
"""

from __future__ import annotations

from grouser.formulations.recursive.kinematics import calc_world_rates
from grouser.kernels._jit import kernel
from grouser.kernels.joints.mobility import calc_point, calc_point_velocity
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.spatial import cross, rotate, rotate_back


@kernel
def calc_bias(
    # tables
    tree,
    # in
    x,
    R,
    v,
    w,
    # work
    work,
):
    """(1) to (3); columns and reach must be those of the pose."""
    w_world, reach, bias, column = work.w_world, work.reach, work.bias, work.column
    calc_world_rates(R, w, w_world)
    for i in range(6):
        bias[WORLD_ROW, i] = 0.0
    for k in range(tree.body.shape[0]):
        child, parent = tree.body[k], tree.parent[k]
        first = tree.v_start[k]
        slides = first + tree.slide_count[k]
        rx, ry, rz = calc_point(tree.p_child, k, R, child)
        dx, dy, dz = reach[child, 0], reach[child, 1], reach[child, 2]
        wx, wy, wz = w_world[parent, 0], w_world[parent, 1], w_world[parent, 2]
        ux, uy, uz = w_world[child, 0], w_world[child, 1], w_world[child, 2]
        # (1)
        bx = by = bz = 0.0
        for j in range(slides, tree.v_start[k + 1]):
            ex, ey, ez = column[j, 3], column[j, 4], column[j, 5]
            rate = ex * (ux - wx) + ey * (uy - wy) + ez * (uz - wz)
            holder = tree.axis_body[j]
            cx, cy, cz = cross(w_world[holder, 0], w_world[holder, 1], w_world[holder, 2], ex, ey, ez)
            bx, by, bz = bx + rate * cx, by + rate * cy, bz + rate * cz
        # (3)
        qx, qy, qz = bias[parent, 3], bias[parent, 4], bias[parent, 5]
        ax, ay, az = cross(qx, qy, qz, dx, dy, dz)
        cx, cy, cz = cross(wx, wy, wz, dx + rx, dy + ry, dz + rz)
        if slides > first:
            sx, sy, sz = calc_point_velocity(child, parent, x, v, w_world, rx, ry, rz)
            for j in range(first, slides):
                ex, ey, ez = column[j, 0], column[j, 1], column[j, 2]
                rate = 2.0 * (ex * sx + ey * sy + ez * sz)
                cx, cy, cz = cx + rate * ex, cy + rate * ey, cz + rate * ez
        cx, cy, cz = cross(wx, wy, wz, cx, cy, cz)
        ax, ay, az = ax + cx, ay + cy, az + cz
        cx, cy, cz = cross(ux, uy, uz, rx, ry, rz)
        cx, cy, cz = cross(ux, uy, uz, cx, cy, cz)
        ax, ay, az = ax - cx, ay - cy, az - cz
        cx, cy, cz = cross(bx, by, bz, rx, ry, rz)
        bias[child, 0] = bias[parent, 0] + ax - cx
        bias[child, 1] = bias[parent, 1] + ay - cy
        bias[child, 2] = bias[parent, 2] + az - cz
        bias[child, 3], bias[child, 4], bias[child, 5] = qx + bx, qy + by, qz + bz  # (2)


@kernel(inline=True)
def calc_inertia_force(body, i, ax, ay, az, bx, by, bz):
    """J_body A of body i for a = (ax, ay, az) in world axes and dw = (bx, by, bz) in body axes: force in world axes,
    torque in body axes."""
    m = body.mass[i]
    fx, fy, fz = m * ax, m * ay, m * az
    tx, ty, tz = rotate(body.inertia, i, bx, by, bz)
    return fx, fy, fz, tx, ty, tz


@kernel
def calc_loads(
    # tables
    body,
    # in
    R,
    v,
    w,
    f,
    torque,
    drag,
    # work
    work,
):
    """Loads (f + m g, torque - w x (I w)), with the drag -drag (m v, I w) while settling, and the right-hand side W of
    the tree: `articulated.py`, (2)."""
    load, wrench, bias = work.load, work.wrench, work.bias
    g = body.gravity
    for i in range(1, body.mass.shape[0]):
        m = body.mass[i]
        wx, wy, wz = w[i, 0], w[i, 1], w[i, 2]
        hx, hy, hz = rotate(body.inertia, i, wx, wy, wz)
        tx, ty, tz = cross(wx, wy, wz, hx, hy, hz)
        tx, ty, tz = rotate(R, i, tx + drag * hx, ty + drag * hy, tz + drag * hz)
        load[i, 0] = f[i, 0] + m * (g[0] - drag * v[i, 0])
        load[i, 1] = f[i, 1] + m * (g[1] - drag * v[i, 1])
        load[i, 2] = f[i, 2] + m * (g[2] - drag * v[i, 2])
        load[i, 3], load[i, 4], load[i, 5] = torque[i, 0] - tx, torque[i, 1] - ty, torque[i, 2] - tz
        bx, by, bz = rotate_back(R, i, bias[i, 3], bias[i, 4], bias[i, 5])
        fx, fy, fz, tx, ty, tz = calc_inertia_force(body, i, bias[i, 0], bias[i, 1], bias[i, 2], bx, by, bz)
        tx, ty, tz = rotate(R, i, tx, ty, tz)
        wrench[i, 0], wrench[i, 1], wrench[i, 2] = load[i, 0] - fx, load[i, 1] - fy, load[i, 2] - fz
        wrench[i, 3], wrench[i, 4], wrench[i, 5] = load[i, 3] - tx, load[i, 4] - ty, load[i, 5] - tz
