"""A quarter car that is dropped onto its road by a step: the optimum of its suspension is known in closed form.

With the masses m of the body and u of the wheel, the tyre's stiffness k_t, the suspension's k and c, and a step h,

    integral of a^2 dt = h^2/2 ((m + u) k^2/(c m^2) + k_t c/m^2)       acceleration of the body            (1)
    integral of d^2 dt = h^2 (m + u)/(2 c)                             travel of the suspension            (2)

as for white noise of the road's velocity. The least (1) is at c = k sqrt((m + u)/k_t); the least force of the tyre is
at k = k_t m u/(m + u)^2 and c = m/(m + u) sqrt(k_t m u/(m + u)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

from grouser.study.optimisation import Optimisation

BODY, WHEEL, TYRE, SPRING = 300.0, 40.0, 1.8e5, 2.0e4
STEP, DURATION = 0.05, 4.0
"""[m], [s]"""
MODEL = f"""\
grouser: 1
kind: model
name: quarter car
gravity: [0, 0, 0]
bodies:
  wheel: {{mass: {WHEEL}, inertia: [1, 1, 1], position: [0, 0, {-STEP}]}}
  body: {{mass: {BODY}, inertia: [1, 1, 1], position: [0, 0, {-STEP}]}}
joints:
  low: {{type: prismatic, frame_a: {{body: world}}, frame_b: {{body: wheel}}}}
  high: {{type: prismatic, frame_a: {{body: wheel}}, frame_b: {{body: body}}}}
forces:
  tyre: {{type: joint_spring, joint: low, coordinate: translation, stiffness: {TYRE}, damping: 0, free: 0}}
  strut: {{type: joint_spring, joint: high, coordinate: translation, stiffness: {SPRING}, damping: 1000, free: 0}}
"""
SOFTEST = SPRING * math.sqrt((BODY + WHEEL) / TYRE)
"""Damping of the least acceleration [N s/m]."""
GRIP = (
    TYRE * BODY * WHEEL / (BODY + WHEEL) ** 2,
    BODY / (BODY + WHEEL) * math.sqrt(TYRE * BODY * WHEEL / (BODY + WHEEL)),
)
"""Stiffness [N/m] and damping [N s/m] of the least force of the tyre."""


def calc_acceleration(stiffness: float, damping: float) -> float:
    """Root mean square of the body's acceleration (1) [m/s^2]."""
    total = 0.5 * STEP**2 * ((BODY + WHEEL) * stiffness**2 / damping + TYRE * damping) / BODY**2
    return math.sqrt(total / DURATION)


def calc_travel(damping: float) -> float:
    """Root mean square of the travel (2) [m]."""
    return STEP * math.sqrt((BODY + WHEEL) / (2.0 * damping) / DURATION)


def make_optimisation(folder: Path, base: Mapping[str, Any] | None = None, **changes: Any) -> Optimisation:
    """The damping of the least acceleration, unless changed; `base` changes its runs."""
    (folder / "quarter.yaml").write_text(MODEL)
    content: dict[str, Any] = {
        "name": "strut",
        "base": {
            "vehicle": str(folder / "quarter.yaml"),
            "preset": "recursive",
            "duration": DURATION,
            "output_interval": 0.005,
            "sensors": {"seat": {"frame": {"body": "body"}, "quantity": "acceleration"}},
            **(base or {}),
        },
        "factors": {"damping": {"path": "forces.strut.damping", "low": 200, "high": 5000, "logarithmic": True}},
        "responses": {
            "acceleration": {"take": "rms", "of": "seat.value.z"},
            "travel": {"take": "rms", "of": "[body.position.z] - [wheel.position.z]"},
            "force": {"take": "rms", "of": f"{TYRE} * [wheel.position.z]"},
        },
        "minimise": "acceleration",
        "method": {"type": "nelder-mead", "tolerance": 1e-3},
    }
    return Optimisation.model_validate({**content, **changes})


def calc_force(stiffness: float, damping: float) -> float:
    """Integral of the square of the tyre's force over that of the step [N^2 s/m^2], by Lyapunov's equation."""
    rates = np.array(
        [
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [-stiffness / BODY, stiffness / BODY, -damping / BODY, damping / BODY],
            [stiffness / WHEEL, -(stiffness + TYRE) / WHEEL, damping / WHEEL, -damping / WHEEL],
        ]
    )
    start = np.array([-1.0, -1.0, 0.0, 0.0])
    return float(TYRE**2 * solve_continuous_lyapunov(rates, -np.outer(start, start))[1, 1])
