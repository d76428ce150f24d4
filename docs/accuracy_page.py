"""The page of accuracy and its figure, from the numbers that bench/accuracy.py has measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
from file_pages import list_names, make_table, say_text
from matplotlib.figure import Figure

from grouser.catalog.benchmarks import BENCHMARKS, Benchmark
from grouser.formulations.presets import PRESETS
from grouser.formulations.schemes import FORMULATIONS
from grouser.output.style import COLORS, DASHES, GREY, STYLE

NOTE = "<!-- written by bench/accuracy.py; do not edit -->"
NUMBERS, PAGE, PICTURE = "accuracy.json", "accuracy.md", "images/accuracy.svg"
MOTION, TENSION = 0.01, 0.03
"""Shares by which position and speed, and the mean tension, of a run may be off that still counts as accurate."""

Row = Mapping[str, Any]


def load_numbers(folder: Path) -> dict[str, Any]:
    """What has been measured; empty where nothing is stored."""
    file = folder / NUMBERS
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def make_accuracy_page(numbers: Mapping[str, Any]) -> str:
    """The page."""
    text = [NOTE, "# Accuracy", say_text(*_say_introduction(numbers))]
    text += ["## Steps of the M113", *_make_convergence(find_vehicles(numbers))]
    text += ["## Published benchmarks", *_make_benchmarks(numbers.get("benchmarks", {}))]
    return "\n\n".join(text) + "\n"


def find_vehicles(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the vehicles of which there is a converged run."""
    return {name: one for name, one in numbers.get("vehicles", {}).items() if one["reference"]["series"] is not None}


def _say_introduction(numbers: Mapping[str, Any]) -> list[str]:
    return [
        "What runs are worth, beside what they cost: a speed counts only beside its accuracy. Every number here stems "
        f"from a run of grouser {numbers.get('grouser_version', '')} on one core, made and written down by "
        "`make accuracy`; nothing is edited by hand. Times are those of the machine at hand and tell ratios.",
    ]


# ------------------------------------------------------------------------------------------------------------- vehicles


def _make_convergence(vehicles: Mapping[str, Any]) -> list[str]:
    introduction = say_text(
        "All presets but `embedded`, which is for short loops, drive the same vehicle from the same state of rest, and "
        "are compared with a converged run. "
        "Deviations of position and speed of the chassis are the largest at any frame, as shares of the reference at "
        "that time. Tensions are those of all links in all frames, mean and largest, with the deviation of the mean. "
        "The energy residual is what the energy balance does not account for, as a share of the work of the drives; "
        "linearly implicit steps damp on purpose, and their residual tells how much. The real-time factor is the time "
        "that the processor worked, by simulated time: what a core of its own would take.",
        f"A run is *accurate* here if position and speed stay within {100 * MOTION:g} % and the mean tension within "
        f"{100 * TENSION:g} %. `constrained` and `recursive` have ideal joints and drives, so their deviations do not "
        "vanish with the step. Single frames decide the peak tension: it converges last. A step marked with * is too "
        "coarse for its preset, and the summary of the run says so.",
    )
    text = [introduction, *([f"![Deviation by step and by cost]({PICTURE})"] if vehicles else [])]
    for name, vehicle in vehicles.items():
        text += [f"### `{name}`", _say_runs(vehicle), _make_step_table(vehicle), _say_cheapest(vehicle)]
    return text


def _say_runs(vehicle: Mapping[str, Any]) -> str:
    """What was run."""
    preset, label = vehicle["reference"]["preset"], vehicle["reference"]["label"]
    return say_text(
        f"Scenario `{vehicle['scenario']}`, {vehicle['duration']:g} s, compared from {vehicle['late']:g} s on. The "
        f"converged run is that of `{preset}` with {label} of its stable step; the row above it tells how far it is "
        "converged. At the whole stable step, a preset runs as it comes."
    )


def _make_step_table(vehicle: Mapping[str, Any]) -> str:
    reference = find_reference_row(vehicle)
    rows = []
    for preset, label, row in list_rows(vehicle):
        head = [f"`{preset}`", label if " " in label else f"stable x {label}"]
        if row["failure"] is not None:
            rows.append([*head, _say(row["step"], 1e3), f"failed: {row['failure']}", *[""] * 6])
            continue
        is_reference = row is reference
        rows.append(
            [
                *head,
                _say(row["step"], 1e3) + ("*" if row["warning"] else ""),
                "reference" if is_reference else _say_share(row["position"]),
                "reference" if is_reference else _say_share(row["speed"]),
                f"{_say(row['mean_tension'], 1e-3)} ({100.0 * _calc_tension_deviation(row, reference):+.2f} %)",
                _say(row["peak_tension"], 1e-3),
                _say_share(row["energy_residual"]),
                _say(row["cpu_per_second"]),
                "yes" if is_accurate(row, reference) else "no",
            ]
        )
    heads = ["preset", "wanted step", "step [ms]", "position", "speed", "mean tension [kN]", "peak tension [kN]",
             "energy residual", "real-time factor", "accurate"]  # fmt: skip
    return make_table(heads, rows)


def _say_cheapest(vehicle: Mapping[str, Any]) -> str:
    reference = find_reference_row(vehicle)
    good = [
        (row["cpu_per_second"], preset, row)
        for preset, _, row in list_rows(vehicle)
        if is_accurate(row, reference) and not row["warning"]
    ]
    factor, preset, row = min(good, key=lambda one: one[0])
    return say_text(
        f"The cheapest accurate run is that of `{preset}` with steps of {_say(row['step'], 1e3)} ms, at a real-time "
        f"factor of {_say(factor)}."
    )


def list_rows(vehicle: Mapping[str, Any]) -> list[tuple[str, str, Row]]:
    """Preset, wanted step and numbers of all runs of a vehicle, presets in the order of the registry, steps falling."""
    found = []
    for preset in PRESETS:
        rows = vehicle["presets"].get(preset, {}).items()
        found += [(preset, label, row) for label, row in sorted(rows, key=lambda one: -(one[1]["step"] or 0.0))]
    return found


def find_reference_row(vehicle: Mapping[str, Any]) -> Row:
    """Numbers of the converged run."""
    preset, label = vehicle["reference"]["preset"], vehicle["reference"]["label"]
    return vehicle["presets"][preset][label]  # type: ignore[no-any-return]


def is_accurate(row: Row, reference: Row) -> bool:
    """Whether a run is near enough to the converged one."""
    if row["failure"] is not None:
        return False
    tension = abs(_calc_tension_deviation(row, reference))
    return bool(row["position"] <= MOTION and row["speed"] <= MOTION and tension <= TENSION)


def _calc_tension_deviation(row: Row, reference: Row) -> float:
    return float(row["mean_tension"] / reference["mean_tension"] - 1.0)


def make_accuracy_figure(vehicles: Mapping[str, Any]) -> Figure:
    """Deviations of all runs over the step and over the cost, on logarithmic axes; a column for each vehicle.

    A line at the height of what counts as accurate. Runs that agree with the reference to the last digit have no point.
    """
    panels = (
        ("speed", "step", "step [ms]", "largest deviation of speed [%]"),
        ("tension", "step", "step [ms]", "deviation of mean tension [%]"),
        ("speed", "cpu_per_second", "real-time factor", "largest deviation of speed [%]"),
    )
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.6 * len(vehicles), 9.0), layout="constrained")
        axes = figure.subplots(len(panels), len(vehicles), squeeze=False, sharey="row")
        for column, (name, vehicle) in enumerate(vehicles.items()):
            reference = find_reference_row(vehicle)
            for row, (quantity, over, below, beside) in enumerate(panels):
                ax = axes[row, column]
                for i, preset in enumerate(name for name in PRESETS if name in vehicle["presets"]):
                    points = _find_points(vehicle, preset, reference, quantity, over)
                    look = {"color": COLORS[i % len(COLORS)], "linestyle": DASHES[i % len(DASHES)]}
                    ax.loglog(*zip(*points, strict=True) if points else ((), ()), marker="o", label=preset, **look)
                ax.axhline(100.0 * (MOTION if quantity == "speed" else TENSION), color=GREY, linewidth=0.8)
                ax.minorticks_off()
                ax.set_xlabel(below)
                ax.set_ylabel(beside if column == 0 else "")
            axes[0, column].set_title(name)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(PRESETS))
    return figure


def _find_points(
    vehicle: Mapping[str, Any], preset: str, reference: Row, quantity: str, over: str
) -> list[tuple[float, float]]:
    """Points of a line: steps [ms] or costs, and deviations [%]."""
    points = []
    for name, _, row in list_rows(vehicle):
        if name != preset or row["failure"] is not None or row is reference:
            continue
        value = row["speed"] if quantity == "speed" else abs(_calc_tension_deviation(row, reference))
        if value > 0.0:
            points.append((row[over] * (1e3 if over == "step" else 1.0), 100.0 * value))
    return points


def save_accuracy_figure(numbers: Mapping[str, Any], folder: Path) -> None:
    """Write the figure, if there is something to show; the same numbers give the same file."""
    vehicles = find_vehicles(numbers)
    if vehicles:
        file = folder / PICTURE
        file.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context({**STYLE, "svg.hashsalt": "accuracy"}):
            make_accuracy_figure(vehicles).savefig(file, metadata={"Date": None})


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
