"""The numbers of a run in words with units, for tables, reports and notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from grouser.result.loads import STATISTICS

if TYPE_CHECKING:
    from grouser.result.result import Result


LEAST_LOSS = 1e-3
"""Losses below this share of the work put in are not told."""
COSTS = frozenset({"real_time_factor", "settled", "stable_step", "steps", "step"})
"""What stands beside the wall time in a summary."""
UNKNOWN = COSTS | {"final_speed", "lateral_drift", "turn_radius", "slip", "max_pin_deformation", "energy_residual"}
"""Numbers that are shown of a stored summary, None where a file lacks them."""


def say_value(value: float | None, unit: str = "", *, scale: float = 1.0, digits: int = 4) -> str:
    """A number with its unit, or empty for None.

    >>> say_value(0.0000412, "ms", scale=1e3)
    '0.0412 ms'
    """
    if value is None:
        return ""
    return f"{value * scale:.{digits}g} {unit}".rstrip()


def find_summary(result: Result) -> dict[str, Any]:
    """The stored summary, or for a run that never ended what can be told from its frames; doubts come first."""
    from grouser.result.doubts import find_doubts
    from grouser.result.metrics import calc_summary

    doubts = {"doubts": find_doubts(result)}
    if "distance" in result.summary:
        unknown = UNKNOWN if "wall_time" in result.summary else UNKNOWN - COSTS
        told = {**dict.fromkeys(unknown), "tracks": {}, "events": [], **result.summary}
        return {**doubts, "simulated_time": _find_last_time(result), **told}
    return {
        **doubts,
        "status": result.status,
        "simulated_time": _find_last_time(result),
        **calc_summary(result),
        **result.summary,
    }


def say_motion(numbers: Mapping[str, Any]) -> dict[str, str]:
    """What moved, and how well the solution closes, by name; empty where it cannot be told."""
    speed = numbers["final_speed"]
    return {
        # in results of earlier versions `distance` is the displacement forward
        "distance": say_value(numbers.get("path_length", numbers["distance"]), "m"),
        "straight from start to end": say_value(numbers.get("displacement"), "m"),
        "final speed": "" if speed is None else f"{speed:.4g} m/s ({speed * 3.6:.3g} km/h)",
        "lateral drift": say_value(numbers["lateral_drift"], "m", digits=3),
        "turn radius": say_value(numbers["turn_radius"], "m"),
        "slip": _say_slip(numbers),
        **_say_load("link tension", {key: numbers.get(f"{key}_link_tension") for key in STATISTICS}),
        **_say_load("pin force", {key: numbers.get(f"{key}_pin_force") for key in STATISTICS}),
        **_say_contacts(numbers),
        "pin deformation, largest": say_value(numbers["max_pin_deformation"], "mm", scale=1e3, digits=3),
        **_say_power(numbers.get("power") or {}),
        "energy residual": say_value(numbers["energy_residual"], "%", scale=100.0, digits=3) or "-",
    }


def _say_load(name: str, values: Mapping[str, float | None]) -> dict[str, str]:
    """Mean, quantiles and largest of a force, each by its name."""
    return {f"{name}, {STATISTICS[key]}": say_value(value, "kN", scale=1e-3) for key, value in values.items()}


def _say_contacts(numbers: Mapping[str, Any]) -> dict[str, str]:
    """Mean, quantiles and largest normal force of contacts that touched, one line each; older results have none."""
    said = {}
    for name, loads in numbers.get("contacts", {}).items():
        if loads.get("normal_max"):
            shown = {label: loads.get(f"normal_{key}") for key, label in STATISTICS.items()}
            parts = (f"{label} {say_value(value, scale=1e-3)}" for label, value in shown.items())
            said[f"normal force, {name}"] = f"{', '.join(parts)} kN"
    return said


def _say_power(power: Mapping[str, Any]) -> dict[str, str]:
    """What drove a run and where that went; older results tell nothing, and neither does a run without drives."""
    work = power.get("work")
    if not work:
        return {}
    source = "engine" if power.get("engine_work") is not None else "drives"
    metre = say_value(power.get("work_per_metre"), "kJ/m", scale=1e-3)
    said = {
        f"work of the {source}": say_value(work, "kJ", scale=1e-3) + (f" ({metre})" if metre else ""),
        f"power of the {source}": ", ".join(
            f"{label} {say_value(power.get(key), 'kW', scale=1e-3)}"
            for key, label in (("mean_power", "mean"), ("peak_power", "99 %"))
        ),
    }
    if source == "engine":
        metre = say_value(power.get("drive_work_per_metre"), "kJ/m", scale=1e-3)
        behind = say_value(power.get("drive_work"), "kJ", scale=1e-3)
        said["work put into the sprockets"] = behind + (f" ({metre})" if metre else "")
    if (resistance := power.get("resistance")) is not None:
        said["motion resistance over the weight"] = say_value(resistance, "%", scale=100.0, digits=3)
    losses = {kind: loss for kind, loss in power.get("losses", {}).items() if loss and loss > LEAST_LOSS * abs(work)}
    said["lost in"] = ", ".join(f"{kind} {say_value(loss, 'kJ', scale=1e-3)}" for kind, loss in losses.items())
    return said


def _say_slip(numbers: Mapping[str, Any]) -> str:
    """Slip of all tracks, and of each where there are several."""
    mean = say_value(numbers["slip"], "%", scale=100.0, digits=3)
    each = {name: say_value(track.get("slip"), "%", scale=100.0, digits=3) for name, track in numbers["tracks"].items()}
    parts = ", ".join(f"{name} {slip}" for name, slip in each.items() if slip)
    return f"{mean} ({parts})" if mean and len(each) > 1 else mean


def say_solution(numbers: Mapping[str, Any]) -> dict[str, str]:
    """What the solution cost, by name."""
    simulated = f"{numbers['simulated_time']:.6g} s simulated"
    if "wall_time" not in numbers:
        return {"simulated time": simulated}
    factor = say_value(numbers["real_time_factor"], digits=3)
    wall = f"{simulated} in {numbers['wall_time']:.3g} s"
    return {
        "real-time factor": f"{factor} ({wall})" if factor else wall,
        **_say_steps(numbers),
        "threads": str(numbers.get("threads") or ""),
        "settled": "yes" if numbers["settled"] else "no",
    }


def _say_steps(numbers: Mapping[str, Any]) -> dict[str, str]:
    """What the integrator did; older results tell only steps."""
    stable = numbers["stable_step"]
    is_bounded = stable is not None and math.isfinite(stable)
    bound = f" (stable up to {say_value(stable, 'ms', scale=1e3, digits=3)})" if is_bounded else ""
    steps = [f"{numbers['steps'] or 0:,}"]
    if numbers.get("rejected_steps"):
        steps.append(f"{numbers['rejected_steps']:,} rejected")
    if numbers.get("evaluations"):
        steps.append(f"{numbers['evaluations']:,} evaluations")
    if numbers.get("mean_order"):
        steps.append(f"mean order {numbers['mean_order']:.1f}")
    return {
        "integrator": numbers.get("integrator", ""),
        "steps": ", ".join(steps),
        "step": f"{say_value(numbers['step'], 'ms', scale=1e3, digits=3)}{bound}",
        "warning": numbers.get("step_warning") or "",
    }


def _find_last_time(result: Result) -> float:
    return float(result.time[-1]) if len(result.time) else 0.0
