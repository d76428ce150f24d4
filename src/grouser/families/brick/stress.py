"""Stress and strain at the centre of bricks."""

from __future__ import annotations

from math import acos, cos, sqrt

from grouser.families.brick.kernel import calc_determinant, calc_mean, calc_modes, calc_strains, calc_stress, gather
from grouser.families.brick.law import calc_invariants
from grouser.families.brick.layout import E_ROW, F_ROW, LANES, S_ROW
from grouser.families.brick.modes import read_six
from grouser.kernels._jit import kernel


@kernel
def _calc_largest(xx, yy, zz, xy, yz, zx):
    """Largest eigenvalue of a symmetric matrix, by the angle of its third invariant."""
    mean = (xx + yy + zz) / 3.0
    xx, yy, zz = xx - mean, yy - mean, zz - mean
    radius = sqrt((xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + yz * yz + zx * zx)) / 6.0)
    if radius == 0.0:
        return mean
    _, _, third, _ = calc_invariants(xx / radius, yy / radius, zz / radius, xy / radius, yz / radius, zx / radius)
    return mean + 2.0 * radius * cos(acos(min(max(0.5 * third, -1.0), 1.0)) / 3.0)


@kernel(entry=True)
def calc_brick_stress(bricks, x, stress_out, row_work):
    """Stress and strain of the mean part of each brick, that is at its centre, without damping.

    Parameters
    ----------
    bricks : `BrickTable`
    x : (rows, 3) positions by node [m]
    stress_out : (n, STRESS_COLUMNS) Cauchy stress xx yy zz xy yz zx in world axes [Pa], von Mises stress [Pa], largest
        principal Green strain (the initial strain included), ratio of volumes J; stresses of a brick that is inside out
        are zero
    row_work : (WORK_SIZE,)

    Returns
    -------
    -1, or the last brick that is inside out
    """
    status = -1
    for batch in range(bricks.node.shape[0]):
        material = bricks.material[bricks.kind[batch]]
        gather(bricks.node[batch], bricks.shape[batch], x, x, row_work)
        calc_modes(row_work)
        calc_mean(row_work)
        calc_strains(row_work)
        for lane in range(LANES):
            brick = bricks.brick[LANES * batch + lane]
            if brick < 0:
                continue
            row, J = stress_out[brick], calc_determinant(row_work, lane)
            xx, yy, zz, xy, yz, zx = read_six(row_work, E_ROW, lane)
            row[7] = _calc_largest(xx, yy, zz, xy, yz, zx)
            row[8] = J
            if not (J > 0.0 and calc_stress(material, row_work, lane)):
                status = brick
                for c in range(7):
                    row[c] = 0.0
                continue
            s0, s1, s2, s3, s4, s5 = read_six(row_work, S_ROW, lane)
            for c in range(6):  # F S F^T/J
                a, b = c % 3, (c + c // 3) % 3
                p, q = LANES * (F_ROW + 3 * a) + lane, LANES * (F_ROW + 3 * b) + lane
                f0, f1, f2 = row_work[p], row_work[p + LANES], row_work[p + 2 * LANES]
                g0, g1, g2 = row_work[q], row_work[q + LANES], row_work[q + 2 * LANES]
                total = f0 * (s0 * g0 + s3 * g1 + s5 * g2) + f1 * (s3 * g0 + s1 * g1 + s4 * g2)
                row[c] = (total + f2 * (s5 * g0 + s4 * g1 + s2 * g2)) / J
            xx, yy, zz = row[0] - row[1], row[1] - row[2], row[2] - row[0]
            shears = row[3] * row[3] + row[4] * row[4] + row[5] * row[5]
            row[6] = sqrt(0.5 * (xx * xx + yy * yy + zz * zz) + 3.0 * shears)
    return status
