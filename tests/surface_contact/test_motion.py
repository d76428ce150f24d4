"""Surfaces in motion: nothing bumps, nothing passes through, nothing creeps; runs go on as if nothing had been."""

from __future__ import annotations

import math

import numpy as np
import pytest
from surface_models import make_floor, make_run, make_soft_pair, make_turn

import grouser as gr
from grouser.kernels.contact.search.tables import make_pair_list

FASTEST = 30.0
"""Speed of a box that must not pass through a mesh [m/s]."""
LONG = 20000
"""Candidates for which there always is room."""
SETTLED = 2
"""Frames of a second after which a block has settled in."""


def make_ball(radius=0.2, mass=10.0):
    """A ball that rolls on an even floor of uneven triangles, sunk in as far as its weight asks for."""
    builder = gr.ModelBuilder("ball")
    stiffness, speed = 1e5, 1.0
    sunk = mass * 9.81 / stiffness
    motion = {"velocity": (speed, 0.3, 0.0), "angular_velocity": (-0.3 / radius, speed / radius, 0.0)}
    builder.add_body("ball", mass, (0.16, 0.16, 0.16), position=(-0.9, -0.5, radius - sunk), **motion)
    builder.add_shape("sphere", "sphere", "ball", group="ball", radius=radius)
    builder.set_terrain({"type": "mesh", "geometry": make_floor()})
    friction = {"model": "tanh", "mu": 0.5}
    builder.add_contact("ground", "ball", "terrain", stiffness=stiffness, friction=friction)
    return builder.build(), sunk


def make_box(direction, speed):
    """A box that falls on a mesh with a corner, an edge or a face first."""
    builder = gr.ModelBuilder("box")
    turned = make_turn(direction, (0.0, 0.0, -1.0))
    motion = {"orientation": turned, "velocity": (0.3, 0.1, -speed)}
    builder.add_body("box", 100.0, (16.7, 16.7, 16.7), position=(0.0, 0.0, 1.0), **motion)
    builder.add_surface("box_surface", "box", group="box", geometry={"type": "box", "sides": [1, 1, 1]})
    builder.set_terrain({"type": "mesh", "geometry": make_floor()})
    friction = {"model": "tanh", "mu": 0.5}
    builder.add_contact("ground", "box", "terrain", stiffness=1e5, damping=200.0, friction=friction)
    return builder.build()


def make_slope(angle, friction, *, soft=False):
    """A block at rest on a plane of triangles, or on a bed of bricks, with gravity turned by an angle."""
    builder = gr.ModelBuilder("slope", gravity=(9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle)))
    stiffness, mass, ground = 2e5, 10.0, "terrain"
    if soft:
        rubber = {"type": "linear", "density": 2000.0, "young": 2e6, "poisson": 0.3}
        damped = {"dilatational": 2e-3, "deviatoric": 2e-3}
        bed = {"sides": (1.2, 0.6, 0.1), "counts": (6, 3, 1), "position": (-0.6, -0.3, -0.1), "fixed": ["z0"]}
        builder.add_mesh("bed", "block", **bed, material=rubber | damped)
        builder.add_surface("bed_surface", mesh="bed", group="bed", faces="z1", points="none")
        ground = "bed"
    else:
        builder.set_terrain({"type": "mesh", "geometry": make_floor()})
    builder.add_body("block", mass, (0.1, 0.1, 0.15), position=(-0.2, 0.02, 0.1 - 1e-4))
    sides = {"type": "box", "sides": [0.3, 0.3, 0.2]}
    builder.add_surface("block_surface", "block", group="block", geometry=sides, edge_length=0.16)
    damping = 2.0 * math.sqrt(stiffness * mass) / 9.0
    builder.add_contact("ground", "block", ground, stiffness=stiffness, damping=damping, friction=friction)
    return builder.build()


def test_a_ball_rolls_over_the_edges_of_a_tessellated_plane():
    """In a model run: neither its height nor its speed feels the triangles."""
    model, sunk = make_ball()
    result = gr.simulate(model, preset="penalty", duration=1.5, output_interval=0.01)
    height, speed = result["ball.position"][:, 2], result["ball.velocity"]
    assert np.abs(height - (0.2 - sunk)).max() < 1e-9
    np.testing.assert_allclose(speed, [[1.0, 0.3, 0.0]] * len(speed), atol=1e-6)
    assert set(result["ground.count"].ravel()) == {1.0}


@pytest.mark.parametrize("speed", [5.0, FASTEST])
@pytest.mark.parametrize("direction", [(0, 0, -1), (0, 1, 1), (1, 1, 1)], ids=["face", "edge", "corner"])
def test_a_box_does_not_pass_through_a_mesh(direction, speed):
    """With the step that the program chooses, up to 30 m/s: it is thrown back, and no energy appears."""
    result = gr.simulate(make_box(direction, speed), preset="penalty", duration=0.3)
    assert result["box.velocity"][-1, 2] > 0.0
    assert result["box.position"][-1, 2] > 1.0 or speed < FASTEST
    begun = 0.5 * 100.0 * speed**2
    assert abs(result["energy.residual"]).max() < 0.02 * begun


def test_a_block_slides_with_the_right_acceleration():
    """Above the friction angle."""
    angle, mu = math.atan(0.6), 0.5
    model = make_slope(angle, {"model": "asperity", "mu": mu, "stiffness": 2e5})
    result = gr.simulate(model, preset="penalty", duration=0.3, settle=False)
    late = result.time > 0.1
    found = 2.0 * np.polyfit(result.time[late], result["block.position"][late, 0], 2)[0]
    assert found == pytest.approx(9.81 * (math.sin(angle) - mu * math.cos(angle)), rel=2e-3)


@pytest.mark.parametrize("soft", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["mesh", "bricks"])
def test_a_block_does_not_creep(soft):
    """Below the friction angle: less than 1e-6 m in 60 s."""
    model = make_slope(math.atan(0.4), {"model": "asperity", "mu": 0.5, "stiffness": 2e5}, soft=soft)
    result = gr.simulate(model, preset="implicit" if soft else "penalty", duration=60.0, output_interval=1.0)
    way = result["block.position"][SETTLED:, :2]
    assert np.abs(way - way[-1]).max() < 1e-6
    assert result["ground.friction"][-1, 0] < 0.0


def test_results_do_not_depend_on_how_long_lists_are():
    """A frame whose lists were too short is made again, to the last bit."""
    found = []
    for capacity in (1, LONG):
        _, solver, state, step = make_run(make_soft_pair({"model": "asperity", "mu": 0.5, "stiffness": 1e7}))
        encounters = solver.work.encounter
        short = [encounters[0]]
        short += [one._replace(pair=make_pair_list(len(one.points), capacity)) for one in encounters[1:]]
        solver.equations.set_encounters(short)
        for _ in range(5):
            assert solver.advance(state, 10, 0.5 * step)[0] == 0
        found.append((state.x.tobytes(), state.anchor.tobytes(), len(solver.work.encounter[1].pair.polygon)))
    assert found[0][:2] == found[1][:2]
    assert 1 < found[0][2] < found[1][2] == LONG


def test_a_session_goes_back_to_a_snapshot():
    """To the last bit, with what points remember."""
    model = make_soft_pair({"model": "asperity", "mu": 0.5, "stiffness": 1e7})
    with gr.Session(model, preset="penalty") as session:
        session.step(0.006)
        kept = session.snapshot()
        runs = []
        for _ in range(2):
            session.restore(kept)
            for _ in range(5):
                session.step(0.002)
            runs.append(session.state.x.tobytes() + session.state.anchor.tobytes())
    assert runs[0] == runs[1]
