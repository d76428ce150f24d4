"""Response surfaces: a smooth function of the factors through the responses of runs, and how far it can be trusted.

A Gaussian process with the kernel

    k(x, x') = a exp(-sum_j (x_j - x'_j)^2 / (2 l_j^2)) + s delta(x, x')                             (1)

has the mean k(x)^T K^-1 y, where amplitude a, lengths l and noise s are those of largest likelihood. A polynomial of
the second degree is fitted by least squares. Both are judged by what they say of each run without having seen it:

    process:     e_i = (K^-1 y)_i / (K^-1)_ii          Rasmussen and Williams 2006, (5.12)           (2)
    polynomial:  e_i = (y_i - f_i) / (1 - h_i)         h the diagonal of the hat matrix              (3)

whose root mean square is the cross-validated error, and Q^2 = 1 - sum e^2 / sum (y - mean y)^2.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from grouser.errors import ResultError

Array = NDArray[np.float64]
MOST_POINTS = 400
"""Runs that a Gaussian process is made of; more of them would take minutes."""
LENGTHS = (0.03, 30.0)
"""Range of the lengths, where a factor's range is 1."""
NOISES = (1e-8, 1.0)
"""Range of the noise, where the variance of the response is 1."""
LEAST_VARIANCE = 1e-9
"""Least variance of what is foretold, as a share of the amplitude: rounding."""
STRICT = 1.0 - 1e-9
"""A run whose value the polynomial takes from it alone says nothing about the error."""


@dataclass(frozen=True)
class Process:
    """A Gaussian process.

    Attributes
    ----------
    points : (n, width), shares of the ranges
    weights : K^-1 y, (n,), of responses of mean 0 and deviation 1
    lengths, amplitude, noise : l, a, s of (1)
    middle, scale : mean and deviation of the responses
    errors : (2), (n,)
    factor : L of K = L L^T, (n, n)
    """

    points: Array
    weights: Array
    lengths: Array
    amplitude: float
    noise: float
    middle: float
    scale: float
    errors: Array
    factor: Array

    def predict(self, points: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of the response, without its noise, at some points (m, width)."""
        seen = self._calc_kernel(points)
        known = (solve_triangular(self.factor, seen.T, lower=True) ** 2).sum(0)
        spread = np.sqrt(np.maximum(self.amplitude - known, LEAST_VARIANCE * self.amplitude))
        return self.middle + self.scale * (seen @ self.weights), self.scale * spread

    def _calc_kernel(self, points: Array) -> Array:
        ahead, behind = points / self.lengths, self.points / self.lengths
        square = (ahead**2).sum(1)[:, None] + (behind**2).sum(1) - 2.0 * ahead @ behind.T
        return np.asarray(self.amplitude * np.exp(-0.5 * np.maximum(square, 0.0)))


@dataclass(frozen=True)
class Polynomial:
    """A polynomial of the second degree.

    Attributes
    ----------
    powers : factors of each term: none, one, or two
    coefficients : of the terms
    errors : (3), (n,)
    """

    powers: tuple[tuple[int, ...], ...]
    coefficients: Array
    errors: Array

    def predict(self, points: Array) -> Array:
        """The response at some points (m, width)."""
        return np.asarray(_calc_terms(points, self.powers) @ self.coefficients)


def fit_gaussian(points: Array, values: Array) -> Process:
    """The Gaussian process of largest likelihood through some runs."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise ResultError(
            "Gaussian processes need scikit-learn, which is not installed: install it with  "
            "pip install 'grouser[study]'"
        ) from error
    middle, scale = float(np.mean(values)), float(np.std(values)) or 1.0
    scaled = (values - middle) / scale
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * RBF(np.full(points.shape[1], 0.5), LENGTHS) + WhiteKernel(1e-3, NOISES)
    with warnings.catch_warnings(), threadpool_limits(1):  # for small matrices threads are no help, and runs need cores
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianProcessRegressor(kernel, alpha=1e-10, random_state=0).fit(points, scaled)
    amplitude, smooth = model.kernel_.k1.k1.constant_value, model.kernel_.k1.k2
    rows = solve_triangular(model.L_, np.eye(len(points)), lower=True)
    weights = rows.T @ (rows @ scaled)
    return Process(
        points=points,
        weights=weights,
        lengths=np.atleast_1d(smooth.length_scale),
        amplitude=float(amplitude),
        noise=float(model.kernel_.k2.noise_level),
        middle=middle,
        scale=scale,
        errors=scale * weights / (rows**2).sum(0),
        factor=model.L_,
    )


def fit_polynomial(points: Array, values: Array) -> Polynomial | None:
    """The polynomial of the second degree that fits some runs best; None where they are too few for one."""
    width = points.shape[1]
    powers = tuple(term for degree in range(3) for term in combinations_with_replacement(range(width), degree))
    terms = _calc_terms(points, powers)
    left, sizes, right = np.linalg.svd(terms, full_matrices=False)
    kept = sizes > 1e-10 * sizes[0]
    left, sizes, right = left[:, kept], sizes[kept], right[kept]
    seen = (left**2).sum(1)
    if seen.max() > STRICT:
        return None
    coefficients = right.T @ ((left.T @ values) / sizes)
    return Polynomial(powers, coefficients, (values - terms @ coefficients) / (1.0 - seen))


def calc_quality(values: Array, errors: Array) -> tuple[float, float]:
    """Cross-validated error in the unit of the response, and Q^2, which is 1 where all is foretold and 0 where the mean
    would do as well."""
    total = float(np.sum((values - values.mean()) ** 2))
    lost = float(np.sum(errors**2))
    return float(np.sqrt(lost / len(values))), 1.0 - lost / total if total > 0.0 else 1.0


def _calc_terms(points: Array, powers: tuple[tuple[int, ...], ...]) -> Array:
    return np.stack([np.prod(points[:, list(term)], axis=1) for term in powers], axis=1)
