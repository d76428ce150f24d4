"""Presets: each names a combination of formulation and realizations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from grouser.compile.realization import Bushing, Ideal, MotionRealization, Penalty, PenaltyScaled, Realization
from grouser.errors import UnsupportedError, say_unknown
from grouser.formulations.schemes import INTEGRATORS

TRACK_PINS = "track-pins"
"""Joint group of the pins between track links."""

OTHER_JOINTS = PenaltyScaled(frequency=6.0e3, ratio=0.3)
"""All joints but the track pins: stiffness scaled to the masses, so that a light carrier does not decide the step."""
DRIVES = PenaltyScaled(frequency=2.0e3, ratio=0.7)
"""How prescribed motions are held."""


@dataclass(frozen=True)
class Preset:
    """A named way to solve a model.

    Attributes
    ----------
    name, description : for lists and results
    formulation : how the equations are formed and solved
    realizations : by joint group; ``*`` serves all groups without an entry
    motion : what holds prescribed motions: a penalty, or `Ideal`
    integrator : how time is stepped
    step : step [s] of integrators that have no stability bound
    coarsest_step : largest step [s] at which tracked vehicles keep chassis position and speed within 1 % of a converged
        run, and mean track tension within 3 %; None where the stable step is the only bound
    """

    name: str
    description: str
    formulation: str
    realizations: Mapping[str, Realization]
    motion: MotionRealization = DRIVES
    integrator: str = "trapezoidal"
    step: float | None = None
    coarsest_step: float | None = None

    @property
    def is_implicit(self) -> bool:
        """Whether steps are linearly implicit, so that stiffness sets no bound."""
        return INTEGRATORS[self.integrator][1]

    def with_realization(self, group: str, realization: Realization) -> Preset:
        """A copy in which a joint group is realized in another way."""
        changed = {**self.realizations, group: realization}
        return replace(self, realizations=MappingProxyType(changed))


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "penalty",
            "joints by penalty forces, pins at 1e9 N/m and 5e4 N s/m (chain-formulations paper)",
            "explicit",
            {TRACK_PINS: Penalty(k=1.0e9, c=5.0e4, arm=0.1), "*": OTHER_JOINTS},
        ),
        Preset(
            "bushing",
            "pins as six-component bushings, free about the pin (chain-formulations paper)",
            "explicit",
            {
                TRACK_PINS: Bushing(stiffness=(1e9, 1e9, 1e9, 1e7, 1e7, 0.0), damping=(5e4, 5e4, 5e4, 5e2, 5e2, 0.0)),
                "*": OTHER_JOINTS,
            },
        ),
        Preset(
            "implicit",
            "joints by penalty forces as in `penalty`, in linearly implicit steps of 1 ms",
            "explicit",
            {TRACK_PINS: Penalty(k=1.0e9, c=5.0e4, arm=0.1), "*": OTHER_JOINTS},
            integrator="implicit-euler",
            step=1.0e-3,
            # docs/accuracy.md: at 2 ms m113-paper misses the mean tension by 3.3 %, m113 the speed by 1.0 %
            coarsest_step=1.5e-3,
        ),
        Preset(
            "constrained",
            "ideal joints and drives by multipliers (chain-formulations paper)",
            "augmented",
            {"*": Ideal()},
            motion=Ideal(),
            integrator="euler",
        ),
        Preset(
            "recursive",
            "ideal joints and drives by recursion along the tree, track loops cut",
            "recursive",
            {"*": Ideal()},
            motion=Ideal(),
            integrator="trapezoidal",
        ),
    )
}


FORMULATIONS = ("explicit", "augmented", "recursive")


def check_preset(preset: Preset, groups: set[str]) -> None:
    """Refuse a preset that names a formulation, an integrator or a joint group that does not exist."""
    if preset.integrator not in INTEGRATORS:
        raise UnsupportedError(f"preset {preset.name!r}: {say_unknown('integrator', preset.integrator, INTEGRATORS)}")
    if preset.formulation not in FORMULATIONS:
        raise UnsupportedError(
            f"preset {preset.name!r}: {say_unknown('formulation', preset.formulation, FORMULATIONS)}"
        )
    if "*" not in preset.realizations:
        raise UnsupportedError(
            f"preset {preset.name!r} has no realization '*' for joint groups without one of their own"
        )
    for group in preset.realizations.keys() - groups - {"*", TRACK_PINS}:
        raise UnsupportedError(f"preset {preset.name!r}: {say_unknown('joint group', group, groups)}")


def find_preset(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UnsupportedError(say_unknown("preset", name, PRESETS))
    return PRESETS[name]
