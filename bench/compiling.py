"""What compiling costs: the first run of a preset with an empty cache, further ones, and a second process.

    python bench/compiling.py                             the presets for tracks, one after the other, on m113
    python bench/compiling.py --vehicle hmmwv embedded implicit
    python bench/compiling.py --units penalty             units that take more than a tenth of a second, one by one

Each preset has a process of its own, as runs from the command line have. It is done by one process, and by several
(`kernels/_workers.py`). Times are those until the first evaluation of a vehicle that is not settled, importing left
out: by the clock, and of the processors, of this process and of those that compile for it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

PRESETS = ("implicit", "penalty", "bushing", "recursive", "constrained")
"""In this order: each finds what those before it have compiled."""
SHORT = 0.1
"""Units that take less [s] are not listed."""


def run_presets(vehicle: str, presets: list[str], *, has_units: bool) -> None:
    """Start a run by each preset, in this process; prints the time that each takes."""
    from grouser.catalog.scenarios import apply_scenario, load_scenario
    from grouser.catalog.vehicles import load_vehicle
    from grouser.integrators.solvers import make_integrator
    from grouser.presets import find_preset
    from grouser.simulate import prepare

    if has_units:
        _list_units()
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
    for name in presets:
        preset = find_preset(name)
        began = time.perf_counter()
        compiled, stable = prepare(model, preset)
        solver = make_integrator(
            compiled, preset.formulation, preset.integrator, preset.tolerance, preset.spectral_radius, preset.tree
        )
        prepared, before = time.perf_counter(), _find_processor_times()
        solver.advance(compiled.initial, 1, min(stable.step, 1e-4))
        took = time.perf_counter() - prepared
        here, others = (after - then for after, then in zip(_find_processor_times(), before, strict=True))
        print(
            f"{vehicle}, {name}: tables {prepared - began:.2f} s, first step {took:.2f} s "
            f"(processor {here:.2f} s here, {others:.2f} s of others)",
            flush=True,
        )


def _find_processor_times() -> list[float]:
    """Processor time of this process, and of those that it has started and that have ended [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return [one.ru_utime + one.ru_stime for one in used]


def _list_units() -> None:
    """Have the time printed that every unit takes to be compiled."""
    from numba.core import event

    class Watch(event.Listener):  # type: ignore[misc]
        """Nested compilations belong to the outermost one."""

        def __init__(self) -> None:
            self.depth, self.began = 0, 0.0

        def on_start(self, event: object) -> None:
            """A kernel is compiled."""
            if self.depth == 0:
                self.began = time.perf_counter()
            self.depth += 1

        def on_end(self, event: event.Event) -> None:
            """It is done."""
            self.depth -= 1
            took = time.perf_counter() - self.began
            if self.depth == 0 and took > SHORT:
                print(f"    {event.data['dispatcher'].py_func.__name__:32s} {took:6.2f} s", flush=True)

    event.register("numba:compile", Watch())


def main() -> int:
    """Run the presets with an empty cache, then again in another process; returns the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("presets", nargs="*", metavar="PRESET", help=f"default {' '.join(PRESETS)}")
    parser.add_argument("--vehicle", default="m113", metavar="NAME", help="default m113")
    parser.add_argument("--units", action="store_true", help="list the units")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    presets = options.presets or list(PRESETS)
    from grouser.kernels._workers import find_process_count

    if options.here:
        run_presets(options.vehicle, presets, has_units=options.units)
        return 0
    counts = [1] if options.units else [1, find_process_count()]
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            own = {"GROUSER_CACHE_DIR": folder, "GROUSER_COMPILE_PROCESSES": str(count)}
            for title, more in (("empty cache", ["--units"] if options.units else []), ("again", [])):
                print(f"{title}, {count} of {os.cpu_count()} cores", flush=True)
                for preset in presets:
                    words = [sys.executable, __file__, "--here", "--vehicle", options.vehicle, *more, preset]
                    subprocess.run(words, check=True, env=os.environ | own)
    return 0


if __name__ == "__main__":
    sys.exit(main())
