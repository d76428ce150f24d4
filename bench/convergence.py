"""Runs of vehicles, each compared with a converged run of the same vehicle in the same scenario.

Three sections of the page of accuracy are made of them: default runs, tolerances, and steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.compile.state import State
from grouser.errors import SolveError
from grouser.model.model import Model
from grouser.presets import PLANAR_TOLERANCE, PRESETS, find_default
from grouser.result.loads import calc_statistics, make_number, read_tension
from grouser.result.metrics import WORK, calc_forward_speed, calc_path, calc_yaw
from grouser.result.result import Result
from grouser.simulate import LONGEST_STEP, Progress, prepare, settle, simulate

Array = NDArray[np.float64]

VEHICLES = Path(__file__).parent / "vehicles"
"""Vehicles that only the page of accuracy drives."""
INTERVAL = 0.01
"""Time between two frames [s]: all steps of `EULER_STEPS` divide it."""
LATE = 2.0
"""Time from which runs are compared [s]: most drives start at 1 s, and before there is little to compare."""

SHARES = (1, 2, 4)
"""By these numbers the stable step is divided in the section of steps."""
ADAMS = (1.0e-2, 1.0e-3)
"""Tolerances of `adams`, with which presets of the formulation `recursive` are run beside their own integrator."""
EULER_STEPS = (2.0, 1.0, 0.5)
"""Steps of `implicit-euler`, with which presets that choose implicit steps are run beside their own integrator [ms]."""
TOLERANCES = (0.016, 0.008, 0.004, 0.002, 0.001)
"""Tolerances of presets that choose their steps: each half of the one before."""
TRACK_PRESETS = tuple(
    name for name, preset in PRESETS.items() if preset.formulation != "embedded" and not preset.has_elastic_links
)
"""Presets that are made for tracks, of rigid links: for embedding, a loop of 64 links is no short one."""


@dataclass(frozen=True)
class Way:
    """How a run is made: by a preset as it comes, but for what is said here.

    Attributes
    ----------
    preset : its name
    integrator : another integrator than that of the preset
    tolerance : of an integrator that chooses its steps
    step : fixed step [ms]
    share : the step with which the preset would begin is divided by this number, and kept
    """

    preset: str
    integrator: str | None = None
    tolerance: float | None = None
    step: float | None = None
    share: int = 1

    @property
    def label(self) -> str:
        """What differs from the preset, in words.

        >>> Way("implicit").label, Way("penalty", share=4).label
        ('as it comes', 'step / 4')
        >>> Way("recursive", "adams", tolerance=1e-7).label, Way("implicit", "implicit-euler", step=0.5).label
        ('adams, tolerance 1e-07', 'implicit-euler, step 0.5 ms')
        """
        words = [] if self.integrator is None else [self.integrator]
        words += [] if self.tolerance is None else [f"tolerance {self.tolerance:g}"]
        words += [] if self.step is None else [f"step {self.step:g} ms"]
        words += [] if self.share == 1 else [f"step / {self.share}"]
        return ", ".join(words) or "as it comes"


@dataclass(frozen=True)
class Drive:
    """A vehicle in a scenario, and how it is run there.

    Attributes
    ----------
    vehicle : name of the catalog, or of a file in `VEHICLES`
    scenario : name of the catalog
    duration : simulated time [s]
    ways : all runs; the first is the converged one, with which the others are compared
    """

    vehicle: str
    scenario: str
    duration: float
    ways: tuple[Way, ...]

    @property
    def name(self) -> str:
        """What it is called in the numbers and on the page."""
        return f"{self.vehicle}, {self.scenario}"

    @property
    def reference(self) -> Way:
        """The converged run."""
        return self.ways[0]


DRIVEN = {"straight": 10.0, "turn": 14.0, "bump": 8.0}
"""Scenarios of vehicles that drive in space, and how long they last [s]."""
TRACKED = ("m113", "m113-paper", "six-wheels", "rollers")
"""Vehicles with tracks that drive in space."""
CONVERGED = Way("penalty", share=2)
"""The run with which theirs are compared."""


def make_default_drives() -> list[Drive]:
    """Every vehicle by its default preset. The second way tells how far the reference is converged."""
    tracked = (CONVERGED, Way("penalty"), Way("implicit"))
    wheeled = (Way("embedded", share=4), Way("embedded", share=2), Way("embedded"))
    planar = (
        Way("recursive", "adams", tolerance=1.0e-6),
        Way("recursive", "adams", tolerance=1.0e-5),
        Way("recursive", "adams", tolerance=PLANAR_TOLERANCE),
    )
    drives = _make_tracked_drives(tracked)
    drives += [Drive("hmmwv", scenario, duration, wheeled) for scenario, duration in DRIVEN.items()]
    crawled = {"forward": 4.0, "reverse": 4.0, "bump": 9.0, "trough": 9.0, "ramp": 9.0, "sine": 13.0}
    drives += [Drive("crawler", f"crawl-{name}", duration, planar) for name, duration in crawled.items()]
    return drives


def make_tolerance_drives() -> list[Drive]:
    """The preset whose steps a tolerance chooses, at several ones. Few impacts decide the largest forces of a run, so
    that errors of a single run come and go: all tracked vehicles in all scenarios together tell how they shrink."""
    return _make_tracked_drives((CONVERGED, *(Way("implicit", tolerance=tolerance) for tolerance in TOLERANCES)))


def _make_tracked_drives(ways: tuple[Way, ...]) -> list[Drive]:
    """All tracked vehicles in all scenarios."""
    return [Drive(vehicle, scenario, duration, ways) for vehicle in TRACKED for scenario, duration in DRIVEN.items()]


def make_step_drives() -> list[Drive]:
    """All presets for tracks at several steps or tolerances, by their own integrator and by others."""
    ways = [Way("penalty", share=4)]
    for name in TRACK_PRESETS:
        preset = PRESETS[name]
        if preset.declared.is_adaptive:
            ways += [Way(name, tolerance=tolerance) for tolerance in TOLERANCES]
            ways += [Way(name, "implicit-euler", step=step) for step in EULER_STEPS]
        else:
            ways += [Way(name, share=share) for share in SHARES]
        if preset.formulation == "recursive":
            ways += [Way(name, "adams", tolerance=tolerance) for tolerance in ADAMS]
    return [Drive(vehicle, "straight", 10.0, tuple(dict.fromkeys(ways))) for vehicle in ("m113-paper", "m113")]


class Start:
    """A vehicle in a scenario, and the one state of rest from which all its runs start."""

    def __init__(self, vehicle: str, scenario: str, progress: Progress | None = None) -> None:
        file = VEHICLES / f"{vehicle}.yaml"
        template = load_vehicle(file if file.is_file() else vehicle)
        self.model: Model = apply_scenario(template, load_scenario(scenario))
        self.state: State = settle(self.model, progress=progress, threads=1)

    def is_default(self, way: Way) -> bool:
        """Whether a way is that of a user who chooses nothing."""
        default = PRESETS[way.preset].with_integrator(way.integrator, way.tolerance) == find_default(self.model)
        return default and way.step is None and way.share == 1

    def run(self, way: Way, duration: float, progress: Progress | None = None) -> Result:
        """Make a run."""
        step = None if way.step is None else 1e-3 * way.step
        if way.share > 1:
            step = min(prepare(self.model, way.preset)[1].step, LONGEST_STEP) / way.share
        return simulate(
            self.model,
            threads=1,
            preset=way.preset,
            integrator=way.integrator,
            tolerance=way.tolerance,
            duration=duration,
            step=step,
            output_interval=INTERVAL,
            initial=self.state,
            progress=progress,
        )


def make_series(result: Result) -> dict[str, list[float]]:
    """Place in the plane [m], speed [m/s] and yaw [rad] of the chassis in every late frame, for comparisons."""
    late = _find_late(result.time)
    path = calc_path(result)[late]
    series = {
        "x": path[:, 0],
        "y": path[:, 1],
        "speed": calc_forward_speed(result)[late],
        "yaw": calc_yaw(result)[late],
    }
    return {name: [float(f"{value:.8g}") for value in values] for name, values in series.items()}


def make_row(result: Result, reference: dict[str, list[float]]) -> dict[str, Any]:
    """Numbers of a run; deviations are those from the series of the reference."""
    series, summary = make_series(result), result.summary
    place, expected = (np.array([one["x"], one["y"]]).T for one in (series, reference))
    load = read_load(result)
    return {
        "step": summary["step"],
        "position": calc_deviation(place, expected),
        **{name: calc_deviation(np.array(series[name]), np.array(reference[name])) for name in ("speed", "yaw")},
        "load": calc_statistics(None if load is None else load[_find_late(result.time)]),
        "energy_residual": summary["energy_residual"],
        "numerical_damping": calc_numerical_damping(result),
        "cpu_per_second": summary["cpu_time"] / summary["duration"],
        "warning": summary["step_warning"],
        "failure": None,
    }


def make_failed_row(error: SolveError) -> dict[str, Any]:
    """What is known of a run that failed."""
    return {"step": None if error.result is None else error.result.summary["step"], "failure": str(error)}


def read_load(result: Result) -> Array | None:
    """What the parts of a vehicle bear in every frame [N]: tensions of all links, (frames, links), or vertical forces
    of all tyres, (frames, tyres); None without either."""
    if result.model.tracks:
        return read_tension(result, result.model.tracks.values())
    if not result.has_block("tyre/vertical_force"):
        return None
    return np.asarray(result.block("tyre/vertical_force")[0][:, :, 0])


def calc_numerical_damping(result: Result) -> float | None:
    """What the integrator has dissipated until the end, as a share of the largest work put in [-]."""
    lost = result["energy.dissipated_numerically"]
    work = sum((result[f"energy.{name}"] for name in WORK), start=np.zeros(len(result.time)))
    most = np.abs(work - work[0]).max()
    return make_number((lost[-1] - lost[0]) / most) if most > 0.0 else None


def calc_deviation(values: Array, reference: Array) -> float | None:
    """Largest deviation at any time, as a share of the largest of the reference; vectors by their lengths. None where
    the reference is zero.

    >>> calc_deviation(np.array([1.0, 2.1, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.25
    >>> calc_deviation(np.array([[3.0, 4.5]]), np.array([[3.0, 4.0]]))
    0.1
    """
    off, size = (np.linalg.norm(one.reshape(len(one), -1), axis=1).max() for one in (values - reference, reference))
    return float(off / size) if size > 0.0 else None


def find_late_time(duration: float) -> float:
    """Time from which a run is compared [s]: `LATE`, or half of a run that does not come so far."""
    return LATE if duration > LATE else 0.5 * duration


def _find_late(time: Array) -> Any:
    """Frames that are compared."""
    return time >= find_late_time(time[-1]) - 1e-9
