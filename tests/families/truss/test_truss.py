"""Trusses: closed forms, nets by every integrator, ropes, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grouser as gr
from grouser.errors import ModelError, UnsupportedError
from grouser.output.report.page import save_report
from grouser.output.side_view import make_side_view
from grouser.prepare import prepare
from grouser.presets import find_preset

MODULUS, AREA, LENGTH, MASS = 2.0e6, 1.0e-5, 0.5, 0.2
STIFFNESS = MODULUS * AREA / LENGTH
WAYS = (
    ("penalty", "trapezoidal"),
    ("penalty", "leapfrog"),
    ("penalty", "rk4"),
    ("penalty", "adams"),
    ("implicit", "sdirk"),
    ("implicit", "implicit-euler"),
    ("implicit", "implicit-extrapolated"),
    ("implicit", "generalised-alpha"),
)


def make_hanging(**fields):
    """A mass on a truss below a fixed point."""
    builder = gr.ModelBuilder("hanging")
    builder.add_point("top", (0.0, 0.0, 0.0))
    builder.add_point("bob", (0.0, 0.0, -LENGTH), mass=MASS)
    builder.add_truss("bar", "top", "bob", modulus=MODULUS, area=AREA, **fields)
    return builder.build()


def make_net(count=5, *, held=True, damping=1.0e4):
    """A square net, held at its corners, or flying with a turn."""
    builder = gr.ModelBuilder("net", gravity=(0.0, 0.0, -9.81) if held else (0.0, 0.0, 0.0))
    ends = (0, count - 1)
    for i in range(count):
        for j in range(count):
            mass = None if held and i in ends and j in ends else 0.1 + 0.01 * i
            place = np.array([0.2 * i, 0.2 * j, 0.0])
            motion = np.cross((0.3, -0.2, 1.0), place - 0.4) if mass is not None else (0.0, 0.0, 0.0)
            builder.add_point(f"p{i}.{j}", place, mass=mass, velocity=motion if not held else (0.0, 0.0, 0.0))
    for i in range(count):
        for j in range(count):
            for k, m in ((i + 1, j), (i, j + 1), (i + 1, j + 1)):
                if k < count and m < count:
                    name = f"{i}.{j}-{k}.{m}"
                    builder.add_truss(name, f"p{i}.{j}", f"p{k}.{m}", modulus=1e7, area=1e-5, damping=damping)
    return builder.build()


def find_way(preset, integrator):
    return find_preset(preset).with_integrator(integrator)


def test_a_mass_on_a_truss_swings_as_the_closed_form_says():
    result = gr.simulate(make_hanging(), duration=1.0, preset="penalty", step=2e-4)
    omega = math.sqrt(STIFFNESS / MASS)
    expected = -LENGTH - 9.81 / omega**2 * (1.0 - np.cos(omega * result.time))
    np.testing.assert_allclose(result["bob.position"][:, 2], expected, atol=1e-5)
    np.testing.assert_allclose(result["bar.force"], STIFFNESS * (-LENGTH - expected), atol=0.02)
    np.testing.assert_allclose(result["bar.strain"], (-expected - LENGTH) / LENGTH, atol=2e-5)
    assert result.summary["energy_residual"] < 1e-4


def test_the_stable_step_is_that_of_the_mode():
    _, stable = prepare(make_hanging(), "penalty")
    assert stable.body == "bob"
    np.testing.assert_allclose(stable.step, 0.95 * 2.0 / math.sqrt(STIFFNESS / MASS), rtol=1e-9)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_a_net_falls_the_same_by_every_integrator(way):
    reference = gr.simulate(make_net(), duration=0.4, preset=find_way("penalty", "rk4"), step=1e-4)
    result = gr.simulate(make_net(), duration=0.4, preset=find_way(*way))
    first_order = way[1] in ("implicit-euler", "leapfrog")
    name = "p2.2.position"
    way_made = np.abs(reference[name] - reference[name][0]).max()
    assert np.abs(result[name] - reference[name]).max() < (0.02 if first_order else 0.004) * way_made
    assert result.summary["energy_residual"] < 0.01
    assert not result.summary["doubts"]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_a_flying_net_keeps_its_momenta(way):
    model = make_net(held=False, damping=0.0)
    result = gr.simulate(model, duration=0.2, preset=find_way(*way))
    names = list(model.points)
    mass = np.array([point.mass for point in model.points.values()])
    place, _ = result.block("point/position", names)
    motion, _ = result.block("point/velocity", names)
    momentum = np.einsum("n,fni->fi", mass, motion)
    spin = np.einsum("n,fni->fi", mass, np.cross(place, motion))
    np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)
    # rules that take forces where they move keep the spin to rounding; implicit ones to their order
    share = 2e-3 if way[0] == "implicit" or way[1] == "trapezoidal" else 1e-6
    assert np.abs(spin - spin[0]).max() < share * np.abs(spin[0]).max()


def test_a_rope_goes_slack_and_keeps_its_energy():
    builder = gr.ModelBuilder("rope")
    builder.add_point("top", (0.0, 0.0, 0.0))
    builder.add_point("bob", (0.0, 0.0, -0.3), mass=MASS)
    builder.add_truss("rope", "top", "bob", modulus=MODULUS, area=AREA, length=LENGTH, is_rope=True)
    result = gr.simulate(builder.build(), duration=1.0, preset="penalty")
    fall = math.sqrt(2.0 * 0.2 / 9.81)
    before = result.time < fall
    np.testing.assert_array_equal(result["rope.force"][before], 0.0)
    assert result["rope.force"].min() == 0.0
    weight = MASS * 9.81
    highest = weight * (1.0 + math.sqrt(1.0 + 2.0 * STIFFNESS * 0.2 / weight))
    np.testing.assert_allclose(result["rope.force"].max(), highest, rtol=5e-3)
    assert result.summary["energy_residual"] < 2e-3


def test_a_pulled_string_has_the_frequency_of_its_tension():
    """Transverse frequency of a mass in the middle of a pulled string: omega^2 = 4 N/(m L)."""
    builder = gr.ModelBuilder("string", gravity=(0.0, 0.0, 0.0))
    for name, x in (("left", 0.0), ("right", 1.0)):
        builder.add_point(name, (x, 0.0, 0.0))
    builder.add_point("bead", (0.5, 1e-3, 0.0), mass=MASS)
    relaxed = 0.5 / 1.01
    for name in ("left", "right"):
        builder.add_truss(f"{name}.string", name, "bead", modulus=MODULUS, area=AREA, length=relaxed)
    model = builder.build()
    tension = MODULUS * AREA * (0.5 / relaxed - 1.0)
    omega = math.sqrt(4.0 * tension / MASS)
    for way in (("penalty", "trapezoidal"), ("implicit", "sdirk")):
        result = gr.simulate(model, duration=2.0 * math.pi / omega, preset=find_way(*way))
        np.testing.assert_allclose(result["bead.position"][-1, 1], 1e-3, rtol=5e-3)


def test_it_is_the_same_from_a_file(tmp_path):
    path = tmp_path / "hanging.yaml"
    gr.save_model(make_hanging(damping=10.0), path)
    assert gr.load_model(path) == make_hanging(damping=10.0)


def test_it_is_reported_and_drawn(tmp_path):
    result = gr.simulate(make_net(), duration=0.1, preset="penalty")
    page = tmp_path / "net.html"
    save_report({"net": result}, page)
    assert "p2.2" in page.read_text()
    assert make_side_view(result, 0.05).axes


@pytest.mark.parametrize("preset", ["recursive", "embedded"])
def test_trees_refuse_points(preset):
    with pytest.raises(UnsupportedError, match=r"'bob' is a point: take a preset"):
        gr.simulate(make_hanging(), duration=0.1, preset=preset)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"point_b": "top"}, "both ends are at 'top'"),
        ({"point_b": "bib"}, "unknown point 'bib'"),
        ({"modulus": -1.0}, r"forces.bar.modulus: is -1.0 \[Pa\]"),
        ({"area": 0.0}, r"forces.bar.area: is 0.0 \[m\^2\]"),
        ({"length": 0.0}, r"forces.bar.length: is 0.0 \[m\]"),
        ({"damping": -3.0}, r"forces.bar.damping: is -3.0 \[Pa s\]"),
    ],
)
def test_bad_trusses_are_refused(fields, message):
    data = make_hanging().model_dump()
    data["forces"]["bar"] |= fields
    with pytest.raises(ModelError, match=message):
        gr.Model.model_validate(data)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"fixed": True, "velocity": (1.0, 0.0, 0.0)}, "the point is fixed; leave out one"),
        ({"mass": -1.0}, r"points.bob.mass: is -1.0 \[kg\]; it must be greater than 0$"),
    ],
)
def test_bad_points_are_refused(fields, message):
    data = make_hanging().model_dump()
    data["points"]["bob"] |= fields
    with pytest.raises(ModelError, match=message):
        gr.Model.model_validate(data)


def test_points_without_mass_and_models_without_nodes_are_refused():
    with pytest.raises(ModelError, match=r"points.a: has no mass; give one"):
        gr.Model(name="light", points={"a": {"position": (0.0, 0.0, 0.0)}})
    with pytest.raises(ModelError, match="a model has at least one of any of them"):
        gr.Model(name="empty")
