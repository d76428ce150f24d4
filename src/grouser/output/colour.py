"""Colours: as a screen shows them (sRGB), and as linear light, in which they add up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 1 as a screen shows them (sRGB)."""


def calc_linear(colour: Array) -> Array:
    """Linear light from colours as a screen shows them (sRGB, IEC 61966-2-1).

    >>> calc_linear(np.array([0.0, 0.5, 1.0])).round(3)
    array([0.   , 0.214, 1.   ])
    """
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def calc_srgb(light: Array) -> NDArray[np.uint8]:
    """Colours as a screen shows them, 0 to 255, from linear light, 0 to 1; more is white.

    >>> calc_srgb(calc_linear(np.array([0.0, 100, 255, 300]) / 255))
    array([  0, 100, 255, 255], dtype=uint8)
    """
    return _SRGB[(np.minimum(light, 1.0) * (len(_SRGB) - 1) + 0.5).astype(np.int32)]


_LEVELS = np.linspace(0.0, 1.0, 16384)
_SHOWN = np.where(_LEVELS <= 0.0031308, 12.92 * _LEVELS, 1.055 * _LEVELS ** (1 / 2.4) - 0.055)
_SRGB = np.round(255 * _SHOWN).astype(np.uint8)
"""Colours of evenly spaced levels of light: much faster than a power for each pixel."""
