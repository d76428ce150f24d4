"""Flexible meshes in runs: statics, frequencies, waves, momenta, and agreement of elements and integrators."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grouser as gr
from grouser.mesh.make import make_mesh_data
from grouser.prepare import prepare
from grouser.presets import find_preset

YOUNG, DENSITY, LENGTH, WIDTH, HEIGHT = 2.0e7, 1200.0, 0.5, 0.02, 0.04
AREA, SECOND = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12.0
MATERIAL = {"type": "linear", "young": YOUNG, "poisson": 0.0, "density": DENSITY}


def make_cantilever(element: str, *, damping: float = 0.0, count: int = 10) -> gr.Model:
    """A beam along x that is clamped at its start; weight bends it about y."""
    builder = gr.ModelBuilder(element)
    if element == "brick":
        builder.add_mesh(
            "beam", "block", origin=(0.0, -0.5 * WIDTH, -0.5 * HEIGHT), sides=(LENGTH, WIDTH, HEIGHT),
            counts=(count, 1, 1), material={**MATERIAL, "dilatational": damping, "deviatoric": damping}, fixed=["x0"],
        )  # fmt: skip
    else:
        # thin beams are clamped in the middle of their first edge
        is_thin = element == "beam_thin"
        section = {"area": AREA, "iy": SECOND} if is_thin else {"rectangle": (WIDTH, HEIGHT)}
        builder.add_mesh(
            "beam", "line", start=(-0.5 * LENGTH / (count - 0.5) if is_thin else 0.0, 0.0, 0.0), end=(LENGTH, 0.0, 0.0),
            count=count, element=element, material={**MATERIAL, "damping": damping}, section=section,
            fixed=["start_edge" if is_thin else "start"],
        )  # fmt: skip
    return builder.build()


def find_tip(model: gr.Model, result: gr.Result) -> np.ndarray:
    """Mean place of the free end in every frame."""
    data = make_mesh_data(model.meshes["beam"])
    end = data.node_sets["x1" if "x1" in data.node_sets else "end"]
    return np.mean([result[f"beam.{i}.position"] for i in end], axis=0)


@pytest.mark.parametrize("element", ["brick", "beam_thick", "beam_thin"])
@pytest.mark.parametrize("way", [("penalty", "trapezoidal"), ("implicit", "sdirk"), ("implicit", "generalised-alpha")])
def test_a_cantilever_swings_with_the_frequency_of_euler_and_bernoulli(element, way):
    model = make_cantilever(element)
    omega = 1.8751**2 * math.sqrt(YOUNG * SECOND / (DENSITY * AREA * LENGTH**4))
    period = 2.0 * math.pi / omega
    result = gr.simulate(model, duration=period, preset=find_preset(way[0]).with_integrator(way[1]))
    height = find_tip(model, result)[:, 2]
    sag = DENSITY * AREA * 9.81 * LENGTH**4 / (8.0 * YOUNG * SECOND)
    # it falls by about twice the static sag, and is back after a period
    assert height.min() == pytest.approx(-2.0 * sag, rel=0.05)
    lowest = result.time[np.argmin(height)]
    assert lowest == pytest.approx(0.5 * period, rel=0.05)
    assert result.summary["energy_residual"] < 0.01


@pytest.mark.parametrize("element", ["brick", "beam_thick", "beam_thin"])
def test_a_settled_cantilever_sags_as_beam_theory_says(element):
    model = make_cantilever(element, damping=0.05, count=20)
    result = gr.simulate(model, duration=1.5, preset="implicit")
    sag = DENSITY * AREA * 9.81 * LENGTH**4 / (8.0 * YOUNG * SECOND)
    assert find_tip(model, result)[-1, 2] == pytest.approx(-sag, rel=0.02)


@pytest.mark.parametrize("element", ["truss", "beam_thin", "beam_thick", "brick"])
def test_a_wave_runs_along_a_bar_with_the_speed_of_sound(element):
    builder = gr.ModelBuilder("bar", gravity=(0.0, 0.0, 0.0))
    motion = {"velocity": (1.0, 0.0, 0.0)}
    if element == "brick":
        material = {**MATERIAL, "dilatational": 2e-5, "deviatoric": 2e-5}
        builder.add_mesh(
            "bar", "block", sides=(1.0, WIDTH, HEIGHT), counts=(200, 1, 1), material=material, fixed=["x1"], **motion
        )
    else:
        builder.add_mesh(
            "bar", "line", start=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0), count=200, element=element, fixed=["end"],
            material={**MATERIAL, "damping": 2e-5}, section={"area": AREA, "iy": SECOND, "iz": SECOND, "j": SECOND},
            **motion,
        )  # fmt: skip
    speed = math.sqrt(YOUNG / DENSITY)
    result = gr.simulate(builder.build(), duration=0.8 / speed, output_interval=0.002 / speed, preset="penalty")
    # the bar meets its fixed end at 1 m/s: a front of stress E v/c runs back from there
    channel, front = ("stress_xx", YOUNG / speed) if element == "brick" else ("force", YOUNG * AREA / speed)
    force = -np.array([result[f"bar.{element}.{i}.{channel}"] for i in (150, 100, 50)])
    passed = [result.time[np.argmax(one > 0.5 * front)] for one in force]
    places = 1.0 - np.array([150.5, 100.5, 50.5]) / 200.0
    assert np.diff(places) / np.diff(passed) == pytest.approx(speed, rel=0.01)
    assert np.median(force[0][-50:]) == pytest.approx(front, rel=0.02)


@pytest.mark.parametrize("element", ["brick", "beam_thick", "beam_thin"])
def test_a_flying_mesh_keeps_energy_and_momentum(element):
    builder = gr.ModelBuilder("flying", gravity=(0.0, 0.0, 0.0))
    motion = {"velocity": (0.5, 0.2, -0.1), "angular_velocity": (3.0, 5.0, -8.0)}
    if element == "brick":
        builder.add_mesh(
            "m", "block", origin=(0, 0, 0), sides=(0.4, 0.05, 0.05), counts=(6, 1, 1), material=MATERIAL, **motion
        )
    else:
        section = {"circle": 0.03}
        builder.add_mesh(
            "m", "line", start=(0, 0, 0), end=(0.4, 0.0, 0.0), count=8, element=element, material=MATERIAL,
            section=section, **motion,
        )  # fmt: skip
    model = builder.build()
    result = gr.simulate(model, duration=0.5, preset="penalty")
    energy = result["energy.kinetic"] + result["energy.stored_elements"]
    assert np.abs(energy - energy[0]).max() < 2e-3 * energy[0]
    compiled, _ = prepare(model, "penalty")
    kind = "body" if element == "beam_thick" else "node"
    names = compiled.layout.bodies if element == "beam_thick" else compiled.layout.points
    speed, _ = result.block(f"{kind}/velocity", names)
    mass = compiled.tables.node.mass[compiled.tables.node.mass > 0.0]
    if element != "beam_thick":
        momentum = np.einsum("n,fni->fi", mass, speed)
        np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)


def test_bricks_bonded_to_a_body_move_with_it():
    builder = gr.ModelBuilder("bonded")
    builder.add_body("plate", 3.0, (0.05, 0.05, 0.08), position=(0.0, 0.0, 0.2))
    builder.add_joint("hinge", "revolute", "world", "plate", point=(-0.1, 0.0, 0.2), axis=(0.0, 1.0, 0.0))
    builder.add_mesh(
        "pad", "block", origin=(-0.1, -0.05, 0.1), sides=(0.2, 0.1, 0.1), counts=(2, 1, 1),
        material={**MATERIAL, "dilatational": 1e-4, "deviatoric": 1e-4}, bonded={"z1": "plate"},
    )  # fmt: skip
    model = builder.build()
    results = [gr.simulate(model, duration=0.3, preset=preset) for preset in ("penalty", "implicit")]
    for result in results:
        place, turn = result["plate.position"], result.calc_rotations(["plate"])[:, 0]
        data = make_mesh_data(model.meshes["pad"])
        for i in data.bonded["plate"]:
            expected = place + turn @ (data.nodes[i] - np.array((0.0, 0.0, 0.2)))
            np.testing.assert_allclose(result[f"pad.{i}.position"], expected, atol=1e-9)
        assert result.summary["energy_residual"] < 0.01
    moved = np.abs(results[0]["plate.position"] - results[0]["plate.position"][0]).max()
    assert np.abs(results[0]["plate.position"] - results[1]["plate.position"]).max() < 5e-3 * moved
