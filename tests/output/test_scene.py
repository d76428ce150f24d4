from __future__ import annotations

import numpy as np
import pytest
from synthetic_track import (
    HEIGHT,
    LINKS,
    PAD,
    RADIUS,
    RAIL,
    WHEELBASE,
    Drive,
    make_blocks,
    make_pendulum_result,
    make_result,
)

import grouser as gr
from grouser.compile.mesh_bodies import with_mesh_bodies
from grouser.errors import ResultError
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.terrain import Grid, Plane, Profile, calc_terrain_height
from grouser.output.deforming import make_deforming
from grouser.output.ground import make_ground
from grouser.output.hull_shapes import LAMP, make_block_parts
from grouser.output.poses import make_continuous
from grouser.output.scene import Scene, calc_pose, make_body_meshes, make_scene
from grouser.output.shapes import BRIGHT, MARK, RUBBER
from grouser.result.writer import Block, ResultWriter


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=1.0, yaw_rate=1.0))


@pytest.fixture(scope="module")
def scene(result) -> Scene:
    return make_scene(result)


def find_points(scene: Scene, body: str, frame: int = 0, colour=None) -> np.ndarray:
    """Vertices of a body in the world, of one colour if it is given."""
    i = scene.bodies.index(body)
    mesh = scene.meshes[scene.mesh[i]]
    chosen = slice(None) if colour is None else np.isclose(mesh.colours, colour).all(axis=1)
    x, y, z, w = scene.quaternion[frame, i]
    return scene.position[frame, i] + mesh.vertices[chosen] @ quaternion_to_matrix((w, x, y, z)).T


def test_poses_are_those_of_the_result(result, scene):
    np.testing.assert_array_equal(scene.time, result.time)
    assert scene.bodies == tuple(result.model.bodies)
    position, _ = result.block("body/position", scene.bodies)
    np.testing.assert_array_equal(scene.position, position)
    quaternion, _ = result.block("body/orientation", scene.bodies)
    np.testing.assert_allclose(
        quaternion_to_matrix(np.roll(scene.quaternion, 1, axis=-1)), quaternion_to_matrix(quaternion), atol=1e-12
    )
    assert (scene.title, scene.main_body) == ("small-track, penalty", "chassis")


def test_signs_of_quaternions_never_jump():
    angle = np.linspace(0.0, 20.0, 400)
    smooth = np.stack([np.sin(angle / 2), 0 * angle, 0 * angle, np.cos(angle / 2)], axis=-1)[:, np.newaxis]
    jumping = smooth * np.where(np.arange(400) % 7 < 3, -2.0, 2.0)[:, np.newaxis, np.newaxis]
    found = make_continuous(jumping)
    np.testing.assert_allclose(found * np.sign(found[0] @ smooth[0].T), smooth, atol=1e-12)
    for cut in (1, 99, 100, 101, 102, 399):
        first = make_continuous(jumping[:cut])
        np.testing.assert_array_equal(np.concatenate([first, make_continuous(jumping[cut:], first[-1])]), found)


@pytest.mark.parametrize(("rate", "count"), [(None, 101), (1000, 101), (50, 51), (30, 31), (1, 2)])
def test_frames_are_thinned_out_to_a_rate(result, rate, count):
    scene = make_scene(result, rate)
    assert len(scene.time) == count
    np.testing.assert_array_equal(scene.time, result.time[scene.frames])
    if rate is not None and rate <= 50:
        assert np.diff(scene.time).mean() == pytest.approx(1 / rate, rel=0.01)


def test_poses_between_frames_are_interpolated(scene):
    for body in ("left.wheel", "chassis"):
        i = scene.bodies.index(body)
        position, quaternion = (values[i] for values in calc_pose(scene, 0.505))
        np.testing.assert_allclose(position, scene.position[[50, 51], i].mean(axis=0))
        assert np.linalg.norm(quaternion) == pytest.approx(1.0)
        assert quaternion @ scene.quaternion[50, i] == pytest.approx(quaternion @ scene.quaternion[51, i])
    np.testing.assert_array_equal(calc_pose(scene, 9.0)[0], scene.position[-1])


def test_wheels_turn_forward_when_the_vehicle_drives_forward():
    """Seen from the hull, the top of a wheel moves ahead and its bottom back."""
    scene = make_scene(make_result(Drive(duration=0.1, slip=0.0)))
    for body in ("left.wheel", "right.sprocket", "left.idler"):
        i = scene.bodies.index(body)
        motion = find_points(scene, body, 1) - find_points(scene, body, 0)
        motion -= scene.position[1, i] - scene.position[0, i]
        height = find_points(scene, body)[:, 2] - scene.position[0, i, 2]
        reach = np.abs(height).max()
        assert motion[height > 0.9 * reach, 0].min() > 0
        assert motion[height < -0.9 * reach, 0].max() < 0
        # 8 rad/s for 0.01 s
        assert motion[height > 0.9 * reach, 0].max() == pytest.approx(0.08 * reach, rel=0.1)


def test_wheels_have_a_mark_by_which_rotation_is_seen(scene):
    for body in ("left.wheel", "left.sprocket"):
        i = scene.bodies.index(body)
        middle = find_points(scene, body, 0, MARK).mean(axis=0) - scene.position[0, i]
        assert np.linalg.norm(middle) > 0.02


def test_the_track_lies_on_the_ground_and_the_wheel_on_the_track(scene):
    links = np.concatenate([find_points(scene, f"left.link{i}") for i in range(LINKS)])
    assert links[:, 2].min() == pytest.approx(0.0, abs=1e-6)
    tyre = find_points(scene, "left.wheel", 0, RUBBER)
    assert tyre[:, 2].min() == pytest.approx(HEIGHT - RADIUS + RAIL, abs=0.002)
    # the pads are outside of the loop, all around it
    assert links[:, 2].max() == pytest.approx(HEIGHT + RADIUS + PAD, abs=0.01)


def test_pins_sit_in_the_gaps_of_the_teeth():
    """The pin on top of the sprocket touches its profile along its whole arc, and enters nowhere."""
    scene = make_scene(make_result(Drive(duration=0.1)))
    pin = find_points(scene, "left.link0", 0, BRIGHT)
    axis = (pin.min(axis=0) + pin.max(axis=0)) / 2
    np.testing.assert_allclose(axis[[0, 2]], (WHEELBASE / 2, HEIGHT + RADIUS), atol=1e-6)
    teeth = find_points(scene, "left.sprocket", 0, BRIGHT)
    distance = np.linalg.norm((teeth - axis)[:, [0, 2]], axis=1)
    assert distance.min() == pytest.approx(0.02, abs=1e-3)


def test_the_hull_shows_its_front(scene):
    """More of the roof is behind the middle than ahead of it: the front is sloped."""
    hull = scene.meshes[scene.mesh[scene.bodies.index("chassis")]].vertices
    roof = hull[hull[:, 2] > hull[:, 2].max() - 0.1]
    assert hull[:, 0].max() - roof[:, 0].max() > 2 * abs(roof[:, 0].min() - hull[:, 0].min())


def test_any_model_has_a_scene():
    builder = gr.ModelBuilder("pendulum")
    rod = builder.add_body("rod", 2.0, (0.001, 0.17, 0.17), position=(0.5, 0, 0))
    bob = builder.add_body("bob", 1.0, (0.01, 0.01, 0.01), position=(1.0, 0, 0.5))
    builder.add_joint("hinge", "revolute", "world", rod, point=(0, 0, 0), axis=(0, 1, 0))
    builder.add_joint("other", "revolute", rod, bob, point=(1.0, 0, 0), axis=(0, 1, 0))
    scene = make_scene(gr.simulate(builder.build(), duration=0.05))
    assert scene.terrain is None and scene.main_body == "rod"
    rod_mesh, bob_mesh = (scene.meshes[number].vertices for number in scene.mesh)
    # the rod reaches from joint to joint, the bob is joined to the joint outside of it
    assert rod_mesh[:, 0].min() <= -0.5 and rod_mesh[:, 0].max() >= 0.5
    assert bob_mesh[:, 2].min() < -0.49 and bob_mesh[:, 2].max() == pytest.approx(np.sqrt(0.06) / 2, rel=1e-3)
    assert scene.size == pytest.approx(np.hypot(1.0, 0.6), rel=0.3)


def test_a_body_is_the_box_of_its_inertia():
    scene = make_scene(make_pendulum_result())
    box = scene.meshes[0].vertices[np.isclose(scene.meshes[0].colours, scene.meshes[0].colour).all(axis=1)]
    np.testing.assert_allclose(np.ptp(box, axis=0), np.sqrt(0.6), rtol=1e-5)
    np.testing.assert_allclose(box.mean(axis=0), (0, 0, -1), atol=1e-6)


def test_corners_of_a_block_are_its_shape():
    corners = np.array([(x, y, 0.0) for x in (-1.0, 1.0) for y in (-0.5, 0.5)])
    parts = make_block_parts(corners, np.array([0.0, 0.0, 0.4]), MARK)
    assert parts is not None
    np.testing.assert_allclose(parts[0][0].reshape(-1, 3).max(axis=0), (1.0, 0.5, 0.8))
    assert make_block_parts(corners[:1], np.zeros(3), MARK) is None


def make_lone_scene(shapes: dict, **more) -> Scene:
    """The scene of one body with some shapes, at the origin."""
    body = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    model = Model.model_validate({"name": "lone", "bodies": {"part": body}, "shapes": shapes, **more})
    blocks = [
        Block("body", "position", ("part",), ("x", "y", "z"), "m"),
        Block("body", "orientation", ("part",), ("w", "x", "y", "z"), "-"),
    ]
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    writer.add_frames([0.0], {"body/position": np.zeros((1, 1, 3)), "body/orientation": np.array([[[1.0, 0, 0, 0]]])})
    return make_scene(writer.finish("done"))


LONE = {
    "plate": ({"length": 2.0, "width": 1.0, "position": (0, 0, 1)}, (-1.0, -0.5, 0.9), (1.0, 0.5, 1.0)),
    "pin": ({"positions": [(0, 1, 0), (0, -1, 0)], "radius": 0.1}, (-0.1, -1.2, -0.1), (0.1, 1.2, 0.1)),
    "horn": ({"position": (1, 0, 0), "half_width": 0.1}, (0.9, -0.1, -0.1), (1.1, 0.1, 0.1)),
    "wheel": ({"radius": 0.5}, (-0.5, -0.08, -0.5), (0.5, 0.08, 0.5)),
    "sprocket": (
        {"teeth": 10, "arc_radius": 0.089, "arc_centre_radius": 0.3, "addendum_radius": 0.2605},
        # gaps lie along x, on both sides
        (-0.2605 * np.cos(np.pi / 10), -0.02625, -0.2605),
        (0.2605 * np.cos(np.pi / 10), 0.02625, 0.2605),
    ),
}


@pytest.mark.parametrize("kind", LONE)
def test_every_shape_is_drawn_in_its_size(kind):
    fields, low, high = LONE[kind]
    scene = make_lone_scene({"it": {"type": kind, "body": "part", "group": "g", **fields}})
    vertices = scene.meshes[0].vertices
    np.testing.assert_allclose(vertices.min(axis=0), low, atol=0.002)
    np.testing.assert_allclose(vertices.max(axis=0), high, atol=0.002)


def test_the_main_body_of_any_model_shows_its_front():
    corners = [(x, y, z) for x in (-2.0, 2.0) for y in (-1.0, 1.0) for z in (0.0, 1.0)]
    shapes = {"block": {"type": "points", "body": "part", "group": "g", "positions": corners}}
    plain, marked = (make_lone_scene(shapes, **more).meshes[0] for more in ({}, {"main_body": "part"}))
    assert plain.vertices[:, 0].max() == 2.0
    lamps = marked.vertices[np.isclose(marked.colours, LAMP).all(axis=1)]
    assert lamps[:, 0].min() > 1.5 and lamps[:, 0].max() > 2.0


def make_broken(result, frames: int, first_bad: int):
    blocks = make_blocks(result.model)
    writer = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    values = {block.name: result.block(block.name)[0][:frames] for block in blocks if block.items}
    values["body/position"][first_bad:, 3] = np.nan
    writer.add_frames(result.time[:frames], values)
    return writer.finish("failed", "diverged")


def test_frames_in_which_a_body_is_nowhere_are_left_out(result):
    scene = make_scene(make_broken(result, 5, 3))
    np.testing.assert_array_equal(scene.frames, [0, 1, 2])
    assert np.isfinite(scene.position).all()
    with pytest.raises(ResultError, match="diverged"):
        make_scene(make_broken(result, 5, 0))


def test_wrong_rates_and_empty_results_are_refused(result):
    with pytest.raises(ResultError, match=r"rate 0 must be larger"):
        make_scene(result, 0)
    writer = ResultWriter(None, header={}, blocks=make_blocks(result.model), model=result.model)
    with pytest.raises(ResultError, match="no frame"):
        make_scene(writer.finish("interrupted"))


TERRAINS = {
    "plane": Plane(normal=(-0.2, 0.1, 1.0)),
    "profile": Profile(points=[(-1.0, 0.0), (0.25, 0.5), (2.0, -0.3)]),
    "grid": Grid(origin=(-3.0, -3.0), spacing=(0.7, 0.9), heights=[[0.1 * i * j for j in range(8)] for i in range(9)]),
}


@pytest.mark.parametrize("name", TERRAINS)
def test_the_ground_is_the_terrain(name):
    terrain = TERRAINS[name]
    mesh = make_ground(terrain, (-2.3, -1.2), (3.1, 1.4), 6.0)
    x, y, z = mesh.vertices.astype(float).T
    np.testing.assert_allclose(z, calc_terrain_height(terrain, x, y), atol=1e-6)
    assert x.min() <= -2.3 and x.max() >= 3.1 and y.min() <= -1.2 and y.max() >= 1.4
    triangles = mesh.vertices[mesh.faces]
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert (across[:, 2] > 0).all()
    assert across[:, 2].sum() / 2 == pytest.approx(np.ptp(x) * np.ptp(y), rel=1e-5)


def test_the_ground_shows_edges_of_a_profile_between_tiles():
    mesh = make_ground(TERRAINS["profile"], (-2.3, -1.2), (3.1, 1.4), 6.0)
    assert mesh.vertices[:, 2].max() == pytest.approx(0.5)


def test_tiles_take_turns_and_their_number_is_limited():
    mesh = make_ground(Plane(), (0.0, 0.0), (4.0, 4.0), 6.0)
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    kinds = {
        tuple(np.floor(m[:2]).astype(int)): tuple(mesh.colours[f[0]]) for m, f in zip(middle, mesh.faces, strict=True)
    }
    assert len(kinds) == 16
    assert kinds[0, 0] == kinds[1, 1] != kinds[0, 1] == kinds[1, 0]
    assert len(make_ground(Plane(), (0.0, 0.0), (1e4, 1e4), 6.0).faces) < 30_000


def test_the_ground_reaches_around_the_whole_way(result, scene):
    x, y, _ = scene.terrain.vertices.T
    assert x.min() < scene.position[..., 0].min() - 0.9 * scene.size
    assert y.max() > scene.position[..., 1].max() + 0.9 * scene.size


def test_nodes_of_thick_beams_round_the_corners_of_their_bars():
    """They are bodies with the mass of half of the beams beside them, of which a box would be seen."""
    builder = gr.ModelBuilder("corner")
    steel = {"type": "linear", "young": 1e9, "poisson": 0.3, "density": 2000.0}
    points, section = [(0, 0, 0), (1, 0, 0), (1, 0, 1)], {"rectangle": (0.02, 0.03)}
    builder.add_mesh("beam", "line", element="beam_thick", points=points, section=section, material=steel)
    model = with_mesh_bodies(builder.build())
    (bar,) = make_deforming(model)
    meshes, index = make_body_meshes(model)
    assert index == (0, 0, 0)
    np.testing.assert_allclose(np.linalg.norm(meshes[0].vertices, axis=1).max(), bar.radius, rtol=1e-6)
