"""Cost of the contact search on one core: build, refit, memory, search from nothing, steps with a list; beside peers.

    python bench/search.py                          all of it, a minute
    python bench/search.py --quick                  small surfaces only
    pip install open3d libigl                       peers, where they are wanted

Times of the process on one thread, the least of many repeats, after compiling. What other programs do on the machine
counts through the memory that they share: compare within a run. Points are within 5 mm of a wavy surface of one square
metre, in random order. Peers are asked for closest points of all of them, as we are; those that are missing are named.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log2

import numpy as np

from grouser.kernels._packed import Packed
from grouser.kernels.contact.search.box_tree import build_boxes, refit_boxes
from grouser.kernels.contact.search.candidates import find_candidates
from grouser.kernels.contact.search.side import Moves
from grouser.kernels.contact.search.sphere_tree import build_balls
from grouser.kernels.contact.search.tables import (
    Meeting,
    Reach,
    Surface,
    grow_pair_list,
    make_cloud,
    make_pair_list,
    make_search_work,
    make_surface,
    make_touch_list,
)
from grouser.kernels.contact.search.touch import find_touches

NEAR = 5e-3
"""Largest distance of the points from the surface [m]."""
PEERS = {"open3d": "Open3D", "igl": "libigl"}


def make_terrain(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and triangles, 2 `count`^2 of them, of a wavy square of one metre."""
    s, t = np.meshgrid(*[np.linspace(0.0, 1.0, count + 1)] * 2, indexing="ij")
    height = 0.05 * np.sin(9.0 * s) * np.cos(7.0 * t) + 0.01 * np.sin(40.0 * s + 13.0 * t)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count), np.arange(count), indexing="ij"))
    a, b = i * (count + 1) + j, (i + 1) * (count + 1) + j
    triangles = np.concatenate([np.stack([a, b, b + 1], axis=1), np.stack([a, b + 1, a + 1], axis=1)])
    return np.stack([s, t, height], axis=-1).reshape(-1, 3), triangles


def make_points(x: np.ndarray, triangles: np.ndarray, count: int, near: float = NEAR) -> np.ndarray:
    """Points no farther from the surface than `near`, on both sides."""
    rng = np.random.default_rng(0)
    corners = x[triangles[rng.integers(0, len(triangles), count)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    on = np.einsum("ij,ijk->ik", rng.dirichlet([1.0, 1.0, 1.0], count), corners)
    return on + rng.uniform(-near, near, (count, 1)) * normals


def measure(work: Callable[[], object], budget: float = 1.0) -> float:
    """Least time of the process [s]; `budget` [s] is what all repeats may take."""
    work()
    best, spent, repeats = np.inf, 0.0, 0
    while spent < budget or repeats < 5:
        start = time.process_time()
        work()
        taken = time.process_time() - start
        best, spent, repeats = min(best, taken), spent + taken, repeats + 1
    return best


def build(x: np.ndarray, triangles: np.ndarray) -> Surface:
    """A surface with its tree."""
    surface, n = make_surface(triangles, len(x)), len(triangles)
    build_boxes(surface, x, np.zeros((n, 3)), np.zeros(n, dtype=np.uint32))
    return surface


@dataclass
class Bench:
    """A surface and points, bound for compiled code."""

    x: np.ndarray
    surface: Surface
    points: np.ndarray
    reach: Reach

    def __post_init__(self) -> None:
        """Bind all, and make the list long enough."""
        count = len(self.points)
        self.cloud, self.centre = make_cloud(count), np.zeros((count, 3))
        build_balls(self.cloud, self.points, self.centre)
        given = self.surface, self.x, self.cloud, self.points, np.zeros(3), np.eye(3), self.reach
        self.meeting, self.work = Packed(Meeting(*given)), Packed(make_search_work(self.cloud))
        self.guide = np.zeros((count, 4))
        self.pair, self.touch = make_pair_list(count, 64), make_touch_list(3 * count + 3)
        while not self.search():
            self.pair = grow_pair_list(self.pair)

    def search(self) -> bool:
        """From nothing: no point remembers anything."""
        self.guide[:] = 0.0
        return self.search_again()

    def search_again(self) -> bool:
        """From what points remember."""
        return find_candidates(self.meeting, 0.0, self.guide, Packed(self.pair), self.work)

    def search_unordered(self) -> None:
        """The same, with points that have no tree yet."""
        build_balls(self.cloud, self.points, self.centre)
        self.search()

    def step(self, gone: float) -> Callable[[], object]:
        """What a step does while the list is valid."""
        packed, moves, touch = Packed(self.pair), Moves(gone, 0.0), Packed(self.touch)
        return lambda: find_touches(self.meeting, packed, moves, self.guide, self.guide, touch)


def print_surface(count: int) -> tuple[np.ndarray, np.ndarray, Surface]:
    """Build, refit and memory of a surface of 2 `count`^2 triangles."""
    x, triangles = make_terrain(count)
    n = len(triangles)
    centre, index, surface = np.zeros((n, 3)), np.zeros(n, dtype=np.uint32), make_surface(triangles, len(x))
    built = measure(lambda: build_boxes(surface, x, centre, index))
    surface = make_surface(triangles, len(x))
    start = time.process_time()
    build_boxes(surface, x, centre, index)
    built = max(built, time.process_time() - start)
    refitted = measure(lambda: refit_boxes(surface, x))
    kept = sum(array.nbytes for array in surface[:-1]) / n
    taken = kept + (centre.nbytes + index.nbytes) / n
    print(f"{n:9d} triangles   build {built:6.3f} s   refit {1e3 * refitted:7.3f} ms   ", end="")
    print(f"{kept:4.0f} bytes a triangle, {taken:4.0f} while it is built")
    return x, triangles, surface


def print_search(x: np.ndarray, triangles: np.ndarray, surface: Surface, count: int) -> None:
    """Search from nothing: closest points within 5 mm, of points without an order."""
    bench = Bench(x, surface, make_points(x, triangles, count), Reach(NEAR, NEAR, 0.0))
    alone = Bench(x, surface, bench.points, Reach(0.0, NEAR, 0.0))
    cost, ordered = 1e6 * measure(alone.search_unordered) / count, 1e6 * measure(alone.search) / count
    n = len(triangles)
    print(
        f"{n:9d} triangles, {count:7d} points   {cost:6.3f} us a point, {ordered:6.3f} with a tree of spheres", end=""
    )
    print(f"   {1e3 * cost / log2(n):5.1f} ns log2 n")


def print_steps(x: np.ndarray, triangles: np.ndarray, surface: Surface, count: int) -> None:
    """Steps with a list, for some skins: at its begin, its middle and its end."""
    for near, radius in ((1e-3, 0.0), (1e-3, 1e-3), (NEAR, 0.0)):
        for skin in (1e-4, 2e-4, 5e-4):
            bench = Bench(x, surface, make_points(x, triangles, count, near), Reach(radius, near, skin))
            listed = int(bench.pair.count[0])
            costs = [1e6 * measure(bench.step(share * skin), 0.3) / listed for share in (0.0, 0.5, 1.0)]
            search = 1e6 * measure(bench.search, 0.3) / count
            begin, middle, end = (f"{cost:6.3f}" for cost in costs)
            print(f"points to {1e3 * near:.0f} mm, radius {1e3 * radius:.0f} mm, skin {1e3 * skin:.1f} mm   ", end="")
            print(f"{begin} {middle} {end} us a listed point   list {search:6.3f} us a point, ", end="")
            print(f"{bench.pair.count[1] / listed:5.1f} candidates")


def print_touching(quick: bool) -> None:
    """A ball of m points on a surface of n triangles, near in some dozen points however many there are: what is far is
    cut off on both sides at once."""
    for count in (22, 71, 224) if quick else (22, 71, 224, 707):
        x, triangles = make_terrain(count)
        x[:, 2] = 0.0
        surface = build(x, triangles)
        for points in (1000, 10_000, 100_000) if quick else (1000, 10_000, 100_000, 1_000_000):
            k = np.arange(points) + 0.5
            z, angle = 1.0 - 2.0 * k / points, np.pi * (1.0 + 5.0**0.5) * k
            width = np.sqrt(1.0 - z * z)
            ball = 0.3 * np.stack([width * np.cos(angle), width * np.sin(angle), z], axis=1) + [0.5, 0.5, 0.3]
            ball[:, 2] -= 10.0 / points
            bench = Bench(x, surface, np.ascontiguousarray(ball), Reach(0.0, 10.0 / points, 0.0))
            cost, n = 1e6 * measure(bench.search_again, 0.2), len(triangles)
            near = bench.pair.count[0]
            print(f"{points:8d} points, {n:8d} triangles, near {near:3d}   {cost:8.1f} us", end="")
            print(f"   {1e3 * cost / (log2(points) * log2(n)):6.1f} ns log2 m log2 n")


def find_peers(x: np.ndarray, triangles: np.ndarray, points: np.ndarray) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name of each peer that is there, and what builds its tree and returns its search."""
    for module, name in PEERS.items():
        try:
            peer = importlib.import_module(module)
        except ImportError as fault:
            print(f"{name} is missing ({fault}): pip install open3d libigl")
            continue
        version = getattr(peer, "__version__", "")
        if module == "open3d":

            def make(peer=peer):
                scene = peer.t.geometry.RaycastingScene(nthreads=1)
                scene.add_triangles(
                    peer.core.Tensor(x.astype(np.float32)), peer.core.Tensor(triangles.astype(np.uint32))
                )
                query = peer.core.Tensor(points.astype(np.float32))
                return lambda: scene.compute_closest_points(query, nthreads=1)

        else:

            def make(peer=peer):
                tree = peer.AABB()
                tree.init(x, triangles)
                return lambda: tree.squared_distance(x, triangles, points)

        yield f"{name} {version}", make


def print_peers(x: np.ndarray, triangles: np.ndarray, count: int) -> None:
    """Peers on the same points, in random order, and in that of our tree."""
    points = make_points(x, triangles, count)
    cloud = make_cloud(count)
    build_balls(cloud, points, np.zeros((count, 3)))
    for how, query in (("random", points), ("sorted", points[cloud.order])):
        for name, make in find_peers(x, triangles, query):
            start = time.process_time()
            work = make()
            work()  # Open3D builds when it is first asked
            built, cost = time.process_time() - start, 1e6 * measure(work) / count
            print(f"{name:16s} {len(triangles):9d} triangles, {how}   build {built:6.3f} s   {cost:6.3f} us a point")


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    for name in ("OMP_NUM_THREADS", "TBB_NUM_THREADS", "IGL_NUM_THREADS"):  # peers read them when they are imported
        os.environ.setdefault(name, "1")
    parser.add_argument("--quick", action="store_true", help="small surfaces only")
    options = parser.parse_args()
    surfaces = [print_surface(count) for count in ((22, 71, 224) if options.quick else (22, 71, 224, 707))]
    for given in surfaces:
        print_search(*given, 10_000)
    print_steps(*surfaces[-1], 10_000)
    print_touching(options.quick)
    print_peers(*surfaces[-1][:2], 10_000)


if __name__ == "__main__":
    main()
