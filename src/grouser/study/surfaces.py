"""Response surfaces of a study as plain tables: the better of a Gaussian process and a polynomial."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.output.study_tables import Column, Surface
from grouser.study.surrogate import MOST_POINTS, Polynomial, Process, calc_quality, fit_gaussian, fit_polynomial

Array = NDArray[np.float64]
LEAST_RUNS = 8
"""Fewer runs have no surface worth the name."""
POOR = 0.5
"""A smaller Q^2 is told as a surface that foretells little."""


def make_surfaces(factors: list[Column], responses: list[Column]) -> list[Surface]:
    """Surfaces of all responses that change, over all factors; none where no factor is a number that changes."""
    inputs, points = _encode(factors)
    if not any("low" in one for one in inputs):
        return []
    found = []
    for response in responses:
        there = [i for i, value in enumerate(response.values) if isinstance(value, int | float)]
        values = np.array([float(response.values[i]) for i in there])  # type: ignore[arg-type]
        if len(there) < max(LEAST_RUNS, len(inputs) + 3) or np.ptp(values) == 0.0:
            continue
        kept = np.unique(np.linspace(0, len(there) - 1, min(MOST_POINTS, len(there))).astype(int))
        found.append(_make_surface(response.name, inputs, points[there][kept], values[kept]))
    return found


def _make_surface(name: str, inputs: list[dict[str, Any]], points: Array, values: Array) -> Surface:
    process = fit_gaussian(points, values)
    polynomial = fit_polynomial(points, values)
    error, share = calc_quality(values, process.errors)
    words = {"process": f"Gaussian process through {len(values)} runs"}
    quality = {"process": (error, share)}
    chosen: Process | Polynomial = process
    if polynomial is not None:
        words["polynomial"] = f"polynomial of the second degree through {len(values)} runs"
        quality["polynomial"] = calc_quality(values, polynomial.errors)
        if quality["polynomial"][1] > share:
            chosen = polynomial
    kind = "process" if chosen is process else "polynomial"
    others = [one for one in quality if one != kind]
    told = f"{words[kind]}: cross-validated error {_say_quality(quality[kind])}"
    told += "".join(f"; a {words[one].partition(' through')[0]} has {_say_quality(quality[one])}" for one in others)
    if quality[kind][1] < POOR:
        told += ". It foretells little: do not trust it, make more runs"
    return Surface(name, told + ".", inputs, _pack(chosen), values.tolist(), (values - chosen.errors).tolist())


def _say_quality(quality: tuple[float, float]) -> str:
    return f"{quality[0]:.3g} (Q² = {quality[1]:.3f})"


def _pack(chosen: Process | Polynomial) -> dict[str, Any]:
    if isinstance(chosen, Polynomial):
        powers = [list(term) for term in chosen.powers]
        return {"kind": "polynomial", "powers": powers, "coefficients": chosen.coefficients.tolist()}
    return {
        "kind": "process",
        "points": chosen.points.tolist(),
        "weights": chosen.weights.tolist(),
        "lengths": chosen.lengths.tolist(),
        "amplitude": chosen.amplitude,
        "middle": chosen.middle,
        "scale": chosen.scale,
    }


def _encode(factors: list[Column]) -> tuple[list[dict[str, Any]], Array]:
    """Inputs of the surfaces, and their values for all runs: shares of numbers, and 1 where a factor has a level."""
    inputs: list[dict[str, Any]] = []
    columns: list[Array] = []
    for factor in factors:
        values = factor.values
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            numbers = np.array([float(value) for value in values])  # type: ignore[arg-type]
            low, high = float(numbers.min()), float(numbers.max())
            if high > low:
                inputs.append({"factor": factor.name, "low": low, "high": high})
                columns.append(_find_shares(numbers, low, high, is_log=factor.is_log))
            continue
        levels = dict.fromkeys(str(value) for value in values)
        for level in levels if len(levels) > 1 else ():
            inputs.append({"factor": factor.name, "level": level})
            columns.append(np.array([1.0 if str(value) == level else 0.0 for value in values]))
    return inputs, np.stack(columns, axis=1) if columns else np.zeros((len(factors and factors[0].values), 0))


def _find_shares(numbers: Array, low: float, high: float, *, is_log: bool) -> Array:
    if is_log:
        return np.asarray(np.log(numbers / low) / np.log(high / low))
    return (numbers - low) / (high - low)
