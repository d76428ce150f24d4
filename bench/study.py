"""What studies cost: 200 runs of a HMMWV over a Sobol plan on a local cluster beside the same runs one by one.

Run with:  python bench/study.py            # all, for a machine that does nothing else
           python bench/study.py --runs 8 --duration 0.5 --workers 1

Bounds: on two cores the study is at least `SPEED_UP` times faster, a run costs less than `OVERHEAD` more than by itself
once workers are warm, and the rows are the same bit by bit. What no study can beat is printed too: how much more plain
processes do side by side than one, without any study. Modules are compiled to bytecode before, as an install does.
"""

from __future__ import annotations

import argparse
import compileall
import multiprocessing
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import grouser
from grouser.study.cluster import count_cores
from grouser.study.drive import run_study
from grouser.study.plan import Case, make_cases
from grouser.study.respond import calc_responses
from grouser.study.single import simulate_case
from grouser.study.spec import Study

SPEED_UP = 1.8
OVERHEAD = 0.05
"""Wall time [s]."""


def make_study(runs: int, duration: float) -> Study:
    """Runs of a HMMWV on a rough road, three factors that do not touch rest."""
    return Study.model_validate(
        {
            "name": "bench",
            "base": {"vehicle": "hmmwv", "scenario": "ride", "duration": duration},
            "factors": {
                "start_speed": {"type": "scenario", "path": "start_speed", "low": 4.0, "high": 10.0},
                "speed": {"type": "scenario", "path": "driver.speed", "low": 4.0, "high": 10.0},
                "preview": {"type": "scenario", "path": "driver.preview_time", "low": 0.5, "high": 1.5},
            },
            "plan": {"type": "sobol", "count": runs, "seed": 1},
            "responses": {
                "bounce": {"take": "rms", "of": "chassis.velocity.z"},
                "distance": {"summary": "distance"},
            },
        }
    )


def find_bound(study: Study, cases: list[Case], processes: int) -> float:
    """How much more plain processes do side by side than one of them by itself."""
    took = []
    context = multiprocessing.get_context("spawn")
    for count in (1, processes):
        meet, told = context.Barrier(count), context.SimpleQueue()
        loops = [context.Process(target=loop, args=(study, cases, meet, told)) for _ in range(count)]
        for process in loops:
            process.start()
        took.append(max(told.get() for _ in loops))
        for process in loops:
            process.join()
    return processes * took[0] / took[1]


def loop(study: Study, cases: list[Case], meet: Any, told: Any) -> None:
    """Make some runs one after the other, at the same time as other processes do, and tell what it took [s]."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rest").mkdir()
        for number, case in enumerate(cases):
            if number == 1:  # the first compiles and settles
                meet.wait()
                began = time.perf_counter()
            simulate_case(study, case, out=folder / f"{case.run}.h5", folder=folder).close()
        told.put(time.perf_counter() - began)


def main(words: list[str]) -> int:
    """Measure and print; returns 1 if a bound does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--duration", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=None)
    given = parser.parse_args(words)
    compileall.compile_dir(Path(grouser.__file__).parent, quiet=2)
    study = make_study(given.runs, given.duration)
    cases = make_cases(study)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "single" / "rest").mkdir(parents=True)
        simulate_case(study, cases[0], folder=folder / "single").close()  # compiles and settles
        began = time.perf_counter()
        single = []
        for case in cases:
            with simulate_case(study, case, out=folder / f"{case.run}.h5", folder=folder / "single") as result:
                single.append(calc_responses(study.responses, result))
        alone = time.perf_counter() - began
        ends: list[float] = []

        def note(phase: str, done: float, count: float) -> None:
            if phase == "runs" and len(ends) <= done:
                ends.extend([time.perf_counter()] * (int(done) + 1 - len(ends)))

        began = time.perf_counter()
        outcome = run_study(study, folder / "out", workers=given.workers, progress=note)
        together = time.perf_counter() - began
        rows = [outcome.rows[case.run] for case in cases]
        same = all(row[key] == one[key] for row, one in zip(rows, single, strict=True) for key in study.responses)
    warm = (ends[-1] - ends[1]) / (len(ends) - 2)
    over = warm - alone / given.runs
    bound = find_bound(study, cases[: min(len(cases), 25)], given.workers or count_cores())
    print(f"plain processes side by side, one a worker, do {bound:.2f} times as much as one")
    print(f"{given.runs} runs of {given.duration:g} s: one by one {alone:.1f} s, as a study {together:.1f} s")
    print(f"speed-up {alone / together:.2f}, starting and stopping of workers included")
    print(f"a run by itself {alone / given.runs * 1e3:.1f} ms; from one end to the next {warm * 1e3:.1f} ms")
    print(f"failed {len(outcome.failed)}; rows the same bit by bit: {same}")
    if given.workers == 1:
        print(f"overhead a run, once warm: {over * 1e3:.1f} ms")
    is_fast = given.workers == 1 or alone / together >= SPEED_UP
    is_light = given.workers != 1 or over < OVERHEAD
    return 0 if same and is_fast and is_light else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
