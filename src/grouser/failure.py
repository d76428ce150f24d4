"""Why a solver could not go on, in a sentence."""

from __future__ import annotations

from grouser.formulations.embedded.system import find_chosen
from grouser.formulations.status import OPEN, SINGULAR, STALLED, UNDETERMINED
from grouser.integrators.solver import Solver


def say_failure(solver: Solver, code: int, name: str, time: float, step: float, stable: float) -> tuple[str, str]:
    """Kind and sentence of a failure at a body and a time [s], with the step [s] and the stable one."""
    if code == OPEN:
        return "open", (
            f"the linkage cannot be assembled at {time:.6g} s: {name!r} cannot be closed; check lengths and points of "
            "the linkage, and whether motions and loads drive it beyond its reach"
        )
    if code == UNDETERMINED:
        names = ", ".join(repr(joint) for joint in find_chosen(solver.compiled, solver.tree))
        if not names:
            return "undetermined", (
                f"at {time:.6g} s a linkage comes to a position in which no speeds of its joints determine the others, "
                "as where all its bars lie in a line, and from which it may go on in several ways: take the "
                "formulation recursive or augmented"
            )
        return "undetermined", (
            f"the independent joints {names} do not determine their linkage at {time:.6g} s, or depend on each other: "
            "name as many speeds as it has freedoms, or none, so that they are chosen"
        )
    if code == SINGULAR:
        return "singular", (
            f"the equations of motion are singular at {time:.6g} s: check that the ideal joints and motions do not "
            "contradict each other, or realize them by penalty"
        )
    if code == STALLED and not solver.declared.is_adaptive:
        return "stalled", (
            f"Newton's method of the integrator {solver.integrator!r} does not converge in the step of {step:.3g} s "
            f"after {time:.6g} s, at body {name!r}: reduce the step, check forces and contacts near this body for "
            "jumps, or take the integrator implicit-euler, which does not iterate"
        )
    if code == STALLED:
        return "stalled", (
            f"the integrator {solver.integrator!r} cannot go on at {time:.6g} s, because its steps become too small "
            f"for body {name!r}: check forces, drives and contacts near this body for jumps, give a larger tolerance, "
            "or take an integrator with a fixed step"
        )
    if solver.declared.is_adaptive:
        remedy = "give a smaller tolerance"
    else:
        remedy = f"the step is {step:.3g} s, the stable step of the model {stable:.3g} s; reduce the step"
    return "diverged", (
        f"diverged at {time:.6g} s at body {name!r}: {remedy}, or check stiffness and masses near this body"
    )
