"""Into a wall: a run whose tyres meet ground that their law cannot follow says so first."""

from __future__ import annotations

import pytest
import yaml

from grouser.catalog.scenarios import Scenario, apply_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.cli.app import main
from grouser.errors import SolveError
from grouser.output.report.page import make_report
from grouser.result.crushed import CRUSHED_SHARE, find_crushed
from grouser.result.doubts import BALANCE_OPEN, LIMIT, TYRE_CRUSHED
from grouser.result.result import load_result
from grouser.simulate import simulate

WALL = 15.0
"""Where the step begins [m]; the vehicle starts at zero, with its front wheels 1.65 m ahead."""
RADIUS = 0.4699
"""Of the tyres [m]."""


def make_scenario(speed: float, length: float, height: float = 3.0) -> dict:
    """Onto a step of a height [m] that rises over a length [m], at a speed [m/s]."""
    points = [[-50.0, 0.0], [WALL, 0.0], [WALL + length, height], [100.0, height]]
    terrain = {"type": "profile", "points": points}
    drive = {"name": "wall", "duration": 2.0, "start_speed": speed, "terrain": terrain, "driver": {"speed": speed}}
    return {"grouser": 1, "kind": "scenario", **drive}


def run_into(speed: float, length: float, height: float = 3.0, **settings):
    drive = Scenario.model_validate(make_scenario(speed, length, height))
    return simulate(apply_scenario(load_vehicle("hmmwv"), drive), preset="embedded", duration=2.0, **settings)


@pytest.mark.parametrize("length", [1e-6, 0.05, 0.5])
@pytest.mark.parametrize("speed", [10.0, 20.0])
def test_a_step_of_three_metres_is_told_first_with_time_and_wheel(speed, length):
    """At 10 m/s on the step of 0.5 m the energies add up within the limit: the tyres tell it alone."""
    result = run_into(speed, length)
    summary = result.summary
    assert next(iter(summary)) == "doubts" and summary["doubts"]
    crushed = [event for event in result.events if event.kind == TYRE_CRUSHED]
    reached = (WALL - 1.65 - RADIUS) / speed
    assert crushed and all(event.element.endswith("wheel") for event in crushed)
    assert crushed[0].element.startswith("front")
    assert reached < crushed[0].time < reached + 0.5
    assert f"since {crushed[0].time:.6g} s" in " ".join(summary["doubts"])
    opened = [event for event in result.events if event.kind == BALANCE_OPEN]
    assert bool(opened) == (summary["energy_residual"] > LIMIT)
    for event in opened:
        assert event.element in result.model.bodies
        assert f"look at body {event.element!r}" in summary["doubts"][0]


def test_a_kerb_is_no_wall():
    result = run_into(5.0, 0.5, height=0.1, strict=True)
    assert result.summary["doubts"] == [] and find_crushed(result) == []
    assert result.block("tyre/deflection")[0].max() < CRUSHED_SHARE * RADIUS


def test_strict_runs_into_a_wall_are_an_error():
    with pytest.raises(SolveError, match="not to be trusted") as caught:
        run_into(10.0, 0.05, strict=True)
    assert caught.value.status == "doubtful"


def test_command_line_and_report_say_it_first(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wall.yaml").write_text(yaml.safe_dump(make_scenario(10.0, 0.05)))
    words = ["run", "hmmwv", "--preset", "embedded", "--scenario", "wall.yaml", "--out", "wall.h5", "--strict"]
    assert main(words) == 1
    shown = capsys.readouterr().out
    assert shown.index("!!! NOT TO BE TRUSTED") < shown.index("Tyre crushed") < shown.index("distance")
    with load_result("wall.h5") as result:
        page = make_report({"wall": result})
    box = page.index('<section class="doubts" role="alert">')
    assert "Tyre crushed" in page[box : page.index("</section>", box)]
