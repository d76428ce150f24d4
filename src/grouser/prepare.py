"""From a model to what can be stepped: a preset, tables, a stable step, a solver."""

from __future__ import annotations

import math

from grouser.compile.compile import Compiled, compile_model
from grouser.compile.elastic_links import with_elastic_links
from grouser.compile.mesh_bodies import with_mesh_bodies
from grouser.compile.stiffness import StableStep, find_stable_step
from grouser.errors import ModelError, check_type
from grouser.integrators.solver import Solver
from grouser.integrators.solvers import check_integrator, make_integrator
from grouser.model.model import Model
from grouser.presets import Preset, check_preset, find_default, find_preset
from grouser.settling import CHECK_EVERY

LONGEST_STEP = 1.0e-3
"""Step [s] that is used at most where nothing stiff asks for a smaller one."""
SHORTEST_STEP = 1.0e-7
"""Step [s] below which a model is refused: a second would take hours, and something in it is out of proportion."""


def check_model(model: object) -> None:
    """Refuse what is no model."""
    check_type(model, Model, "model", "make one with gr.vehicles.m113() or with gr.ModelBuilder")


def choose_preset(preset: str | Preset | None, model: Model) -> Preset:
    """A preset by its name, or as it is, or the default of the model."""
    if preset is None:
        return find_default(model)
    check_type(preset, (str, Preset), "preset", "give the name of a preset, or a gr.Preset")
    return find_preset(preset) if isinstance(preset, str) else preset


def prepare(model: Model, preset: str | Preset | None = None) -> tuple[Compiled, StableStep]:
    """Compile a model for a preset, by default that of `find_default`, and find its stable step."""
    check_model(model)
    chosen = choose_preset(preset, model)
    model = with_elastic_links(with_mesh_bodies(model), chosen.realizations)
    check_preset(chosen, {joint.group for joint in model.joints.values()})
    compiled = compile_model(model, chosen.realizations, chosen.motion, ideal=chosen.formulation != "explicit")
    check_integrator(compiled, chosen.formulation, chosen.integrator)
    declared = chosen.declared
    if declared.is_adaptive:
        return compiled, StableStep(math.inf, 0.0, 0.0, "")
    if declared.is_implicit:
        return compiled, StableStep(chosen.step or LONGEST_STEP, 0.0, 0.0, "")
    stable = find_stable_step(compiled, declared.imaginary, declared.real)
    if not stable.step > SHORTEST_STEP:
        raise ModelError(
            f"body {stable.body!r} would need a step of {stable.step:.3g} s, for {stable.frequency:.3g} rad/s with a "
            f"damping rate of {stable.damping_rate:.3g} 1/s: check its mass and inertia, and the stiffness, damping "
            "and friction of what holds and touches it"
        )
    return compiled, stable


def find_first_step(preset: Preset, stable: StableStep) -> float:
    """Step with which a run begins [s]: where stiffness sets no bound, that of the preset."""
    if preset.declared.is_adaptive:
        return CHECK_EVERY
    return stable.step if preset.declared.is_implicit else min(stable.step, LONGEST_STEP)


def make_solver(compiled: Compiled, preset: Preset, *, has_step: bool) -> Solver:
    """The solver of a preset; `has_step`: one that chooses its steps keeps the step that it is given."""
    return make_integrator(
        compiled,
        preset.formulation,
        preset.integrator,
        preset.tolerance,
        preset.spectral_radius,
        preset.tree,
        has_step=has_step,
    )
