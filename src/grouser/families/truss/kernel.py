"""Trusses: bars between two points, after the explicit finite-element paper (S0-9).

With n the unit vector from a to b, l the distance of the points and l0 the relaxed length, a truss pulls with

    N = k (l - l0) + c dl/dt,   k = E A/l0,  c = C A/l0,   dl/dt = n.(v_b - v_a)          (1)

and stores k (l - l0)^2/2. A rope has no force where (1) pushes. The slopes are exact tangents,

    K = k n n^T + N/l (1 - n n^T),   C = c n n^T                                          (2)

of which the second part, by which a string swings, is left out where the truss is pressed: it would make the matrix of
an implicit step indefinite. In linearly implicit steps (`grouser.kernels.scatter`, (1) and (6)) it acts with

    N + h k dl/dt + n.S (a_b - a_a),   S = h C + h^2 K                                    (3)
"""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.kinds import LEDGER_ELEMENTS, LEDGER_NUMERICAL
from grouser.kernels.matrix import apply, outer, plus, times, unit
from grouser.kernels.nodes import add_row, read_point
from grouser.kernels.scatter import STORED, add_point_block
from grouser.kernels.spatial import dot

FORCE, STRAIN, BIAS, SLOPE, AXIS = 0, 1, 2, 3, 4
"""Columns of the values of a truss; the last three are the axis."""


@kernel(stage=True, rows="truss.k")
def add_trusses(
    # tables
    truss,
    # in
    view,
    # out
    implicit_out,
    # work
    work,
):
    """Add the forces of all trusses, their energies and powers, and for implicit steps their slopes."""
    x, v = view.x, view.v
    stored = lost = numerical = 0.0
    for i in range(truss.point_a.shape[0]):
        a, b = truss.point_a[i], truss.point_b[i]
        ex, ey, ez = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        ux, uy, uz = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
        length = sqrt(dot(ex, ey, ez, ex, ey, ez))
        inverse = 1.0 / length if length > 0.0 else 0.0
        nx, ny, nz = inverse * ex, inverse * ey, inverse * ez
        k, c, stretch, rate = truss.k[i], truss.c[i], length - truss.length[i], dot(nx, ny, nz, ux, uy, uz)
        elastic, viscous = k * stretch, c * rate
        if truss.is_rope[i] == 1 and elastic + viscous <= 0.0:
            # what is still stored while the damper would push is given up to it
            elastic = max(elastic, 0.0)
            k, c, viscous, stretch = 0.0, 0.0, -elastic, max(stretch, 0.0)
        force = elastic + viscous  # (1)
        add_row(force * nx, force * ny, force * nz, work.f[a])
        add_row(-force * nx, -force * ny, -force * nz, work.f[b])
        value = work.truss_value[i]
        value[FORCE], value[STRAIN] = force, (length - truss.length[i]) / truss.length[i]
        stored += 0.5 * elastic * stretch
        lost += viscous * rate
        if implicit_out is not None:
            across = max(force, 0.0) * inverse
            numerical += 0.5 * ((k - across) * rate * rate + across * dot(ux, uy, uz, ux, uy, uz))
            if implicit_out.wanted[0] == 1:
                h = implicit_out.h[0]
                K = plus(unit(across), outer(k - across, nx, ny, nz))  # (2)
                S = plus(times(h * h, K), outer(h * c, nx, ny, nz))
                fx, fy, fz = apply(times(h, K), ux, uy, uz)
                add_row(fx, fy, fz, implicit_out.f[a])
                add_row(-fx, -fy, -fz, implicit_out.f[b])
                add_point_block(S, implicit_out.diagonal[a], STORED, implicit_out.value)
                add_point_block(S, implicit_out.diagonal[b], STORED, implicit_out.value)
                offset, stored_as = implicit_out.truss_edge[i, 0], implicit_out.truss_edge[i, 1]
                add_point_block(times(-1.0, S), offset, stored_as, implicit_out.value)
                value[BIAS], value[SLOPE] = h * k * rate, h * (c + h * k)
                value[AXIS], value[AXIS + 1], value[AXIS + 2] = nx, ny, nz
    work.stored[LEDGER_ELEMENTS] += stored
    work.stored[LEDGER_NUMERICAL] += numerical
    work.dissipated[LEDGER_ELEMENTS] += lost


@kernel
def add_truss_responses(truss, body, share, rate, work):
    """Turn the forces of all trusses into those that acted (3); `share` of -h K u counts."""
    for i in range(truss.point_a.shape[0]):
        value = work.truss_value[i]
        ax, ay, az = read_point(body, rate, truss.point_a[i])
        bx, by, bz = read_point(body, rate, truss.point_b[i])
        n = value[AXIS : AXIS + 3]
        along = dot(n[0], n[1], n[2], bx - ax, by - ay, bz - az)
        value[FORCE] += share * value[BIAS] + value[SLOPE] * along
