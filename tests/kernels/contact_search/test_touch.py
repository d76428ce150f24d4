"""Contacts in motion: nothing bumps, nothing passes through, corners push from all their walls."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from search_scenes import Search, calc_winding, make_ball, make_grid, make_turn, split_facets

from grouser.kernels.contact.search.side import Moves
from grouser.kernels.contact.search.tables import Reach, make_touch_list
from grouser.kernels.contact.search.touch import find_touches

ROUNDING = 1e-12


def make_search(x, polygons, points, *, radius=0.0, depth=1.0, skin=0.1, **options):
    """A scene in one frame."""
    return Search(x, polygons, np.atleast_2d(points), Reach(radius, depth, skin), np.zeros(3), np.eye(3), **options)


def make_floor(rng, height=lambda s, t: 0.0 * s, quads=False, count=9):
    """A wall-to-wall floor of uneven cells on -2 to 2, with random diagonals turned by the numbering."""
    s, t = np.meshgrid(*[np.linspace(-2, 2, count + 1)] * 2, indexing="ij")
    inner = (np.abs(s) < 1.9) & (np.abs(t) < 1.9)
    s, t = (a + 1.2 / count * inner * rng.uniform(-1, 1, a.shape) for a in (s, t))
    x = np.stack([s.ravel(), t.ravel(), height(s, t).ravel()], axis=1)
    return x, make_grid(count, count, False, quads)


def calc_force(touches):
    """Sum of depth times normal."""
    return sum((row[2][0] * row[2][1:4] for row in touches), np.zeros(3))


def calc_energy(touches):
    """Twice the potential of a unit stiffness."""
    shares, normals = np.array([row[2][0] for row in touches]), np.array([row[2][1:4] for row in touches])
    return shares @ np.maximum(normals @ normals.T, 0.0) @ shares if len(touches) else 0.0


def follow(search, path, listing=True):
    """Touches of the points of a path, one after the other, with lists that are made when they are due."""
    skin, gone, found = search.reach.skin, np.inf, []
    before = path[0]
    for p in path:
        step = float(np.linalg.norm(p - before))
        before = p
        search.points[0] = p
        gone += step
        if gone > skin:
            search.refit()
            search.find(step)
            gone, step = 0.0, 0.0
        found.append(search.find_touches(gone, step))
    return found


@pytest.mark.parametrize("quads", [False, True])
@pytest.mark.parametrize("radius", [0.0, 0.05, 0.5])
def test_a_ball_rolls_over_a_tessellated_plane_without_a_bump(radius, quads):
    """On a plane of uneven cells, over faces, edges and nodes, the force is the same to rounding: one contact,
    upward."""
    rng = np.random.default_rng(1)
    x, polygons = make_floor(rng, quads=quads)
    depth = 0.01
    search = make_search(x, polygons, [0, 0, 0], radius=radius, depth=0.3, skin=0.05)
    path = np.linspace([-1.3, -1.2, radius - depth], [1.2, 1.3, radius - depth], 2000)
    path = np.concatenate([path, [[*node[:2], radius - depth] for node in x if np.all(np.abs(node[:2]) < 1.3)]])
    for touches in follow(search, path):
        assert len(touches) == 1
        np.testing.assert_allclose(calc_force(touches), [0, 0, depth], atol=ROUNDING)


def test_a_ball_deep_in_a_plane_touches_once():
    """Edges beside the nearest face are no contacts of their own, though a ball reaches far into them."""
    rng = np.random.default_rng(2)
    x, polygons = make_floor(rng, count=30)
    search = make_search(x, polygons, [0, 0, 0], radius=0.5, depth=0.3, skin=0.05)
    for touches in follow(search, np.linspace([-1, -1, 0.05], [1, 0.9, 0.45], 200)):
        assert len(touches) == 1
        np.testing.assert_allclose(calc_force(touches)[:2], 0.0, atol=ROUNDING)


@pytest.mark.parametrize("angle", [0.02, 0.5, 1.0, np.pi / 2, 2.0])
def test_a_ball_crosses_a_hollow_edge_without_a_jump(angle):
    """A groove with walls turned by `angle`. The centre is free inside the wedge that is parallel to the walls at the
    distance of the radius: the force is that of the shortest way there, or in a sharp notch the sum of both walls."""
    slope, radius = np.tan(angle / 2), 0.3
    x, polygons = make_floor(np.random.default_rng(3), lambda s, t: slope * np.abs(s), count=8)
    x[np.abs(x[:, 0]) < 0.2, 0] = 0.0
    x[:, 2] = slope * np.abs(x[:, 0])
    search = make_search(x, polygons, [0, 0, 0], radius=radius, depth=0.3, skin=0.02)
    normals = np.array([[-slope, 0, 1.0], [slope, 0, 1.0]]) / np.hypot(1, slope)
    bottom = np.array([0, 0, radius * np.hypot(1, slope)])
    path = np.linspace([-0.1, 0.13, 0], [0.1, -0.21, 0], 1000) + bottom - [0, 0, 0.03]
    forces = []
    for p, touches in zip(path, follow(search, path), strict=True):
        # out of both half-spaces n.(c - bottom) >= 0, by the nearest of: the walls alone, and their line
        c = p - bottom
        c[1] = 0.0
        walls = [max(-n @ c, 0.0) * n for n in normals]
        fits = [way for way in [*walls, -c] if np.all(normals @ (c + way) >= -ROUNDING)]
        expected = min(fits, key=np.linalg.norm) if angle <= np.pi / 2 else sum(walls)
        np.testing.assert_allclose(calc_force(touches), expected, atol=1e-9)
        forces.append(calc_force(touches))
    step = np.linalg.norm(path[1] - path[0])
    assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() < 1.01 * step
    assert np.linalg.norm(forces, axis=1).max() > 0.02


def make_room():
    """The inside of a corner of three walls: x, y, z from 0 to 1, facing inward."""
    x = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
    return x, np.array([[0, 1, 2, 3], [0, 4, 5, 1], [0, 3, 6, 4]])


def test_three_walls_push_all_at_once():
    x, polygons = make_room()
    search = make_search(x, polygons, [0.18, 0.19, 0.17], radius=0.2, depth=0.1)
    search.find()
    touches = search.find_touches()
    np.testing.assert_allclose(calc_force(touches), [0.02, 0.01, 0.03], atol=ROUNDING)
    assert sorted(row[1] for row in touches) == [0, 1, 2]
    for _, k, value in touches:
        q = value[7:11] @ x[search.polygons[k]]
        np.testing.assert_allclose(value[4:7], q, atol=ROUNDING)


@pytest.mark.parametrize("radius", [0.0, 0.25])
def test_forces_on_a_lump_have_a_potential(radius):
    """The work of the force along a path over edges and nodes is the change of l.G l/2; here k is one. The trapezoidal
    rule finds it to second order where forces are continuous, and to first where they turn at once."""
    rng = np.random.default_rng(7)
    x, polygons = make_ball(rng, True, 0.08)
    search = make_search(x, polygons, [0, 0, 0], radius=radius, depth=0.3, skin=0.03)
    ends = rng.normal(size=(12, 3))
    ends *= (0.97 + radius) / np.linalg.norm(ends, axis=1)[:, None]
    largest = 0.0
    for start, end in itertools.pairwise(ends):
        middle = start + end
        corner = middle / np.linalg.norm(middle) * (1.0 + radius)
        t = np.linspace(0, 1, 4001)[:, None]
        path = (1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end
        path *= (np.where(radius > 0, 1.0, 0.95) + radius) / np.linalg.norm(path, axis=1)[:, None]
        search.guide[:] = 0.0
        found = follow(search, path)
        forces = np.array([calc_force(touches) for touches in found])
        work = np.sum(0.5 * (forces[1:] + forces[:-1]) * np.diff(path, axis=0))
        energy = 0.5 * np.array([calc_energy(touches) for touches in found])
        step = np.linalg.norm(np.diff(path, axis=0), axis=1).max()
        if radius > 0.0:
            assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() < 3.0 * step
            assert abs(work + energy[-1] - energy[0]) < 1e-6
        else:
            # the direction of the force jumps where another face becomes the nearest, the depth does not
            assert np.abs(np.diff(np.sqrt(2.0 * energy))).max() < step * (1.0 + 1e-9)
            assert abs(work + energy[-1] - energy[0]) < 0.2 * step
        largest = max(largest, energy.max())
    assert largest > 1e-3


def make_plate(thickness, quads=True):
    """A closed plate on -1 to 1 of 8 by 8 cells a face."""
    n = 8
    s, t = (a.ravel() for a in np.meshgrid(*[np.linspace(-1, 1, n + 1)] * 2, indexing="ij"))
    top = np.stack([s, t, np.full(s.shape, 0.5 * thickness)], axis=1)
    x = np.concatenate([top, top - [0, 0, thickness]])
    cells = make_grid(n, n, False, True)
    low = cells[:, ::-1] + len(top)
    i = np.arange(n)
    last = n * (n + 1)
    rims = [i, last + i, i * (n + 1), i * (n + 1) + n]
    steps, turned = [1, 1, n + 1, n + 1], [False, True, True, False]
    sides = []
    for rim, step, is_turned in zip(rims, steps, turned, strict=True):
        side = np.stack([rim, rim + step, rim + step + len(top), rim + len(top)], axis=1)
        sides.append(side[:, ::-1] if is_turned else side)
    polygons = np.concatenate([cells, low, *sides])
    return x, polygons if quads else np.concatenate([polygons[:, [0, 1, 2]], polygons[:, [0, 2, 3]]])


def test_the_plate_is_closed():
    x, polygons = make_plate(0.1)
    corners, _ = split_facets(x, polygons)
    found = calc_winding(np.array([[0.1, 0.2, 0.01], [0.1, 0.2, 0.2]]), corners)
    np.testing.assert_allclose(found, [1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("thickness", [0.2, 0.02, 0.002])
@pytest.mark.parametrize("quads", [False, True])
def test_points_stay_on_their_side_of_a_thin_plate(thickness, quads):
    """Points are pressed through the middle of a plate, and beyond its far face, in steps that are longer than the
    plate is thick: the contact stays that of the face they came from, until they come back out."""
    x, polygons = make_plate(thickness, quads)
    for side in (1.0, -1.0):
        search = make_search(x, polygons, [0, 0, 1], depth=0.1, skin=0.05)
        z = np.concatenate([np.linspace(0.1, -0.05, 40), np.linspace(-0.05, 0.1, 40)])
        path = np.stack([0.3 + 0.0 * z, -0.2 + 0.0 * z, side * z], axis=1)
        for p, touches in zip(path, follow(search, path), strict=True):
            depth = 0.5 * thickness - side * p[2]
            assert len(touches) == (depth > 0.0)
            if touches:
                np.testing.assert_allclose(calc_force(touches), [0, 0, side * depth], atol=ROUNDING)


@pytest.mark.parametrize("thickness", [0.01, 0.04])
def test_points_stay_on_their_side_of_a_shell(thickness):
    """Both sides of a shell are outside. A point touches at half the thickness, and is pushed back to where it came
    from though it has gone through the middle."""
    x, polygons = make_floor(np.random.default_rng(4))
    for side in (1.0, -1.0):
        search = make_search(x, polygons, [0, 0, 1], radius=0.5 * thickness, depth=0.1, skin=0.05, is_shell=True)
        z = np.concatenate([np.linspace(0.1, -0.05, 61), np.linspace(-0.05, 0.1, 61)])
        path = np.stack([0.3 + 0.0 * z, -0.2 + 0.0 * z, side * z], axis=1)
        for p, touches in zip(path, follow(search, path), strict=True):
            depth = 0.5 * thickness - side * p[2]
            assert len(touches) == (depth > 0.0)
            if touches:
                np.testing.assert_allclose(calc_force(touches), [0, 0, side * depth], atol=ROUNDING)


def make_bands(gap, is_shell):
    """Two floors that face each other, `gap` apart."""
    x, polygons = make_floor(np.random.default_rng(5), count=4)
    other = x + np.array([0.0, 0.0, gap])
    flipped = polygons if is_shell else polygons[:, ::-1]
    return np.concatenate([x, other]), np.concatenate([polygons, flipped + len(x)])


@pytest.mark.parametrize("is_shell", [False, True])
def test_the_other_wall_of_a_slot_is_met(is_shell):
    """A point flies to and fro between two walls that face each other, which are other sides to each other."""
    gap, radius = 0.1, 0.01
    x, polygons = make_bands(gap, is_shell)
    search = make_search(x, polygons, [0, 0, 0.05], radius=radius, depth=0.04, skin=0.06, is_shell=is_shell)
    z = 0.05 + 0.045 * np.sin(np.linspace(0, 12, 400))
    path = np.stack([0.3 * np.cos(z), 0.1 + z, z], axis=1)
    for p, touches in zip(path, follow(search, path), strict=True):
        low, high = radius - p[2], radius - (gap - p[2])
        np.testing.assert_allclose(calc_force(touches), [0, 0, max(low, 0.0) - max(high, 0.0)], atol=ROUNDING)


def test_points_go_round_the_rim_of_a_shell():
    """From above round the free edge to below: outside all the way."""
    x, polygons = make_floor(np.random.default_rng(6))
    search = make_search(x, polygons, [0, 0, 1], radius=0.05, depth=0.1, skin=0.05, is_shell=True)
    angle = np.linspace(np.pi / 2, -np.pi / 2, 300)
    path = np.stack([2.0 + 0.04 * np.cos(angle), 0.3 + 0.0 * angle, 0.04 * np.sin(angle)], axis=1)
    back = path[-1] + np.linspace(0, -1, 300)[:, None] * [1.0, 0, 0]
    for p, touches in zip([*path, *back], follow(search, np.concatenate([path, back])), strict=True):
        q = np.array([min(p[0], 2.0), p[1], 0.0])
        distance = np.linalg.norm(p - q)
        np.testing.assert_allclose(calc_force(touches), (0.05 - distance) * (p - q) / distance, atol=1e-9)


def test_a_surface_does_not_touch_its_own_neighbourhood():
    """Nodes of a sheet that is folded onto itself touch the other half, and none of the polygons that share a node with
    their cells."""
    n = 12
    t = np.linspace(0, 1, n + 1)
    bend = np.stack([np.where(t < 0.5, t, 1 - t), 0.02 * (t > 0.5)], axis=1)
    y = np.linspace(0, 0.3, 5)
    x = np.array([[a, b, c] for a, c in bend for b in y])
    polygons = make_grid(n, 4, False, True)
    cells = [set() for _ in x]
    for nodes in polygons:
        for i in nodes:
            cells[i] |= {int(j) for j in nodes}
    near = [sorted(nodes) for nodes in cells]
    start = np.concatenate([[0], np.cumsum([len(nodes) for nodes in near])])
    options = {"radius": 0.03, "depth": 0.03, "skin": 0.01, "is_shell": True}
    search = make_search(x, polygons, x, near_start=start, near=np.concatenate(near), **options)
    listed = search.find()
    free = make_search(x, polygons, x, **options)
    everything = free.find()
    assert set(everything) == set(range(len(x)))
    distances = search.calc_brute()
    for i in range(len(x)):
        own = [k for k, nodes in enumerate(search.polygons) if set(map(int, nodes)) & cells[i]]
        others = np.setdiff1d(np.arange(len(polygons)), own)
        is_near = distances[i, others].min() <= 0.04
        assert (i in listed) == is_near
        if is_near:
            assert not set(map(int, listed[i])) & set(own)
            assert abs(search.find_gaps()[i][0]) == pytest.approx(distances[i, others].min(), abs=ROUNDING)
    assert 20 < len(listed) < len(x)


def test_touches_that_find_no_room_say_so():
    x, polygons = make_room()
    rng = np.random.default_rng(8)
    search = make_search(x, polygons, rng.uniform(0.0, 0.3, (50, 3)), radius=0.2, depth=0.1)
    search.find()
    expected = search.find_touches()
    assert len(expected) > 60
    value = np.full((40, 11), 7.0)
    short = make_touch_list(30)._replace(value=value[:30])
    guide = np.zeros_like(search.guide)
    assert not find_touches(search.meeting, search.pair, Moves(0.0, 0.0), search.guide, guide, short)
    assert np.all(value[30:] == 7.0)
    enough = make_touch_list(int(short.count[1]))
    assert find_touches(search.meeting, search.pair, Moves(0.0, 0.0), search.guide, guide, enough)
    assert enough.count[0] == len(expected)


def test_a_rigid_motion_of_everything_changes_nothing():
    """Surface and points turned and shifted together touch alike, with forces turned."""
    rng = np.random.default_rng(9)
    x, polygons = make_ball(rng, True, 0.05)
    points = rng.normal(size=(120, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    search = make_search(x, polygons, points, radius=0.05, depth=0.2)
    search.find()
    before = {int(i): value for i, _, value in search.find_touches()}
    R, origin = make_turn(rng), rng.normal(size=3)
    turned = Search(x @ R.T + origin, polygons, points, search.reach, origin, R)
    turned.find()
    for i, _, value in turned.find_touches():
        assert value[0] == pytest.approx(before[int(i)][0], abs=ROUNDING)
        np.testing.assert_allclose(value[1:4], R @ before[int(i)][1:4], atol=1e-9)
    assert len(before) > 30
