from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.image import imread
from synthetic_track import Drive, make_pendulum_result, make_result

from grouser.errors import ResultError
from grouser.output.plots import make_figure, make_overview, save_figure
from grouser.result.metrics import calc_centre
from grouser.result.writer import Block, ResultWriter


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=0.5, yaw_rate=0.4))


def count_colors(path) -> int:
    return len(np.unique(np.round(255 * imread(path)[:, :, :3]) @ [65536, 256, 1]))


def find_lines(ax) -> dict[str, np.ndarray]:
    return {line.get_label(): line.get_ydata() for line in ax.lines}


def test_a_figure_has_a_panel_for_each_unit_with_labels(result):
    figure = make_figure(result, ["chassis.position", "chassis.velocity.x", "left.link[01].tension"])
    assert [ax.get_ylabel() for ax in figure.axes] == ["position [m]", "velocity [m/s]", "tension [N]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    lines = find_lines(figure.axes[0])
    np.testing.assert_array_equal(lines["chassis.position.y"], result["chassis.position"][:, 1])
    assert list(find_lines(figure.axes[1])) == ["chassis.velocity.x"]
    assert list(find_lines(figure.axes[2])) == ["left.link0.tension", "left.link1.tension"]


def test_components_with_different_units_get_their_own_panels(result):
    figure = make_figure(result, "left.pin0.coordinate")
    assert [ax.get_ylabel() for ax in figure.axes] == ["coordinate [m]", "coordinate [rad]"]


def test_unknown_channels_are_answered_with_the_nearest(result):
    with pytest.raises(ResultError, match=r"did you mean 'chassis\.position'"):
        make_figure(result, ["chassis.positio"])
    with pytest.raises(ResultError, match="name at least one"):
        make_figure(result, [])


def test_the_overview_shows_speed_way_tension_slip_and_energy(result):
    figure = make_overview(result)
    panels = {ax.get_title("left"): ax for ax in figure.axes if ax.get_visible()}
    assert list(panels) == [
        "forward speed",
        "way of chassis, in its axes at the start",
        "way of chassis, seen from above",
        "track tension",
        "track slip",
        "energy balance",
        "residual of the energy balance",
    ]
    np.testing.assert_allclose(find_lines(panels["track tension"])["left: mean"], 5.5)
    np.testing.assert_allclose(find_lines(panels["track slip"])["right"], 10.0)
    work = find_lines(panels["energy balance"])["work put in"]
    np.testing.assert_allclose(work, result["energy.work_motions"])
    assert all("[" in ax.get_ylabel() for ax in panels.values())


def test_the_plan_shows_the_way_of_a_run_that_turns(result):
    plan = next(ax for ax in make_overview(result).axes if "from above" in ax.get_title("left"))
    assert (plan.get_xlabel(), plan.get_ylabel()) == ("X [m]", "Y [m]")
    np.testing.assert_allclose(plan.lines[0].get_xydata(), calc_centre(result)[:, :2])
    straight = make_overview(make_result(Drive(duration=0.5)))
    assert not any("from above" in ax.get_title("left") for ax in straight.axes)


def test_the_overview_of_a_model_without_tracks_leaves_panels_out():
    figure = make_overview(make_pendulum_result())
    titles = [ax.get_title("left") for ax in figure.axes if ax.get_visible()]
    assert "track tension" not in titles and "energy balance" in titles


def test_an_overview_of_nothing_is_refused(result):
    blocks = [Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m")]
    with pytest.raises(ResultError, match="nothing"):
        make_overview(ResultWriter(None, header={}, blocks=blocks, model=result.model).finish("failed"))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_figures_are_saved_and_not_empty(result, tmp_path, suffix):
    path = save_figure(make_overview(result), tmp_path / f"overview{suffix}")
    assert path.stat().st_size > 10_000
    if suffix == ".png":
        assert count_colors(path) > 100


def test_bad_places_are_refused(result, tmp_path):
    figure = make_figure(result, "energy.kinetic")
    with pytest.raises(ResultError, match=r"'\.bmp' is not one of \.png, \.svg, \.pdf"):
        save_figure(figure, tmp_path / "x.bmp")
    with pytest.raises(ResultError, match="does not exist"):
        save_figure(figure, tmp_path / "no" / "x.png")
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(ResultError, match="is a folder"):
        save_figure(figure, tmp_path / "taken.png")


def test_pyplot_is_never_needed():
    """Pyplot would pick a display; a picture must come out on a machine without one."""
    import subprocess

    code = "import sys, grouser.output.plots, grouser.output.side_view; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
