"""Beams and plates of bricks under small loads, with their references."""

import numpy as np
from statics import Statics, make_block, share_over_face

from grouser.families.brick.material import make_linear

# MacNeal and Harder, A proposed standard set of problems to test finite element accuracy, 1985. Twist of the straight
# beam: their 0.03208, against 0.03411 of St. Venant's theory for this section.
STRAIGHT = {"extension": 3e-5, "in plane": 0.1081, "out of plane": 0.4321, "twist": 0.03208}
CURVED = {"in plane": 0.08734, "out of plane": 0.5022}
TWISTED = {"in plane": 0.005424, "out of plane": 0.001754}
AXES = {"extension": 0, "in plane": 1, "out of plane": 2}


def hold_face(unit):
    """All coordinates at x = 0."""
    return np.repeat((unit[:, 0] == 0.0)[:, None], 3, axis=1)


def hold_section(unit):
    """The section at x = 0 stays plane and does not move, but may become thinner and wider, as theories of beams
    have it."""
    held = np.zeros(unit.shape, dtype=bool)
    held[:, 0] = unit[:, 0] == 0.0
    first = np.flatnonzero(held[:, 0])[0]
    held[first, 1] = True
    held[held[:, 0] & (unit[:, 2] == unit[first, 2]), 2] = True
    return held


def hold_plane(unit):
    """The section at x = 0 stays plane; `tie_across` holds the rest."""
    held = np.zeros(unit.shape, dtype=bool)
    held[:, 0] = unit[:, 0] == 0.0
    return held


def tie_across(mesh, unit):
    """The section at x = 0 does not move across or turn about x in the mean, and no more is asked of it: it may
    contract to all sides alike and bend across the beam's curvature."""
    mesh.tie_section(share_over_face(unit, 0.0))
    mesh.ties = mesh.ties[[1, 2, 5]]


def calc_tip(mesh, held, unit, axis):
    """Mean displacement of the end under a unit force."""
    load = np.zeros(unit.shape)
    load[:, axis] = share_over_face(unit)
    return float(np.sum(mesh.solve_linear(held, load) * load))


def calc_twist(mesh, held, unit, width, height):
    """Turn of the end under a unit torque, by forces at its edges."""
    load, share = np.zeros(unit.shape), share_over_face(unit)
    y, z = width * (unit[:, 1] - 0.5), height * (unit[:, 2] - 0.5)
    # half of the torque by forces along y, half by those along z: with one brick that is a pair at each edge
    load[:, 1], load[:, 2] = -share * z, share * y
    load[:, 1] *= 0.5 / np.sum(-load[:, 1] * z)
    load[:, 2] *= 0.5 / np.sum(load[:, 2] * y)
    return float(np.sum(mesh.solve_linear(held, load) * load))


def make_straight(shape, refined=1, kind=Statics):
    """MacNeal and Harder's straight beam, 6 x 0.2 x 0.1: "regular", "trapezoidal", "parallelogram"."""
    unit, bricks = make_block(6 * refined, refined, refined)
    positions = unit * [6.0, 0.2, 0.1]
    if shape != "regular":
        shifts = np.array([0.0, *(0.1 * (1 if shape == "parallelogram" or k % 2 else -1) for k in range(1, 6)), 0.0])
        positions[:, 0] += np.interp(positions[:, 0], np.arange(7), shifts) * (2.0 * unit[:, 1] - 1.0)
    return kind(positions, bricks, make_linear(1e7, 0.3)), unit


def calc_straight(shape, hold=hold_face, refined=1, kind=Statics):
    """Ratios to the references."""
    mesh, unit = make_straight(shape, refined, kind)
    ratios = {case: calc_tip(mesh, hold(unit), unit, axis) / STRAIGHT[case] for case, axis in AXES.items()}
    return {**ratios, "twist": calc_twist(mesh, hold(unit), unit, 0.2, 0.1) / STRAIGHT["twist"]}


def calc_curved(refined=1, kind=Statics):
    """A quarter of a ring of radii 4.12 and 4.32, 0.1 thick, held at one end."""
    unit, bricks = make_block(6 * refined, refined, refined)
    angle, radius = 0.5 * np.pi * unit[:, 0], 4.12 + 0.2 * unit[:, 1]
    positions = np.stack([radius * np.sin(angle), radius * np.cos(angle), 0.1 * unit[:, 2]], axis=1)
    mesh = kind(positions, bricks, make_linear(1e7, 0.25))
    axes = {"in plane": 0, "out of plane": 2}
    return {case: calc_tip(mesh, hold_face(unit), unit, axis) / CURVED[case] for case, axis in axes.items()}


def calc_twisted(across=2, kind=Statics):
    """A beam 12 x 1.1 x 0.32 that is turned by 90 degrees along its length, 12 x 2 bricks."""
    unit, bricks = make_block(12, across, 1)
    angle, y, z = 0.5 * np.pi * unit[:, 0], 1.1 * (unit[:, 1] - 0.5), 0.32 * (unit[:, 2] - 0.5)
    turned = [y * np.cos(angle) - z * np.sin(angle), y * np.sin(angle) + z * np.cos(angle)]
    mesh = kind(np.stack([12.0 * unit[:, 0], *turned], axis=1), bricks, make_linear(29e6, 0.22))
    axes = {"in plane": 2, "out of plane": 1}
    return {case: calc_tip(mesh, hold_face(unit), unit, axis) / TWISTED[case] for case, axis in axes.items()}


def calc_cantilever(count, poisson, load, hold, length=1.0, height=0.05):
    """Ratio of the tip's displacement to Timoshenko's beam, with a square section of one brick; `load` is "moment",
    "force" at the tip or "weight"."""
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics(unit * [length, height, height], bricks, make_linear(1.0, poisson))
    if hold is hold_plane:
        tie_across(mesh, unit)
    bending, area = height**4 / 12.0, height**2
    shear = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson) * area / (2.0 + 2.0 * poisson)  # Cowper 1966
    forces, share = np.zeros(unit.shape), share_over_face(unit)
    if load == "moment":
        forces[:, 0] = -share * np.sign(unit[:, 2] - 0.5) * 2.0 / height
        reference = length**2 / (2.0 * bending)
    elif load == "force":
        forces[:, 2] = share
        reference = length**3 / (3.0 * bending) + length / shear
    else:
        np.add.at(forces[:, 2], bricks, mesh.geometry.node_volume / mesh.geometry.volume.sum())
        reference = length**3 / (8.0 * bending) + length / (2.0 * shear)
    return float(np.sum(mesh.solve_linear(hold(unit), forces)[:, 2] * share)) / reference


def calc_plate(count, poisson=0.3, thickness=0.01):
    """Ratio of the middle's displacement of a clamped square plate of one layer under pressure to that of thin plates
    (0.00126532 p a^4/D, Timoshenko and Woinowsky-Krieger 1959, with more digits); a quarter of it."""
    unit, bricks = make_block(count, count, 1)
    mesh = Statics(unit * [0.5, 0.5, thickness], bricks, make_linear(1.0, poisson))
    held = np.repeat(((unit[:, 0] == 1.0) | (unit[:, 1] == 1.0))[:, None], 3, axis=1)
    held[:, 0] |= unit[:, 0] == 0.0
    held[:, 1] |= unit[:, 1] == 0.0
    load = np.zeros(unit.shape)
    np.add.at(load[:, 2], bricks, mesh.geometry.node_volume / thickness)
    bending = thickness**3 / (12.0 * (1.0 - poisson**2))
    return float(mesh.solve_linear(held, load)[0, 2]) * bending / 0.00126532
