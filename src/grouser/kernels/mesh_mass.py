"""Meshes with a mass matrix: rows of points whose masses are coupled (`grouser.compile.mesh_mass`).

The matrix M by rows is the same for all three components. Its diagonal stands with the masses of all nodes, its other
numbers in a list of pairs, and its factor M = L D L^T beside them, by columns. So

    M a = f + w g - drag M v                                                                              (1)

with the mass w that gravity acts on in each row, which gradients have none of in straight elements. Rates are solved
for by

    y = L^-1 f,   a = L^-T D^-1 y                                                                         (2)

for three components at once. All kernels here are called for models that have such rows, and add to what is there.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.matrix import unit
from grouser.kernels.nodes import find_point_start
from grouser.kernels.scatter import add_point_block
from grouser.kernels.spatial import dot


@kernel(stage=True, rows="node.coupled")
def solve_mesh_rates(node, f, v, drag, rate_out):
    """(1), solved by (2), into the places of these rows in a vector of rates."""
    frames, count = node.across.shape[0], node.coupled.shape[0]
    gx, gy, gz = node.gravity[0], node.gravity[1], node.gravity[2]
    for k in range(count):
        row, w = node.coupled[k], node.coupled_weight[k]
        o = find_point_start(frames, row)
        rate_out[o], rate_out[o + 1], rate_out[o + 2] = f[row, 0] + w * gx, f[row, 1] + w * gy, f[row, 2] + w * gz
    for k in range(count):
        o = find_point_start(frames, node.coupled[k])
        x, y, z = rate_out[o], rate_out[o + 1], rate_out[o + 2]
        for n in range(node.factor_start[k], node.factor_start[k + 1]):
            q, s = find_point_start(frames, node.coupled[node.factor_row[n]]), node.factor[n]
            rate_out[q] -= s * x
            rate_out[q + 1] -= s * y
            rate_out[q + 2] -= s * z
    for k in range(count - 1, -1, -1):
        o, d = find_point_start(frames, node.coupled[k]), node.factor_inverse[k]
        x, y, z = d * rate_out[o], d * rate_out[o + 1], d * rate_out[o + 2]
        for n in range(node.factor_start[k], node.factor_start[k + 1]):
            q, s = find_point_start(frames, node.coupled[node.factor_row[n]]), node.factor[n]
            x -= s * rate_out[q]
            y -= s * rate_out[q + 1]
            z -= s * rate_out[q + 2]
        rate_out[o], rate_out[o + 1], rate_out[o + 2] = x, y, z
    if drag != 0.0:
        for k in range(count):
            row = node.coupled[k]
            o = find_point_start(frames, row)
            for c in range(3):
                rate_out[o + c] -= drag * v[row, c]


@kernel(stage=True, rows="node.coupled")
def add_mesh_loads(node, v, drag, right_out):
    """What gravity and drag of (1) are beyond those of the diagonal of M."""
    frames = node.across.shape[0]
    for k in range(node.coupled.shape[0]):
        row = node.coupled[k]
        o = find_point_start(frames, row)
        for c in range(3):
            right_out[o + c] += (node.coupled_weight[k] - node.mass[row]) * node.gravity[c]
    if drag != 0.0:
        for n in range(node.pair.shape[0]):
            i, j, m = node.pair[n, 0], node.pair[n, 1], drag * node.pair_mass[n]
            o, q = find_point_start(frames, i), find_point_start(frames, j)
            for c in range(3):
                right_out[o + c] -= m * v[j, c]
                right_out[q + c] -= m * v[i, c]


@kernel(stage=True, rows="node.coupled")
def add_mesh_residual(node, rate, right_out):
    """-M a, without the diagonal."""
    frames = node.across.shape[0]
    for n in range(node.pair.shape[0]):
        o, q = find_point_start(frames, node.pair[n, 0]), find_point_start(frames, node.pair[n, 1])
        for c in range(3):
            right_out[o + c] -= node.pair_mass[n] * rate[q + c]
            right_out[q + c] -= node.pair_mass[n] * rate[o + c]


@kernel(stage=True, rows="node.coupled")
def add_mesh_masses(node, pair_block, value_out):
    """M without the diagonal, to the blocks between the rows, which lie where `pair_block` (pairs, 2) says."""
    for n in range(node.pair.shape[0]):
        add_point_block(unit(node.pair_mass[n]), pair_block[n, 0], pair_block[n, 1], value_out)


@kernel(stage="float64", rows="node.coupled")
def calc_mesh_kinetic(node, u):
    """u.M u/2 without the diagonal."""
    frames, total = node.across.shape[0], 0.0
    for n in range(node.pair.shape[0]):
        o, q = find_point_start(frames, node.pair[n, 0]), find_point_start(frames, node.pair[n, 1])
        total += node.pair_mass[n] * dot(u[o], u[o + 1], u[o + 2], u[q], u[q + 1], u[q + 2])
    return total
