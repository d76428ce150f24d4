"""The runs of an N-post rig as a study: the matrix of the experiment, and the numbers of every run.

Table 1 of T. M. Wasfy et al. has 38 runs: harmonic pitch and shake of 40, 60 and 70 mm from 0.6 to 1.5 Hz, and ramps of
90 mm. Angles were sampled at 205 Hz.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from grouser.catalog.rig.spec import Excitation, Harmonic, Measured, Ramp, Signals
from grouser.errors import ModelError
from grouser.model.text import load_text
from grouser.result.posts import PostMeasure, measure_posts
from grouser.result.result import Result, load_result
from grouser.study.drive import StudyOutcome
from grouser.study.experiment import Base, Factor, Response
from grouser.study.folder import StudyFolder
from grouser.study.spec import Study

SAMPLES = 205.0
"""Frames of a run in a second, as the experiment had them [Hz]."""
FACTOR = "excitation"
BASE = "npost-shake"
"""Scenario of which every run has pans, harness and duration."""
_ANY: TypeAdapter[Any] = TypeAdapter(Excitation)


def list_matrix() -> list[str]:
    """The 38 runs of Table 1, in its order.

    >>> runs = list_matrix()
    >>> len(runs), runs[0], runs[-1]
    (38, 'pitch 40 mm 0.6 Hz', 'ramp shake 90 mm')
    """
    runs = []
    for motion, amplitude, tenths in (
        ("pitch", 40, range(6, 15)),
        ("pitch", 60, range(11, 13)),
        ("pitch", 70, range(6, 11)),
        ("shake", 40, range(6, 16)),
        ("shake", 70, range(6, 16)),
    ):
        runs += [f"{motion} {amplitude} mm {tenth / 10:g} Hz" for tenth in tenths]
    return [*runs, "ramp pitch 90 mm", "ramp shake 90 mm"]


def load_matrix(path: Path) -> list[str]:
    """Runs of a file, one a line as in ``shake 70 mm 1.5 Hz``; empty lines and those with # do not count."""
    lines = [line.strip() for line in load_text(path).splitlines()]
    runs = [line for line in lines if line and not line.startswith("#")]
    if not runs:
        raise ModelError(f"{path}: names no run: write one a line, as in  shake 70 mm 1.5 Hz")
    faults = []
    for run in runs:
        try:
            read_excitation(run)
        except ValidationError as error:
            faults.append(f"{path}: {error.errors()[0]['msg'].removeprefix('Value error, ')}")
    if faults:
        raise ModelError(faults)
    return list(dict.fromkeys(runs))


def read_excitation(text: str) -> Harmonic | Ramp | Signals | Measured:
    """An excitation in short words."""
    found = _ANY.validate_python(text)
    assert isinstance(found, Harmonic | Ramp | Signals | Measured)
    return found


def make_npost_study(
    vehicle: str,
    runs: Sequence[str],
    *,
    scenario: str | None = None,
    overrides: Iterable[str] = (),
    scenario_overrides: Iterable[str] = (),
    preset: str | None = None,
) -> Study:
    """A study of a vehicle on a rig, a run for each excitation."""
    return Study(
        name="npost",
        description="a vehicle on an N-post rig",
        base=Base(
            vehicle=vehicle,
            scenario=scenario or BASE,
            set=list(overrides),
            scenario_set=list(scenario_overrides),
            preset=preset,
            output_interval=1.0 / SAMPLES,
        ),
        factors={FACTOR: Factor(type="scenario", path="rig.excitation", values=list(runs))},
        responses={"energy_residual": Response(summary="energy_residual")},
    )


def find_run(outcome: StudyOutcome, excitation: str) -> Path | None:
    """Result file of a run, if it has been made."""
    for row in outcome.rows.values():
        if row[FACTOR] == excitation and row["status"] == "done":
            return StudyFolder(outcome.folder).find_result(row["run"])
    return None


def measure_runs(outcome: StudyOutcome) -> dict[str, list[PostMeasure]]:
    """Numbers of all runs that have been made, by their excitation."""
    measured = {}
    for run in sorted(outcome.rows):
        excitation = str(outcome.rows[run][FACTOR])
        path = find_run(outcome, excitation)
        if path is not None:
            with load_result(path) as result:
                measured[excitation] = measure_run(result, excitation)
    return measured


def measure_run(result: Result, excitation: str) -> list[PostMeasure]:
    """Numbers of a run: a harmonic one between its ramps, else from its start to its end."""
    found, end = read_excitation(excitation), float(result.time[-1])
    if isinstance(found, Harmonic):
        return measure_posts(result, found.frequency, (found.ramp, min(found.length - found.ramp, end)))
    return measure_posts(result, None, (0.0, end))
