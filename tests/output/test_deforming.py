"""Flexible meshes in pictures: skin, bars, normals, values, colours."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from synthetic_meshes import SHAKE, STRESS, calc_shift, make_mesh_result, make_model

from grouser.errors import ResultError
from grouser.mesh.make import make_mesh_data
from grouser.model.model import Model
from grouser.output.deforming import SIDES, calc_bars, make_deforming
from grouser.output.legend import NO_VALUE, find_colours
from grouser.output.mesh_motion import MeshMotion, read_seen_nodes
from grouser.output.mesh_values import choose_quantity, list_quantities, make_scale, read_values
from grouser.output.render import Shot, save_movie, save_still
from grouser.output.scene import make_scene, make_stage
from grouser.output.side_view import make_side_view

SMALL = (320, 180)
TOLERANCE = 1e-12
"""Rounding."""


@pytest.fixture(scope="module")
def result():
    return make_mesh_result()


@pytest.fixture(scope="module")
def meshes():
    return {mesh.name: mesh for mesh in make_deforming(make_model())}


def calc_volume(vertices, faces) -> float:
    """Volume inside of a closed surface by Gauss' theorem [m^3]."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def test_skin_encloses_the_bricks(meshes):
    plate = meshes["plate"]
    vertices, normals = plate.calc_surface(plate.rest)
    assert calc_volume(vertices, plate.make_faces()) == pytest.approx(2.0 * 1.5 * 0.05)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(normals)))
    # all edges of a plate are sharp: every normal is along an axis
    assert np.abs(normals).max(axis=1) == pytest.approx(np.ones(len(normals)))
    assert len(plate.skin) == 2 * len(make_mesh_data(make_model().meshes["plate"]).surface_sets["surface"])


def test_normals_follow_the_deformation(meshes):
    plate = meshes["plate"]
    angle = 0.4
    turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    _, before = plate.calc_surface(plate.rest)
    _, after = plate.calc_surface(plate.rest @ turn.T + [5.0, 0.0, 0.0])
    assert after == pytest.approx(before @ turn.T, abs=1e-9)


def test_inner_nodes_are_left_out():
    rubber = {"type": "linear", "density": 1.0, "young": 1e6, "poisson": 0.3}
    block = {"type": "block", "sides": (1.0, 1.0, 1.0), "counts": (3, 3, 3), "material": rubber}
    (mesh,) = make_deforming(Model.model_validate({"name": "cube", "meshes": {"cube": block}}))
    assert len(mesh.nodes) == 4**3 - 2**3
    assert len(mesh.corner) == 6 * 4**2
    assert mesh.nodes[0] == 0


def test_bars_have_the_radius_of_their_section(meshes):
    for element in ("truss", "beam_thin", "beam_thick"):
        mesh = meshes[element]
        assert mesh.lines.shape == (4, 2), element
        assert mesh.radius == pytest.approx(0.01)
        assert mesh.vertex_count == 4 * 2 * SIDES
        vertices, normals = mesh.calc_surface(mesh.rest)
        assert calc_volume(vertices, mesh.make_faces()) > 0
        assert np.abs(normals[:, 0]).max() < TOLERANCE
        across = vertices[:, 1:] - mesh.rest[0, 1:]
        assert np.linalg.norm(across, axis=1) == pytest.approx(np.full(len(across), 0.01))


def test_a_bar_without_length_is_finite():
    vertices, normals = calc_bars(np.zeros((1, 2, 3)), 0.1)
    assert np.isfinite(vertices).all() and np.isfinite(normals).all()


def test_nodes_are_read_where_results_have_them(result, meshes):
    for mesh in meshes.values():
        places = read_seen_nodes(result, mesh)
        for frame, time in enumerate(result.time):
            assert places[frame] == pytest.approx(mesh.rest + calc_shift(mesh.rest, time), abs=TOLERANCE)
    assert meshes["beam_thick"].family == "body" and meshes["plate"].family == "node"


def test_motion_is_straight_between_frames(result):
    motion = MeshMotion(result, make_stage(result), "von_mises")
    first, second = (motion.calc(result.time[i])[0] for i in (2, 3))
    middle = motion.calc((result.time[2] + result.time[3]) / 2)[0]
    for a, b, c in zip(first, second, middle, strict=True):
        assert c == pytest.approx((a + b) / 2, abs=1e-9, nan_ok=True)


def test_a_scene_has_the_meshes_in_its_box(result):
    scene = make_scene(result)
    assert scene.bodies == ("anvil",)
    assert [mesh.name for mesh in scene.deforming] == ["plate", "truss", "beam_thin", "beam_thick"]
    assert scene.size > np.hypot(2.0, 1.5)


def test_a_frame_with_a_lost_node_is_left_out():
    from synthetic_meshes import list_blocks

    from grouser.result.writer import ResultWriter

    model = make_model(is_alone=True)
    blocks = [block for block in list_blocks(model, has_values=False) if block.items]
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    places = np.tile(make_mesh_data(model.meshes["plate"]).nodes, (3, 1, 1))
    places[1, 5] = np.nan
    writer.add_frames([0.0, 0.1, 0.2], {"node/position": places, "node/velocity": np.zeros_like(places)})
    assert make_scene(writer.finish("failed")).frames.tolist() == [0, 2]


def test_values_of_bricks_are_means_at_nodes(result, meshes):
    values = read_values(result, meshes["plate"], "von_mises")
    quarter = 5  # the plate is furthest up
    stored, _ = result.block("brick/von_mises")
    data = make_mesh_data(make_model().meshes["plate"])
    for place, node in list(enumerate(meshes["plate"].nodes))[::7]:
        around = (data.brick.node == node).any(axis=1)
        assert values[quarter, place] == pytest.approx(stored[quarter, around, 0].mean())


def test_values_of_thin_beams_meet_on_their_bars(result, meshes):
    mesh = meshes["beam_thin"]
    values = read_values(result, mesh, "axial_force")[5]
    assert np.isnan(values[: len(mesh.nodes)]).all()
    # three beams of two bars each over four bars: the inner bars have two beams
    stored, _ = result.block("beam_thin/force")
    a, b, c = stored[5, :, 0]
    assert values[len(mesh.nodes) :] == pytest.approx([a, (a + b) / 2, (b + c) / 2, c])


def test_quantities_that_a_result_has(result, meshes):
    every = tuple(meshes.values())
    centres = ["von_mises", "strain"]
    assert list_quantities(result, every) == ["surface_von_mises", "surface_strain", *centres, "axial_force"]
    scale = make_scale(result, every, "surface_von_mises")
    assert (scale.unit, scale.low) == ("MPa", 0.0)
    assert 0.8 * STRESS / 1e6 < scale.high <= STRESS / 1e6
    bare = make_mesh_result(has_values=False)
    with pytest.raises(ResultError, match="no block 'brick/strain'"):
        choose_quantity(bare, every, "strain")
    with pytest.raises(ResultError, match="von_mises"):
        choose_quantity(result, every, "von_misses")
    with pytest.raises(ResultError, match="no flexible mesh"):
        choose_quantity(result, (), "strain")


def test_pictures_show_the_surface_where_a_result_holds_it(result, meshes, tmp_path):
    every = tuple(meshes.values())
    assert choose_quantity(result, every, "von_mises") == "surface_von_mises"
    assert choose_quantity(result, every, "strain") == "surface_strain"
    assert choose_quantity(result, every, "axial_force") == "axial_force"
    earlier = make_mesh_result(has_surface=False)
    assert list_quantities(earlier, every) == ["von_mises", "strain", "axial_force"]
    assert choose_quantity(earlier, every, "von_mises") == "von_mises"
    with pytest.raises(ResultError, match="no block 'brick/surface_strain' of a mesh; it has von_mises, strain"):
        choose_quantity(earlier, every, "surface_strain")
    paths = [
        save_still(shown, tmp_path / f"{i}.png", 0.25, Shot(size=SMALL, colour=colour))
        for i, (shown, colour) in enumerate(
            [(result, "von_mises"), (result, "surface_von_mises"), (earlier, "von_mises")]
        )
    ]
    asked, surface, centre = (read_pixels(path) for path in paths)
    assert np.array_equal(asked, surface)
    assert not np.array_equal(asked, centre)  # the scale and the name below it


def test_what_has_no_value_is_grey():
    assert find_colours(np.array([np.nan]))[0] == pytest.approx(NO_VALUE)


def read_pixels(path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB")).astype(float)


def test_pictures_show_deformation_and_colours(result, tmp_path):
    shots = {"flat": (0.0, None), "bent": (0.25, None), "coloured": (0.25, "von_mises")}
    pixels = {}
    for name, (time, colour) in shots.items():
        save_still(result, tmp_path / f"{name}.png", time, Shot(size=SMALL, colour=colour))
        pixels[name] = read_pixels(tmp_path / f"{name}.png")
    assert (np.abs(pixels["bent"] - pixels["flat"]).max(axis=2) > 30).mean() > 0.02
    # the plate is orange; by its stress it goes from violet to yellow
    yellow = (pixels["coloured"][..., 0] > 180) & (pixels["coloured"][..., 1] > 180) & (pixels["coloured"][..., 2] < 90)
    assert yellow.sum() > 200
    # the legend at the lower right
    corner = np.s_[-40:, -100:]
    assert (np.abs(pixels["coloured"][corner] - pixels["bent"][corner]).max(axis=2) > 30).sum() > 100


def test_a_model_of_a_mesh_alone_is_shown(tmp_path):
    result = make_mesh_result(is_alone=True)
    assert result.main_body == "plate.0"
    assert result.main_position[0] == pytest.approx([0.0, 0.0, -0.025])
    path = save_still(result, tmp_path / "alone.png", 0.25, Shot(size=SMALL))
    assert read_pixels(path).std() > 5
    path = save_movie(result, tmp_path / "alone.mp4", Shot(size=(64, 48), colour="strain"), fps=5)
    assert path.stat().st_size > 500
    assert np.ptp(make_scene(result).way[:, 2]) <= 2 * SHAKE


def test_edges_of_faces_and_bars(meshes):
    # a plate of 6 x 4 bricks: edges on both faces, and upright ones around the rim
    assert len(meshes["plate"].list_edges()) == 2 * (6 * 5 + 7 * 4) + 20
    assert meshes["truss"].list_edges().tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]


@pytest.mark.parametrize("is_alone", [True, False])
def test_meshes_stand_in_the_side_view(is_alone):
    figure = make_side_view(make_mesh_result(is_alone=is_alone), 0.25)
    (ax,) = figure.axes
    assert ax.dataLim.y1 > SHAKE
    low, high = ax.get_ylim()
    assert low < -SHAKE and high > SHAKE
