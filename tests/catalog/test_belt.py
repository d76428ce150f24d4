"""Bands: the section of a belt, its webs in a model, and what a file can have wrong."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.belt import Belt, Cords, Layer, calc_belt_section
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle, make_vehicle
from grouser.compile.mesh_bodies import with_mesh_bodies
from grouser.errors import ModelError
from grouser.mesh.make import make_mesh_data
from grouser.model.mesh import LinesMesh, WebsMesh
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.terrain import Plane
from grouser.prepare import prepare
from grouser.record.webs import make_web_pull

RUBBER = Layer(thickness=0.009141, young=1.0e7, poisson=0.49, density=1100.0, damping=1e-3)
STEEL = Layer(thickness=0.00127, young=2.1e11, poisson=0.3, density=7900.0)
CORDED = (
    "{thickness: 0.019552, young: 1.0e+7, poisson: 0.3, density: 1100.0, damping: 1.0e-3, "
    "cords: {diameter: 1.617e-3, spacing: 1.617e-3, young: 2.1e+11, density: 7900.0}}"
)
"""Rubber with wires side by side in its middle, which together are as stiff and as heavy as all three layers."""
OF_BRICKS = ["track=band-bricks", "belt.across=2", f"belt.layers=[{CORDED}]"]
BELT = Belt(length=9.43488, width=0.3175, web=0.03484, layers=[RUBBER, STEEL, RUBBER])


def load(*overrides: str) -> TrackedVehicle:
    vehicle = load_vehicle("m113-band", overrides)
    assert isinstance(vehicle, TrackedVehicle)
    return vehicle


@pytest.fixture(scope="module")
def band() -> Model:
    return make_vehicle(load("belt.softening=1", "right.belt.softening=1"))


def test_section_of_three_layers_is_that_of_the_data() -> None:
    section = calc_belt_section(BELT)
    assert pytest.approx(8.4735e7, rel=1e-4) == section.EA
    assert pytest.approx(13.36, rel=1e-3) == section.EI
    assert section.mass_per_length * BELT.web == pytest.approx(0.3334, rel=1e-3)
    assert section.height == pytest.approx(0.5 * section.thickness)
    # steel does not damp: what rubber has of the stiffness decides
    assert section.times[0] == pytest.approx(1e-3 * 5.8e4 / 8.4735e7, rel=0.01)
    assert section.times[5] == pytest.approx(1e-3 * (1.0 - 11.38 / 13.36), rel=0.01)


def test_one_layer_is_a_rectangle() -> None:
    b, t, E, nu = 0.3, 0.02, 2.0e7, 0.4
    section = calc_belt_section(Belt(length=9.0, width=b, web=0.03, layers=[RUBBER.model_copy(update={
        "thickness": t, "young": E, "poisson": nu})]))  # fmt: skip
    G = E / (2.0 * (1.0 + nu))
    assert pytest.approx(E * b * t**3 / 12.0) == section.EI
    assert section.EI_side == pytest.approx(E * t * b**3 / 12.0)
    assert pytest.approx(5.0 / 6.0 * G * b * t) == section.GA
    assert pytest.approx(G * b * t**3 / 3.0 * (1.0 - 0.63 * t / b), rel=1e-3) == section.GJ


def test_layers_that_are_not_symmetric_have_their_axis_where_the_stiff_one_is() -> None:
    low = calc_belt_section(Belt(length=9.0, width=0.3, web=0.03, layers=[RUBBER, RUBBER, STEEL]))
    assert low.height == pytest.approx(0.5 * STEEL.thickness, rel=0.02)
    two = [RUBBER.model_copy(update={"thickness": 0.01}), RUBBER.model_copy(update={"thickness": 0.01, "young": 3.0e7})]
    # z_n = (3 * 0.005 + 1 * 0.015)/4
    assert calc_belt_section(Belt(length=9.0, width=0.3, web=0.03, layers=two)).height == pytest.approx(0.0075)


def test_cords_count_with_what_they_fill() -> None:
    cords = Cords(diameter=0.002, spacing=0.005, young=2.0e11, density=7800.0)
    layer = RUBBER.model_copy(update={"cords": cords})
    section = calc_belt_section(Belt(length=9.0, width=0.3, web=0.03, layers=[layer]))
    fill = math.pi * 1e-6 / 0.005 * 0.3
    assert pytest.approx(1.0e7 * 0.3 * RUBBER.thickness + (2.0e11 - 1.0e7) * fill) == section.EA
    assert section.mass_per_length == pytest.approx(0.3 * RUBBER.thickness * 1100.0 + (7800.0 - 1100.0) * fill)


def test_softening_leaves_bending_alone() -> None:
    hard, soft = calc_belt_section(BELT), calc_belt_section(BELT.model_copy(update={"softening": 10.0}))
    assert (pytest.approx(0.1 * hard.EA), hard.EI) == (soft.EA, soft.EI)


@pytest.mark.parametrize("elements", [1, 3])
def test_webs_are_relaxed_straight_and_join_their_links(elements: int) -> None:
    model = make_vehicle(load(f"belt.elements={elements}"))
    data = make_mesh_data(model.meshes["left.belt"])
    cells = data.beam_thick
    # both halves of an element meet in its middle, wherever the web is bent to
    back = data.nodes[cells.node[:, 1]] - 0.5 * cells.length[:, None] * cells.frame_b[:, :, 0]
    assert np.abs(back - cells.centre).max() < 1e-9
    total = cells.length.reshape(-1, elements).sum(axis=1)
    assert total.max() == pytest.approx(0.03484, rel=1e-9)
    assert total.min() > 0.03484 * (1.0 - 0.013 * (elements > 1)) - 1e-9
    turn = np.einsum("nij,nij->n", cells.frame, cells.frame_b)
    assert np.arccos(np.clip(0.5 * (turn - 1.0), -1.0, 1.0)).max() * elements == pytest.approx(0.36, abs=0.02)


def test_mass_is_that_of_lugs_and_webs(band: Model) -> None:
    section = calc_belt_section(BELT)
    for side, count in (("left", 105), ("right", 107)):
        links = band.tracks[side].links
        assert len(links) == count
        assert sum(band.bodies[link].mass for link in links) == pytest.approx(
            count * (1.8 + section.mass_per_length * 0.03484)
        )
    fine = with_mesh_bodies(make_vehicle(load("belt.elements=3")))
    mass = sum(body.mass for name, body in fine.bodies.items() if name.startswith(("left.link", "left.belt")))
    assert mass == pytest.approx(105 * (1.8 + section.mass_per_length * 0.03484), rel=2e-3)


def test_a_band_is_set_down_with_its_vehicle(band: Model) -> None:
    placed = place_on_terrain(band, Plane(point=(0.0, 0.0, 0.3), normal=(-0.1, 0.05, 1.0)))
    for i in (0, 40, 80):
        before, after = (_find_start(model, i) for model in (band, placed))
        assert after == pytest.approx(before, abs=1e-9)


def _find_start(model: Model, i: int) -> np.ndarray:
    """Start of a web in the frame of the link that holds it."""
    mesh, link = model.meshes["left.belt"], model.bodies[model.tracks["left"].links[i]]
    assert isinstance(mesh, LinesMesh)
    place = np.array(mesh.position) + quaternion_to_matrix(mesh.orientation) @ np.array(mesh.ends[i][0])
    return np.asarray(quaternion_to_matrix(link.orientation).T @ (place - np.array(link.position)))


@pytest.fixture(scope="module")
def pulled(band: Model) -> dict[str, float]:
    """Two pitches of the belt on a straight run, the first lug held: pulled by 10 kN, bent by 5 N m."""
    belt = band.meshes["left.belt"]
    assert isinstance(belt, LinesMesh) and belt.tangents is not None
    found = {}
    for name, force, torque in (("pull", 1.0e4, 0.0), ("bend", 0.0, 5.0)):
        builder = gr.ModelBuilder("strip", gravity=(0.0, 0.0, 0.0))
        for i in range(3):
            builder.add_body(f"lug{i}", mass=2.0, inertia=(0.02, 0.002, 0.02), position=(0.089856 * i, 0.0, 0.0))
        half = 0.5 * (0.089856 - 0.03484)
        ends = [((0.089856 * i + half, 0.0, 0.0), (0.089856 * (i + 1) - half, 0.0, 0.0)) for i in range(2)]
        builder.add_mesh("belt", "lines", element="beam_thick", section=belt.section, material=belt.material,
                         normal=(0.0, 1.0, 0.0), ends=ends, tangents=[((1.0, 0.0, 0.0),) * 2] * 2,
                         bonded={"start0": "lug0", "end0": "lug1", "start1": "lug1", "end1": "lug2"})  # fmt: skip
        builder.add_joint("clamp", "fixed", "world", "lug0")
        builder.add_force("load", "lug2", force=(force, 0.0, 0.0), torque=(0.0, torque, 0.0))
        result = gr.simulate(builder.build(), preset="implicit", integrator="implicit-euler", step=0.01, duration=2.0)
        # the clamp gives way too
        way = result["lug2.position"][-1] - result["lug0.position"][-1]
        turns = [2.0 * math.asin(float(result[f"{lug}.orientation"][-1, 2])) for lug in ("lug0", "lug2")]
        found[f"{name}_way"], found[f"{name}_turn"] = float(way[0]) - 2 * 0.089856, turns[1] - turns[0]
        found[f"{name}_tension"] = float(result["belt.beam_thick.1.force"][-1])
    return found


def test_pull_stiffness_is_that_of_two_webs(pulled: dict[str, float]) -> None:
    assert pulled["pull_tension"] == pytest.approx(1.0e4, rel=1e-6)
    assert pulled["pull_way"] == pytest.approx(1.0e4 * 2 * 0.03484 / 8.4735e7, rel=0.02)


def test_bending_stiffness_is_that_of_two_webs(pulled: dict[str, float]) -> None:
    assert pulled["bend_turn"] == pytest.approx(5.0 * 2 * 0.03484 / 13.36, rel=0.02)


@pytest.fixture(scope="module")
def bricks() -> Model:
    return make_vehicle(load(*OF_BRICKS))


def test_a_band_of_bricks_has_the_webs_and_the_masses_of_one_of_beams(band: Model, bricks: Model) -> None:
    beams, other = (calc_belt_section(load(*words).belt) for words in ([], OF_BRICKS))
    assert pytest.approx(beams.EA, rel=1e-4) == other.EA
    assert other.mass_per_length == pytest.approx(beams.mass_per_length, rel=1e-4)
    for side in ("left", "right"):
        mesh, lines = bricks.meshes[f"{side}.belt"], band.meshes[f"{side}.belt"]
        assert isinstance(mesh, WebsMesh) and isinstance(lines, LinesMesh)
        assert np.array(mesh.ends) == pytest.approx(np.array(lines.ends))
        assert mesh.bonded == lines.bonded
        data, count = make_mesh_data(mesh), len(bricks.tracks[side].links)
        assert len(data.brick.node) == count * 1 * 2 * 2
        # what is bonded has its mass in the lugs
        held = np.unique(np.concatenate([*data.bonded.values()]))
        free = np.delete(data.masses, held).sum()
        lugs = sum(bricks.bodies[link].mass for link in bricks.tracks[side].links)
        assert free + lugs == pytest.approx(count * (1.8 + other.mass_per_length * 0.03484), rel=2e-3)


@pytest.mark.parametrize("kind", ["thin beams", "thin beams and ropes", "bricks alone"])
def test_the_tension_of_bricks_is_the_pull_on_them(kind: str) -> None:
    """Two webs side by side between two lugs, there and back, as of a loop of two: each has half of the force."""
    belt = make_vehicle(load(*OF_BRICKS)).meshes["left.belt"]
    assert isinstance(belt, WebsMesh)
    ropes = belt.cords[0].model_copy(update={"element": "truss", "level": 0, "iy": None, "area": 1e-4, "density": 0.0})
    cords = {"thin beams": [*belt.cords], "thin beams and ropes": [*belt.cords, ropes], "bricks alone": []}[kind]
    builder = gr.ModelBuilder("loop", gravity=(0.0, 0.0, 0.0))
    for i in range(2):
        builder.add_body(f"lug{i}", mass=2.0, inertia=(0.2, 0.2, 0.2), position=(0.09 * i, 0.0, 0.0))
    ends = [((0.02, -0.3, 0.0), (0.07, -0.3, 0.0)), ((0.07, 0.3, 0.0), (0.02, 0.3, 0.0))]
    given = {name: getattr(belt, name) for name in ("width", "rows", "below", "counts", "material")}
    builder.add_mesh("belt", "webs", **given, cords=cords, ends=ends,
                     bonded={"start0": "lug0", "end0": "lug1", "start1": "lug1", "end1": "lug0"})  # fmt: skip
    builder.add_joint("clamp", "fixed", "world", "lug0")
    builder.add_force("load", "lug1", force=(1000.0, 0.0, 0.0))
    result = gr.simulate(builder.build(), preset="implicit", integrator="implicit-euler", step=0.01, duration=0.5)
    compiled, _ = prepare(result.model, "implicit")
    track = SimpleNamespace(belt="belt", links=["lug0", "lug1"])
    x = np.zeros((3, 1, 3))
    for i in range(2):
        x[:, 0, compiled.layout.find_body(f"lug{i}")] = result[f"lug{i}.position"][-1]
    notes = SimpleNamespace(x=x)
    for family, quantities in {
        "brick": ("xx", "yy", "zz", "xy", "yz", "zx"),
        "beam_thin": ("force",),
        "truss": ("force",),
    }.items():
        names = [f"stress_{q}" if family == "brick" else q for q in quantities]
        if result.has_block(f"{family}/{names[0]}"):
            values = np.array([result.block(f"{family}/{name}")[0][-1:, :, 0] for name in names])
            setattr(notes, f"{family}_value", values)
    pull = make_web_pull(compiled, track).calc(notes)
    assert pull == pytest.approx(np.full((1, 2), 500.0), rel=5e-3)


@pytest.mark.parametrize(
    ("override", "text"),
    [
        (
            "belt.length=9.4",
            r"belt.length: is 9.4 m, 104.61 times the lug pitch of 0.089856 m .* 9.34502 m \(104 lugs\)",
        ),
        ("links.count=104", "links.count: is 104, but the belt of 9.43488 m has 105 lugs .* leave it out"),
        ("links.horn.tip=0.2", "links.horn.tip: is 0.2 m, .* the gap of the road_wheels is 0.12 m deep: a guide of"),
        ("belt.layers=[{thickness: 0.01, young: 0.0, poisson: 0.4, density: 1100.0}]", "belt.layers.0..young: is 0.0"),
        ("belt.web=0.1", "belt.web: is 0.1 m, and the pitch is 0.089856 m: nothing is left of the lug"),
        ("belt.softening=0.5", "belt.softening: is 0.5"),
        ("belt=null", "missing key 'belt', which a track of the kind 'band-beams' is made of"),
        ("road_wheels.gap_depth=0.4", "road_wheels.gap_depth: is 0.4 m, more than the radius of 0.305 m"),
        ("track=segmented", "links: missing key 'count'"),
        (
            "track=band-bricks belt.layers=[{thickness: 0.01, young: 1.0e+7, poisson: 0.5, density: 1100.0}]",
            "belt.layers.0..poisson: is 0.5, and bricks need less than 0.5",
        ),
        ("track=bands", "track: unknown value 'bands': did you mean 'band-beams'"),
        ("sprocket.drive=friction", "sprocket.arc_radius: is of teeth, and the drive is by friction: leave it out"),
        ("sprocket.arc_radius=null", "sprocket: missing key 'arc_radius'"),
    ],
)
def test_broken_belts_are_told_at_once(override: str, text: str) -> None:
    with pytest.raises(ModelError, match=text):
        load(*override.split(" ", 1) if override.startswith("track=band") else [override])


def test_cords_in_the_middle_of_thick_rubber_leave_its_shear_stiffness() -> None:
    """The wires bend by themselves; what shears is the rubber on both sides of them, as of a beam of one layer."""
    belt = load(*OF_BRICKS).belt
    assert belt is not None
    plain = belt.model_copy(update={"layers": [belt.layers[0].model_copy(update={"cords": None})]})
    assert calc_belt_section(belt).GA > calc_belt_section(plain).GA


def test_cords_that_do_not_fit_are_refused() -> None:
    layer = "{thickness: 0.01, young: 1.0e+7, poisson: 0.4, density: 1100.0, cords: {diameter: 0.006, spacing: 0.005, young: 2.0e+11, density: 7800.0}}"  # noqa: E501
    with pytest.raises(ModelError, match=r"cords.diameter: is 0.006 m, more than the spacing of 0.005 m"):
        load(f"belt.layers=[{layer}]")


def test_a_track_of_webs_that_do_not_join_its_links_is_refused(band: Model) -> None:
    track = band.tracks["left"]
    turned = track.model_copy(update={"links": [track.links[1], track.links[0], *track.links[2:]]})
    with pytest.raises(ModelError, match=r"needs 'start0' in 'bonded', at link 'left.link2'"):
        band.with_changes(tracks={**band.tracks, "left": turned})
