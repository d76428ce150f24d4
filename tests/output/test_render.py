from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.image import imread
from synthetic_track import Drive, make_pendulum_result, make_result

from grouser.errors import ResultError
from grouser.model.terrain import Plane
from grouser.output.camera import MARGIN, Camera, aim_camera, find_view, fit_camera, make_view_axes
from grouser.output.ground import make_ground
from grouser.output.mesh import make_box, make_mesh
from grouser.output.painter import Painter
from grouser.output.render import Shot, find_ways, save_movie, save_still
from grouser.output.scene import Scene, make_scene
from grouser.whole_file import save_whole

RED, BLUE = (0.8, 0.0, 0.0), (0.0, 0.0, 0.8)
SMALL = (160, 90)
NOBODY_TURNED = np.array([(0.0, 0.0, 0.0, 1.0)] * 2)


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=1.0, slip=0.0))


def project(camera: Camera, points, size=(200, 100)) -> np.ndarray:
    """Columns and rows of points."""
    rows = camera.make_matrix(*size) @ np.column_stack([points, np.ones(len(points))]).T
    return (rows[:2] / rows[2]).T


def make_boxes() -> Scene:
    """A red and a blue cube of 1 m, their origins in the middle of their undersides, on level ground."""
    cube = make_box((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0))
    return Scene(
        title="boxes",
        time=np.zeros(1),
        frames=np.zeros(1, dtype=np.int64),
        bodies=("red", "blue"),
        main_body="red",
        meshes=(make_mesh("red", [(cube, RED)]), make_mesh("blue", [(cube, BLUE)])),
        mesh=(0, 1),
        deforming=(),
        way=np.zeros((1, 3)),
        position=np.zeros((1, 2, 3)),
        quaternion=NOBODY_TURNED[np.newaxis],
        terrain=make_ground(Plane(), (-20.0, -20.0), (20.0, 20.0), 6.0),
        size=2.0,
    )


def paint_boxes(red, blue, azimuth=-90.0, elevation=0.0) -> np.ndarray:
    """A picture of the two cubes as float, (100, 200, 3); 20 m away, seen along +y by default."""
    painter = Painter(make_boxes(), (200, 100))
    painter.place_bodies(np.array([red, blue], dtype=float), NOBODY_TURNED)
    axes = make_view_axes(np.radians(azimuth), np.radians(elevation))
    camera = Camera(np.array([0.0, 0.0, 0.5]) + 20.0 * axes[2], axes)
    return painter.paint(camera, np.zeros(3), 10.0).astype(float)


def find_reddish(picture) -> np.ndarray:
    return (picture[..., 0] > 2 * picture[..., 2]) & (picture[..., 0] > 2 * picture[..., 1])


def find_bluish(picture) -> np.ndarray:
    return picture[..., 2] > 3 * picture[..., 0]


@pytest.mark.parametrize("view", ["iso", "side", "front", "top", "200,-30"])
def test_a_camera_has_everything_in_its_picture_and_nothing_to_spare(view):
    points = np.random.default_rng(1).uniform((-3, -1, 0), (2, 1, 1.5), (500, 3))
    axes = make_view_axes(*np.radians(find_view(view)))
    camera = fit_camera(points, axes, 2.0)
    seen = project(camera, points) / [200, 100]
    assert (seen > 0).all() and (seen < 1).all()
    spare = np.concatenate([seen.min(axis=0), 1 - seen.max(axis=0)])
    filling = 0 if np.ptp(seen[:, 0]) > np.ptp(seen[:, 1]) else 1
    assert spare[[filling, 2 + filling]] == pytest.approx((1 - 1 / MARGIN) / 2)


def test_views_are_the_right_way_up():
    ahead, left, up = np.eye(3)
    expected = {"side": (ahead, up), "front": (left, up), "top": (ahead, left)}
    for view, (right, above) in expected.items():
        azimuth, elevation = find_view(view)
        axes = make_view_axes(np.radians(azimuth), np.radians(elevation))
        assert axes[0] @ right == pytest.approx(1.0) and axes[1] @ above > 0.98
    seen = project(Camera(np.array([0.0, -10.0, 0.0]), make_view_axes(-np.pi / 2, 0.0)), np.eye(3))
    assert seen[0, 0] > 100 and seen[2, 1] < 50


def test_a_camera_is_aimed_without_coming_nearer():
    points = np.random.default_rng(1).uniform(-1, 1, (50, 3))
    camera = fit_camera(points, make_view_axes(0.3, 0.2), 2.0)
    aimed = aim_camera(camera, points, np.array([0.5, 0.5, 0.5]))
    np.testing.assert_allclose(project(aimed, np.full((1, 3), 0.5)), [(100, 50)], atol=1e-9)


@pytest.mark.parametrize("view", ["back", "1,2,3", "10,100", "nan,0", ""])
def test_unknown_views_are_refused(view):
    with pytest.raises(ResultError, match="iso, side, front, top"):
        find_view(view)


def test_bodies_are_drawn_where_they_are_and_as_large_as_they_are():
    picture = paint_boxes((-2.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    rows, columns = np.nonzero(find_reddish(picture))
    # a picture of 100 rows shows 2 tan(9 degrees) of 20 m less the half metre to the front of the cube
    scale = 100 / (2 * np.tan(np.radians(9.0)) * 19.5)
    assert np.ptp(columns) + 1 == pytest.approx(scale, abs=1.5)
    assert columns.mean() == pytest.approx(99.5 - 2.0 * scale, abs=1.0)
    assert np.ptp(rows) + 1 == pytest.approx(scale, abs=1.5)
    assert np.nonzero(find_bluish(picture))[1].mean() == pytest.approx(99.5 + 2.0 * scale, abs=1.0)


def test_what_is_nearer_hides_what_is_behind():
    in_front = paint_boxes((0.0, -2.0, 0.0), (0.0, 2.0, 0.0))
    assert find_reddish(in_front).sum() > 200 and find_bluish(in_front).sum() == 0
    behind = paint_boxes((0.0, 2.0, 0.0), (0.0, -2.0, 0.0))
    assert find_bluish(behind).sum() > 200 and find_reddish(behind).sum() == 0


def test_the_ground_lies_under_the_bodies_and_is_dark_in_their_shadow():
    near, far = paint_boxes((0, 0, 0), (0, 0, 0), elevation=60.0), paint_boxes((0, 0, 50), (0, 0, 50), elevation=60.0)
    is_ground = ~find_reddish(near) & ~find_bluish(near)
    darker = (near[is_ground].sum(axis=1) / far[is_ground].sum(axis=1)) < 0.7
    # a cube of 1 m, some 16 pixels wide, has a shadow of about half its size under a sun at 54 degrees
    assert 60 < darker.sum() < 400


def test_a_face_in_the_sun_is_brighter_than_one_in_the_shade():
    picture = paint_boxes((0, 0, 0), (0, 0, -50), azimuth=-38.0, elevation=20.0)
    shades = np.unique(picture[find_reddish(picture)][:, 0].round(-1))
    assert shades.max() > 1.5 * shades.min()


def test_no_face_shades_itself():
    """A face under an even light has one shade; the grain of the maps would darken it in a pattern."""
    picture = paint_boxes((0, 0, 0), (3, 0, 0), elevation=0.0)
    assert np.ptp(picture[find_reddish(picture)][:, 0]) <= 2


def test_a_still_shows_the_vehicle(result, tmp_path):
    path = save_still(result, tmp_path / "a.png", 0.5, Shot(size=(320, 180)))
    pixels = imread(path)[:, :, :3]
    assert pixels.shape == (180, 320, 3)
    assert len(np.unique(np.round(255 * pixels) @ [65536, 256, 1])) > 2000
    assert np.ptp(pixels.mean(axis=2)) > 0.5
    other = imread(save_still(result, tmp_path / "b.png", 0.55, Shot(size=(320, 180))))[:, :, :3]
    assert (np.abs(pixels - other).max(axis=2) > 0.1).mean() > 0.01
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "b.png"]


@pytest.mark.parametrize("shot", [Shot("top", SMALL), Shot("40,30", SMALL, "left.sprocket", 4.0)], ids=str)
def test_a_still_can_be_looked_at_from_anywhere(result, tmp_path, shot):
    assert imread(save_still(result, tmp_path / "a.png", shot=shot)).shape == (90, 160, 3)


def test_any_model_can_be_rendered(tmp_path):
    pixels = imread(save_still(make_pendulum_result(), tmp_path / "a.png", 0.3, Shot(size=SMALL)))
    assert np.ptp(pixels.reshape(-1, 3), axis=0).max() > 0.4


def test_the_view_turns_with_the_vehicle(tmp_path):
    """Seen from its side, a vehicle looks the same whichever way it has turned, but for the tiles of the ground."""
    result = make_result(Drive(duration=1.0, yaw_rate=1.5))
    straight, turned = (
        imread(save_still(result, tmp_path / f"{time}.png", time, Shot("side", SMALL)))[:60, :, :3]
        for time in (0.0, 0.9)
    )
    assert (np.abs(straight - turned).max(axis=2) > 0.15).mean() < 0.1


def test_a_movie_has_as_many_pictures_as_it_should(result, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    phases = []
    path = save_movie(
        result, tmp_path / "a.mp4", Shot(size=SMALL), fps=10, speed=0.5, progress=lambda *words: phases.append(words)
    )
    count, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert (count, seconds) == (21, pytest.approx(2.1, abs=0.11))
    assert next(ffmpeg.read_frames(str(path)))["size"] == SMALL
    assert phases[0] == ("rendering", 0.0, pytest.approx(1.0)) and len(phases) == 21
    frames = ffmpeg.read_frames(str(path))
    next(frames)
    first, *_, last = (np.frombuffer(frame, np.uint8).astype(int) for frame in frames)
    assert (np.abs(last - first) > 40).mean() > 0.01


def test_a_movie_that_is_stopped_leaves_nothing(result, tmp_path):
    pytest.importorskip("imageio_ffmpeg")

    def stop(phase: str, time: float, end: float) -> None:
        if time > 0.25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_movie(result, tmp_path / "a.mp4", Shot(size=SMALL), fps=10, progress=stop)
    assert not list(tmp_path.iterdir())


def test_a_missing_encoder_is_named(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ResultError, match=r"pip install 'grouser\[render\]'"):
        save_movie(result, tmp_path / "a.mp4")


def test_a_camera_follows_who_drives_away_and_stays_where_all_is_near():
    fast = make_scene(make_result(Drive(duration=2.0, sprocket_speed=20.0)))
    ways = find_ways(fast, None, fast.time)
    driven = fast.position[-1, 0] - fast.position[0, 0]
    np.testing.assert_allclose(ways[0], 0.0)
    np.testing.assert_allclose(ways[-1], driven, atol=0.2 * np.linalg.norm(driven))
    slow = make_scene(make_result(Drive(duration=0.2)))
    assert not find_ways(slow, None, slow.time).any()
    assert find_ways(slow, "left.wheel", slow.time).any()


@pytest.mark.parametrize(
    ("shot", "words"),
    [
        (Shot(size=(5, 90)), "size 5x90"),
        (Shot(zoom=0.0), "zoom 0"),
        (Shot(zoom=float("nan")), "zoom nan"),
        (Shot(follow="lef.wheel"), "did you mean 'left.wheel'"),
        (Shot(view="bottom"), "view 'bottom'"),
    ],
    ids=str,
)
def test_wrong_shots_are_refused(result, tmp_path, shot, words):
    with pytest.raises(ResultError, match=words):
        save_still(result, tmp_path / "a.png", shot=shot)
    assert not list(tmp_path.iterdir())


def test_wrong_times_and_rates_are_refused(result, tmp_path):
    with pytest.raises(ResultError, match="time 7 s lies outside of the run"):
        save_still(result, tmp_path / "a.png", 7.0)
    with pytest.raises(ResultError, match="fps 0 must"):
        save_movie(result, tmp_path / "a.mp4", fps=0)
    with pytest.raises(ResultError, match="must be even"):
        save_movie(result, tmp_path / "a.mp4", Shot(size=(161, 90)))
    with pytest.raises(ResultError, match="does not exist"):
        save_movie(result, tmp_path / "no" / "a.mp4")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), save_whole(path, "picture") as unfinished:
        unfinished.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    with save_whole(path, "picture") as unfinished:
        unfinished.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and len(list(tmp_path.iterdir())) == 1
