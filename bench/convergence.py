"""Runs of vehicles at several steps by every preset, compared with one converged run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import State
from grouser.errors import SolveError
from grouser.formulations.presets import PRESETS
from grouser.model.model import Model
from grouser.result.metrics import calc_forward_speed, calc_path
from grouser.result.result import Result
from grouser.simulate import Progress, prepare, settle, simulate

Array = NDArray[np.float64]

SCENARIO = "straight"
VEHICLES = ("m113-paper", "m113")
SHARES = ("1", "1/2", "1/4")
"""Shares of the stable step at which presets that have one are run."""
FREE_STEPS = (5.0, 2.5, 2.0, 1.667, 1.0, 0.5, 0.25)
"""Steps of presets that no stiffness limits [ms]."""
TOLERANCES = ("0.01", "0.001")
"""Of `adams`, with which presets of the formulation `recursive` are run beside their own integrator."""
REFERENCE = ("penalty", "1/4")
"""Preset and share of the stable step of the converged run: of second order, and its energies add up. How far it is
converged is shown by the row at twice its step."""
TRACK_PRESETS = tuple(name for name, preset in PRESETS.items() if preset.formulation != "embedded")
"""Presets that are made for tracks: for embedding, a loop of 64 links is no short one."""
DURATION = 10.0
"""Simulated time [s]."""
INTERVAL = 0.01
"""Time between two frames [s]: all of `FREE_STEPS` divide it."""
LATE = 2.0
"""Time from which runs are compared [s]: the drives start at 1 s, and shares of nothing mean nothing."""


@dataclass(frozen=True)
class Case:
    """A run: of a vehicle, by a preset, at a step that is a share of the stable one or a time, or by `adams` with a
    tolerance."""

    vehicle: str
    preset: str
    label: str

    @property
    def is_reference(self) -> bool:
        """Whether the others are compared with it."""
        return (self.preset, self.label) == REFERENCE


def list_cases() -> Iterator[Case]:
    """All runs, of each vehicle the reference first."""
    for vehicle in VEHICLES:
        yield Case(vehicle, *REFERENCE)
        for name, preset in PRESETS.items():
            if name not in TRACK_PRESETS:
                continue
            labels = SHARES if preset.step is None else tuple(f"{step:g} ms" for step in FREE_STEPS)
            if preset.formulation == "recursive":
                labels += tuple(f"adams {tolerance}" for tolerance in TOLERANCES)
            yield from (case for label in labels if not (case := Case(vehicle, name, label)).is_reference)


class Vehicle:
    """A vehicle of the catalog in the scenario, and the one state of rest from which all its runs start."""

    def __init__(self, name: str, duration: float, progress: Progress | None = None) -> None:
        self.model: Model = apply_scenario(load_vehicle(name), load_scenario(SCENARIO))
        self.duration = duration
        self.start: State = settle(self.model, progress=progress)

    def run(self, case: Case, progress: Progress | None = None) -> Result:
        """Make a run. That at the whole stable step is the preset as it comes, with its step control."""
        return simulate(
            self.model,
            preset=case.preset,
            duration=self.duration,
            **self._find_ways(case),
            output_interval=INTERVAL,
            initial=self.start,
            progress=progress,
        )

    def _find_ways(self, case: Case) -> dict[str, Any]:
        """What the label asks for, as `simulate` takes it."""
        if case.label.startswith("adams "):
            return {"integrator": "adams", "tolerance": float(case.label.removeprefix("adams "))}
        if case.label.endswith(" ms"):
            return {"step": 1e-3 * float(case.label.removesuffix(" ms"))}
        if case.label == "1":
            return {}
        return {"step": prepare(self.model, case.preset)[1].step / float(case.label.removeprefix("1/"))}


def make_series(result: Result) -> dict[str, list[float]]:
    """Way and speed of the chassis in every late frame, for comparisons."""
    late = _find_late(result.time)
    return {
        "time": _round(result.time[late], 9),
        "position": _round(calc_path(result)[late, 0], 9),
        "speed": _round(calc_forward_speed(result)[late], 9),
    }


def make_row(result: Result, reference: dict[str, list[float]]) -> dict[str, Any]:
    """Numbers of a run; deviations are those from the series of the reference."""
    series, summary = make_series(result), result.summary
    tension = result.block("link/tension")[0][_find_late(result.time)]
    return {
        "step": summary["step"],
        "position": calc_deviation(series["position"], reference["position"]),
        "speed": calc_deviation(series["speed"], reference["speed"]),
        "mean_tension": float(tension.mean()),
        "peak_tension": float(tension.max()),
        "energy_residual": summary["energy_residual"],
        "real_time_factor": summary["real_time_factor"],
        "cpu_per_second": summary["cpu_time"] / summary["duration"],
        "warning": summary["step_warning"],
        "failure": None,
    }


def make_failed_row(error: SolveError) -> dict[str, Any]:
    """What is known of a run that failed."""
    return {"step": None if error.result is None else error.result.summary["step"], "failure": str(error)}


def calc_deviation(values: list[float], reference: list[float]) -> float:
    """Largest deviation at any time, as a share of the reference at that time.

    >>> calc_deviation([1.0, 2.1, 3.0], [1.0, 2.0, 4.0])
    0.25
    """
    expected = np.array(reference)
    return float(np.max(np.abs((np.array(values) - expected) / expected)))


def find_late_time(duration: float) -> float:
    """Time from which a run is compared [s]: `LATE`, or half of a run that does not come so far."""
    return LATE if duration > LATE else 0.5 * duration


def _find_late(time: Array) -> Any:
    """Frames that are compared."""
    return time >= find_late_time(time[-1])


def _round(values: Array, digits: int) -> list[float]:
    return [float(f"{value:.{digits}g}") for value in values]
