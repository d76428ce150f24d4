"""How well a fit knows what it has found: covariance, bands of curves, and where nothing was excited.

With the Jacobian J of the residuals, rows P of what was expected, A = J^T J + P^T P, the gradient g_c of each group c
of residuals that may err together (a column of a run), and their mean square s^2, the covariance is

    C = A^-1 (sum of g_c g_c^T + s^2 J^T J + P^T P) A^-1

a sum of what groups tell (Liang and Zeger 1986), of white noise, and of what was expected. Where data say nothing, it
is the covariance of what was expected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.calibration.compare import Rows
from grouser.calibration.unknowns import Part

Array = NDArray[np.float64]
WIDTH = 1.96
"""Half width of a band of 95 %, in standard deviations."""
FEWEST, FEWEST_SHARE = 20, 0.01
"""Frames, or share of all frames if that is less, that must lie beyond an argument for it to count as excited."""
SLIGHT = 1e-3
"""Of the range of a curve: smaller values are compared with this."""
_STEP = 1e-4


@dataclass(frozen=True)
class Band:
    """A curve, or a number, and how well it is known.

    Attributes
    ----------
    name : of the unknown
    x : arguments; of a number the single 0
    start, value : before and after the fit
    half : half width of the band of 95 %
    share : share of the knowledge that came from the data, from 0 to 1
    excited : range of arguments that the runs went through; None of a number
    is_excited, is_determined : at each argument
    """

    name: str
    x: Array
    start: Array
    value: Array
    half: Array
    share: Array
    excited: tuple[float, float] | None
    is_excited: NDArray[np.bool_]
    is_determined: NDArray[np.bool_]


def calc_covariance(jacobian: Array, residuals: Array, rows: Rows, prior: Array) -> Array:
    """Covariance of the vector."""
    inverse = np.linalg.pinv(jacobian.T @ jacobian + prior.T @ prior, hermitian=True)
    groups = rows.run * (int(rows.column.max()) + 1) + rows.column
    products = jacobian * residuals[:, None]
    names, number = np.unique(groups, return_inverse=True)
    gradients = np.zeros((len(names), jacobian.shape[1]))
    np.add.at(gradients, number, products)
    noise = float(np.mean(residuals**2))
    middle = gradients.T @ gradients + noise * jacobian.T @ jacobian + prior.T @ prior
    return np.asarray(inverse @ middle @ inverse)


def calc_knowledge(jacobian: Array, prior: Array) -> tuple[Array, Array]:
    """Covariances by what was expected and data, and by what was expected alone."""
    after = np.linalg.pinv(jacobian.T @ jacobian + prior.T @ prior, hermitian=True)
    return np.asarray(after), np.asarray(np.linalg.pinv(prior.T @ prior, hermitian=True))


def find_excited(arguments: list[Array], *, is_odd: bool) -> tuple[float, float] | None:
    """Range of arguments that runs went through; a few frames at the ends do not count."""
    values = np.sort(np.concatenate([one.ravel() for one in arguments])) if arguments else np.empty(0)
    values = np.sort(np.abs(values)) if is_odd else values
    if not len(values):
        return None
    fewest = min(FEWEST, int(FEWEST_SHARE * len(values)))
    low, high = float(values[fewest]), float(values[-fewest - 1])
    return (-high, high) if is_odd else (low, high)


def make_band(
    part: Part,
    u: Array,
    covariance: Array,
    knowledge: tuple[Array, Array],
    excited: tuple[float, float] | None,
    certain: float,
) -> Band:
    """The band of an unknown at a vector u; matrices are those of the whole vector."""
    mine = (part.place, part.place)
    if part.form is None:
        x, slopes = np.zeros(1), np.array([[part.size]])
        start, value = np.array([part.start]), np.array([part.start + part.size * u[part.place][0]])
        inside = np.ones(1, dtype=bool)
    else:
        form, here = part.form, u[part.place]
        x = form.list_arguments()
        start, value = form.calc(np.zeros(len(here)), x), form.calc(here, x)
        slopes = np.column_stack([(form.calc(here + _STEP * e, x) - value) / _STEP for e in np.eye(len(here))])
        inside = np.zeros(len(x), dtype=bool) if excited is None else (x >= excited[0]) & (x <= excited[1])
    half = WIDTH * np.sqrt(_spread(slopes, covariance[mine]))
    after, before = _spread(slopes, knowledge[0][mine]), _spread(slopes, knowledge[1][mine])
    share = 1.0 - np.divide(after, before, out=np.zeros_like(after), where=before > 0.0)
    scale = np.maximum(np.abs(value), SLIGHT * max(float(np.max(np.abs(value))), 1e-300))
    is_determined = inside & (half <= certain * scale)
    return Band(part.name, x, start, value, half, share, excited, inside, is_determined)


def _spread(slopes: Array, covariance: Array) -> Array:
    """Variances of values with these slopes."""
    return np.maximum(np.einsum("ij,jk,ik->i", slopes, covariance, slopes), 0.0)


def say_band(band: Band) -> str:
    """Where an unknown is determined, in a line."""
    if len(band.x) == 1:
        said = "" if band.is_determined[0] else ", not determined by the data"
        return f"{band.name}: {band.value[0]:.6g} +- {band.half[0]:.2g}{said}"
    known = band.x[band.is_determined]
    if not len(known):
        return f"{band.name}: not determined by the data"
    return f"{band.name}: determined from {known[0]:.4g} to {known[-1]:.4g}, elsewhere it follows its start"
