"""Contacts of surfaces against closed forms: stick and slip, belts on drums, a flexible wheel."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grouser as gr

MU = 0.3
DRUM = 0.2
"""Radius of a drum [m]."""


def make_dragged_block(mass=2.0, stiffness=200.0, speed=0.2):
    """A block on a belt that moves on, held back by a spring to the world."""
    builder = gr.ModelBuilder("dragged")
    builder.add_body("belt", 5.0, (1.0, 1.0, 1.0), position=(0, 0, -0.1), velocity=(speed, 0, 0))
    builder.add_joint("way", "prismatic", "world", "belt", point=(0, 0, -0.1), axis=(1, 0, 0))
    builder.add_motion("drive", "way", speed=[(0.0, speed), (10.0, speed)])
    builder.add_surface("belt_top", "belt", group="belt", geometry={"type": "box", "sides": [4.0, 1.0, 0.2]})
    builder.add_body(
        "block", mass, (0.01, 0.01, 0.02), position=(0, 0, 0.05 - mass * 9.81 / 1e6), velocity=(speed, 0, 0)
    )
    builder.add_joint("straight", "planar", "world", "block", point=(0, 0, 0), axis=(0, 1, 0))
    sides = {"type": "box", "sides": [0.2, 0.2, 0.1]}
    builder.add_surface("block_face", "block", group="block", geometry=sides, edge_length=0.25)
    builder.add_spring("pull", "world", "block", point_a=(-1.0, 0, 0), point_b=(0, 0, 0), stiffness=stiffness, free=1.0)
    friction = {"model": "asperity", "mu": MU, "velocity": 1e-3, "stiffness": 1e5}
    builder.add_contact("grip", "block", "belt", stiffness=2.5e5, damping=200.0, friction=friction)
    return builder.build(), MU * mass * 9.81 / stiffness, math.sqrt(stiffness / mass), speed


def test_a_block_on_a_belt_sticks_and_slips():
    """It goes with the belt until the spring pulls as hard as friction, and then swings about that place: x = x1 + V/w
    sin(w (t - t1)), where for a moment it goes as fast as the belt again."""
    model, reach, frequency, speed = make_dragged_block()
    result = gr.simulate(model, preset="penalty", duration=1.5, settle=False)
    t, x = result.time, result["block.position"][:, 0]
    begun = reach / speed
    expected = np.where(t < begun, speed * t, reach + speed / frequency * np.sin(frequency * (t - begun)))
    assert np.abs(x - expected).max() < 5e-3 * expected.max()
    assert t[-1] > begun + 2.0 * math.pi / frequency  # a whole swing


def make_rope(radius=0.01, count=40, ends=4, free=0.1):
    """A rope of trusses over half of a drum of polygons that turns under it; its contact points are balls along it."""
    builder = gr.ModelBuilder("rope", gravity=(0.0, 0.0, 0.0))
    reach = DRUM + radius
    arc = [(reach * math.cos(a), 0.0, reach * math.sin(a)) for a in np.linspace(math.pi, 0.0, count + 1)]
    heights = np.linspace(-free, 0.0, ends + 1)[:-1]
    left, right = ([(side * reach, 0.0, height) for height in heights] for side in (-1.0, 1.0))
    material = {"type": "linear", "young": 2e7, "poisson": 0.3, "density": 300.0, "damping": 1e-4}
    line = {"element": "truss", "points": [*left, *arc, *right[::-1]], "section": {"circle": 2.0 * radius}}
    builder.add_mesh("rope", "line", **line, material=material, pre_strain=-0.02, fixed=["start", "end"])
    add_drum(builder)
    builder.add_surface("rope_surface", mesh="rope", group="rope")
    friction = {"model": "asperity", "mu": MU, "velocity": 0.05, "stiffness": 2e4}
    builder.add_contact("grip", "rope", "drum", stiffness=2e5, damping=20.0, friction=friction)
    return builder.build(), f"rope.truss.{ends - 1}.force", f"rope.truss.{count + ends}.force"


def add_drum(builder):
    """A drum of polygons that starts to turn."""
    builder.add_body("drum", 50.0, (1.0, 1.0, 1.0))
    builder.add_joint("axle", "revolute", "world", "drum", axis=(0.0, 1.0, 0.0))
    builder.add_motion("drive", "axle", speed=[(0.0, 0.0), (0.05, 5.0), (10.0, 5.0)])
    shape = {"type": "cylinder", "radius": DRUM, "length": 0.1}
    builder.add_surface("drum_surface", "drum", group="drum", geometry=shape, edge_length=0.02)


def make_belt(thickness=0.008, width=0.04, count=48, pull=100.0):
    """A belt of bricks over half of the drum, pulled at both ends by springs."""
    builder = gr.ModelBuilder("belt", gravity=(0.0, 0.0, 0.0))
    add_drum(builder)
    length = math.pi * (DRUM + 0.5 * thickness)
    material = {"type": "linear", "young": 2e7, "poisson": 0.0, "density": 1000.0}
    # its x axis runs over the drum from the left to the right, and bends away from z, which points outwards
    shape = {"sides": (length, width, thickness), "counts": (count, 1, 1), "bend": -(DRUM + 0.5 * thickness)}
    place = {"origin": (0.0, -0.5 * width, -0.5 * thickness), "position": (-(DRUM + 0.5 * thickness), 0.0, 0.0)}
    turn = {"orientation": (math.cos(math.pi / 4), 0.0, -math.sin(math.pi / 4), 0.0)}
    damped = {"dilatational": 1e-4, "deviatoric": 1e-4}
    bonded = {"x0": "left", "x1": "right"}
    for side, name in ((-1.0, "left"), (1.0, "right")):
        place_end = (side * (DRUM + 0.5 * thickness), 0.0, 0.0)
        builder.add_body(name, 0.05, (1e-4, 1e-4, 1e-4), position=place_end)
        below = (place_end[0], 0.0, -0.5)
        law = {"stiffness": 2e3, "damping": 5.0, "free": 0.5 - pull / 2e3}
        builder.add_spring(f"pull_{name}", "world", name, point_a=below, point_b=place_end, **law)
    builder.add_mesh("belt", "block", **shape, **place, **turn, material=material | damped, bonded=bonded)
    builder.add_surface("belt_surface", mesh="belt", group="belt", faces="z0")
    friction = {"model": "asperity", "mu": MU, "velocity": 0.05, "stiffness": 1e8}
    law = {"stiffness": 5e8, "damping": 1e5, "per": "area"}
    builder.add_contact("grip", "belt", "drum", **law, friction=friction)
    return builder.build(), "pull_left.force", "pull_right.force"


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_rope, make_belt], ids=["trusses", "bricks"])
def test_a_belt_that_slips_follows_the_capstan_formula(make):
    """The drum turns towards the right: the pulls of both ends have the ratio exp(mu pi)."""
    model, heavy, light = make()
    result = gr.simulate(model, preset="penalty", duration=0.4, settle=False)
    late = result.time > 0.25
    ratio = np.abs(result[heavy][late]).mean() / np.abs(result[light][late]).mean()
    assert ratio == pytest.approx(math.exp(MU * math.pi), rel=0.02)


def make_wheel(speed=3.0, radius=0.3, thickness=0.06):
    """A ring of bricks about a rim, that rolls on a plane."""
    builder = gr.ModelBuilder("wheel")
    builder.add_body("rim", 20.0, (0.6, 1.0, 0.6), position=(0, 0, radius), velocity=(speed, 0, 0))
    builder.add_joint("upright", "planar", "world", "rim", point=(0, 0, radius), axis=(0, 1, 0))
    rubber = {"type": "linear", "young": 1e6, "poisson": 0.3, "density": 1000.0}
    damped = {"dilatational": 1e-4, "deviatoric": 1e-4}
    ring = {"wheels": [{"centre": (0.0, 0.0), "radius": radius - thickness}], "width": 0.1, "thickness": thickness}
    motion = {"position": (0, 0, radius), "velocity": (speed, 0, 0)}
    builder.add_mesh(
        "tyre", "belt", **ring, counts=(48, 2, 2), **motion, material=rubber | damped, bonded={"inner": "rim"}
    )
    builder.add_surface("tread", mesh="tyre", group="tread", faces="outer")
    builder.set_terrain({"type": "plane"})
    friction = {"model": "asperity", "mu": 0.8, "stiffness": 1e8}
    builder.add_contact("ground", "tread", "terrain", stiffness=2e8, damping=1e5, per="area", friction=friction)
    return builder.build()


@pytest.mark.slow
def test_a_flexible_wheel_rolls():
    """It starts without turning, slips, and rolls: angular momentum about the ground, m V r, is then (m r^2 + I) w; the
    energy is accounted for."""
    radius, thickness, speed = 0.3, 0.06, 3.0
    result = gr.simulate(make_wheel(speed, radius, thickness), preset="implicit", duration=0.4, settle=False)
    late = result.time > 0.25
    found, spin = result["rim.velocity"][late, 0].mean(), result["rim.angular_velocity"][late, 1].mean()
    assert found / spin == pytest.approx(radius, rel=0.03)
    inner = radius - thickness
    tyre = 1000.0 * 0.1 * math.pi * (radius**2 - inner**2)
    mass, inertia = 20.0 + tyre, 1.0 + 0.5 * tyre * (radius**2 + inner**2)
    assert found == pytest.approx(speed / (1.0 + inertia / (mass * radius**2)), rel=0.03)
    assert result.summary["energy_residual"] < 2e-3
