"""The search against brute force in 1000 random scenes: static, moving, deforming. None is missed, none is too many."""

from __future__ import annotations

import numpy as np
import pytest
from search_scenes import Search, calc_winding, make_ball, make_sheet, make_turn, split_facets

from grouser.kernels.contact.search.candidates import find_candidates
from grouser.kernels.contact.search.tables import Reach

ROUNDING = 1e-12
"""Coordinates are about one, so distances are known to some 1e-15."""
BORDER = 1e-9
"""Pairs as close as that to a bound of the list may be in it or not."""
BATCHES, SCENES = 10, 40
MOVING = 30
"""40 static scenes, 30 moving and 30 deforming ones in each of ten batches."""


def make_static(seed):
    """A wild scene: any surface, points near it and far from it."""
    rng = np.random.default_rng(seed)
    quads, is_closed = bool(rng.integers(2)), bool(rng.integers(2))
    x, polygons = make_ball(rng, quads, rng.choice([0.05, 0.5])) if is_closed else make_sheet(rng, quads)
    n = rng.integers(1, 80)
    near = x[rng.integers(0, len(x), n)] + rng.normal(size=(n, 3)) * rng.choice([0.02, 0.3], (n, 1))
    radius = rng.choice([0.0, 0.05])
    reach = Reach(float(radius), float(rng.uniform(0.0, 0.5)), float(rng.choice([0.0, 0.05, 0.2])))
    R, origin = make_turn(rng), rng.uniform(-1, 1, 3)
    return Search(x, polygons, (near - origin) @ R, reach, origin, R), is_closed


def check_list(search, listed, is_closed):
    """All points that may touch are listed, with exactly the polygons that may be the closest."""
    reach, brute = search.reach, search.calc_brute()
    nearest = brute.min(axis=1)
    gaps = search.find_gaps()
    limit = max(reach.radius, reach.depth) + reach.skin
    if is_closed:
        inside = calc_winding(search.seen, split_facets(search.x, search.polygons)[0]) > 0.5
        room = np.where(inside, reach.depth, reach.radius) + reach.skin - nearest
        for i in np.flatnonzero((nearest > BORDER) & (np.abs(room) > BORDER)):
            assert (i in listed) == (room[i] > 0.0)
            if i in listed:
                assert (gaps[i][0] < 0.0) == inside[i]
    else:
        sure = nearest < min(reach.radius, reach.depth) + reach.skin - BORDER
        assert set(np.flatnonzero(sure)) <= set(listed)
    for i, polygons in listed.items():
        gap, k = gaps[i]
        assert abs(gap) == pytest.approx(nearest[i], abs=ROUNDING)
        assert brute[i, k] == pytest.approx(nearest[i], abs=ROUNDING)
        bound = min(limit, max(nearest[i] + 2 * reach.skin, reach.radius + reach.skin))
        assert set(np.flatnonzero(brute[i] < bound - BORDER)) <= set(polygons)
        assert np.all(brute[i, polygons] < bound + BORDER)
        assert len(set(polygons)) == len(polygons)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_static_scenes(batch):
    found = 0
    for seed in range(batch * SCENES, (batch + 1) * SCENES):
        search, is_closed = make_static(seed)
        listed = search.find()
        check_list(search, listed, is_closed)
        found += len(listed)
    assert found > 5 * SCENES


def check_steps(search, move, rng, skin):
    """Gaps of a list that stays as it is are those of brute force, until all has moved by the skin."""
    search.find()
    gone = compared = 0
    while True:
        step = move(rng)
        gone += step
        if gone > skin:
            return compared
        gaps = search.find_gaps(gone, step)
        touches = search.find_touches(gone, step)
        nearest = search.calc_brute().min(axis=1)
        inside = calc_winding(search.seen, split_facets(search.x, search.polygons)[0]) > 0.5
        gap = np.where(inside, -nearest, nearest)
        wanted = (gap < search.reach.radius - BORDER) & (gap > -search.reach.depth)
        assert set(np.flatnonzero(wanted)) <= {int(row[0]) for row in touches}
        for i in np.flatnonzero(wanted):
            assert gaps[i][0] == pytest.approx(gap[i], abs=ROUNDING)
            compared += 1


def make_moving(seed):
    """A smooth lump, which is thick beside the depth, and points about it."""
    rng = np.random.default_rng(seed)
    x, polygons = make_ball(rng, bool(rng.integers(2)), 0.05)
    skin = float(rng.uniform(0.02, 0.15))
    reach = Reach(float(rng.choice([0.0, 0.05])), 0.1, skin)
    points = rng.normal(size=(40, 3))
    points *= rng.uniform(0.9, 1.15, (40, 1)) / np.linalg.norm(points, axis=1)[:, None]
    R, origin = make_turn(rng), rng.uniform(-1, 1, 3)
    return Search(x, polygons, (points - origin) @ R, reach, origin, R), rng, skin


@pytest.mark.parametrize("batch", range(BATCHES))
def test_moving_scenes(batch):
    compared = 0
    for seed in range(batch * MOVING, (batch + 1) * MOVING):
        search, rng, skin = make_moving(10_000 + seed)

        def move(rng, search=search, skin=skin):
            before = search.seen
            turn = make_turn(rng, rng.uniform(0, 0.2) * skin)
            search.origin = turn @ search.origin + rng.uniform(-0.1, 0.1, 3) * skin
            search.R = turn @ search.R
            return np.linalg.norm(search.seen - before, axis=1).max()

        compared += check_steps(search, move, rng, skin)
    assert compared > 20 * MOVING


@pytest.mark.parametrize("batch", range(BATCHES))
def test_deforming_scenes(batch):
    compared = 0
    for seed in range(batch * MOVING, (batch + 1) * MOVING):
        search, rng, skin = make_moving(20_000 + seed)

        def move(rng, search=search, skin=skin):
            stretch = rng.uniform(-0.1, 0.1, (3, 3)) * skin
            change = search.x @ stretch + 0.02 * skin * rng.uniform(-1, 1, search.x.shape)
            other = rng.uniform(-0.05, 0.05, search.points.shape) * skin
            search.x, search.points = search.x + change, search.points + other
            return np.linalg.norm(change, axis=1).max() + np.linalg.norm(other, axis=1).max()

        compared += check_steps(search, move, rng, skin)
        # what is listed again has refitted trees
        search.refit()
        search.guide[:] = 0.0
        check_list(search, search.find(), True)
    assert compared > 20 * MOVING


def test_short_lists_say_what_they_need():
    """Nothing is written beyond the end, and a list made again is that of a long one, with what points remember."""
    scenes = (make_static(seed)[0] for seed in range(100))
    scene = next(search for search in scenes if search.find() and search.pair.count[1] > 200)
    given = scene.x, scene.polygons, scene.points, scene.reach, scene.origin, scene.R
    full = Search(*given)
    listed, total = full.find(), int(full.pair.count[1])
    for capacity in (0, 1, total // 2, total - 1, total):
        short = Search(*given)
        polygon, distance = np.full(capacity + 64, 7, dtype=np.uint32), np.full(capacity + 64, 7.0)
        short.pair = short.pair._replace(polygon=polygon[:capacity], distance=distance[:capacity])
        is_complete = find_candidates(short.meeting, 0.0, short.guide, short.pair, short.work)
        assert is_complete == (capacity == total)
        assert is_complete or not np.any(short.guide)
        assert np.all(polygon[capacity:] == 7) and np.all(distance[capacity:] == 7.0)
        assert short.pair.count[2] >= total
        assert {i: list(p) for i, p in short.find().items()} == {i: list(p) for i, p in listed.items()}
        np.testing.assert_array_equal(short.guide, full.guide)


def test_points_that_leave_forget():
    """A point that was near, is far, and comes back from the other side is outside there: its guide is gone."""
    search, _ = make_static(3)
    search.find()
    near = np.flatnonzero(np.any(search.guide != 0.0, axis=1))
    assert len(near) > 5
    search.origin = search.origin + 100.0
    assert search.find(100.0) == {}
    assert not np.any(search.guide)
