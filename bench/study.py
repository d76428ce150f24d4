"""What studies cost: 200 runs of a HMMWV over a Sobol plan on a local cluster beside the same runs one by one.

Run with:  python bench/study.py            # all, for a machine that does nothing else
           python bench/study.py --runs 8 --duration 0.5 --workers 1

Bounds: on two cores the study is at least `SPEED_UP` times faster, a run costs less than `OVERHEAD` more than by itself
once workers are warm, and the rows are the same bit by bit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from grouser.study.drive import run_study
from grouser.study.plan import make_cases
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


def main(words: list[str]) -> int:
    """Measure and print; returns 1 if a bound does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--duration", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=None)
    given = parser.parse_args(words)
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
