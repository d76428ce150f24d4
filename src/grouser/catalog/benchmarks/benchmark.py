"""What a published benchmark is: a mechanism, the numbers that it is known by, and the ways in which it is solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.compile.realization import Ideal, Realization
from grouser.errors import UnsupportedError, say_unknown
from grouser.model.model import Model
from grouser.presets import DRIVES, Preset
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
    """How a benchmark is solved.

    Attributes
    ----------
    formulation : how the equations are formed
    accuracy : largest error of any quantity, as a share of its scale
    step_count : steps of the whole run; None for integrators that choose their steps
    joints : what the joints are
    integrator : how time is stepped
    tolerance : relative tolerance of integrators that choose their steps
    """

    formulation: str
    accuracy: float
    step_count: int | None = None
    joints: Realization = IDEAL
    integrator: str = "trapezoidal"
    tolerance: float | None = None

    @property
    def name(self) -> str:
        """The formulation, and the integrator where it is not the usual one."""
        return self.formulation if self.integrator == "trapezoidal" else f"{self.formulation}, {self.integrator}"


def make_ways(*ways: Way) -> dict[str, Way]:
    """Ways by their names."""
    return {way.name: way for way in ways}


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
    ways : how it is solved, by name; by every formulation that supports it
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

    def find_way(self, name: str) -> Way:
        """A way by its name."""
        if name not in self.ways:
            raise UnsupportedError(f"benchmark {self.name!r}: {say_unknown('way', name, self.ways)}")
        return self.ways[name]

    def run(self, way: str | Way, *, step_count: int | None = None) -> Result:
        """Solve it in a way, one of its own by name or another, with another number of steps if one is given."""
        chosen = self.find_way(way) if isinstance(way, str) else way
        steps = step_count or chosen.step_count
        return simulate(
            self.make_model(),
            preset=self._make_preset(chosen),
            duration=self.duration,
            step=None if steps is None else self.duration / steps,
            output_interval=self.duration / self.frame_count,
        )

    def _make_preset(self, way: Way) -> Preset:
        motion = way.joints if isinstance(way.joints, Ideal) else DRIVES
        return Preset(
            self.name,
            self.title,
            way.formulation,
            {"*": way.joints},
            motion,
            integrator=way.integrator,
            tolerance=way.tolerance,
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
