"""The page of accuracy and its figure, from the numbers that bench/accuracy.py has measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from file_pages import list_names, make_table, say_text
from matplotlib.figure import Figure

from grouser.catalog.benchmarks import BENCHMARKS, Benchmark
from grouser.formulations.tree_options import FORMULATIONS
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.sdirk import LONGEST_STEP
from grouser.output.style import COLORS, DASHES, GREY, STYLE
from grouser.presets import PLANAR_TOLERANCE, PRESETS

NOTE = "<!-- written by bench/accuracy.py; do not edit -->"
NUMBERS, PAGE, PICTURE = "accuracy.json", "accuracy.md", "images/accuracy.svg"
MOTION, MEAN, QUANTILE, LARGEST, RESIDUAL = 0.005, 0.015, 0.05, 0.10, 0.01
"""Shares by which a run may be off that still counts as accurate: position and speed, mean load, its 99.9 % quantile,
the largest load, and what its energy balance leaves open."""
LOADS = {"mean": MEAN, "p99": None, "p999": QUANTILE, "max": LARGEST}
"""What is told of the loads of a run, by the names of `grouser.result.loads`, and how far each may be off."""
SAME = 1.0e-9
"""Share up to which two runs agree in all digits that are stored."""
TURN = 0.1
"""Yaw of the reference from which on a run is a turn, and yaws are compared [rad]."""
DECLARED: dict[str, str] = {}
"""Default runs that are not accurate, by the name of the drive, as in "m113, turn", each with the reason. The page
tells them, and a test holds that there are no others."""

Row = Mapping[str, Any]


def load_numbers(folder: Path) -> dict[str, Any]:
    """What has been measured; empty where nothing is stored."""
    file = folder / NUMBERS
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def make_accuracy_page(numbers: Mapping[str, Any]) -> str:
    """The page."""
    text = [NOTE, "# Accuracy", say_text(*_say_introduction(numbers))]
    text += ["## Default runs", *_make_defaults(find_drives(numbers, "defaults"))]
    text += ["## Tolerance", *_make_tolerances(find_drives(numbers, "tolerance"))]
    text += ["## Steps", *_make_steps(find_drives(numbers, "steps"))]
    text += ["## Published benchmarks", *_make_benchmarks(numbers.get("benchmarks", {}))]
    return "\n\n".join(text) + "\n"


def find_drives(numbers: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Numbers of the drives of a part of which there is a converged run."""
    return {name: one for name, one in numbers.get(part, {}).items() if one["reference"]["series"] is not None}


def _say_introduction(numbers: Mapping[str, Any]) -> list[str]:
    return [
        "What runs are worth, beside what they cost: a speed counts only beside its accuracy. Every number here stems "
        f"from a run of grouser {numbers.get('grouser_version', '')} on one core, made and written down by "
        "`make accuracy`; nothing is edited by hand. Times are those of the machine at hand and tell ratios.",
    ]


# --------------------------------------------------------------------------------------------------------------- drives

HEADS = ("step [ms]", "position", "speed", "yaw", "mean load [kN]", "99 % [kN]", "99.9 % [kN]", "largest [kN]",
         "energy residual", "numerical damping", "real-time factor", "accurate")  # fmt: skip
"""Columns of every run, behind those that name it."""
NOTHING_STORED = "No run of this section is stored yet: `make accuracy` makes them."


def _make_defaults(drives: Mapping[str, Any]) -> list[str]:
    introduction = say_text(
        "Vehicles run as they come, without any option, and are judged by a converged run from the same state of rest. "
        "`m113`, `m113-paper`, `hmmwv` and `crawler` are those of the catalog. `six-wheels` and `rollers` are tracked "
        "vehicles with assumed data, which only this page drives: one has six road wheels and a track of another "
        "pitch, the other seven road wheels and return rollers. Their files are in `bench/vehicles`. `crawler` takes "
        f"`adams` at a tolerance of {PLANAR_TOLERANCE:g} if nothing is said.",
        "Deviations of position, speed and yaw of the chassis are the largest at any frame, as shares of the largest "
        "value of the reference. The position is that in the plane; the yaw is told for turns. The load of a tracked "
        "vehicle is the tension of its links, that of `hmmwv` is the vertical force of its tyres. Mean, quantiles and "
        "largest value are those over all parts and frames, each with its deviation. A single frame of a single link "
        "decides the largest value: it converges last. The energy residual is what the energy balance does not account "
        "for. The numerical damping is what the integrator has dissipated; the balance accounts for it. Both are "
        "shares of the work put in. The real-time factor is the time that the processor worked, by simulated time: "
        "what a core of its own would take.",
        f"A run is *accurate* if position and speed stay within {100 * MOTION:g} %, the mean load within "
        f"{100 * MEAN:g} %, its 99.9 % quantile within {100 * QUANTILE:g} %, the largest load within "
        f"{100 * LARGEST:g} %, and the energy residual below {100 * RESIDUAL:g} %.",
    )
    if not drives:
        return [introduction, NOTHING_STORED]
    text = [introduction, _say_count(drives)]
    for vehicle in dict.fromkeys(drive["vehicle"] for drive in drives.values()):
        chosen = [drive for drive in drives.values() if drive["vehicle"] == vehicle]
        rows = [
            [f"`{drive['scenario']}`", *_make_cells(drive, preset, label, row)]
            for drive in chosen
            for preset, label, row in list_rows(drive)
        ]
        heads = ["scenario", "preset", "run", *HEADS]
        text += [f"### Default runs of `{vehicle}`", say_text(_say_reference(*chosen)), make_table(heads, rows)]
    return text


def _say_count(drives: Mapping[str, Any]) -> str:
    """How many default runs are accurate, and why others are not."""
    runs = {name: row for name, drive in drives.items() if (row := find_default_row(drive)) is not None}
    good = [name for name, row in runs.items() if is_accurate(row, find_reference_row(drives[name]))]
    others = [f"`{name}`: {DECLARED.get(name, 'not explained yet')}." for name in runs if name not in good]
    return say_text(f"{len(good)} of {len(runs)} default runs are accurate.", *others)


def _say_reference(*drives: Mapping[str, Any]) -> str:
    """What was run, and what is the reference."""
    spans = ", ".join(f"`{one['scenario']}` {one['duration']:g} s (from {one['late']:g} s on)" for one in drives)
    reference = drives[0]["reference"]
    return (
        f"Simulated and compared: {spans}. The reference is `{reference['preset']}`, {reference['label']}; the run of "
        "the same preset that is closest to it tells how far it is converged."
    )


def find_default_row(drive: Mapping[str, Any]) -> Row | None:
    """Numbers of the run of a drive in which nothing was chosen."""
    return next((row for _, _, row in list_rows(drive) if row["is_default"]), None)


def _make_tolerances(drives: Mapping[str, Any]) -> list[str]:
    introduction = say_text(
        f"The steps of `implicit` are chosen by a tolerance, {INTEGRATORS['sdirk'].tolerance:g} if none is given. Here "
        "it is halved again and again. A few impacts decide the largest forces of a run, so that the errors of a "
        "single run come and go. Each row is therefore the root mean square of the deviations of several runs: those "
        "of the vehicles and scenarios below, each compared with its converged run as in the default runs.",
        "The estimate of the error shrinks with the third power of the step, and the error of a run with its second "
        "power. So the order by step, the slope of the logarithm of the error over that of the mean step, is 2 where "
        "motion is smooth, and the order by tolerance is 2/3. Both are fitted by least squares. Where contacts open "
        f"and close, orders are lower, and steps are no longer than {1e3 * LONGEST_STEP:g} ms in any case.",
    )
    if not drives:
        return [introduction, NOTHING_STORED]
    names = ", ".join(f"`{name}`" for name in drives)
    return [introduction, say_text(f"Vehicles and scenarios: {names}."), _make_tolerance_table(drives)]


def _make_tolerance_table(drives: Mapping[str, Any]) -> str:
    by_tolerance: dict[float, list[tuple[Row, Row]]] = {}
    for drive in drives.values():
        for _, _, row in list_rows(drive):
            if row["tolerance"] is not None:
                by_tolerance.setdefault(row["tolerance"], []).append((row, find_reference_row(drive)))
    rows, steps, errors = [], [], []
    for tolerance, pairs in sorted(by_tolerance.items(), reverse=True):
        failures = [row["failure"] for row, _ in pairs if row["failure"] is not None]
        done = [(row, reference) for row, reference in pairs if row["failure"] is None]
        steps.append(float(np.mean([row["step"] for row, _ in done])) if done else np.nan)
        errors.append([_calc_mean_square(_list_errors(name, done)) for name in TOLERANCE_ERRORS])
        cost = float(np.mean([row["cpu_per_second"] for row, _ in done])) if done else None
        count = f"{len(done)}" + (f", {len(failures)} failed" if failures else "")
        rows.append([f"{tolerance:g}", count, _say(steps[-1], 1e3), *map(_say_share, errors[-1]), _say(cost)])
    tolerances = sorted(by_tolerance, reverse=True)
    for words, over in (("order by tolerance", tolerances), ("order by step", steps)):
        orders = [calc_order(over, [row[k] for row in errors]) for k in range(len(TOLERANCE_ERRORS))]
        rows.append([words, "", "", *("" if order is None else f"{order:.2f}" for order in orders), ""])
    heads = ["tolerance", "runs", "mean step [ms]", *TOLERANCE_ERRORS.values(), "real-time factor"]
    return make_table(heads, rows)


TOLERANCE_ERRORS = {
    "position": "position", "speed": "speed", "mean": "mean tension", "p999": "99.9 % of tension",
    "max": "largest tension", "energy_residual": "energy residual",
}  # fmt: skip
"""What is told of the runs of a tolerance, by its name in their rows."""


def _list_errors(name: str, pairs: Sequence[tuple[Row, Row]]) -> list[float | None]:
    """Deviations of runs from their converged ones."""
    return [_calc_load_deviation(row, converged, name) if name in LOADS else row[name] for row, converged in pairs]


def _calc_mean_square(values: Sequence[float | None]) -> float:
    """Root mean square of what is known."""
    known = [value for value in values if value is not None]
    return float(np.sqrt(np.mean(np.square(known)))) if known else 0.0


def calc_order(over: Sequence[float], errors: Sequence[float]) -> float | None:
    """Order with which errors shrink: slope of their logarithm over that of steps or tolerances, by least squares. None
    where fewer than two errors are known.

    >>> round(calc_order([4.0, 2.0, 1.0], [0.16, 0.04, 0.01]), 6)
    2.0
    """
    known = [(x, y) for x, y in zip(over, errors, strict=True) if y > 0.0]
    if len(known) < 2:
        return None
    x, y = np.log2(np.array(known)).T
    spread = x - x.mean()
    return float((spread @ y) / (spread @ spread)) if np.ptp(x) > 0.0 else None


def _make_steps(drives: Mapping[str, Any]) -> list[str]:
    introduction = say_text(
        "All presets but `embedded`, which is for short loops, drive the same vehicle from the same state of rest, at "
        "several steps or tolerances. Columns are those of the default runs. A run as it comes has the stable step of "
        "its preset, and `step / 2` is half of it. Rows with the name of an integrator are runs by that one in the "
        "place of the preset's own: the rows of `implicit-euler` show what fixed steps of "
        "first order cost and give. `constrained` and `recursive` have ideal joints and drives, so "
        "their deviations do not vanish with the step. A step marked with * is too coarse, and the summary of the run "
        "says so.",
    )
    if not drives:
        return [introduction, NOTHING_STORED]
    text = [introduction, f"![Deviation by step and by cost]({PICTURE})"]
    for drive in drives.values():
        rows = [_make_cells(drive, preset, label, row) for preset, label, row in list_rows(drive)]
        text += [f"### Steps of `{drive['vehicle']}`", say_text(_say_reference(drive))]
        text += [make_table(["preset", "run", *HEADS], rows), _say_cheapest(drive)]
    return text


def _make_cells(drive: Mapping[str, Any], preset: str, label: str, row: Row) -> list[str]:
    """Cells of a run: preset, what differs from it, and those of `HEADS`."""
    reference = find_reference_row(drive)
    cells = [f"`{preset}`", label]
    if row["failure"] is not None:
        return [*cells, _say(row["step"], 1e3), f"failed: {row['failure']}", *[""] * (len(HEADS) - 2)]
    cells.append(_say(row["step"], 1e3) + ("*" if row["warning"] else ""))
    compared = ("position", "speed", "yaw") if is_turn(drive) else ("position", "speed")
    cells += ["reference" if row is reference else _say_share(row[name]) for name in compared]
    cells += [] if is_turn(drive) else [""]
    cells += [_say_load(row, reference, name) for name in LOADS]
    cells += [_say_share(row["energy_residual"]), _say_share(row["numerical_damping"]), _say(row["cpu_per_second"])]
    return [*cells, "yes" if is_accurate(row, reference) else "no"]


def _say_load(row: Row, reference: Row, name: str) -> str:
    """A load and its deviation."""
    if row["load"][name] is None:
        return ""
    off = "" if row is reference else f" ({100.0 * _calc_load_deviation(row, reference, name):+.2f} %)"
    return _say(row["load"][name], 1e-3) + off


def _say_cheapest(drive: Mapping[str, Any]) -> str:
    reference = find_reference_row(drive)
    good = [
        (row["cpu_per_second"], preset, label)
        for preset, label, row in list_rows(drive)
        if is_accurate(row, reference) and not row["warning"]
    ]
    if not good:
        return "No run is accurate."
    factor, preset, label = min(good)
    return say_text(f"The cheapest accurate run is `{preset}`, {label}, at a real-time factor of {_say(factor)}.")


def list_rows(drive: Mapping[str, Any]) -> list[tuple[str, str, Row]]:
    """Preset, label and numbers of all runs of a drive: presets in the order of the registry, their own integrator
    first, steps falling."""
    found = []
    for preset in PRESETS:
        rows = drive["presets"].get(preset, {}).items()
        ordered = sorted(rows, key=lambda one: (one[1]["integrator"] or "", -(one[1]["step"] or 0.0)))
        found += [(preset, label, row) for label, row in ordered]
    return found


def find_reference_row(drive: Mapping[str, Any]) -> Row:
    """Numbers of the converged run."""
    preset, label = drive["reference"]["preset"], drive["reference"]["label"]
    return drive["presets"][preset][label]  # type: ignore[no-any-return]


def is_turn(drive: Mapping[str, Any]) -> bool:
    """Whether the reference turns."""
    return max(abs(yaw) for yaw in drive["reference"]["series"]["yaw"]) >= TURN


def is_accurate(row: Row, reference: Row) -> bool:
    """Whether a run is near enough to the converged one."""
    if row["failure"] is not None:
        return False
    off = [(row["position"], MOTION), (row["speed"], MOTION)]
    off += [
        (_calc_load_deviation(row, reference, name), bound)
        for name, bound in LOADS.items()
        if bound is not None and reference["load"][name] is not None
    ]
    is_near = all(value is not None and abs(value) <= bound for value, bound in off)
    # a run without work has no residual
    return is_near and (row["energy_residual"] is None or row["energy_residual"] < RESIDUAL)


def _calc_load_deviation(row: Row, reference: Row, name: str) -> float:
    return float(row["load"][name] / reference["load"][name] - 1.0)


def make_accuracy_figure(drives: Mapping[str, Any]) -> Figure:
    """Deviations of all runs over the step and over the cost, on logarithmic axes; a column for each drive.

    A line at the height of what counts as accurate. Runs that agree with the reference in all stored digits have no
    point.
    """
    speed, load = ("speed", "largest deviation of speed [%]"), ("p999", "deviation of 99.9 % tension [%]")
    step, cost = ("step", "mean step [ms]"), ("cpu_per_second", "real-time factor")
    panels = [(quantity, over) for over in (step, cost) for quantity in (speed, load)]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(drives), 12.0), layout="constrained")
        axes = figure.subplots(len(panels), len(drives), squeeze=False, sharey="row")
        lines = list(dict.fromkeys(line for drive in drives.values() for line in _list_lines(drive)))
        for column, (name, drive) in enumerate(drives.items()):
            for row, ((quantity, beside), (over, below)) in enumerate(panels):
                ax = axes[row, column]
                for i, (preset, integrator) in enumerate(lines):
                    points = _find_points(drive, preset, integrator, quantity, over)
                    look = {"color": COLORS[i % len(COLORS)], "linestyle": DASHES[i % len(DASHES)]}
                    words = preset if integrator is None else f"{preset} by {integrator}"
                    ax.loglog(*zip(*points, strict=True) if points else ((), ()), marker="o", label=words, **look)
                ax.axhline(100.0 * (MOTION if quantity == "speed" else QUANTILE), color=GREY, linewidth=0.8)
                ax.minorticks_off()
                ax.set_xlabel(below)
                ax.set_ylabel(beside if column == 0 else "")
            axes[0, column].set_title(name)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(drives))
    return figure


def _list_lines(drive: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """Preset and integrator of each line; None is the preset's own."""
    return list(dict.fromkeys((preset, row["integrator"]) for preset, _, row in list_rows(drive)))


def _find_points(
    drive: Mapping[str, Any], preset: str, integrator: str | None, quantity: str, over: str
) -> list[tuple[float, float]]:
    """Points of a line: steps [ms] or costs, and deviations [%]."""
    points, reference = [], find_reference_row(drive)
    for name, _, row in list_rows(drive):
        if (name, row["integrator"]) != (preset, integrator) or row["failure"] is not None or row is reference:
            continue
        value = row["speed"] if quantity == "speed" else abs(_calc_load_deviation(row, reference, quantity))
        if value is not None and value > SAME:
            points.append((row[over] * (1e3 if over == "step" else 1.0), 100.0 * value))
    return points


def save_accuracy_figure(numbers: Mapping[str, Any], folder: Path) -> None:
    """Write the figure, if there is something to show; the same numbers give the same file."""
    drives = find_drives(numbers, "steps")
    if drives:
        file = folder / PICTURE
        file.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({**STYLE, "svg.hashsalt": "accuracy"}):
            make_accuracy_figure(drives).savefig(file, metadata={"Date": None})


# ----------------------------------------------------------------------------------------------------------- benchmarks


def _make_benchmarks(measured: Mapping[str, Any]) -> list[str]:
    introduction = say_text(
        f"Each is solved by every formulation that supports it: {list_names(FORMULATIONS)}. Ideal joints where the "
        "formulation has them; `explicit` holds them by penalty, and its error is the play that the stiffness leaves "
        "them. The steps of `trapezoidal` and `generalised-alpha` have one length, chosen for the accuracy that is "
        "shown; both are of second order, and half the step gives a quarter of the error of ideal joints. `adams` "
        "chooses its steps by a relative tolerance; the step shown is their mean. Errors are shares of the reference, "
        "or of the size that the table names. The cost is CPU time by simulated time.",
    )
    known = {name: one for name, one in BENCHMARKS.items() if name in measured}
    rows = [
        [
            f"[{benchmark.title}](#{_make_anchor(benchmark.title)})",
            f"`{row['formulation']}`",
            f"`{row['integrator']}`",
            row["joints"],
            _say(row["step"], 1e3),
            "" if row["tolerance"] is None else f"{row['tolerance']:.0e}",
            f"{max(row['errors']):.1e}",
            _say(row["cpu_per_second"]),
            _say(row["cpu_per_second"] * row["step"], 1e6),
        ]
        for name, benchmark in known.items()
        for row in list_ways(benchmark, measured[name]).values()
    ]
    heads = ["benchmark", "formulation", "integrator", "joints", "step [ms]", "tolerance", "largest error",
             "CPU per second [s/s]", "CPU per step [us]"]  # fmt: skip
    text = [introduction, make_table(heads, rows)]
    for name, benchmark in known.items():
        text += _make_benchmark(benchmark, measured[name])
    return text


def _make_benchmark(benchmark: Benchmark, measured: Mapping[str, Any]) -> list[str]:
    """Values of all quantities by all formulations."""
    ways = list_ways(benchmark, measured)
    heads = ["quantity", "unit", "reference", "errors are shares of"]
    for name in ways:
        heads += [name, "error"]
    rows = []
    for i, quantity in enumerate(benchmark.quantities):
        scale = "the reference" if quantity.scale is None else f"{quantity.scale:.4g} {quantity.unit}"
        cells = [quantity.name, quantity.unit, f"{measured['reference'][i]:.10g}", scale]
        for row in ways.values():
            cells += [f"{row['values'][i]:.10g}", f"{row['errors'][i]:.1e}"]
        rows.append(cells)
    source = f"Source: {benchmark.source}"
    description = f"{benchmark.description} Values after {benchmark.duration:g} s."
    return [f"### {benchmark.title}", say_text(description, source), make_table(heads, rows)]


def list_ways(benchmark: Benchmark, measured: Mapping[str, Any]) -> dict[str, Row]:
    """Numbers of the ways in which a benchmark has been solved, in the order of the registry."""
    return {name: measured["ways"][name] for name in benchmark.ways if name in measured["ways"]}


def _make_anchor(title: str) -> str:
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.strip().replace(" ", "-")


def _say(value: float | None, scale: float = 1.0) -> str:
    """A number in three digits."""
    if value is None:
        return ""
    number = value * scale
    return f"{number:.0f}" if abs(number) >= 100.0 else f"{number:#.3g}"


def _say_share(value: float | None) -> str:
    return "" if value is None else f"{100.0 * value:.2g} %"
