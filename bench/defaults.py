"""Every vehicle of the catalog in every scenario that fits it, run without options: is the run to be trusted?

    python bench/defaults.py                    all runs, and the table of them at the end
    python bench/defaults.py --longest 3        no run simulates more than 3 s
    python bench/defaults.py --vehicle m113     those of one vehicle
    python bench/defaults.py --out runs.md      the table goes into a file too, after every run

The exit code is 1 if a run failed, or has an energy residual above the limit without saying so. One core.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from convergence import calc_numerical_damping

from grouser.catalog.scenarios import apply_scenario, list_scenarios, load_scenario
from grouser.catalog.vehicles import Vehicle, list_vehicles, load_vehicle, make_vehicle
from grouser.errors import ModelError, SolveError
from grouser.result.doubts import LIMIT
from grouser.simulate import simulate


@dataclass(frozen=True)
class Row:
    """What a default run says of itself.

    Attributes
    ----------
    vehicle, scenario : names of the catalog
    preset : what was chosen for the model, with its integrator
    duration : simulated time [s]
    residual : largest error of the energy balance, as a share of the energy put in [-]; None at rest
    damping : what the integrator dissipated, as a share of the largest work put in [-]; None without work
    cost : wall time of a simulated second [s]
    failure : why the run did not come to its end; empty if it did
    doubts : why the run is not to be trusted, in its own words
    """

    vehicle: str
    scenario: str
    preset: str = ""
    duration: float = 0.0
    residual: float | None = None
    damping: float | None = None
    cost: float | None = None
    failure: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether the run came to its end, and told it if its balance is open.

        >>> Row("m113", "turn", residual=0.5).is_good, Row("m113", "turn", residual=0.5, doubts=("open",)).is_good
        (False, True)
        """
        return not self.failure and (self.residual is None or self.residual <= LIMIT or bool(self.doubts))

    @property
    def cells(self) -> tuple[str, ...]:
        """What the table shows."""
        said = self.failure or " ".join(self.doubts) or "yes"
        numbers = [f"{100.0 * share:.2g} %" if share is not None else "" for share in (self.residual, self.damping)]
        cost = "" if self.cost is None else f"{self.cost:.2g}"
        return (self.vehicle, self.scenario, self.preset, f"{self.duration:g}", *numbers, cost, said)


OWN_DRIVE, OWN_DURATION = "its own drive", 2.0
"""What vehicles do that fit no scenario, and for how long [s]."""
HEADS = ("vehicle", "scenario", "preset", "time [s]", "energy residual", "numerical damping", "wall [s/s]", "trusted")


def list_runs(vehicle: str | None = None) -> list[tuple[str, str]]:
    """Names of vehicles and of the scenarios that fit them; of one vehicle, or of all."""
    vehicles = {name: load_vehicle(name) for name in (list_vehicles() if vehicle is None else (vehicle,))}
    fitting = {name: [one for one in list_scenarios() if _fits(loaded, one)] for name, loaded in vehicles.items()}
    return [(name, scenario) for name, found in fitting.items() for scenario in found or [OWN_DRIVE]]


def _fits(vehicle: Vehicle, scenario: str) -> bool:
    """Whether a vehicle goes into a scenario: a driver not on tracks, drives of tracks not on wheels."""
    try:
        apply_scenario(vehicle, load_scenario(scenario))
    except ModelError:
        return False
    return True


def make_row(vehicle: str, scenario: str, longest: float = math.inf) -> Row:
    """Run a vehicle in a scenario for at most `longest` seconds, and ask the result what it says of itself."""
    if scenario == OWN_DRIVE:
        model, duration = make_vehicle(load_vehicle(vehicle)), OWN_DURATION
    else:
        drive = load_scenario(scenario)
        model, duration = apply_scenario(load_vehicle(vehicle), drive), drive.duration
    try:
        result, failure = simulate(model, duration=min(duration, longest)), ""
    except SolveError as error:
        if error.result is None:
            return Row(vehicle, scenario, failure=str(error))
        result, failure = error.result, str(error)
    return Row(
        vehicle,
        scenario,
        preset=f"{result.header['preset']}, {result.header['integrator']}",
        duration=result.summary["simulated_time"],
        residual=result.summary["energy_residual"],
        damping=calc_numerical_damping(result),
        cost=result.summary["real_time_factor"],
        failure=failure,
        doubts=tuple(result.summary["doubts"]),
    )


def make_table(rows: Iterable[Row]) -> str:
    """The rows as a table of Markdown."""
    cells = [HEADS, tuple("---" for _ in HEADS), *(row.cells for row in rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def main(words: Sequence[str] | None = None) -> int:
    """Make all runs and print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--vehicle", metavar="NAME", choices=list_vehicles(), help="the runs of this one only")
    parser.add_argument("--longest", type=float, default=math.inf, metavar="S", help="longest simulated time [s]")
    parser.add_argument("--out", type=Path, metavar="FILE", help="file for the table, written after every run")
    options = parser.parse_args(words)
    runs, rows, began = list_runs(options.vehicle), [], time.monotonic()
    for number, (vehicle, scenario) in enumerate(runs, 1):
        row = make_row(vehicle, scenario, options.longest)
        rows.append(row)
        print(f"[{number:2d}/{len(runs)}] {', '.join(row.cells)} ({time.monotonic() - began:.0f} s)", flush=True)
        if options.out is not None:
            options.out.write_text(make_table(rows), encoding="utf-8")
    print(make_table(rows), end="")
    return 0 if all(row.is_good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
