"""The sweep of default runs: which runs it makes, and what it says of them."""

from __future__ import annotations

import math

from defaults import HEADS, OWN_DRIVE, Row, list_runs, main, make_row, make_table

from grouser.catalog.scenarios import list_scenarios
from grouser.catalog.vehicles import list_vehicles
from grouser.result.doubts import LIMIT


def test_every_vehicle_and_every_scenario_takes_part():
    runs = list_runs()
    assert {vehicle for vehicle, _ in runs} == set(list_vehicles())
    assert {scenario for _, scenario in runs} == {*list_scenarios(), OWN_DRIVE}
    assert ("m113", "iso-3888") not in runs  # it needs a driver
    assert list_runs("hmmwv") == [run for run in runs if run[0] == "hmmwv"]


def test_a_row_shows_what_the_run_says_of_itself():
    row = make_row("crawler", "crawl-forward", longest=1.5)
    assert row.duration == 1.5
    assert row.preset == "recursive, adams"
    assert row.residual is not None
    assert row.residual < LIMIT
    assert row.is_good
    assert row.cells[-1] == "yes"


def test_failed_runs_and_untold_residuals_are_not_good():
    assert not Row("m113", "turn", failure="diverged at 1 s").is_good
    assert not Row("m113", "turn", residual=1.1 * LIMIT).is_good
    assert not Row("m113", "turn", residual=math.nan).is_good
    assert Row("m113", "turn", residual=1.1 * LIMIT, doubts=("Energy balance open.",)).is_good
    assert Row("m113", "rest").is_good


def test_the_table_is_written_after_every_run(tmp_path, capsys):
    file = tmp_path / "runs.md"
    assert main(["--vehicle", "crawler", "--longest", "0.05", "--out", str(file)]) == 0
    table = file.read_text()
    assert table == make_table([]) + "".join(table.splitlines(keepends=True)[2:])
    assert len(table.splitlines()) == 2 + len(list_runs("crawler"))
    assert all(line.count("|") == len(HEADS) + 1 for line in table.splitlines())
    assert table in capsys.readouterr().out
