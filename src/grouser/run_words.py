"""What a run has to tell: steps that are too long, joints that cost or open, energies that do not add up."""

from __future__ import annotations

from grouser.compile.accuracy import AccurateStep
from grouser.compile.compile import Compiled
from grouser.compile.realization import Ideal, find_realization
from grouser.compile.stiffness import StableStep
from grouser.families.joint.rows import find_raised
from grouser.model.model import Model
from grouser.presets import Preset
from grouser.result.doubts import OpenBalance
from grouser.result.opening import Opening

COSTLY = 2.0
"""Factor by which the frequency of a joint is raised from which on it is told that it decides the step."""
GAIN = 0.01
"""Share of the energy that moved about from which on energy that came from nowhere in Euler steps is told."""
GAINED = (
    "{:.2g} % of the energy that moved about came from nowhere: the integrator {!r} takes what is quadratic in "
    "velocities (gyroscopic and centrifugal forces) from the beginning of a step of {:.3g} s, which feeds what turns "
    "fast; use a smaller step, or the integrator trapezoidal or rk4"
)


def say_coarse_step(preset: Preset, stable: StableStep, step: float) -> str | None:
    """Why a step [s] is too coarse for its preset; None if it is not."""
    if preset.declared.is_adaptive or preset.declared.is_implicit or step / (1.0 + 1e-9) <= stable.step:
        return None
    return f"the step {step:.3g} s is larger than the stable step {stable.step:.3g} s of the model: reduce it"


def say_inaccurate(accurate: AccurateStep, step: float) -> str:
    """That a step [s] is too long for what a body does."""
    return (
        f"the step {step:.3g} s is longer than {accurate.step:.3g} s, up to which {accurate.reason} of body "
        f"{accurate.body!r} is followed within 1 %: reduce it"
    )


def say_costly(compiled: Compiled, preset: Preset, stable: StableStep, step: float) -> list[tuple[str, str]]:
    """Joints that carry so much that they decide the step, each with a sentence."""
    if preset.declared.is_adaptive or preset.declared.is_implicit or step > stable.step:
        return []
    found = []
    for name, factor in find_raised(compiled.model, preset.realizations).items():
        joint = compiled.model.joints[name]
        if factor >= COSTLY and stable.body in (joint.frame_a.body, joint.frame_b.body):
            text = (
                f"joint {name!r} carries far more than body {stable.body!r} weighs, and needs {factor:.2g} times the "
                f"frequency of the others, so the step is {step:.3g} s: make the body heavier, join what it joins "
                "directly, or take a preset with ideal joints"
            )
            found.append((name, text))
    return found


def say_unbalanced(model: Model, balance: OpenBalance, preset: Preset, step: float, *, is_chosen: bool) -> str:
    """What has happened with steps of this length [s], whether the integrator has chosen them, and what to do."""
    tolerance = preset.tolerance or preset.declared.tolerance
    smaller = f"a smaller tolerance than {tolerance:g}" if is_chosen else f"a smaller step than {step:.3g} s"
    if preset.formulation != "explicit":
        other = "penalty"
    elif model.points or model.meshes:  # trees refuse them
        other = "penalty" if preset.declared.is_implicit else "implicit"
    else:
        other = "recursive"
    look = f"look at body {balance.body!r}, whose velocity changes most there, " if balance.body else ""
    return f"{balance.say()}: {look}use {smaller}, and compare with the preset {other!r}"


def say_open(model: Model, preset: Preset, opening: Opening) -> str:
    """What has happened, and what to do."""
    if isinstance(find_realization(model.joints[opening.joint].group, preset.realizations), Ideal):
        remedy = "reduce the step, check the masses of the bodies near it, or take another formulation or joint to cut"
    else:
        remedy = f"realize the group {model.joints[opening.joint].group!r} stiffer, or take a preset with ideal joints"
    return f"{opening.say()}: {remedy}"
