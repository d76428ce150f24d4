"""Tables, figures and the report of a calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.bands import Band, say_band
from grouser.calibration.compare import Comparison
from grouser.calibration.evaluate import Traces
from grouser.calibration.folder import FIGURES, HISTORIES, CalibrationFolder
from grouser.calibration.judge import Error, calc_mean
from grouser.calibration.outcome import CalibrationOutcome
from grouser.calibration.spec import FACTORS, Calibration
from grouser.output.panel import Line, Panel, make_panel_figure
from grouser.output.plots import save_figure
from grouser.output.report.sections import Section, save_sections
from grouser.output.report.tables import Table

Array = NDArray[np.float64]
BLUE, RED, BLACK = 0, 1, 6
"""Colours of the style, by number."""
SOLID, DASHED, DOTTED = 0, 1, 3
"""Dashes of the style, by number."""
UNTOLD = "-"


def save_outcome(
    calibration: Calibration,
    comparison: Comparison,
    folder: CalibrationFolder,
    outcome: CalibrationOutcome,
    before: Traces,
    after: Traces,
) -> None:
    """Write tables, figures and the report of what was found."""
    is_curve = {name: one.type == "curve" for name, one in calibration.unknowns.items()}
    bands = list(outcome.bands.values())
    folder.save_bands(bands, is_curve)
    folder.save_errors(outcome.before, outcome.after)
    curves = [make_curve_panel(band) for band in bands if is_curve[band.name]]
    histories = {}
    for run in calibration.runs:
        courses = _make_courses(calibration, comparison, outcome, run, before, after)
        _save_courses(folder, run, courses)
        histories[run] = [_make_course_panel(calibration, run, column, courses) for column in courses["measured"]]
    if curves:
        figure = make_panel_figure(curves, calibration.name, columns=1 if len(curves) == 1 else 2)
        save_figure(figure, folder.path / FIGURES / "curves.svg")
    for run, panels in histories.items():
        figure = make_panel_figure(panels, f"{calibration.name}: {run}", columns=1 if len(panels) == 1 else 2)
        save_figure(figure, folder.path / FIGURES / f"{run}.svg")
    save_sections(
        folder.report,
        calibration.name,
        _say_subtitle(calibration, outcome),
        cards=_make_cards(outcome),
        notes=[*outcome.notes, *_say_open(bands, outcome)],
        sections=[
            Section("Unknowns", _UNKNOWNS, (_make_unknown_table(bands),), tuple(curves)),
            Section("Errors", _ERRORS, (_make_run_table(calibration, outcome), *_make_column_tables(outcome))),
            *(_make_run_section(calibration, outcome, run, panels) for run, panels in histories.items()),
        ],
    )


_UNKNOWNS = (
    "Where a curve is drawn solid, the runs went through its arguments and its band of 95 % is narrow enough. Where it "
    "is dotted, the data does not determine it: it follows the start there, changed as little as the rest allows. "
    "Beyond its last knots it goes on with its last slope.",
)
_ERRORS = (
    "The difference of magnitude is |simulated - measured| / measured, where a magnitude is the root mean square of "
    "the motion about its mean. The form error is the root mean square of the differences over the measured magnitude, "
    "phases included. Columns that hardly move are left out.",
)


def make_curve_panel(band: Band) -> Panel:
    """A curve at the start and after the fit, with its band, and dotted where it is not determined."""
    x = band.x
    known, open_ = np.where(band.is_determined, band.value, math.nan), band.value.copy()
    inner = band.is_determined.copy()
    inner[1:-1] &= band.is_determined[:-2] & band.is_determined[2:]
    open_[inner] = math.nan
    lines = [
        Line("start", x, band.start, RED, DASHED),
        Line("fitted", x, known, BLUE, SOLID),
        Line("not determined", x, open_, BLUE, DOTTED),
        Line("band of 95 %", x, band.value - band.half, BLUE, SOLID, is_faint=True),
        Line("", x, band.value + band.half, BLUE, SOLID, is_faint=True),
    ]
    return Panel(band.name, band.name, "value", tuple(lines), x_label="argument")


def _make_courses(
    calibration: Calibration,
    comparison: Comparison,
    outcome: CalibrationOutcome,
    run: str,
    before: Traces,
    after: Traces,
) -> dict[str, dict[str, Array]]:
    """Measured and simulated courses of a run at its stretches, by column, in the unit of the file; and their times."""
    recording = comparison.recordings[run]
    factor, shift = FACTORS[calibration.find_reading(run).unit], outcome.shifts.get(run, 0.0)
    empty = np.full_like(recording.means, math.nan)
    kinds = {"measured": comparison.find_measured(run)}
    for kind, traces in (("before", before), ("after", after)):
        trace = traces[run]
        kinds[kind] = empty if trace.reason else comparison.find_simulated(run, trace, shift)
    courses = {
        kind: {name: values[:, j] / factor for j, name in enumerate(recording.columns)}
        for kind, values in kinds.items()
    }
    return {"time": {"time": recording.centre}, **courses}


def _save_courses(folder: CalibrationFolder, run: str, courses: dict[str, dict[str, Array]]) -> None:
    heads, columns = ["time"], [courses["time"]["time"]]
    for name in courses["measured"]:
        for kind in ("measured", "before", "after"):
            heads.append(f"{name} {kind}")
            columns.append(courses[kind][name])
    folder.save_history(run, heads, columns)


def _make_course_panel(calibration: Calibration, run: str, column: str, courses: dict[str, dict[str, Array]]) -> Panel:
    time = courses["time"]["time"]
    lines = (
        Line("measured", time, courses["measured"][column], BLACK, SOLID),
        Line("before", time, courses["before"][column], RED, DASHED),
        Line("after", time, courses["after"][column], BLUE, SOLID),
    )
    return Panel(f"{run} {column}", column, f"[{calibration.find_reading(run).unit}]", lines)


def _make_run_section(calibration: Calibration, outcome: CalibrationOutcome, run: str, panels: list[Panel]) -> Section:
    kind = "held out" if calibration.runs[run].held_out else "fitted"
    before, after = (calc_mean([one for one in errors if one.run == run]) for errors in (outcome.before, outcome.after))
    shift = outcome.shifts.get(run)
    said = f"Mean difference of magnitude {_say_share(before)} before and {_say_share(after)} after."
    said += "" if shift is None else f" Shifted in time by {shift:.3f} s, which was found."
    return Section(
        f"{run} ({kind})", (said, f"Courses as numbers: {HISTORIES}/{run}.csv"), (), tuple(panels), is_open=False
    )


def _make_unknown_table(bands: Sequence[Band]) -> Table:
    rows: list[tuple[str, ...]] = []
    for band in bands:
        if len(band.x) == 1:
            value = f"{band.value[0]:.6g} +- {band.half[0]:.2g} (start {band.start[0]:.6g})"
            rows.append(
                (band.name, value, UNTOLD, "yes" if band.is_determined[0] else "no: not determined by the data")
            )
            continue
        excited = UNTOLD if band.excited is None else f"{band.excited[0]:.4g} to {band.excited[1]:.4g}"
        known = band.x[band.is_determined]
        told = f"from {known[0]:.4g} to {known[-1]:.4g}" if len(known) else "nowhere: not determined by the data"
        rows.append((band.name, "curve below", excited, told))
    heads = ("unknown", "value, band of 95 %", "arguments that the runs went through", "determined")
    return Table("", "", heads, rows)


def _make_run_table(calibration: Calibration, outcome: CalibrationOutcome) -> Table:
    rows = []
    for run, told in calibration.runs.items():
        mine = [[one for one in errors if one.run == run] for errors in (outcome.before, outcome.after)]
        cells = [_say_share(calc_mean(errors, key)) for key in ("difference", "form") for errors in mine]
        rows.append((run, "held out" if told.held_out else "fitted", *cells))
    for held_out, name in ((False, "all fitted runs"), (True, "all held-out runs")):
        mine = [[one for one in errors if one.held_out == held_out] for errors in (outcome.before, outcome.after)]
        if mine[0]:
            rows.append(
                (name, "", *[_say_share(calc_mean(errors, key)) for key in ("difference", "form") for errors in mine])
            )
    heads = ("run", "", "magnitude before", "magnitude after", "form before", "form after")
    return Table("", "By run", heads, rows)


def _make_column_tables(outcome: CalibrationOutcome) -> list[Table]:
    """Differences of magnitude after the fit, by run and column."""
    columns = list(dict.fromkeys(one.column for one in outcome.after))
    runs = list(dict.fromkeys(one.run for one in outcome.after))
    found: dict[tuple[str, str], Error] = {(one.run, one.column): one for one in outcome.after}
    rows = []
    for run in runs:
        cells = [found.get((run, column)) for column in columns]
        rows.append((run, *[UNTOLD if cell is None else _say_share(cell.difference) for cell in cells]))
    return [Table("", "Difference of magnitude after the fit", ("run", *columns), rows)]


def _make_cards(outcome: CalibrationOutcome) -> dict[str, str]:
    cards = {}
    for held_out, name in ((False, "fitted runs"), (True, "held-out runs")):
        before, after = (outcome.find_error(held_out=held_out, is_after=is_after) for is_after in (False, True))
        if math.isfinite(after):
            cards[f"magnitude, {name}"] = f"{_say_share(before)} → {_say_share(after)}"
    cards["steps"] = str(outcome.steps)
    cards["status"] = outcome.status
    return cards


def _say_open(bands: Sequence[Band], outcome: CalibrationOutcome) -> list[str]:
    """What the data does not determine, and a fit that has not come to its end."""
    said = [say_band(band) for band in bands if not band.is_determined.all()]
    if outcome.status == "unfinished":
        said.insert(0, "The fit still got better at its last linearisation: give fit.iterations more, and go on.")
    return said


def _say_subtitle(calibration: Calibration, outcome: CalibrationOutcome) -> str:
    held_out = sum(run.held_out for run in calibration.runs.values())
    words = [
        f"vehicle {calibration.base.vehicle.rpartition('/')[2]}",
        f"{len(calibration.runs) - held_out} fitted runs, {held_out} held out",
        f"{len(calibration.unknowns)} unknowns",
        f"vehicle file {outcome.vehicle.name}",
    ]
    return " · ".join(words)


def _say_share(value: float) -> str:
    return UNTOLD if math.isnan(value) else f"{100.0 * value:.1f} %"
