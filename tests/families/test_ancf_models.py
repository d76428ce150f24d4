"""Elements by gradients as parts of models: motion by explicit and implicit steps, rest, pins, degrees of freedom."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grouser as gr
from grouser.compile.freedoms import find_freedom_count
from grouser.compile.mesh_mass import calc_total_mass
from grouser.prepare import prepare
from grouser.presets import find_preset

SOFT = {"type": "linear", "young": 2.0e7, "poisson": 0.3, "density": 1200.0}
RUBBER = {"type": "neo_hookean", "shear": 1.0e6, "bulk": 1.0e7, "density": 1000.0}


def make_line(element, *, gravity=(0.0, 0.0, -9.81), **fields):
    """A line along x, by itself."""
    builder = gr.ModelBuilder("line", gravity=gravity)
    given = {"start": (0, 0, 0), "end": (0.4, 0, 0), "count": 4, "material": SOFT, "section": {"circle": 0.03}}
    builder.add_mesh("m", "line", element=element, **(given | fields))
    return builder


def make_mass(node):
    """Dense mass matrix of all rows that move."""
    mass = np.diag(node.mass)
    i, j = node.pair.T
    mass[i, j] = mass[j, i] = node.pair_mass
    return mass


def calc_momenta(compiled, state):
    """Linear and angular momentum about the origin: of places, and of places and gradients."""
    node, layout = compiled.tables.node, compiled.layout
    by_row = make_mass(node) @ state.v[: len(node.mass)]
    places = [row for row, name in enumerate(layout.nodes[: len(node.mass)]) if "gradient" not in name]
    return by_row[places].sum(axis=0), np.cross(state.x[: len(node.mass)], by_row).sum(axis=0)


WAYS = [
    ("penalty", "trapezoidal", 1e-5, 1e-6),
    ("penalty", "rk4", 1e-6, 1e-9),
    ("constrained", "trapezoidal", 1e-5, 1e-6),
]
WAYS += [("implicit", "sdirk", 2e-3, 1e-4), ("implicit", "generalised-alpha", 2e-2, 1e-5)]


@pytest.mark.parametrize("element", ["ancf_beam", "ancf_cable"])
@pytest.mark.parametrize(("preset", "integrator", "share", "kept"), WAYS)
def test_a_flying_mesh_keeps_energy_and_momenta(element, preset, integrator, share, kept):
    motion = {"velocity": (0.5, 0.2, -0.1), "angular_velocity": (3.0, 5.0, -8.0)}
    model = make_line(element, gravity=(0.0, 0.0, 0.0), **motion).build()
    way = find_preset(preset).with_integrator(integrator)
    compiled, _ = prepare(model, way)
    expected = calc_momenta(compiled, compiled.initial)
    assert calc_total_mass(compiled.tables.node) == pytest.approx(1200.0 * math.pi / 4.0 * 0.03**2 * 0.4)
    with gr.Session(model, preset=way) as session:
        before = session.observe()
        session.step(0.1)
        after = session.observe()
        momenta = calc_momenta(compiled, session.state)
    energies = [one["energy.kinetic"] + one["energy.stored_elements"] for one in (before, after)]
    assert energies[1] == pytest.approx(energies[0], rel=share)
    for found, start in zip(momenta, expected, strict=True):
        np.testing.assert_allclose(found, start, rtol=0.0, atol=kept * np.abs(start).max())


def test_a_soft_pendulum_falls_with_its_energy():
    """Rubber, hinged at one end: it stretches and swings; explicit and implicit steps agree."""
    fields = {"material": RUBBER, "section": {"rectangle": (0.02, 0.02)}, "hinged": ["start"], "count": 6}
    model = make_line("ancf_beam", **fields).build()
    ends = []
    for preset in ("penalty", find_preset("implicit").with_integrator("sdirk", 1e-4)):
        result = gr.simulate(model, duration=0.4, preset=preset)
        assert result.summary["energy_residual"] < 5e-3
        ends.append(result["m.6.position"][-1])
        fallen = result["energy.potential"][0] - result["energy.potential"][-1]
        assert fallen > 0.2 * model.mass * 9.81 * 0.4
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


def settle_tip(builder, count, preset="implicit"):
    """Displacement of the last node of a mesh to its place at rest."""
    model = builder.build()
    state = gr.settle(model, preset=preset)
    compiled, _ = prepare(model, preset)
    row = compiled.layout.find_mesh_rows("m")[count]
    return state.x[row] - compiled.initial.x[row]


def test_a_cable_bends_as_the_elastica_says():
    """A force of 3 E I/L^2 at the tip: the published tip, with 8 elements."""
    length, young, side = 2.0, 2.07e11, 0.1
    second = side**4 / 12.0
    material = {"type": "linear", "young": young, "poisson": 0.3, "density": 7850.0}
    builder = make_line(
        "ancf_cable", end=(length, 0, 0), count=8, material=material, section={"rectangle": (side, side)},
        fixed=["start"], gravity=(0, 0, 0),
    )  # fmt: skip
    builder.add_force("pull", "m", point=(length, 0, 0), force=(0, 0, -3.0 * young * second / length**2))
    assert settle_tip(builder, 8, "penalty") == pytest.approx([-0.508537304, 0.0, -1.207239855], abs=1e-4)


PRINCETON = {"edge": 0.003965, "flap": 0.056055}


def bend_princeton(integration):
    """Displacement of the tip of the Princeton beam under 4.448 N at 45 degrees."""
    builder = make_line(
        "ancf_beam", end=(0.508, 0, 0), count=8, integration=integration, fixed=["start"], gravity=(0, 0, 0),
        material={"type": "linear", "young": 71.7e9, "poisson": 0.31, "density": 2700.0},
        section={"rectangle": (12.377e-3, 3.2024e-3)},
    )  # fmt: skip
    side = 4.448 * math.sqrt(0.5)
    builder.add_force("pull", "m", point=(0.508, 0, 0), force=(0, side, side))
    return settle_tip(builder, 8)


def test_the_princeton_beam_bends_as_published_along_the_axis_and_not_by_the_volume():
    _, edge, flap = bend_princeton("axis")
    assert (edge, flap) == pytest.approx(tuple(PRINCETON.values()), rel=0.02)
    _, edge, flap = bend_princeton("volume")
    assert edge / PRINCETON["edge"] == pytest.approx(0.690, abs=0.01)
    assert flap / PRINCETON["flap"] == pytest.approx(0.714, abs=0.01)


@pytest.mark.parametrize("material", [SOFT, RUBBER])
@pytest.mark.parametrize("integration", ["axis", "volume"])
def test_a_pulled_bar_has_even_stress(material, integration):
    """Uniform stretch, as the law says, in all elements; a mesh that is given stretched starts at rest with it."""
    side, pull = 0.02, -0.05
    builder = make_line(
        "ancf_beam", integration=integration, section={"rectangle": (side, side)}, gravity=(0, 0, 0),
        pre_strain=pull, material=material, hinged=["start", "end"],
    )  # fmt: skip
    model = builder.build()
    result = gr.simulate(model, duration=0.01, preset="penalty")
    force, _ = result.block("ancf_beam/force", [f"m.ancf_beam.{i}" for i in range(4)])
    stretch, _ = result.block("ancf_beam/stretch", [f"m.ancf_beam.{i}" for i in range(4)])
    np.testing.assert_allclose(stretch, 1.0 / 0.95, rtol=1e-9)
    np.testing.assert_allclose(force, force[0, 0, 0], rtol=1e-6)
    assert result["energy.kinetic"].max() < 1e-9 * result["energy.stored_elements"][0]
    a = 1.0 / 0.95
    if material is SOFT:
        expected = a * side**2 * material["young"] * 0.5 * (a**2 - 1.0)  # St. Venant and Kirchhoff
        assert force[0, 0, 0] == pytest.approx(expected, rel=1e-6)
    else:
        assert force[0, 0, 0] == pytest.approx(
            side**2 * 1.0e6 * (a - a**-2), rel=0.05
        )  # nearly without change of volume


@pytest.mark.parametrize("count", [3, 6])
def test_a_pin_leaves_18_of_24_freedoms(count):
    chain = make_line("ancf_beam", count=count, pins={"all": "y"}).build()
    assert find_freedom_count(chain) == 18 * count + 6
    ring = gr.ModelBuilder("ring")
    points = [(math.cos(a), 0.0, math.sin(a)) for a in 2.0 * math.pi * np.arange(count) / count]
    section, pins = {"rectangle": (0.1, 0.02)}, {"corners": (0.0, 1.0, 0.0)}
    ring.add_mesh("m", "ring", points=points, element="ancf_beam", material=SOFT, section=section, pins=pins)
    assert find_freedom_count(ring.build()) == 18 * count
    ball = make_line("ancf_beam", count=count, pins={"all": "ball"}).build()
    assert find_freedom_count(ball) == 21 * count + 3
    assert find_freedom_count(make_line("ancf_beam", count=count).build()) == 12 * count + 12


LINK, LINKS = 0.2, 4
STIFF = {"type": "linear", "young": 2.0e9, "poisson": 0.3, "density": 2000.0}


def make_rigid_chain():
    """Bars that hang from each other, the first from the world, along x at the start."""
    builder, section = gr.ModelBuilder("chain"), (0.04, 0.02)
    mass = 2000.0 * LINK * section[0] * section[1]
    about = [mass / 12.0 * (a**2 + b**2) for a, b in ((section[0], section[1]), (LINK, section[1]), (LINK, section[0]))]
    before = "world"
    for i in range(LINKS):
        builder.add_body(f"link{i}", mass, about, position=((i + 0.5) * LINK, 0, 0))
        builder.add_joint(f"pin{i}", "revolute", before, f"link{i}", point=(i * LINK, 0, 0), axis=(0, 1, 0))
        before = f"link{i}"
    builder.add_sensor("tip", before, "position", point=(LINKS * LINK, 0, 0))
    return builder.build()


def make_stiff_chain(line):
    """The same of one element each."""
    return make_line(
        "ancf_beam", end=(LINKS * LINK, 0, 0), count=LINKS, material=STIFF, section={"rectangle": (0.04, 0.02)},
        pins={"all": line}, hinged=["start"],
    ).build()  # fmt: skip


def test_pinned_stiff_links_follow_a_chain_of_rigid_ones():
    """Within 1 % of its length, with pins by name and by a direction, for half a swing."""
    rigid = gr.simulate(make_rigid_chain(), duration=0.5, preset="recursive")
    for line in ("y", (0.0, 1.0, 0.0)):
        result = gr.simulate(make_stiff_chain(line), duration=0.5, preset="implicit", output_interval=0.05)
        expected = np.array([np.interp(result.time, rigid.time, rigid["tip.value"][:, k]) for k in range(3)]).T
        found = result[f"m.{LINKS}.position"]
        assert np.abs(found - expected).max() < 0.01 * LINKS * LINK
        assert np.abs(np.diff(found, axis=0)).max() > 0.1  # it moves


def test_a_corner_is_rigid():
    """A frame with a right angle sags as one of beams with nodes that turn."""
    points, section = [(0, 0, 0), (0.24, 0, 0), (0.24, 0.24, 0)], {"rectangle": (0.01, 0.02)}
    fields = {"points": points, "count": 8, "material": SOFT, "section": section, "fixed": ["start"]}
    tips = []
    for element in ("ancf_beam", "beam_thick"):
        builder = gr.ModelBuilder("frame")
        builder.add_mesh("m", "line", element=element, normal=(0, 0, 1), **fields)
        model = builder.build()
        rest = gr.settle(model, preset="implicit")
        with gr.Session(model, preset="implicit", initial=rest) as session:
            tips.append(session.observe()["m.16.position"])
    np.testing.assert_allclose(tips[0], tips[1], atol=0.01 * 0.24)
    assert tips[0][2] < -0.1


FRAMES = [("penalty", "trapezoidal"), ("implicit", "sdirk")]


@pytest.mark.parametrize("way", FRAMES)
def test_a_frame_in_an_element_takes_forces_and_torques(way):
    """A cantilever whose tip holds a mass ahead of it by a fixed joint: it sags as if it were longer."""
    side, mass, young, density, length = 0.02, 0.005, 2e7, 100.0, 0.4
    bending, line = young * side**4 / 12.0, density * side**2 * 9.81
    material = {"type": "linear", "young": young, "poisson": 0.0, "density": density, "dilatational": 1e-4}
    builder = make_line("ancf_beam", material=material, section={"rectangle": (side, side)}, fixed=["start"])
    builder.add_body("load", mass, (1e-5, 1e-5, 1e-5), position=(0.5, 0.0, 0.0))
    builder.add_joint("grip", "fixed", "m", "load", point=(length, 0.0, 0.005))
    model = builder.build()
    preset = find_preset(way[0]).with_integrator(way[1])
    result = gr.simulate(model, duration=0.01, preset=preset, initial=gr.settle(model, preset="implicit"))
    force, moment = mass * 9.81, mass * 9.81 * 0.1
    sag = (force * length**3 / 3.0 + moment * length**2 / 2.0 + line * length**4 / 8.0) / bending
    assert result["m.4.position"][-1, 2] == pytest.approx(-sag, rel=0.02)
    at_middle = moment + force * 0.35 + line * 0.35**2 / 2.0
    assert result["m.ancf_beam.0.moment_y"][-1] == pytest.approx(at_middle, rel=0.03)
    assert np.linalg.norm(result["grip.force"][-1]) == pytest.approx(force, rel=1e-2)


@pytest.mark.parametrize("preset", ["penalty", "implicit"])
def test_shapes_sit_on_elements_and_rest_on_the_ground(preset):
    """Pads under a soft bar carry its weight; the bar slides until friction has taken its speed."""
    section = {"rectangle": (0.04, 0.02)}
    material = {**SOFT, "dilatational": 1e-3, "deviatoric": 1e-3}
    builder = make_line("ancf_beam", position=(0, 0, 0.01), section=section, material=material, velocity=(0.5, 0, 0))
    for i in range(5):
        pads = [(0.0, y, -0.01) for y in (-0.02, 0.02)]
        builder.add_shape(f"pad{i}", "points", "m", group="pads", at=(0.1 * i, 0.0, 0.0), positions=pads)
    law = {"damping": 20.0, "friction": {"model": "trilinear", "mu": 0.5, "velocity": 0.01}}
    builder.set_terrain({"type": "plane"})
    builder.add_contact("ground", "pads", "terrain", stiffness=2e4, **law)
    model = builder.build()
    result = gr.simulate(model, duration=0.3, preset=preset)
    assert result["ground.normal"][-1] == pytest.approx(model.mass * 9.81, rel=0.02)
    assert result.summary["energy_residual"] < 1e-3
    slid = result["m.2.position"][-1, 0] - result["m.2.position"][0, 0]
    assert slid == pytest.approx(0.5**2 / (2.0 * 0.5 * 9.81), rel=0.05)
    assert abs(result["m.2.velocity"][-1, 0]) < 0.02


@pytest.mark.parametrize("preset", ["penalty", "implicit"])
def test_a_wheel_is_thrown_back_by_an_element_that_flies(preset):
    """Contact between a body and an element, neither of which is held: momentum and energy are kept."""
    section = {"rectangle": (0.04, 0.02)}
    builder = make_line("ancf_beam", section=section, gravity=(0, 0, 0))
    spin = {"velocity": (0.2, 0.0, -1.0), "angular_velocity": (0.0, 3.0, 0.0)}
    builder.add_body("wheel", 0.2, (1e-4, 2e-4, 1e-4), position=(0.25, 0.0, 0.0405 + 0.02), **spin)
    builder.add_shape("rim", "wheel", "wheel", group="rims", radius=0.05)
    builder.add_shape(
        "face", "plate", "m", group="faces", at=(0.25, 0, 0), position=(0, 0, 0.01), length=0.1, width=0.04
    )
    friction = {"model": "trilinear", "mu": 0.3, "velocity": 0.05}
    builder.add_contact("roll", "rims", "faces", stiffness=1e5, damping=5.0, friction=friction)
    model = builder.build()
    way = find_preset(preset)
    compiled, _ = prepare(model, way)
    with gr.Session(model, preset=way) as session:
        before = session.observe()
        session.step(0.02)
        after = session.observe()
        state = session.state
    row, node = compiled.layout.find_body("wheel"), compiled.tables.node
    linear, angular = calc_momenta(compiled, state)
    spun = state.R[row] @ (node.inertia[row] @ state.w[row])
    start_linear, start_angular = calc_momenta(compiled, compiled.initial)
    np.testing.assert_allclose(linear, start_linear, atol=1e-3)
    np.testing.assert_allclose(angular + spun, start_angular + np.array([0.0, 2e-4 * 3.0, 0.0]), atol=1e-4)
    assert after["wheel.velocity"][2] > -0.5  # the bar has the rest
    assert abs(after["energy.residual"]) < 5e-3 * before["energy.kinetic"]
