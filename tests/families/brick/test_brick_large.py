"""Slender beams of bricks that bend far: elastica, a circle by an end moment, the Princeton beam."""

import numpy as np
import pytest
from brick_beams import hold_face, hold_section
from statics import Statics, make_block, share_over_face

from grouser.families.brick.material import make_linear

ELASTICA = {
    1: (0.301721, 0.056433),
    2: (0.493457, 0.160642),
    3: (0.603253, 0.254420),
    5: (0.713792, 0.387628),
    10: (0.810609, 0.554996),
}
"""P L^2/(E I): displacement of the tip across and along, over the length. Solved by elliptic integrals."""


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    """10 bricks, 100 times as long as high: within 1 %."""
    height = 0.01
    unit, bricks = make_block(10, 1, 1)
    mesh = Statics(unit * [1.0, height, height], bricks, make_linear(1.0, 0.0))
    forces = np.zeros(unit.shape)
    forces[:, 2] = load * height**4 / 12.0 * share_over_face(unit)
    x = mesh.solve(hold_face(unit), load=forces, steps=8, tolerance=1e-7)
    across, along = (share_over_face(unit) @ (x - mesh.start))[[2, 0]] * [1.0, -1.0]
    assert across == pytest.approx(ELASTICA[load][0], rel=0.01)
    assert along == pytest.approx(ELASTICA[load][1], rel=0.01)


@pytest.mark.parametrize("poisson", (0.0, 0.3))
def test_roll_up_into_a_circle(poisson):
    """An end moment 2 pi E I/L bends a strip into a full circle: its end comes back to its start, turned once.

    Bricks are chords. One that turns by t from end to end has the curvature 2 sin(t/2)/l at its edges, so that
    M = E I/l sin(t): with 36 bricks the end turns by 0.5 % too far.
    """
    height, count = 0.01, 36
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics(unit * [1.0, height, height], bricks, make_linear(1.0, poisson))
    moment = 2.0 * np.pi * height**4 / 12.0
    end = np.flatnonzero(unit[:, 0] == 1.0)
    upper, lower = end[unit[end, 2] == 1.0], end[unit[end, 2] == 0.0]

    def push(x):
        """The moment by a pair of forces along the normal of the end, which they follow."""
        edge = x[upper].mean(axis=0) - x[lower].mean(axis=0)
        length = np.hypot(edge[0], edge[2])
        force = moment / length * np.array([edge[2], 0.0, -edge[0]]) / length
        load = np.zeros_like(x)
        load[upper], load[lower] = -0.5 * force, 0.5 * force
        return load, end

    x = mesh.solve(hold_section(unit), follower=push, steps=16, tolerance=1e-6)
    middle = share_over_face(unit) @ x - mesh.start[unit[:, 0] == 0.0].mean(axis=0)
    assert np.abs(middle).max() < 0.01
    edge = x[upper].mean(axis=0) - x[lower].mean(axis=0)
    beyond = np.arctan2(-edge[0], edge[2])
    assert beyond == pytest.approx(count * np.arcsin(2.0 * np.pi / count) - 2.0 * np.pi, abs=0.01)
    # the outer surface is half a height off the middle
    assert np.ptp(x[:, 2]) == pytest.approx(1.0 / np.pi + height, rel=0.01)


def test_princeton_beam():
    """Loaded at 45 degrees by 4.448 N: edgewise, flapwise and twist within 2 % of a rod, whose end may warp.

    The twist needs bricks across: one has 0.89 of it, 4 x 1 in the section 0.95, 8 x 1 0.965. Torque is largest at the
    root, so bricks are shorter there.
    """
    unit, bricks = make_block(24, 12, 4)
    unit[:, 0] = unit[:, 0] ** 1.5
    unit[:, 1] = 0.5 - 0.5 * np.cos(np.pi * unit[:, 1])
    mesh = Statics((unit - [0.0, 0.5, 0.5]) * [0.508, 12.377e-3, 3.2024e-3], bricks, make_linear(71.7e9, 0.31))
    mesh.tie_section(share_over_face(unit, 0.0))
    share = share_over_face(unit)
    load = np.zeros(unit.shape)
    load[:, 1] = load[:, 2] = 4.448 * np.sqrt(0.5) * share
    x = mesh.solve(np.zeros(unit.shape, dtype=bool), load=load, tolerance=1e-5)
    move, ends = share @ (x - mesh.start), [(unit[:, 0] == 1.0) & (unit[:, 1] == side) for side in (0.0, 1.0)]
    across = x[ends[1]].mean(axis=0) - x[ends[0]].mean(axis=0)
    twist = abs(np.degrees(np.arctan2(across[2], across[1])))
    print(f"\nPrinceton: edgewise {move[1]:.6f} m, flapwise {move[2]:.6f} m, twist {twist:.4f} degrees")
    assert move[1] == pytest.approx(0.003965, rel=0.005)
    assert move[2] == pytest.approx(0.056055, rel=0.005)
    assert twist == pytest.approx(0.4420, rel=0.02)


def test_spinning_beam_stretches():
    """rho A omega^2 L^3/(3 EA) = 5.143e-4 m at 6 rad/s, as of the other beams. Slender, of one brick across."""
    length, side, count = 10.0, 0.1, 20
    unit, bricks = make_block(count, 1, 1)
    mesh = Statics((unit - [0.0, 0.5, 0.5]) * [length, side, side], bricks, make_linear(2.8e7 / side**2, 0.3))
    mass = np.zeros((len(unit), 1))
    np.add.at(mass[:, 0], bricks, 1.2 / side**2 * mesh.geometry.node_volume)
    nodes = np.arange(len(unit))

    def pull(x):
        """In the plane x-y."""
        return mass * 6.0**2 * x * [1.0, 1.0, 0.0], nodes

    x = mesh.solve(hold_section(unit), follower=pull, tolerance=1e-8)
    longer = share_over_face(unit) @ x - [length, 0.0, 0.0]
    assert longer[0] == pytest.approx(5.143e-4, rel=2e-3)
