from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.image import imread
from synthetic_track import (
    LINKS,
    PAD,
    RADIUS,
    TEETH,
    WHEELBASE,
    Drive,
    make_blocks,
    make_pendulum_result,
    make_result,
)

from grouser.errors import ResultError
from grouser.model.contact import Sprocket
from grouser.model.model import Model
from grouser.output.plots import save_figure
from grouser.output.shapes import calc_tooth_profile
from grouser.output.side_view import _draw_hull, _Scene, find_frame, make_side_view
from grouser.result.writer import Block, ResultWriter


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=1.0))


def find_links(figure) -> PolyCollection:
    """The links: as many polygons as the track has, each with a tension."""
    found = [c for c in figure.axes[0].collections if isinstance(c, PolyCollection) and len(c.get_paths()) == LINKS]
    assert len(found) == 1
    return found[0]


def test_the_picture_is_not_empty(result, tmp_path):
    path = save_figure(make_side_view(result, 0.5), tmp_path / "side.png")
    pixels = imread(path)[:, :, :3]
    assert len(np.unique(np.round(255 * pixels) @ [65536, 256, 1])) > 300
    assert 0.2 < np.mean((pixels < 0.99).any(axis=2)) < 0.9


def test_links_lie_where_the_track_is_and_carry_its_tension(result):
    figure = make_side_view(result, 0.0)
    links = find_links(figure)
    np.testing.assert_allclose(links.get_array(), np.arange(1, LINKS + 1))
    corners = np.concatenate([path.vertices for path in links.get_paths()])
    assert corners[:, 1].min() == pytest.approx(0.0, abs=0.01)
    assert corners[:, 1].max() == pytest.approx(2 * RADIUS + 2 * PAD, abs=0.01)
    # links are chords of the half circles, so that their corners stand out by a little
    assert np.ptp(corners[:, 0]) == pytest.approx(WHEELBASE + 2 * RADIUS + 2 * PAD, abs=0.05)
    assert figure.axes[1].get_ylabel() == "link tension [kN]"
    assert figure.axes[0].get_aspect() == 1.0


def test_the_left_track_is_seen_from_the_left_and_the_right_from_the_right(result):
    left, right = (make_side_view(result, 0.5, side).axes[0] for side in ("left", "right"))
    assert left.xaxis_inverted() and not right.xaxis_inverted()
    assert left.get_xlabel() == "X [m], seen from the left"
    np.testing.assert_allclose(find_links(right.figure).get_array(), 0.5 * np.arange(1, LINKS + 1))


def test_the_title_tells_time_and_speed(result):
    title = make_side_view(result, 0.5).axes[0].get_title()
    assert title == f"small-track, penalty, t = 0.500 s, speed {RADIUS * 8 * 0.9:.2f} m/s"


def test_wheels_turn_between_two_pictures(result):
    first, second = (make_side_view(result, time) for time in (0.5, 0.6))
    spokes = [
        [line.get_xydata() for line in figure.axes[0].lines if len(line.get_xydata()) == 2]
        for figure in (first, second)
    ]
    angles = [[np.arctan2(*np.diff(spoke, axis=0)[0][::-1]) for spoke in group] for group in spokes]
    turned = np.abs(np.angle(np.exp(1j * np.subtract(*angles))))
    # sprocket, idler and wheel turn by 0.8 rad, the arm and its damper do not
    assert np.isclose(turned, 0.8).sum() == 3
    assert np.isclose(turned, 0.0).sum() == 2


def test_the_ground_is_drawn_at_its_height(result):
    ground = [line for line in make_side_view(result, 0.5).axes[0].lines if len(line.get_xdata()) == 400]
    assert len(ground) == 1
    np.testing.assert_allclose(ground[0].get_ydata(), 0.0)


def test_a_vehicle_that_turned_is_drawn_along_its_heading():
    figure = make_side_view(make_result(Drive(yaw_rate=1.5, duration=1.0)), 1.0)
    assert "along the heading" in figure.axes[0].get_xlabel()
    corners = np.concatenate([path.vertices for path in find_links(figure).get_paths()])
    assert np.ptp(corners[:, 0]) == pytest.approx(WHEELBASE + 2 * RADIUS + 2 * PAD, abs=0.05)


def test_any_model_can_be_drawn(tmp_path):
    result = make_pendulum_result()
    figure = make_side_view(result, 0.3)
    dots = np.concatenate([line.get_xydata() for line in figure.axes[0].lines])
    angle = np.cos(3.0 * 0.3)
    assert np.isclose(dots, [-np.sin(angle), -np.cos(angle)], atol=1e-9).all(axis=1).any()
    assert "bob" in {text.get_text() for text in figure.axes[0].texts}
    assert save_figure(figure, tmp_path / "pendulum.png").stat().st_size > 5_000


def test_a_run_that_diverged_can_still_be_drawn(result, tmp_path):
    blocks = make_blocks(result.model)
    writer = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    values = {block.name: result.block(block.name)[0][:2] for block in blocks if block.items}
    for value in values.values():
        value[1, 3:] = np.nan
    writer.add_frames([0.0, 0.1], values)
    figure = make_side_view(writer.finish("failed", "diverged"), 0.1)
    assert "failed" in figure.axes[0].get_title()
    assert save_figure(figure, tmp_path / "diverged.png").stat().st_size > 5_000


def test_wrong_times_and_sides_are_refused(result):
    with pytest.raises(ResultError, match="time 7 s lies outside of the run, which goes from 0 s to 1 s"):
        make_side_view(result, 7.0)
    with pytest.raises(ResultError, match="did you mean 'left'"):
        make_side_view(result, 0.5, "lift")
    assert find_frame(result, 0.504) == 50


def make_sprocket(**changes) -> Sprocket:
    return Sprocket.model_validate(
        {
            "body": "sprocket",
            "group": "teeth",
            "teeth": 10,
            "arc_radius": 0.089,
            "arc_centre_radius": 0.3,
            "addendum_radius": 0.2605,
            **changes,
        }
    )


def test_the_tooth_profile_is_made_of_arcs_and_lands():
    sprocket = make_sprocket()
    angle = np.linspace(-np.pi, np.pi, 2001)
    radius = calc_tooth_profile(sprocket, angle)
    assert calc_tooth_profile(sprocket, 0.0) == pytest.approx(0.3 - 0.089)
    assert calc_tooth_profile(sprocket, np.pi / 10) == 0.2605
    # every point lies on the land or on the arc of its gap
    gap = 2 * np.pi / 10 * np.round(angle / (2 * np.pi / 10))
    x, y = radius * np.cos(angle - gap), radius * np.sin(angle - gap)
    on_arc = np.isclose(np.hypot(x - 0.3, y), 0.089)
    assert (on_arc | (radius == 0.2605)).all()
    assert 0.5 < on_arc.mean() < 1.0


def test_arcs_that_meet_below_the_addendum_make_pointed_teeth():
    radius = calc_tooth_profile(make_sprocket(arc_radius=0.12, addendum_radius=0.4), np.linspace(0, 2 * np.pi, 5001))
    assert radius.max() < 0.4
    assert np.all(np.isfinite(radius))


def test_the_synthetic_sprocket_holds_its_pins():
    """The seat of the synthetic vehicle: a pin of 20 mm in the arc has its centre on the pitch circle."""
    sprocket = make_sprocket(teeth=TEETH, arc_radius=0.05, arc_centre_radius=RADIUS + 0.03, addendum_radius=0.16)
    assert calc_tooth_profile(sprocket, 0.0) + 0.02 == pytest.approx(RADIUS)


def test_hull_reaches_from_the_belly_to_the_centre_of_mass():
    """Three corners of an underside are not a wedge: the body stands over its whole length."""
    corners = [(x, y, z) for x, z in ((-4.0, 0.5), (0.0, 0.5), (0.2, 0.9)) for y in (0.8, -0.8)]
    body = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "com": (-2.0, 0.0, 1.0)}
    belly = {"type": "points", "body": "hull", "group": "belly", "positions": corners}
    model = Model(name="hull", bodies={"hull": body}, shapes={"belly": belly})
    blocks = [
        Block("body", "position", ("hull",), ("x", "y", "z"), "m"),
        Block("body", "orientation", ("hull",), ("w", "x", "y", "z"), "-"),
    ]
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    writer.add_frames([0.0], {blocks[0].name: np.zeros((1, 1, 3)), blocks[1].name: np.array([[[1.0, 0.0, 0.0, 0.0]]])})
    ax = Figure().subplots()
    _draw_hull(_Scene(writer.finish("done"), 0, is_vehicle=True), ax, "hull")
    outline = {tuple(np.round(corner, 6)) for corner in ax.patches[0].get_xy()}
    assert outline == {(-4.0, 0.5), (0.0, 0.5), (0.2, 0.9), (0.2, 1.0), (-4.0, 1.0)}
