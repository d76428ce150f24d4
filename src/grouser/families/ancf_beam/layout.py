"""Layout of the beams' constants and scratch: which row holds what, for numpy and for compiled code.

The points of an element lie side by side in every row, so that one instruction serves several of them: four points of
the section at each of three stations, and the axis at each station. The last place is filled with a point that has no
weight.
"""

from __future__ import annotations

from math import sqrt

LANES = 16
"""Points of an element."""
STATIONS, SECTION_POINTS, AXIS = 3, 4, 12
"""Stations along the axis; points of the section at each; the first point on the axis."""
STATION_PLACES, STATION_WEIGHTS = (0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)), (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)
"""xi of the stations, Gauss' points, and their weights."""
SIDES = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
"""Sides of the points of a section, along y and z."""
# rows of the constants, LANES wide: inverse metric of the reference (xx yy zz xy yz zx), 1/sqrt of its determinant,
# weights of shape and volume [m^3]
INVERSE, RATIO, SHAPE_WEIGHT, VOLUME_WEIGHT, LANE_ROWS = 0, 6, 7, 8, 9
# behind them: length, half distances of the points across, square roots of the shear factors, shares of the section's
# rate of change in its metric at the stations, stiffness and reference of three bends at each station
LENGTH = LANE_ROWS * LANES
ACROSS, SHEARS, SHARES = LENGTH + 1, LENGTH + 3, LENGTH + 5
BEND_STIFFNESS, BEND_REFERENCE, SHAPE_SIZE = LENGTH + 8, LENGTH + 17, LENGTH + 26
# the scratch begins with place for a copy of the constants, which tangents make, so that loops read one array alone
GRADIENT = -(-SHAPE_SIZE // LANES)
# rows of it, LANES wide: gradients r_x r_y r_z, later their forces; their rates; terms of the section in the metric
# (yy zz yz) and in its rate; stress (yy zz yz); J, J^(-2/3); energy, power
RATE, TERM, TERM_RATE, STRESS = GRADIENT + 9, GRADIENT + 18, GRADIENT + 21, GRADIENT + 24
VOLUME, SCALE, ENERGY, POWER, WORK_ROWS = GRADIENT + 27, GRADIENT + 28, GRADIENT + 29, GRADIENT + 30, GRADIENT + 31
# behind them: five vectors at each station, a' b c b' c', and their rates; their forces at a station; the eight
# coordinates, their rates, and the forces on them
VECTORS = WORK_ROWS * LANES
VECTOR_RATES, FORCES = VECTORS + 45, VECTORS + 90
PLACES = FORCES + 15
PLACE_RATES, PLACE_FORCES = PLACES + 24, PLACES + 48
WORK_SIZE = PLACE_FORCES + 24
"""Length of the scratch for forces."""
