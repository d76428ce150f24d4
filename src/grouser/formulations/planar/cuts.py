"""Cut joints and ideal motions in the plane: rows of `kernels/joints/constraint.py`, with what is out of the plane left
out.

The force of a row is (n_x, n_z, torque about y) on either body. Its efforts e along the way to the root are Mbar of
S1-17 in the factored form of `recursive/cuts.py`; sum e e/D is -Lbar of S1-21, and the solution for the multipliers
takes the place of the 5 x 5 system of S1-27, for any number of loops.
"""

from __future__ import annotations

from grouser.formulations.planar.articulated import add_planar_effort
from grouser.formulations.recursive.multipliers import calc_multiplier_factors
from grouser.kernels._jit import kernel


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
    running, G, push = work.running, cut_work.G, cut_work.push
    world, speeds = body.mass.shape[0], work.inverse.shape[0]
    for i in range(constraint.body_a.shape[0]):
        a, b = constraint.body_a[i], constraint.body_b[i]
        first, last = cut.path_start[i], cut.path_start[i + 1]
        for row in range(constraint.row_start[i], constraint.row_start[i] + constraint.row_count[i]):
            mobility = 0.0
            for side in range(2):
                k = a if side == 0 else b
                o = 6 * side
                nx, nz, ty = G[row, o], G[row, o + 2], 0.0
                for n in range(3):
                    ty += G[row, o + 3 + n] * plane.R[k, 1, n]
                push[row, 3 * side], push[row, 3 * side + 1], push[row, 3 * side + 2] = nx, nz, ty
                if k < world:
                    mobility += (nx * nx + nz * nz) / body.mass[k] + ty * ty / plane.inertia[k]
            cut_work.mobility[row] = mobility
            effort = cut_work.effort[row]
            for j in range(speeds):
                effort[j] = 0.0
            for p in range(first, last):
                k = tree.body[cut.path[p]]
                running[k, 0] = running[k, 1] = running[k, 2] = 0.0
            for n in range(3):
                running[a, n] += push[row, n]
                running[b, n] += push[row, 3 + n]
            for p in range(first, last):
                add_planar_effort(tree, cut.path[p], running, effort, work)
    calc_multiplier_factors(cut, work.inverse, cut_work)
