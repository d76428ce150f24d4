"""Presets: each names a combination of formulation and realizations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from grouser.compile.realization import (
    Bushing,
    ElasticLinks,
    Ideal,
    MotionRealization,
    Penalty,
    PenaltyScaled,
    Realization,
)
from grouser.errors import ModelError, UnsupportedError, check_type, say_unknown
from grouser.families.tyre.spec import Tyre
from grouser.formulations.tree_options import FORMULATIONS, TreeOptions
from grouser.integrators.declarations import DEFAULT_RADIUS, INTEGRATORS, Integrator
from grouser.model.mesh import ANCF
from grouser.model.model import Model

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
    tolerance : relative tolerance of integrators that choose their steps; None takes the usual one
    spectral_radius : of the integrator `generalised-alpha`: what it leaves of infinitely fast vibrations in a step,
        from 0, all damped at once, to 1, none damped
    tree : what is chosen of the tree of `recursive` or `embedded`
    """

    name: str
    description: str
    formulation: str
    realizations: Mapping[str, Realization]
    motion: MotionRealization = DRIVES
    integrator: str = "trapezoidal"
    step: float | None = None
    tolerance: float | None = None
    spectral_radius: float = DEFAULT_RADIUS
    tree: TreeOptions = field(default_factory=TreeOptions)

    @property
    def declared(self) -> Integrator:
        """What the integrator is."""
        if self.integrator not in INTEGRATORS:
            raise UnsupportedError(f"preset {self.name!r}: {say_unknown('integrator', self.integrator, INTEGRATORS)}")
        return INTEGRATORS[self.integrator]

    @property
    def has_elastic_links(self) -> bool:
        """Whether links of tracks are elastic: then the model that is solved has meshes in place of them."""
        return any(isinstance(one, ElasticLinks) for one in self.realizations.values())

    def with_realization(self, group: str, realization: Realization) -> Preset:
        """A copy in which a joint group is realized in another way."""
        changed = {**self.realizations, group: realization}
        return replace(self, realizations=MappingProxyType(changed))

    def with_integrator(
        self, integrator: str | None, tolerance: float | None = None, spectral_radius: float | None = None
    ) -> Preset:
        """A copy with another integrator, or with another tolerance or spectral radius of it; None leaves each as it
        is. Another integrator has its usual tolerance where none is given."""
        chosen = self
        if integrator is not None:
            check_type(integrator, str, "integrator", "give the name of an integrator")
            if integrator not in INTEGRATORS:
                raise UnsupportedError(say_unknown("integrator", integrator, INTEGRATORS))
            if integrator != self.integrator:
                chosen = replace(chosen, integrator=integrator, tolerance=None)
        if tolerance is not None:
            chosen = replace(chosen, tolerance=_check_tolerance(chosen, tolerance))
        if spectral_radius is not None:
            chosen = replace(chosen, spectral_radius=_check_radius(chosen, spectral_radius))
            if chosen.integrator != "generalised-alpha":
                raise ModelError(
                    f"spectral_radius = {spectral_radius:g}: the integrator {chosen.integrator!r} has none; leave it "
                    "out, or take the integrator 'generalised-alpha'"
                )
        return chosen


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
            "joints by penalty forces as in `penalty`, in implicit steps that a tolerance chooses",
            "explicit",
            {TRACK_PINS: Penalty(k=1.0e9, c=5.0e4, arm=0.1), "*": OTHER_JOINTS},
            integrator="sdirk",
        ),
        Preset(
            "ancf",
            "links of tracks as elastic beams by gradients, of steel, on pins that cannot open; else as `implicit`",
            "explicit",
            {TRACK_PINS: ElasticLinks(), "*": OTHER_JOINTS},
            integrator="sdirk",
            tolerance=2.0e-2,
        ),
        Preset(
            "constrained",
            "ideal joints and drives by multipliers (chain-formulations paper)",
            "augmented",
            {"*": Ideal()},
            motion=Ideal(),
            integrator="leapfrog",
        ),
        Preset(
            "recursive",
            "ideal joints and drives by recursion along the tree, track loops cut",
            "recursive",
            {"*": Ideal()},
            motion=Ideal(),
            integrator="leapfrog",
        ),
        Preset(
            "embedded",
            "ideal joints and drives, loops as aggregated bodies with independent coordinates; for short loops",
            "embedded",
            {"*": Ideal()},
            motion=Ideal(),
            integrator="trapezoidal",
        ),
    )
}


TIGHTEST, LOOSEST = 1.0e-13, 0.1
"""Range of relative tolerances."""
PLANAR_TOLERANCE = 5.0e-4
"""Tolerance of `adams`, by which vehicles with tracks are stepped in the plane if nothing is said. Leapfrog steps take
the friction of their soles half a step late: over a bump speeds are 1.8 % off and tensions 3 %. At 1e-3 a crawler over
a sine misses its speed by 0.54 %, here by 0.29 %."""

BAND_TOLERANCE = 2.5e-2
"""Tolerance of `sdirk`, by which vehicles on bands are stepped if nothing is said. An `m113-band` that drives straight
has the way and the mean tension of a run at 1e-3 within 0.1 %, its largest tensions within 1 %, in a third of the steps
of 8e-3."""


def check_preset(preset: Preset, groups: set[str]) -> None:
    """Refuse a preset that names a formulation, an integrator or a joint group that does not exist."""
    declared = preset.declared
    if declared.is_adaptive and preset.tolerance is not None:
        _check_tolerance(preset, preset.tolerance)
    _check_radius(preset, preset.spectral_radius)
    if preset.formulation not in FORMULATIONS:
        raise UnsupportedError(
            f"preset {preset.name!r}: {say_unknown('formulation', preset.formulation, FORMULATIONS)}"
        )
    if preset.formulation not in declared.formulations:
        others = [name for name, one in INTEGRATORS.items() if preset.formulation in one.formulations]
        raise UnsupportedError(
            f"integrator {preset.integrator!r} cannot step the formulation {preset.formulation!r} of the preset "
            f"{preset.name!r}: take a preset with the formulation {' or '.join(declared.formulations)}, or one of the "
            f"integrators {', '.join(others)}"
        )
    for is_chosen, what, owner in (
        (bool(preset.tree.independent), "has no independent joints to choose", "embedded"),
        (bool(preset.tree.cuts), "has no joints to cut", "recursive"),
        (not preset.tree.projected, "cannot do without projection", "recursive"),
    ):
        if is_chosen and preset.formulation != owner:
            raise UnsupportedError(
                f"preset {preset.name!r}: the formulation {preset.formulation!r} {what}; take the formulation {owner}"
            )
    if "*" not in preset.realizations:
        raise UnsupportedError(
            f"preset {preset.name!r} has no realization '*' for joint groups without one of their own"
        )
    for group in preset.realizations.keys() - groups - {"*", TRACK_PINS}:
        raise UnsupportedError(f"preset {preset.name!r}: {say_unknown('joint group', group, groups)}")


def check_step(preset: Preset, step: float | None) -> None:
    """Refuse a step [s] for an integrator that chooses its own."""
    if step is not None and preset.declared.is_adaptive and not preset.declared.takes_step:
        raise ModelError(
            f"step = {step:g} s: the integrator {preset.integrator!r} chooses its steps; give it a tolerance instead, "
            f"or take an integrator with a fixed step: {_list_integrators(is_adaptive=False)}"
        )


def _check_tolerance(preset: Preset, tolerance: float) -> float:
    """The tolerance, if the integrator of the preset can use it."""
    check_type(tolerance, (int, float), "tolerance", "give a share, as in 1e-6")
    if not preset.declared.is_adaptive:
        raise ModelError(
            f"tolerance = {tolerance:g}: the steps of the integrator {preset.integrator!r} have a fixed length; give "
            f"it a step instead, or take an integrator that chooses its steps: {_list_integrators(is_adaptive=True)}"
        )
    if not TIGHTEST <= tolerance <= LOOSEST:
        raise ModelError(f"tolerance = {tolerance:g} must be a share between {TIGHTEST:g} and {LOOSEST:g}, as in 1e-6")
    return tolerance


def _check_radius(preset: Preset, spectral_radius: float) -> float:
    """The spectral radius, if it is one."""
    check_type(spectral_radius, (int, float), "spectral_radius", "give a share, as in 0.8")
    if not 0.0 <= spectral_radius <= 1.0:
        raise ModelError(
            f"preset {preset.name!r}: spectral_radius = {spectral_radius:g} must lie between 0 and 1, as in 0.8"
        )
    return spectral_radius


def _list_integrators(*, is_adaptive: bool) -> str:
    return ", ".join(name for name, one in INTEGRATORS.items() if one.is_adaptive is is_adaptive)


def find_default(model: Model) -> Preset:
    """The preset where none is named: recursion for motion in the plane; for vehicles with tracks the cheapest that is
    accurate (docs/accuracy.md), at a tolerance of their own for bands; the same for elements by gradients, whose thin
    sections make explicit steps short; recursion for those on posts; short loops as bodies for those on tyres; and
    joints by forces for all else."""
    if model.planar and model.tracks:
        return PRESETS["recursive"].with_integrator("adams", PLANAR_TOLERANCE)
    if model.planar:
        return PRESETS["recursive"]
    has_gradients = any(getattr(mesh, "element", None) in ANCF for mesh in model.meshes.values())
    is_band = any(track.belt is not None or track.chain is not None for track in model.tracks.values())
    if is_band or (has_gradients and model.main_body):
        return PRESETS["implicit"].with_integrator("sdirk", BAND_TOLERANCE)
    if model.tracks or has_gradients:
        return PRESETS["implicit"]
    if model.posts:
        return PRESETS["recursive"]
    if any(isinstance(force, Tyre) for force in model.forces.values()):
        return PRESETS["embedded"]
    return PRESETS["penalty"]


def find_preset(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UnsupportedError(say_unknown("preset", name, PRESETS))
    return PRESETS[name]
