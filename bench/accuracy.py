"""Writes docs/accuracy.md, its figure and its numbers from real runs.

    python bench/accuracy.py                    make the runs that docs/accuracy.json lacks, then write the page
    python bench/accuracy.py --anew             make all runs again
    python bench/accuracy.py --only defaults    some of them: defaults, tolerance, steps or benchmarks
    python bench/accuracy.py --vehicle m113     those of one vehicle; benchmarks have none
    python bench/accuracy.py --from-json        make no run
    python bench/accuracy.py --quick --out DIR  short runs with few steps, for a look

Numbers are stored after every run, so that it can be stopped with Ctrl-C and taken up again.
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
from grouser.kernels._sources import calc_source_hash  # noqa: E402
from grouser.whole_file import save_whole  # noqa: E402

DRIVES: dict[str, Callable[[], list[convergence.Drive]]] = {
    "defaults": convergence.make_default_drives,
    "tolerance": convergence.make_tolerance_drives,
    "steps": convergence.make_step_drives,
}
"""Parts that are runs of vehicles, by what makes the list of them."""
PARTS = (*DRIVES, "benchmarks")
QUICK_DURATION = 3.0
"""Simulated time of vehicles in a quick run [s]."""
QUICK_SHARE = 10
"""A quick run has this many times fewer steps in benchmarks."""

Row = dict[str, Any]
Job = tuple[str, Callable[[], Any]]
"""What a run is called, and what makes it and stores its numbers."""


class Store:
    """The numbers on disk, written after every run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.numbers = folder, load_numbers(folder)
        self.sources = calc_source_hash()[:12]
        self.starts: dict[tuple[str, str], convergence.Start] = {}

    def save(self) -> None:
        """Write all numbers; a file that is cut off halfway cannot remain."""
        self.numbers["grouser_version"] = __version__
        text = json.dumps(_make_plain(self.numbers), indent=1, allow_nan=False)
        # lists of numbers in one line
        text = re.sub(r"\[\s+([-+.\de,\s]+?)\s+\]", lambda match: f"[{' '.join(match[1].split())}]", text)
        with save_whole(self.folder / NUMBERS, "numbers") as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def clear(self, part: str, vehicle: str | None = None) -> None:
        """Forget the numbers of a part, or those of one vehicle in it."""
        kept = {} if vehicle is None else {n: one for n, one in self._find(part).items() if one["vehicle"] != vehicle}
        self.numbers[part] = kept

    def find_drive(self, part: str, drive: convergence.Drive, duration: float) -> dict[str, Any]:
        """Numbers of a drive; those of runs of another duration, or compared with another reference, are dropped."""
        drives, reference = self._find(part), drive.reference
        wanted = {"duration": duration, "preset": reference.preset, "label": reference.label}
        found = drives.get(drive.name)
        if found is None or wanted != {"duration": found["duration"], **_leave_series(found["reference"])}:
            found = drives[drive.name] = {
                "vehicle": drive.vehicle,
                "scenario": drive.scenario,
                "duration": duration,
                "late": convergence.find_late_time(duration),
                "reference": {"preset": reference.preset, "label": reference.label, "series": None},
                "presets": {},
            }
        return found

    def find_benchmark(self, name: str) -> dict[str, Any]:
        """Numbers of a benchmark."""
        found: dict[str, Any] = self._find("benchmarks").setdefault(name, {"ways": {}})
        return found

    def find_same(self, part: str, drive: convergence.Drive, way: convergence.Way, duration: float) -> Row | None:
        """Numbers of the same run, made with the same sources for another part of the page."""
        for other in DRIVES:
            found = self._find(other).get(drive.name)
            if other == part or found is None or found["duration"] != duration:
                continue
            reference = {"preset": drive.reference.preset, "label": drive.reference.label}
            row = found["presets"].get(way.preset, {}).get(way.label)
            if row is not None and row["sources"] == self.sources and _leave_series(found["reference"]) == reference:
                return {"row": row, "series": found["reference"]["series"]}
        return None

    def has_way(self, benchmark: Benchmark, way: Way) -> bool:
        """Whether a benchmark has been solved in this very way."""
        row = self.find_benchmark(benchmark.name)["ways"].get(way.name)
        settings = ("formulation", "integrator", "tolerance", "step_count")
        same = row is not None and all(row.get(name) == getattr(way, name) for name in settings)
        return same and row["joints"] == say_realization(way.joints)

    def count_others(self) -> int:
        """Runs that were made with other sources of compiled code."""
        drives = [one for part in DRIVES for one in self._find(part).values()]
        rows = [row for drive in drives for rows in drive["presets"].values() for row in rows.values()]
        rows += [row for one in self._find("benchmarks").values() for row in one["ways"].values()]
        return sum(row["sources"] != self.sources for row in rows)

    def _find(self, part: str) -> dict[str, Any]:
        """Numbers of a part."""
        found: dict[str, Any] = self.numbers.setdefault(part, {})
        return found


def list_drive_jobs(store: Store, part: str, vehicle: str | None, longest: float) -> list[Job]:
    """Runs of a part that are not stored, of all vehicles or of one, each no longer than a duration [s]."""
    jobs: list[Job] = []
    for drive in DRIVES[part]():
        if vehicle is not None and drive.vehicle != vehicle:
            continue
        duration = min(drive.duration, longest)
        stored = store.find_drive(part, drive, duration)["presets"]
        jobs += [
            (f"{part}: {drive.name}, {way.preset}, {way.label}", partial(_run_drive, store, part, drive, way, duration))
            for way in drive.ways
            if way.label not in stored.get(way.preset, {})
        ]
    return jobs


def _run_drive(store: Store, part: str, drive: convergence.Drive, way: convergence.Way, duration: float) -> str:
    """Make a run, compare it with the reference and keep its numbers; returns some of them in words."""
    stored = store.find_drive(part, drive, duration)
    is_reference = way == drive.reference
    if not is_reference and stored["reference"]["series"] is None:
        return "left out, since its reference failed"
    same = store.find_same(part, drive, way, duration)
    if same is not None:
        if is_reference:
            stored["reference"]["series"] = same["series"]
        stored["presets"].setdefault(way.preset, {})[way.label] = same["row"]
        return "as in another part"
    key = (drive.vehicle, drive.scenario)
    if key not in store.starts:
        store.starts[key] = convergence.Start(*key, _report)
    try:
        result = store.starts[key].run(way, duration, _report)
    except SolveError as error:
        if is_reference:
            raise
        row = convergence.make_failed_row(error)
    else:
        if result.status == "interrupted":
            raise KeyboardInterrupt
        if is_reference:
            stored["reference"]["series"] = convergence.make_series(result)
        row = convergence.make_row(result, stored["reference"]["series"])
    facts = {
        "integrator": way.integrator,
        "tolerance": way.tolerance,
        "is_default": store.starts[key].is_default(way),
        "sources": store.sources,
    }
    stored["presets"].setdefault(way.preset, {})[way.label] = {**row, **facts}
    if row["failure"] is not None:
        return f"failed: {row['failure']}"
    return f"speed {100 * (row['speed'] or 0.0):.2g} % off, real-time factor {row['cpu_per_second']:.3g}"


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


def make_runs(store: Store, jobs: Sequence[Job]) -> int:
    """Make all runs, and store the numbers after each; returns the exit code. One that fails stops no other."""
    began, code = time.monotonic(), 0
    for number, (name, run) in enumerate(jobs, 1):
        print(f"[{number:2d}/{len(jobs)}] {name}: ", end="", flush=True)
        try:
            words = run()
        except GrouserError as error:
            code = 1
            print("failed", flush=True)
            print(f"error: {error}", file=sys.stderr)
            continue
        store.save()
        print(f"{words} ({time.monotonic() - began:.0f} s since the start)", flush=True)
    return code


def _report(phase: str, now: float, end: float) -> None:
    """Progress of a run in its line, for people."""
    if sys.stdout.isatty():
        words = f"{phase} {now:5.2f} s" + (f" of {end:g} s" if math.isfinite(end) else "")
        print(f"{words}\x1b[{len(words)}D", end="", flush=True)


def _leave_series(reference: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reference.items() if name != "series"}


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
    parser.add_argument("--vehicle", metavar="NAME", help="of the runs of vehicles, make those of this one only")
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
    known = {drive.vehicle for make in DRIVES.values() for drive in make()}
    if options.vehicle is not None and options.vehicle not in known:
        parser.error(f"--vehicle {options.vehicle}: there are {', '.join(sorted(known))}")
    if options.vehicle is not None:
        parts = tuple(part for part in parts if part in DRIVES)
    jobs: list[Job] = []
    for part in parts:
        if options.anew:
            store.clear(part, options.vehicle)
        if part in DRIVES:
            jobs += list_drive_jobs(store, part, options.vehicle, QUICK_DURATION if options.quick else math.inf)
        else:
            jobs += list_benchmark_jobs(store, QUICK_SHARE if options.quick else 1)
    try:
        code = make_runs(store, jobs)
    except KeyboardInterrupt:
        code = 130
        print("\nstopped; what is done is stored, and the same command goes on from there")
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
