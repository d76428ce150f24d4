"""What sessions and checkpoints cost, each beside the same run without them.

    python bench/session.py                       an M113 straight ahead, 10 s, the default preset
    python bench/session.py --vehicle hmmwv --repeats 9

Runs with and without take turns; the least of several repeats counts, because the machine's noise only adds. Both
begin with a vehicle at rest. Times are those of stepping, writing included, without preparing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import grouser as gr
from grouser import checkpoint
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import State
from grouser.model.model import Model

FRAME = 0.02
"""What a session advances at a time [s]."""


class Clock:
    """Times the running phase of a run, from its first frame to the call of `stop`."""

    def __init__(self) -> None:
        self._began = 0.0

    def __call__(self, phase: str, now: float, end: float) -> None:
        """Progress of a run."""
        if phase == "running" and self._began == 0.0:
            self._began = time.perf_counter()

    def stop(self) -> float:
        """Time since the first frame [s]."""
        return time.perf_counter() - self._began


@contextmanager
def without_checkpoints() -> Iterator[None]:
    """Within it, runs store none."""
    store = checkpoint.Checkpoints.store
    checkpoint.Checkpoints.store = lambda self: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        checkpoint.Checkpoints.store = store  # type: ignore[method-assign]


def time_run(model: Model, start: State, duration: float, interval: float, out: Path | None) -> float:
    """Time of a run [s]."""
    clock = Clock()
    gr.simulate(model, initial=start, duration=duration, output_interval=interval, out=out, progress=clock).close()
    return clock.stop()


def time_session(model: Model, start: State, duration: float, *, is_observed: bool) -> float:
    """Time of as many steps from Python [s], with a look at the speed after each or without."""
    with gr.Session(model, initial=start, output_interval=FRAME, duration=duration) as session:
        speed = f"{model.main_body}.velocity"
        session.step()
        began = time.perf_counter()
        while session.time < duration - 0.5 * FRAME:
            session.step()
            if is_observed:
                session.observe()[speed]
        return time.perf_counter() - began


def find_least(cases: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Least time of each case [s], the cases in turn; the first turn compiles."""
    turns = [{name: run() for name, run in cases.items()} for _ in range(repeats + 1)][1:]
    return {name: min(turn[name] for turn in turns) for name in cases}


def main() -> int:
    """Measure both, and print the ratios; returns the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--vehicle", default="m113", metavar="NAME", help="default m113")
    parser.add_argument("--duration", type=float, default=10.0, metavar="T", help="simulated time [s], default 10")
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="default 7")
    options = parser.parse_args()
    duration = options.duration
    model = apply_scenario(load_vehicle(options.vehicle), load_scenario("straight"))
    start = gr.settle(model)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.h5"

        def run_without() -> float:
            with without_checkpoints():
                return time_run(model, start, duration, 0.01, out)

        cases: dict[str, Callable[[], float]] = {
            "run to a file, no checkpoints": run_without,
            "run to a file, checkpoints": lambda: time_run(model, start, duration, 0.01, out),
            "one run": lambda: time_run(model, start, duration, FRAME, None),
            "steps from Python": lambda: time_session(model, start, duration, is_observed=False),
            "steps from Python, observed": lambda: time_session(model, start, duration, is_observed=True),
        }
        least = find_least(cases, options.repeats)
    for name, taken in least.items():
        print(f"{name:32s} {taken:7.3f} s")
    ratios = {
        "checkpoints": least["run to a file, checkpoints"] / least["run to a file, no checkpoints"],
        f"steps of {1e3 * FRAME:.0f} ms": least["steps from Python"] / least["one run"],
        f"steps of {1e3 * FRAME:.0f} ms, observed": least["steps from Python, observed"] / least["one run"],
    }
    for name, ratio in ratios.items():
        print(f"{name:32s} {100.0 * (ratio - 1.0):+6.2f} % beside the run without")
    return 0


if __name__ == "__main__":
    sys.exit(main())
