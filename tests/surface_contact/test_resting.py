"""Which weight the stable step reckons with where surfaces rub: what may rest on them, not all that the model has."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.compile.resting import find_weights
from grouser.prepare import prepare
from grouser.presets import find_preset

G = 9.81
FRICTION = {"model": "tanh", "mu": 0.5, "velocity": 0.01}


def add_box(builder, name, mass, height):
    """A cube of 1 m."""
    builder.add_body(name, mass, (mass / 6.0,) * 3, position=(0.0, 0.0, height))
    builder.add_surface(f"{name}_face", name, group=name, geometry={"type": "box", "sides": [1, 1, 1]}, edge_length=2.0)


def make_pile(masses, *, slides=False, stands=False):
    """Boxes on each other. The lowest one is free, slides along a joint to the world, or stands on the ground."""
    builder = gr.ModelBuilder("pile")
    law = {"stiffness": 1e5, "friction": FRICTION}
    for k, mass in enumerate(masses):
        add_box(builder, f"box{k}", mass, 0.5 + k)
        if k:
            builder.add_contact(f"on{k}", f"box{k}", f"box{k - 1}", **law)
    if slides:
        builder.add_joint("way", "prismatic", "world", "box0", axis=(1, 0, 0))
    if stands:
        builder.set_terrain({"type": "plane"})
        builder.add_contact("ground", "box0", "terrain", **law)
    return builder


def find_step(model):
    return prepare(model, find_preset("penalty"))[1].step


def weigh(model):
    """Masses [kg] that may rest on each contact."""
    compiled, _ = prepare(model, find_preset("penalty"))
    found = find_weights(compiled.tables, compiled.surfaces, G * model.mass)
    names = list(model.contacts)
    return {names[m.group]: w / G for m, w in zip(compiled.surfaces.meetings, found, strict=True)}


def test_what_rests_on_a_contact_is_the_lighter_side():
    assert weigh(make_pile([1000.0, 10.0]).build()) == pytest.approx({"on1": 10.0})
    assert weigh(make_pile([1000.0, 10.0], slides=True).build()) == pytest.approx({"on1": 10.0})
    # what the world holds may be pressed upon by all that is above
    assert weigh(make_pile([1.0, 10.0, 500.0], stands=True).build()) == pytest.approx(
        {"on1": 510.0, "on2": 500.0, "ground": 511.0}
    )
    # a spring makes two boxes one part; one to the world holds it
    builder = make_pile([1000.0, 10.0])
    add_box(builder, "further", 7.0, 5.0)
    builder.add_spring("tie", "further", "box1", point_a=(0, 0, 4.5), point_b=(0, 0, 2.0), stiffness=10.0, free=1.0)
    assert weigh(builder.build()) == pytest.approx({"on1": 17.0})
    builder.add_spring("hook", "further", "world", point_a=(0, 0, 5.5), point_b=(0, 0, 9.0), stiffness=10.0, free=1.0)
    assert weigh(builder.build()) == pytest.approx({"on1": 1000.0})


def test_a_heavy_body_does_not_make_the_step_tiny():
    """Of a box that slides on a slab, however heavy the slab is; a heavy box on a light one still counts."""
    steps = [find_step(make_pile([mass, 10.0], slides=True).build()) for mass in (1e3, 1e6)]
    assert steps[1] == pytest.approx(steps[0], rel=0.01)
    on_light = [find_step(make_pile([10.0, mass], stands=True).build()) for mass in (10.0, 1e3)]
    assert on_light[1] < 0.1 * on_light[0]


def test_a_box_slides_to_rest_on_a_heavy_slab():
    """With the step that follows: as friction has it, energy accounted for."""
    builder = gr.ModelBuilder("slab")
    add_box(builder, "slab", 1e6, -0.5)
    builder.add_joint("hold", "fixed", "world", "slab")
    sunk = 10.0 * G / 4e5
    builder.add_body("box", 10.0, (0.1, 0.1, 0.1), position=(-0.3, 0.0, 0.05 - sunk), velocity=(1.0, 0.0, 0.0))
    builder.add_surface("sole", "box", group="box", geometry={"type": "box", "sides": [0.1] * 3}, points="none")
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    builder.add_shape("feet", "points", "box", group="feet", positions=corners)
    builder.add_contact("rub", "feet", "slab", stiffness=1e5, damping=500.0, friction=FRICTION)
    result = gr.simulate(builder.build(), preset="penalty", duration=0.5, settle=False)
    assert result["box.position"][-1, 0] == pytest.approx(-0.3 + 0.5 / (0.5 * G), rel=0.01)
    residual = result["energy.residual"][1:]  # in the first frame the slab sinks into its joint
    assert np.ptp(residual) < 1e-3 * 5.0
