"""Elastic links: tracks of beams by gradients in place of rigid links, their numbers, their faults, and that stiff ones
move as rigid ones do."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

import grouser as gr
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle, make_vehicle
from grouser.compile.elastic_links import with_elastic_links
from grouser.compile.freedoms import find_freedom_count
from grouser.compile.realization import ElasticLinks, Penalty
from grouser.errors import ModelError, UnsupportedError
from grouser.mesh.make import make_mesh_data
from grouser.model.body import Frame
from grouser.model.contact import Points
from grouser.model.sensor import Sensor
from grouser.output.side_view import make_side_view
from grouser.presets import BAND_TOLERANCE, TRACK_PINS, find_default, find_preset

SIDES = ("left", "right")
RAMP = [(0.0, 0.0), (0.3, 0.0), (1.8, 10.0)]
"""Speed of both sprockets over time [s, rad/s]."""


@pytest.fixture(scope="module")
def rigid():
    return make_vehicle(load_vehicle("m113"))


@pytest.fixture(scope="module")
def elastic(rigid):
    return with_elastic_links(rigid, find_preset("ancf").realizations)


def test_other_presets_leave_the_model_alone(rigid, elastic):
    assert with_elastic_links(rigid, find_preset("implicit").realizations) is rigid
    assert with_elastic_links(elastic, find_preset("ancf").realizations) is elastic


def test_a_mesh_has_the_mass_and_inertia_of_its_links(rigid, elastic):
    link = rigid.bodies["left.link1"]
    assert elastic.mass == pytest.approx(rigid.mass, rel=1e-12)
    mesh = elastic.meshes["left.chain"]
    thickness, width = mesh.section.rectangle
    length = rigid.tracks["left"].pitch
    along, about, up = (link.mass * sum(x**2 for x in two) / 12.0 for two in (
        (width, thickness), (length, thickness), (length, width)
    ))  # fmt: skip
    assert (along, about) == pytest.approx(link.inertia[:2], rel=1e-3)
    assert up == pytest.approx(link.inertia[2], rel=0.01)  # not asked for: it follows
    assert mesh.material.density * thickness * width * length == pytest.approx(link.mass, rel=1e-3)
    # the mass matrix has the inertia about the track that the section has
    cells = make_mesh_data(mesh).ancf_beam
    across = cells.mass[0][np.ix_([2, 3, 6, 7], [2, 3, 6, 7])].sum()
    assert across == pytest.approx(along, rel=1e-3)


def test_defaults_know_chains(rigid, elastic):
    """Steps by the tolerance of bands, also of the robot on a band by gradients."""
    robot = make_vehicle(load_vehicle("rubber-robot"))
    assert {find_default(model).tolerance for model in (elastic, robot)} == {BAND_TOLERANCE}
    assert find_default(rigid) == find_preset("implicit")


def test_pins_are_eliminated(rigid, elastic):
    """18 freedoms a pin; 6 of the hull, and on each side 5 arms, 5 wheels, the idler, and its slide."""
    links = sum(len(rigid.tracks[side].links) for side in SIDES)
    assert find_freedom_count(elastic) == 18 * links + 6 + 2 * 12
    assert not any(joint.group == TRACK_PINS for joint in elastic.joints.values())


def test_links_may_have_several_elements(rigid):
    """12 freedoms more for each."""
    counts = {}
    for elements in (1, 3):
        model = with_elastic_links(rigid, {TRACK_PINS: ElasticLinks(elements=elements), "*": Penalty()})
        data = make_mesh_data(model.meshes["left.chain"])
        counts[elements] = 3 * (len(data.nodes) + len(data.gradients))
    links = len(rigid.tracks["left"].links)
    assert counts == {1: 18 * links, 3: (18 + 24) * links}


def test_shapes_stay_where_they_are(rigid, elastic):
    """Contact points of pads, in the world."""

    def find_places(model):
        places = []
        for shape in model.shapes.values():
            if isinstance(shape, Points) and shape.group == "left.pads":
                if shape.body in model.bodies:
                    body = model.bodies[shape.body]
                    R, origin = gr.model.rotation.quaternion_to_matrix(body.orientation), body.position
                else:
                    R, origin = np.eye(3), shape.at
                places += [origin + R @ np.array(point) for point in shape.positions]
        return np.array(sorted(np.round(places, 9).tolist()))

    assert find_places(elastic) == pytest.approx(find_places(rigid), abs=1e-8)


def _with_sensor(model):
    frame = Frame(body="left.link3", position=(0.0, 0.0, 0.0))
    return model.model_copy(update={"sensors": {"probe": Sensor(frame=frame, quantity="position")}})


def _with_heavy_link(model):
    heavy = model.bodies["left.link3"].model_copy(update={"mass": 30.0})
    return model.model_copy(update={"bodies": {**model.bodies, "left.link3": heavy}})


def _with_moving_link(model):
    moving = model.bodies["left.link3"].model_copy(update={"angular_velocity": (0.0, 1.0, 0.0)})
    return model.model_copy(update={"bodies": {**model.bodies, "left.link3": moving}})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_with_sensor, "sensors.probe is held by the link 'left.link3'"),
        (_with_heavy_link, "link 'left.link3' has another mass"),
        (_with_moving_link, "moves round the track at the start"),
        (lambda model: model.model_copy(update={"planar": True}), "moves in a plane"),
    ],
)
def test_what_elastic_links_cannot_do_is_refused(rigid, change, said):
    with pytest.raises(UnsupportedError, match=said):
        with_elastic_links(change(rigid), find_preset("ancf").realizations)


def test_a_crawler_in_the_plane_is_refused():
    with pytest.raises(UnsupportedError, match=r"moves in a plane.* take the preset 'recursive'"):
        gr.simulate(make_vehicle(load_vehicle("crawler")), preset="ancf", duration=0.01, settle=False)


def test_surfaces_on_links_are_refused():
    with pytest.raises(UnsupportedError, match="sits on rigid bodies alone"):
        gr.simulate(make_vehicle(load_vehicle("m113", ["polygons=true"])), preset="ancf", duration=0.01, settle=False)


def test_joints_that_are_no_pins_of_tracks_are_refused():
    preset = find_preset("penalty").with_realization("joints", ElasticLinks())
    builder = gr.ModelBuilder("arm")
    builder.add_body("arm", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("hinge", "revolute", "world", "arm", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    with pytest.raises(UnsupportedError, match="'hinge': elastic links are for pins of tracks"):
        gr.simulate(builder.build(), preset=preset, duration=0.01)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"young": 0.0}, "young = 0.0 Pa must be positive"),
        ({"poisson": 0.5}, "must be below 0.5"),
        ({"damping": -1.0}, "must not be negative"),
        ({"elements": 0}, "from 1 to 16"),
    ],
)
def test_broken_numbers_are_refused(values, said):
    with pytest.raises(ModelError, match=said):
        ElasticLinks(**values)


def test_the_first_steps_are_those_of_rigid_links(rigid):
    """From the design position, where the vehicle falls onto its springs; a result that tells its tracks."""
    runs = {
        name: gr.simulate(rigid, preset=name, duration=0.04, output_interval=0.01, settle=False)
        for name in ("implicit", "ancf")
    }
    result, reference = runs["ancf"], runs["implicit"]
    fall = reference["chassis.position"][-1, 2] - reference["chassis.position"][0, 2]
    assert fall < -1e-3
    assert result["chassis.position"][-1, 2] - result["chassis.position"][0, 2] == pytest.approx(fall, rel=0.02)
    assert result["chassis.velocity"][-1, 2] == pytest.approx(reference["chassis.velocity"][-1, 2], rel=0.02)
    assert result.summary["energy_residual"] < 0.01
    assert result.summary["mean_link_tension"] > 0.0
    assert result.summary["events"] == []
    assert "left.slip" in result
    assert result.model.tracks["left"].chain == "left.chain"
    plates = [c for c in make_side_view(result, 0.04).axes[0].collections if isinstance(c, PolyCollection)]
    assert 63 in [len(collection.get_paths()) for collection in plates]


@pytest.mark.slow
@pytest.mark.parametrize("vehicle", ["m113", "m113-paper"])
def test_a_drive_by_steel_links_is_that_of_ideal_ones(vehicle):
    """Settled first, then 2.3 s: position and speed within 2 %."""
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
    drives = {name: motion.model_copy(update={"value": RAMP}) for name, motion in model.motions.items()}
    model = model.model_copy(update={"motions": drives})
    runs = {name: gr.simulate(model, preset=name, duration=2.3) for name in ("recursive", "ancf")}
    late = runs["ancf"].time > 1.0
    for channel in ("chassis.position", "chassis.velocity"):
        values = [run[channel][late, 0] for run in runs.values()]
        assert values[1] == pytest.approx(values[0], rel=0.02)
    assert runs["ancf"].summary["energy_residual"] < 0.02
    assert runs["ancf"].summary["events"] == []


LINK = {"length": 0.154, "thickness": 0.054, "width": 0.379, "pad": 0.055}
LOAD, PULL = 1.2e4, 9.0e3


def test_stress_of_a_link_under_a_wheel_is_that_of_a_hand_estimate():
    """A link on the contact points of its pads, pressed down in its middle and pulled at its ends: tension over the
    area, and pad reaction times lever over the section modulus at the middle of the elements next to the wheel."""
    length, h, b, a = LINK.values()
    builder = gr.ModelBuilder("link")
    count = 8
    builder.add_mesh(
        "link", "line", start=(-0.5 * length, 0.0, 0.1), end=(0.5 * length, 0.0, 0.1), count=count,
        element="ancf_beam", section={"rectangle": (h, b)}, normal=(0.0, 1.0, 0.0),
        material={"type": "linear", "young": 2.1e11, "poisson": 0.3, "density": 5700.0, "deviatoric": 1e-4},
    )  # fmt: skip
    for name, x in (("front", a), ("rear", -a)):
        places = [(0.0, y, -0.1) for y in (-0.09, 0.09)]
        builder.add_shape(f"{name}_pad", "points", "link", group="pads", at=(x, 0.0, 0.1), positions=places)
    builder.set_terrain({"type": "plane"})
    builder.add_contact("ground", "pads", "terrain", stiffness=1e8, damping=2e5)
    for name, x, force in (
        ("wheel", 0.0, (0.0, -LOAD)),
        ("ahead", 0.5 * length, (PULL, 0.0)),
        ("behind", -0.5 * length, (-PULL, 0.0)),
    ):
        pull, press = ([(0.0, 0.0), (0.05, value), (1.0, value)] for value in force)
        builder.add_force(name, "link", point=(x, 0.0, 0.1), force=(pull, 0.0, press))
    result = gr.simulate(builder.build(), preset="implicit", tolerance=0.05, duration=0.1)
    names = [f"link.ancf_beam.{i}" for i in range(count)]
    stress = result.block("ancf_beam/surface_von_mises", names)[0][-1, :, 0]
    x = 0.5 * length / count  # middle of the element beside the wheel
    bending = 0.5 * LOAD * (a - x) / (b * h**2 / 6.0)
    assert stress.max() == pytest.approx(bending + PULL / (b * h), rel=0.05)
    assert int(np.argmax(stress)) in (count // 2 - 1, count // 2)
    assert stress[0] == pytest.approx(PULL / (b * h), rel=0.05)
