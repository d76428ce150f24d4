"""Writes docs/accuracy.md, its figure and its numbers from real runs.

    python bench/accuracy.py                    make the runs that docs/accuracy.json lacks, then write the page
    python bench/accuracy.py --anew             make all runs again
    python bench/accuracy.py --only benchmarks  some of them: m113 or benchmarks
    python bench/accuracy.py --from-json        make no run
    python bench/accuracy.py --quick --out DIR  short runs with few steps, for a look

Numbers are stored after every run, so that it can be stopped with Ctrl-C and taken up again. All of it takes about 20
minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs"
sys.path.insert(0, str(FOLDER))

import convergence  # noqa: E402
from accuracy_page import NUMBERS, PAGE, load_numbers, make_accuracy_page, save_accuracy_figure  # noqa: E402
from file_pages import say_realization  # noqa: E402

from grouser import __version__  # noqa: E402
from grouser.catalog.benchmarks import BENCHMARKS, Benchmark, Way  # noqa: E402
from grouser.compile.realization import Ideal  # noqa: E402
from grouser.errors import GrouserError, SolveError  # noqa: E402
from grouser.kernels._jit import calc_source_hash  # noqa: E402

PARTS = ("m113", "benchmarks")
QUICK_DURATION = 3.0
"""Simulated time of vehicles in a quick run [s]."""
QUICK_SHARE = 10
"""A quick run has this many times fewer steps in benchmarks."""

Job = tuple[str, Callable[[], Any]]
"""What a run is called, and what makes it and stores its numbers."""


class Store:
    """The numbers on disk, written after every run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.numbers = folder, load_numbers(folder)
        self.sources = calc_source_hash()[:12]

    def save(self) -> None:
        """Write all numbers; a file that is cut off halfway cannot remain."""
        self.numbers["grouser_version"] = __version__
        text = json.dumps(_make_plain(self.numbers), indent=1, allow_nan=False)
        # lists of numbers in one line
        text = re.sub(r"\[\s+([-+.\de,\s]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
        draft = self.folder / f"{NUMBERS}.part"
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(self.folder / NUMBERS)

    def clear(self, part: str) -> None:
        """Forget the numbers of a part."""
        self.numbers["vehicles" if part == "m113" else part] = {}

    def find_vehicle(self, name: str, duration: float) -> dict[str, Any]:
        """Numbers of a vehicle; those of runs of another duration are dropped."""
        vehicles = self.numbers.setdefault("vehicles", {})
        if vehicles.get(name, {}).get("duration") != duration:
            preset, label = convergence.REFERENCE
            vehicles[name] = {
                "scenario": convergence.SCENARIO,
                "duration": duration,
                "late": convergence.find_late_time(duration),
                "reference": {"preset": preset, "label": label, "series": None},
                "presets": {},
            }
        found: dict[str, Any] = vehicles[name]
        return found

    def find_benchmark(self, name: str) -> dict[str, Any]:
        """Numbers of a benchmark."""
        found: dict[str, Any] = self.numbers.setdefault("benchmarks", {}).setdefault(name, {"ways": {}})
        return found

    def has_way(self, benchmark: Benchmark, way: Way) -> bool:
        """Whether a benchmark has been solved in this very way."""
        row = self.find_benchmark(benchmark.name)["ways"].get(way.name)
        settings = ("formulation", "integrator", "tolerance", "step_count")
        same = row is not None and all(row.get(name) == getattr(way, name) for name in settings)
        return same and row["joints"] == say_realization(way.joints)

    def count_others(self) -> int:
        """Runs that were made with other sources of compiled code."""
        rows = [
            row
            for one in self.numbers.get("vehicles", {}).values()
            for p in one["presets"].values()
            for row in p.values()
        ]
        rows += [row for one in self.numbers.get("benchmarks", {}).values() for row in one["ways"].values()]
        return sum(row["sources"] != self.sources for row in rows)


def list_vehicle_jobs(store: Store, duration: float) -> list[Job]:
    """Runs of vehicles that are not stored."""
    started: dict[str, convergence.Vehicle] = {}

    def run(case: convergence.Case) -> str:
        stored = store.find_vehicle(case.vehicle, duration)
        if case.vehicle not in started:
            started[case.vehicle] = convergence.Vehicle(case.vehicle, duration, _report)
        try:
            result = started[case.vehicle].run(case, _report)
        except SolveError as error:
            if case.is_reference:
                raise
            row = convergence.make_failed_row(error)
        else:
            if result.status == "interrupted":
                raise KeyboardInterrupt
            if case.is_reference:
                stored["reference"]["series"] = convergence.make_series(result)
            row = convergence.make_row(result, stored["reference"]["series"])
        stored["presets"].setdefault(case.preset, {})[case.label] = {**row, "sources": store.sources}
        if row["failure"] is not None:
            return f"failed: {row['failure']}"
        return f"speed {100 * row['speed']:.2g} % off, real-time factor {row['real_time_factor']:.3g}"

    return [
        (f"{case.vehicle}, {case.preset}, {case.label}", partial(run, case))
        for case in convergence.list_cases()
        if case.label not in store.find_vehicle(case.vehicle, duration)["presets"].get(case.preset, {})
    ]


def list_benchmark_jobs(store: Store, share: int) -> list[Job]:
    """Runs of benchmarks that are not stored, with a share of their steps. Joints by penalty bear no other steps."""

    def run(benchmark: Benchmark, way: Way) -> str:
        result = benchmark.run(way)
        if result.status == "interrupted":
            raise KeyboardInterrupt
        values, summary = benchmark.calc_values(result), result.summary
        stored = store.find_benchmark(benchmark.name)
        stored["reference"] = benchmark.reference.tolist()
        row = {
            "formulation": way.formulation,
            "joints": say_realization(way.joints),
            "integrator": way.integrator,
            "tolerance": way.tolerance,
            "step_count": way.step_count,
            "step": benchmark.duration / summary["steps"],
            "values": values.tolist(),
            "errors": benchmark.calc_errors(values).tolist(),
            "cpu_per_second": summary["cpu_time"] / benchmark.duration,
            "energy_residual": summary["energy_residual"],
            "sources": store.sources,
        }
        stored["ways"][way.name] = row
        return f"largest error {max(row['errors']):.1e}, {row['cpu_per_second']:.3g} s/s"

    jobs: list[Job] = []
    for name, benchmark in BENCHMARKS.items():
        for way in benchmark.ways.values():
            if share > 1 and not isinstance(way.joints, Ideal):
                continue
            chosen = way if way.step_count is None else replace(way, step_count=way.step_count // share)
            if not store.has_way(benchmark, chosen):
                jobs.append((f"{name}, {way.name}", partial(run, benchmark, chosen)))
    return jobs


def make_runs(store: Store, jobs: Sequence[Job]) -> None:
    """Make all runs, and store the numbers after each."""
    began = time.monotonic()
    for number, (name, run) in enumerate(jobs, 1):
        print(f"[{number:2d}/{len(jobs)}] {name}: ", end="", flush=True)
        words = run()
        store.save()
        print(f"{words} ({time.monotonic() - began:.0f} s since the start)", flush=True)


def _report(phase: str, now: float, end: float) -> None:
    """Progress of a run in its line, for people."""
    if sys.stdout.isatty():
        words = f"{phase} {now:5.2f} s" + (f" of {end:g} s" if math.isfinite(end) else "")
        print(f"{words}\x1b[{len(words)}D", end="", flush=True)


def _make_plain(value: Any) -> Any:
    """What JSON can hold; floats in ten digits."""
    if isinstance(value, dict):
        return {key: _make_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_make_plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.10g}") if math.isfinite(value) else None
    return value


def main(words: Sequence[str] | None = None) -> int:
    """Make runs and write the page; returns the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="make these runs only")
    parser.add_argument("--anew", action="store_true", help="make all runs again, also those that are stored")
    parser.add_argument("--quick", action="store_true", help="short runs with few steps, for a look; needs --out")
    parser.add_argument("--from-json", action="store_true", help="make no run, write the page from the numbers")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of numbers, page and figure; default docs")
    options = parser.parse_args(words)
    if options.quick and options.out is None:
        parser.error("--quick needs a folder: give one with --out, so that it does not replace the numbers of docs")
    if options.out is not None and not options.out.is_dir():
        parser.error(f"--out {options.out} is no folder: create it first")
    store = Store(options.out or FOLDER)
    parts = () if options.from_json else (options.only,) if options.only else PARTS
    code = 0
    jobs: list[Job] = []
    for part in parts:
        if options.anew:
            store.clear(part)
        if part == "m113":
            jobs += list_vehicle_jobs(store, QUICK_DURATION if options.quick else convergence.DURATION)
        else:
            jobs += list_benchmark_jobs(store, QUICK_SHARE if options.quick else 1)
    try:
        make_runs(store, jobs)
    except KeyboardInterrupt:
        code = 130
        print("\nstopped; what is done is stored, and the same command goes on from there")
    except GrouserError as error:
        code = 1
        print(f"\nerror: {error}", file=sys.stderr)
    others = store.count_others()
    if others:
        print(f"{others} stored runs were made with other sources; --anew makes them again")
    write_page(store)
    return code


def write_page(store: Store) -> None:
    """Write page and figure from the numbers."""
    # as they stand in the file, so that both give the same page
    numbers = load_numbers(store.folder)
    (store.folder / PAGE).write_text(make_accuracy_page(numbers), encoding="utf-8")
    save_accuracy_figure(numbers, store.folder)
    print(f"wrote {store.folder / PAGE}")


if __name__ == "__main__":
    sys.exit(main())
