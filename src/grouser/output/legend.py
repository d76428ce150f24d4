"""Colours of values in pictures: the map of reports, and a bar that tells what they mean."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from grouser.output.mesh import Array
from grouser.output.style import COLOR_MAP

if TYPE_CHECKING:
    from PIL.Image import Image

    from grouser.output.mesh_values import Scale

STEPS = 256
WIDTH, HEIGHT = 0.26, 0.022
"""Size of the bar over that of the picture."""
INK = (40, 44, 50)
NO_VALUE = (0.55, 0.58, 0.62)
"""Colour of what has no value (sRGB)."""


@cache
def _make_table() -> Array:
    import matplotlib as mpl

    table: Array = mpl.colormaps[COLOR_MAP](np.linspace(0.0, 1.0, STEPS))[:, :3]
    return table


def find_colours(shares: Array) -> Array:
    """Colours (n, 3) as a screen shows them, 0 to 1, of places on a scale (n,) from 0 to 1; NaN is grey."""
    is_there = np.isfinite(shares)
    steps = np.round(np.where(is_there, shares, 0.0) * (STEPS - 1)).astype(int)
    return np.where(is_there[:, None], _make_table()[steps], NO_VALUE)


def add_legend(image: Image, scale: Scale) -> None:
    """Draw a bar of colours with its name and unit, its ends and its middle, at the lower right of a picture."""
    from PIL import Image as Images
    from PIL import ImageDraw, ImageFont

    letter = max(10, image.height // 40)
    font = ImageFont.load_default(letter)
    width, height = max(60, int(WIDTH * image.width)), max(6, int(HEIGHT * image.height))
    left, top = image.width - width - 2 * letter, image.height - height - 3 * letter
    colours = np.round(255 * find_colours(np.linspace(0.0, 1.0, width))).astype(np.uint8)
    image.paste(Images.fromarray(np.repeat(colours[np.newaxis], height, axis=0)), (left, top))
    draw = ImageDraw.Draw(image)
    unit = f" [{scale.unit}]"
    draw.text((left, top - letter // 2), scale.label + unit, font=font, anchor="ls", fill=INK)
    below = top + height + letter // 4
    for share, anchor in ((0.0, "la"), (0.5, "ma"), (1.0, "ra")):
        value = scale.low + share * (scale.high - scale.low)
        draw.text((left + share * width, below), f"{value:.3g}", font=font, anchor=anchor, fill=INK)
