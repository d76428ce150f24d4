"""Layout of bricks in batches: which row holds what, for numpy and for compiled code.

Bricks lie in batches of `LANES`: lane after lane in every row, so that one instruction serves several bricks.
"""

from __future__ import annotations

LANES = 8
"""Bricks of a batch."""
LAW_LINEAR, LAW_LINEAR_VOLUME, LAW_MOONEY = 0, 1, 2
# columns of a row of materials
LAW, SHEAR, BULK, FIRST, SECOND, VISCOUS_BULK, VISCOUS_SHEAR, DELAY, MATERIAL_COLUMNS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# rows of the constants of a batch: gradients B and undeformed modes Y (seven of three), stiffness D of the residuals
# (three blocks 00 11 22 01 02 12, three warpings), volume, initial strain (xx yy zz xy yz zx), weights of bends (of 12
# and 13 along 1, of 12 and 23 along 2, of 13 and 23 along 3)
GRADIENT, REFERENCE, STIFFNESS, VOLUME, INITIAL, WEIGHTS, SHAPE_ROWS = 0, 21, 42, 63, 64, 70, 76
# rows of the scratch of a batch: modes, later forces; their rates; F and its rate; C and dC/dt (xx yy zz xy yz zx); S;
# sums; E with the initial strain and dE/dt; bends z (four of three); a copy of the constants
MODES_ROW, RATES_ROW, F_ROW, F_RATE_ROW, C_ROW, C_RATE_ROW, S_ROW = 0, 24, 48, 57, 66, 72, 78
ENERGY_ROW, POWER_ROW, E_ROW, E_RATE_ROW, BENDS_ROW, SHAPE_ROW = 84, 85, 86, 92, 98, 110
# rows of the same scratch while stresses are worked out: residual stress 3/V D r; F Y of the modes 1, 2, 3 by
# component; Kirchhoff stress at the centre (xx yy zz xy yz zx); largest at the corners: square of von Mises, strain
RESIDUAL_ROW, CARRIED_ROW, KIRCHHOFF_ROW, LARGEST_ROW = RATES_ROW, RATES_ROW + 12, MODES_ROW, ENERGY_ROW
WORK_SIZE = (SHAPE_ROW + SHAPE_ROWS) * LANES
"""Length of the scratch for forces and stresses."""
# offsets of the scratch of a tangent: gradients of the 18 strains by 24 coordinates, their rates, moduli times both,
# viscous moduli times gradients; 6 x 6 moduli, 8 x 8 numbers by nodes, 7 by modes, slopes of the bends by 8 nodes,
# gradients of their strains
G, G_RATE, STIFF, VISCOUS = WORK_SIZE, WORK_SIZE + 18 * 24, WORK_SIZE + 2 * 18 * 24, WORK_SIZE + 3 * 18 * 24
MODULI = WORK_SIZE + 4 * 18 * 24
NODES, SEVEN = MODULI + 36, MODULI + 100
BENDS, EXTRA = SEVEN + 7, SEVEN + 39
TANGENT_WORK_SIZE = EXTRA + 6 * 24
"""Length of the scratch for tangents."""
STRESS_COLUMNS = 11
"""At the centre Cauchy stress xx yy zz xy yz zx [Pa], von Mises stress [Pa], largest principal Green strain; largest at
the corners von Mises stress [Pa], largest principal Green strain; ratio of volumes."""
