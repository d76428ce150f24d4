"""Runs that are not to be trusted: what tells them, and that they say so first."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.model.model import Model
from grouser.result.doubts import LIMIT, OpenBalance, find_doubts, find_open_balance
from grouser.result.facts import find_summary
from grouser.result.metrics import calc_energy_residual
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

ENERGIES = ("kinetic", "potential", "work_motions", "work_forces", "residual")
TIME = np.linspace(0.0, 1.0, 101)


def make_writer(residual: np.ndarray, work: np.ndarray | None = None, **header: float) -> ResultWriter:
    """A ball whose kinetic energy rises to 100 J, with energies that do not add up by `residual` [J]."""
    blocks = [Block("energy", name, ("energy",), ("value",), "J") for name in ENERGIES]
    model = Model(name="ball", bodies={"ball": {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}}, gravity=(0.0, 0.0, -10.0))
    writer = ResultWriter(None, header=header, blocks=blocks, model=model)
    values = {f"energy/{name}": np.zeros((101, 1)) for name in ENERGIES}
    values["energy/kinetic"] = 100.0 * TIME[:, None] ** 2
    values["energy/residual"] = residual[:, None]
    if work is not None:
        values["energy/work_forces"] = work[:, None]
    writer.add_frames(TIME, values)
    return writer


def make_result(residual: np.ndarray, **more: np.ndarray) -> Result:
    return make_writer(residual, **more).finish("done")


def test_a_balance_that_opens_by_more_than_the_limit_is_told_since_then():
    result = make_result(4.0 * TIME)
    assert find_open_balance(result) == OpenBalance(pytest.approx(0.26), pytest.approx(0.04))
    (doubt,) = find_doubts(result)
    assert doubt.startswith("Energy balance open: since 0.26 s the energies do not add up, and up to 4 % of the energy")


def test_a_balance_within_the_limit_is_none():
    result = make_result(0.99 * LIMIT * 100.0 * TIME)
    assert find_open_balance(result) is None
    assert find_doubts(result) == []


def test_an_error_in_the_middle_counts_though_it_is_gone_at_the_end():
    result = make_result(np.where((TIME > 0.4) & (TIME < 0.6), -30.0, 0.0))
    assert find_open_balance(result) == OpenBalance(pytest.approx(0.41), pytest.approx(0.3))


def test_small_energies_of_the_beginning_raise_no_alarm():
    """The error is larger than all energies there are for the first 5 % of the run, and small beside those to come."""
    is_early = (TIME > 0.0) & (TIME < 0.05)
    residual = np.where(is_early, 0.5, 0.0)
    assert residual[1] > 100.0 * TIME[1] ** 2
    assert find_open_balance(make_result(residual)) is None
    work = np.where(TIME < 0.1, 0.0, 1e3)  # and before the drive nothing counts, as in `energy_residual`
    assert find_open_balance(make_result(np.where(is_early, 20.0, 0.0), work=work)) is None


def test_the_share_is_the_number_of_the_summary():
    result = make_result(4.0 * TIME, work=50.0 * TIME)
    balance = find_open_balance(result)
    assert balance is not None and balance.share == calc_energy_residual(result) == pytest.approx(0.08)


def test_energies_that_are_no_numbers_are_no_balance():
    """The residual of the summary is None then, as at rest: that must not pass for a good run."""
    result = make_result(np.where(TIME < 0.495, 0.0, np.nan))
    assert calc_energy_residual(result) is None
    assert find_open_balance(result) == OpenBalance(pytest.approx(0.5), np.inf)
    assert "no numbers any more since 0.5 s" in find_doubts(result)[0]


def test_a_frame_that_did_not_add_up_is_told_by_the_same_event():
    closed = find_open_balance(make_result(0.1 * TIME), suspect=0.3)
    assert closed == OpenBalance(0.3, pytest.approx(1e-3))
    assert "the frame at 0.3 s do not add up, and over the run up to 0.1 %" in closed.say()
    opened = make_result(4.0 * TIME)
    assert find_open_balance(opened, suspect=0.7) == find_open_balance(opened)


def test_every_kind_of_doubt_is_told_once_and_in_order():
    writer = make_writer(0.0 * TIME, duration=2.0)
    writer.add_event(0.4, "joint open", "a", "joint 'a' has opened")
    writer.add_event(0.3, "joint open", "b", "joint 'b' has opened")
    writer.add_event(0.9, "energy gained", "", "energy from nowhere")
    writer.add_event(0.0, "step too coarse", "ball", "the step is long")
    writer.add_event(0.0, "costly joint", "a", "it costs, and is right")
    writer.add_event(0.5, "energy balance open", "ball", "told by the run")
    result = writer.finish("failed", "diverged at 1 s")
    assert find_doubts(result) == [
        "The run has failed (diverged at 1 s); shown is what there is until 1 s of 2 s.",
        "Energy balance open: told by the run.",
        "Step too coarse: the step is long.",
        "Joint open: joint 'b' has opened (and 1 more: see the events).",
        "Energy gained: energy from nowhere.",
    ]


@pytest.mark.parametrize(("status", "words"), [("partial", "is partial"), ("interrupted", "stopped by the user")])
def test_a_run_without_an_end_is_a_doubt(status, words):
    writer = make_writer(0.0 * TIME)
    result = writer.make_view() if status == "partial" else writer.finish(status)
    (doubt,) = find_doubts(result)
    assert words in doubt
    assert next(iter(find_summary(result).items())) == ("doubts", [doubt])


def test_doubts_come_first_in_summaries_of_earlier_versions():
    result = make_writer(4.0 * TIME).finish("done", "", {"status": "done", "distance": 3.0})
    summary = find_summary(result)
    assert next(iter(summary)) == "doubts"
    assert "4 %" in summary["doubts"][0] and summary["distance"] == 3.0


def test_stored_doubts_are_taken_as_they_are():
    assert find_doubts(make_writer(0.0 * TIME).finish("done", "", {"doubts": ["mine"]})) == ["mine"]
    assert find_doubts(make_writer(4.0 * TIME).finish("done", "", {"doubts": []})) == []
