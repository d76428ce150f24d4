"""Accelerations of the `explicit` formulation: Newton and Euler for every node on its own.

m a = F                                                                               (S0-1)
I dw = T - w x (I w)            body axes                                             (S0-2)

Point nodes have (S0-1) alone; those of meshes with a mass matrix are solved for together.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.mesh_mass import solve_mesh_rates
from grouser.kernels.nodes import find_point_start
from grouser.kernels.spatial import rotate, rotate_back


@kernel
def calc_free_accelerations(
    # tables
    body,
    # in
    R,
    v,
    w,
    drag,
    # out
    rate_out,
    # work
    work,
):
    """Rates of the velocities of all nodes, from the forces in `work`."""
    f, torque = work.f, work.torque
    gx, gy, gz = body.gravity[0], body.gravity[1], body.gravity[2]
    for i in range(1, body.inertia.shape[0]):
        inverse = 1.0 / body.mass[i]
        rate_out[6 * i] = f[i, 0] * inverse + gx - drag * v[i, 0]
        rate_out[6 * i + 1] = f[i, 1] * inverse + gy - drag * v[i, 1]
        rate_out[6 * i + 2] = f[i, 2] * inverse + gz - drag * v[i, 2]
        tx, ty, tz = rotate_back(R, i, torque[i, 0], torque[i, 1], torque[i, 2])
        wx, wy, wz = w[i, 0], w[i, 1], w[i, 2]
        hx, hy, hz = rotate(body.inertia, i, wx, wy, wz)
        tx, ty, tz = tx - (wy * hz - wz * hy), ty - (wz * hx - wx * hz), tz - (wx * hy - wy * hx)
        bx, by, bz = rotate(body.inertia_inverse, i, tx, ty, tz)
        rate_out[6 * i + 3], rate_out[6 * i + 4], rate_out[6 * i + 5] = bx - drag * wx, by - drag * wy, bz - drag * wz
    frames = R.shape[0]
    for i in range(frames, body.mass.shape[0]):
        o, inverse = find_point_start(frames, i), 1.0 / body.mass[i]
        for k in range(3):
            rate_out[o + k] = f[i, k] * inverse + body.gravity[k] - drag * v[i, k]
    if body.coupled.shape[0] > 0:
        solve_mesh_rates(body, f, v, drag, rate_out)
