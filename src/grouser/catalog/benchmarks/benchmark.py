"""What a published benchmark is: a mechanism, the numbers that it is known by, and the ways in which it is solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.compile.realization import Ideal, Realization
from grouser.errors import UnsupportedError, say_unknown
from grouser.formulations.presets import DRIVES, Preset
from grouser.model.model import Model
from grouser.result.result import Result
from grouser.simulate import simulate

Array = NDArray[np.float64]
IDEAL = Ideal()


@dataclass(frozen=True)
class Quantity:
    """A number that is compared with a reference.

    Attributes
    ----------
    name : what it is
    unit : its unit
    scale : what errors are a share of, in that unit; None for the reference itself
    """

    name: str
    unit: str
    scale: float | None = None


@dataclass(frozen=True)
class Way:
    """How a formulation solves a benchmark.

    Attributes
    ----------
    step_count : steps of the whole run
    accuracy : largest error of any quantity, as a share of its scale, with these steps
    joints : what the joints are
    integrator : how time is stepped
    """

    step_count: int
    accuracy: float
    joints: Realization = IDEAL
    integrator: str = "trapezoidal"


@dataclass(frozen=True)
class Benchmark:
    """A published problem.

    Attributes
    ----------
    name : short name
    title : what it is, for a heading
    description : what moves, and what makes it hard; one paragraph
    source : where data and reference come from; one paragraph
    make_model : makes the mechanism at its start
    duration : simulated time [s]
    quantities : numbers at the end that are compared
    solve_reference : finds their references, in the same order
    calc_values : their values, from a result
    ways : for each formulation that supports it, how it is solved
    frame_count : equal parts of the duration at whose ends a result has a frame
    """

    name: str
    title: str
    description: str
    source: str
    make_model: Callable[[], Model]
    duration: float
    quantities: tuple[Quantity, ...]
    solve_reference: Callable[[], Array]
    calc_values: Callable[[Result], Array]
    ways: Mapping[str, Way]
    frame_count: int = 1

    @cached_property
    def reference(self) -> Array:
        """References of the quantities."""
        return self.solve_reference()

    def make_preset(self, formulation: str) -> Preset:
        """The preset with which a formulation solves it."""
        way = self.find_way(formulation)
        motion = way.joints if isinstance(way.joints, Ideal) else DRIVES
        return Preset(self.name, self.title, formulation, {"*": way.joints}, motion, way.integrator)

    def find_way(self, formulation: str) -> Way:
        """How a formulation solves it."""
        if formulation not in self.ways:
            unknown = say_unknown("formulation", formulation, self.ways)
            raise UnsupportedError(f"benchmark {self.name!r}: {unknown}")
        return self.ways[formulation]

    def run(self, formulation: str, *, step_count: int | None = None) -> Result:
        """Solve it, with another number of steps if one is given."""
        steps = step_count or self.find_way(formulation).step_count
        return simulate(
            self.make_model(),
            preset=self.make_preset(formulation),
            duration=self.duration,
            step=self.duration / steps,
            output_interval=self.duration / self.frame_count,
        )

    def calc_errors(self, values: Array) -> Array:
        """Errors of values, each as a share of the scale of its quantity."""
        scales = [
            abs(expected) if quantity.scale is None else quantity.scale
            for quantity, expected in zip(self.quantities, self.reference, strict=True)
        ]
        return np.abs(values - self.reference) / np.array(scales)


def calc_mechanical_energy(result: Result) -> Array:
    """Kinetic energy, and that of gravity, springs and joints, in every frame [J]."""
    parts = ("kinetic", "potential", "stored_joints", "stored_forces")
    return np.sum([result[f"energy.{part}"] for part in parts], axis=0)


def calc_energy_change(result: Result) -> float:
    """Largest change of the mechanical energy since the start [J]."""
    energy = calc_mechanical_energy(result)
    return float(np.abs(energy - energy[0]).max())


def extrapolate(coarse: Array, fine: Array) -> Array:
    """Richardson: the value at step zero of a second-order result, from those of steps h and h/2."""
    return fine + (fine - coarse) / 3.0
