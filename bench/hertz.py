"""A ball of bricks that is pressed on a plane, beside Hertz: force, contact radius, distribution of the pressure.

    python bench/hertz.py               meshes, penalties, how far it is pressed, and a larger ball for the plane
    python bench/hertz.py --pictures    a figure in docs/images

Half a ball is held by a rigid body at its middle plane, and driven towards the plane by d. By symmetry that is a ball
between two plates. Hertz has, with E* = E/(1 - nu^2),

    F = 4/3 E* sqrt(R) d^1.5,   a = (3/4 F R/E*)^(1/3),   p = p0 sqrt(1 - r^2/a^2),   p0 = 3/2 F/(pi a^2)       (1)

The contact radius is measured by the second moment of the pressures of contact points, <r^2> = 2/5 a^2. How deep points
sink into the plane, weighted by their pressures, is the softness of the penalty; it is taken off d. The ball is not a
half-space: near the middle plane the force of the other plate has moved it by d0 = F/(pi E R) ((1 + nu)/4 +
(1 - nu^2)/2), the motion of a half-space at the distance R and 2R of forces on its border, so F is higher by 0.55 a/R.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import grouser as gr
from grouser.mesh.data import MeshData
from grouser.mesh.make import make_mesh_data
from grouser.mesh.trilinear import EDGES

FIGURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "hertz.png"
RADIUS, YOUNG, POISSON = 0.1, 1.0e6, 0.3
EFFECTIVE = YOUNG / (1.0 - POISSON**2)
RUBBER = {
    "type": "neo_hookean",
    "shear": 0.5 * YOUNG / (1.0 + POISSON),
    "bulk": YOUNG / (3.0 - 6.0 * POISSON),
    "density": 1000.0,
    "dilatational": 1e-5,
    "deviatoric": 1e-5,
}
RAMP, REST = 0.05, 0.01
"""Time in which it is pressed, some five periods of its slowest motion, and time after that [s]."""
STIFF = 8.0
"""Stiffness of the penalty per area over E*/h, h the edges of the facets."""


@dataclass(frozen=True)
class Pressed:
    """What was measured, over what Hertz has.

    Attributes
    ----------
    bricks, seconds : elements, and processor time [s]
    force : over that for the way d
    pure : over that for d without the depth of the penalty
    radius : contact radius by its second moment, over that for the measured force
    depth : by which points sink into the plane, over d
    spread : root mean square of pressures less those of Hertz, over theirs
    residual : of the energy
    distance, pressure : of contact points from the axis over a, and pressures over p0
    """

    bricks: int
    seconds: float
    force: float
    pure: float
    radius: float
    depth: float
    spread: float
    residual: float
    distance: np.ndarray
    pressure: np.ndarray


def start_model(count: int, edge: float, way: float) -> gr.ModelBuilder:
    """Half a ball that is driven down by a way [m], with edges [m] at its pole."""
    builder = gr.ModelBuilder("ball", gravity=(0.0, 0.0, 0.0))
    builder.add_body("holder", 1.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, RADIUS))
    builder.add_joint("down", "prismatic", "world", "holder", point=(0.0, 0.0, RADIUS), axis=(0.0, 0.0, -1.0))
    share = f"min(t/{RAMP}, 1)"
    builder.add_motion("press", "down", position=f"{way}*({share} - sin(2*pi*{share})/(2*pi))")
    shape = {"radius": RADIUS, "count": count, "edge_bottom": edge, "is_half": True}
    builder.add_mesh("ball", "ball", **shape, position=(0.0, 0.0, RADIUS), material=RUBBER, bonded={"middle": "holder"})
    builder.add_surface("skin", mesh="ball", group="ball", faces="lower")
    return builder


def press(count: int, facets: float, ratio: float = 0.05, softness: float = 1.0) -> Pressed:
    """Press a ball, and measure.

    Parameters
    ----------
    count : elements along a quarter of its equator
    facets : so many of the edges at the pole lie along the contact radius
    ratio : contact radius over the radius of the ball
    softness : of the penalty, 1 as above
    """
    way, edge = ratio**2 * RADIUS, ratio * RADIUS / facets
    stiffness = STIFF * EFFECTIVE / edge / softness
    builder = start_model(count, edge, way)
    builder.set_terrain({"type": "plane"})
    builder.add_contact("ground", "ball", "terrain", stiffness=stiffness, per="area")
    model = builder.build()
    start = time.process_time()
    result, force = run(model)
    seconds = time.process_time() - start
    data = make_mesh_data(model.meshes["ball"])
    r, p, area = find_pressures(result, data, 3.0 * ratio * RADIUS, stiffness)
    radius = math.sqrt(2.5 * (p * area * r**2).sum() / (p * area).sum())
    depth = float((p * p * area).sum() / (p * area).sum()) / stiffness
    peak = 1.5 * force / (math.pi * radius**2)
    smooth = peak * np.sqrt(np.maximum(0.0, 1.0 - (r / radius) ** 2))
    return Pressed(
        bricks=len(data.brick.node),
        seconds=seconds,
        force=force / calc_force(way),
        pure=force / calc_force(way - depth),
        radius=radius / (0.75 * force * RADIUS / EFFECTIVE) ** (1.0 / 3.0),
        depth=depth / way,
        spread=math.sqrt(((p - smooth) ** 2 * area).sum() / (smooth**2 * area).sum()),
        residual=float(result.summary["energy_residual"]),
        distance=r / radius,
        pressure=p / peak,
    )


def press_on_ball(count: int, facets: float, ratio: float = 0.05) -> tuple[float, float]:
    """A ball on one twice as large and half as stiff: force over that by (1) with 1/R and 1/E* of both added, and what
    is due to both being finite. The depth of the penalty is that of pressures as by (1); `ratio` is a over the smaller
    radius."""
    effective, curved = EFFECTIVE / 3.0, RADIUS / 1.5
    way, edge = (ratio * RADIUS) ** 2 / curved, ratio * RADIUS / facets
    builder = start_model(count, edge, way)
    soft = RUBBER | {name: 0.5 * RUBBER[name] for name in ("shear", "bulk")}
    shape = {"radius": 2.0 * RADIUS, "count": count, "edge_bottom": edge, "is_half": True}
    turned = {"position": (0.0, 0.0, -2.0 * RADIUS), "orientation": (0.0, 1.0, 0.0, 0.0)}
    builder.add_mesh("large", "ball", **shape, **turned, material=soft, fixed=["middle"])
    builder.add_surface("large_skin", mesh="large", group="large", faces="lower")
    stiffness = STIFF * EFFECTIVE / edge
    builder.add_contact("ground", "ball", "large", stiffness=stiffness, per="area", two_way=True)
    force = run(builder.build())[1]
    depth = 0.75 * 1.5 * force / (math.pi * (ratio * RADIUS) ** 2) / stiffness
    return force / calc_force(way - depth, effective, curved), 1.0 + 2.0 / 3.0 * (calc_finite(ratio) - 1.0)


def run(model: gr.Model) -> tuple[gr.Result, float]:
    """Press, and the force in the end [N]."""
    result = gr.simulate(model, preset="penalty", duration=RAMP + REST, settle=False, output_interval=1e-3)
    return result, float(result["ground.normal"][result.time > RAMP].mean())


def calc_force(way: float, effective: float = EFFECTIVE, radius: float = RADIUS) -> float:
    """By (1) [N]."""
    return 4.0 / 3.0 * effective * math.sqrt(radius) * way**1.5


def calc_finite(ratio: float) -> float:
    """Force over that by (1) for a ball between two plates, to the first order in a/R."""
    share = 0.25 * (1.0 + POISSON) + 0.5 * (1.0 - POISSON**2)  # d0 = F/(pi E R) of it, and F = 4/3 E* a^3/R
    return 1.0 + 1.5 * 4.0 / 3.0 / math.pi / (1.0 - POISSON**2) * share * ratio


def find_pressures(
    result: gr.Result, data: MeshData, reach: float, stiffness: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distance from the axis [m], pressure [Pa] and area [m^2] of the contact points within reach, at the end."""
    faces = data.surface_sets["lower"]
    x = data.nodes[faces]
    areas = 0.5 * np.linalg.norm(np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]), axis=1)
    shares = np.bincount(faces.ravel(), np.repeat(0.25 * areas, 4), len(data.nodes))
    near = [i for i in data.node_sets["lower"] if np.hypot(*data.nodes[i, :2]) < reach]
    place = np.array([result[f"ball.{i}.position"][-1] for i in near])
    return np.hypot(place[:, 0], place[:, 1]), stiffness * np.maximum(-place[:, 2], 0.0), shares[near]


def draw() -> None:
    """Pressures of two meshes beside Hertz, and the finer mesh in section."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained")
    r = np.linspace(0.0, 1.0, 200)
    left.plot(r, np.sqrt(1.0 - r * r), "k", label="Hertz")
    for (count, facets), mark in (((4, 3), "s"), ((8, 5), ".")):
        found = press(count, facets)
        near = found.distance < 1.4
        left.plot(found.distance[near], found.pressure[near], mark, label=f"{found.bricks} bricks", alpha=0.6)
    left.set(xlabel="distance from the axis over contact radius", ylabel="pressure over that of Hertz in the middle")
    left.legend()
    data = make_mesh_data(start_model(8, 0.05 * RADIUS / 5.0, 0.0).build().meshes["ball"])
    edges = np.unique(np.sort(data.brick.node[:, EDGES].reshape(-1, 2), axis=1), axis=0)
    edges = edges[(np.abs(data.nodes[edges, 1]) < 1e-12).all(axis=1)]
    for axis, width in ((right, 0.5), (right.inset_axes((0.66, 0.66, 0.34, 0.34)), 0.4)):
        axis.add_collection(LineCollection(data.nodes[edges][:, :, [0, 2]] / RADIUS, colors="C0", linewidths=width))
        axis.set_aspect("equal")
        if axis is right:
            axis.set(xlim=(-1.02, 1.02), ylim=(-0.02, 1.75), xlabel="x/R", ylabel="z/R")
        else:
            axis.set(xlim=(-0.1, 0.1), ylim=(-0.005, 0.105), xticks=[-0.05, 0.05], yticks=[0.0, 0.1])
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=110)
    print(FIGURE)


def show(name: str, found: Pressed) -> None:
    """A row."""
    print(
        f"{name:34s} {found.bricks:6d} bricks {found.seconds:6.1f} s  F {found.force:.4f}, "
        f"without depth {found.pure:.4f}  a {found.radius:.4f}  depth {found.depth:.4f}  p {found.spread:.3f}  "
        f"energy {found.residual:.1e}"
    )


def main() -> None:
    """Print rows, or draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", action="store_true")
    wanted = parser.parse_args()
    if wanted.pictures:
        draw()
        return
    print(f"a finite ball, a/R 0.05: F {calc_finite(0.05):.4f}")
    for count, facets in ((4, 3), (6, 4), (8, 5), (12, 7)):
        show(f"{count} a quarter, {facets} facets along a", press(count, facets))
    for softness in (0.5, 2.0):
        show(f"6 a quarter, penalty softer by {softness}", press(6, 4, softness=softness))
    for ratio in (0.1, 0.2):
        show(f"8 a quarter, a/R {ratio}: {calc_finite(ratio):.4f}", press(8, 5, ratio))
    print("on a ball twice as large, half as stiff: F {:.4f}, {:.4f} as both are finite".format(*press_on_ball(6, 4)))


if __name__ == "__main__":
    main()
