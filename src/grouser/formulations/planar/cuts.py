"""Cut joints and ideal motions in the plane: rows of `grouser.families.joint`, with what is out of the plane
left out.

The force of a row is (n_x, n_z, torque about y) on either body. Its efforts e along the way to the root are Mbar of
S1-17 in the factored form of `recursive/cuts.py`; sum e e/D is -Lbar of S1-21, and the solution for the multipliers
takes the place of the 5 x 5 system of S1-27, for any number of loops.
"""

from __future__ import annotations

from math import sqrt

from grouser.formulations.recursive.multipliers import calc_multiplier_factors, calc_row_start, is_suspicious
from grouser.kernels._jit import kernel
from grouser.kernels.kinds import WORLD_ROW


@kernel
def calc_planar_cut_factors(
    # tables
    body,
    tree,
    plane,
    constraint,
    cut,
    # work
    work,
    cut_work,
):
    """e of all rows, and the factors of sum e e/D, from the rows G and the factors of the tree."""
    running, G, push = cut_work.running, cut_work.G, cut_work.push
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        first, last = cut.path_start[i], cut.path_start[i + 1]
        lanes = constraint.row_count[i]
        for p in range(first, last):
            sums = running[tree.body[cut.path[p]]]
            for n in range(3):
                for lane in range(lanes):
                    sums[n, lane] = 0.0
        for lane in range(lanes):
            row = constraint.row_start[i] + lane
            mobility = 0.0
            for side in range(2):
                k = a if side == 0 else b
                o = 6 * side
                nx, nz, ty = G[row, o], G[row, o + 2], 0.0
                for n in range(3):
                    ty += G[row, o + 3 + n] * plane.R[k, 1, n]
                push[row, 3 * side], push[row, 3 * side + 1], push[row, 3 * side + 2] = nx, nz, ty
                if k != WORLD_ROW:
                    mobility += (nx * nx + nz * nz) / body.mass[k] + ty * ty / plane.inertia[k]
            cut_work.mobility[row] = mobility
            for n in range(3):
                running[a, n, lane] += push[row, n]
                running[b, n, lane] += push[row, 3 + n]
        place = cut.speed_start[i]
        for p in range(first, last):
            place = add_planar_path_efforts(tree, cut.path[p], place, lanes, running, cut_work.effort, work)
        for lane in range(lanes):
            row = constraint.row_start[i] + lane
            if is_suspicious(cut, i, lane, cut_work.mobility[row], work.inverse, cut_work.effort):
                calc_row_start(tree, cut, i, row, a, b, 3, push, running)
                bound = calc_planar_path_bound(tree, cut, i, running, work)
                cut_work.mobility[row] = min(cut_work.mobility[row], bound)
    calc_multiplier_factors(constraint, cut, work.inverse, cut_work)


@kernel(inline=True)
def add_planar_path_efforts(tree, k, place, lanes, running_out, effort_out, work):
    """`articulated.add_planar_effort` for the rows of an entry side by side; row k of the tree has its speeds from
    `place` on. Returns the place of the next row of the path."""
    child, parent = tree.body[k], tree.parent[k]
    g, up = running_out[child], running_out[parent]
    for j in range(tree.v_start[k], tree.v_start[k + 1]):
        S, U = work.column[j], work.effect[j]
        for lane in range(lanes):
            u = S[0] * g[0, lane] + S[1] * g[1, lane] + S[2] * g[2, lane]
            effort_out[place, lane] = u
            u *= work.inverse[j]
            g[0, lane] -= U[0] * u
            g[1, lane] -= U[1] * u
            g[2, lane] -= U[2] * u
        place += 1
    dx, dz = work.reach[child, 0], work.reach[child, 1]
    for lane in range(lanes):
        up[0, lane] += g[0, lane]
        up[1, lane] += g[1, lane]
        up[2, lane] += g[2, lane] + dz * g[0, lane] - dx * g[1, lane]
    return place


@kernel(inline=True)
def calc_planar_path_bound(tree, cut, i, running_out, work):
    """`recursive/cuts.py`, (5), of a row of entry i, whose push is in lane 0 of `running_out`."""
    bound = 0.0
    for p in range(cut.path_start[i], cut.path_start[i + 1]):
        k = cut.path[p]
        child, parent = tree.body[k], tree.parent[k]
        g, up = running_out[child], running_out[parent]
        for j in range(tree.v_start[k], tree.v_start[k + 1]):
            S, U, inverse = work.column[j], work.effect[j], work.inverse[j]
            slide, force = S[0] * S[0] + S[1] * S[1], g[0, 0] * g[0, 0] + g[1, 0] * g[1, 0]
            most = sqrt(slide * force) + abs(S[2] * g[2, 0])
            bound += most * most * inverse
            u = (S[0] * g[0, 0] + S[1] * g[1, 0] + S[2] * g[2, 0]) * inverse
            for n in range(3):
                g[n, 0] -= U[n] * u
        up[0, 0] += g[0, 0]
        up[1, 0] += g[1, 0]
        up[2, 0] += g[2, 0] + work.reach[child, 1] * g[0, 0] - work.reach[child, 0] * g[1, 0]
    return bound
