"""Quantities by which flexible meshes are coloured: stress and strain of bricks and of elements by gradients, pull
along trusses and beams.

Values of bricks are shown at nodes, as the mean over the bricks around each; values of trusses and beams on their bars.
The surface of a brick is the corner where it has the most: a plate one layer deep that bends has no stress at centres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grouser.errors import ResultError, say_unknown
from grouser.output.colour_scale import find_scale
from grouser.output.deforming import LINES, Deforming
from grouser.output.mesh import Array
from grouser.output.units import choose_unit

if TYPE_CHECKING:
    from grouser.result.result import Result

MOST_JUDGED = 100
"""Frames in which the ends of the scale of colours are looked for, all over the run."""


@dataclass(frozen=True)
class Quantity:
    """What can be shown of meshes.

    Attributes
    ----------
    label, unit : for people
    blocks : of a result, by family of elements
    """

    label: str
    unit: str
    blocks: Mapping[str, str]


SOLID = ("brick", "ancf_beam")
"""Families of elements with stress at any point."""
QUANTITIES = {
    "surface_von_mises": Quantity(
        "von Mises stress, surface", "Pa", {family: f"{family}/surface_von_mises" for family in SOLID}
    ),
    "surface_strain": Quantity(
        "largest principal strain, surface", "-", {family: f"{family}/surface_strain" for family in SOLID}
    ),
    "von_mises": Quantity("von Mises stress, centre", "Pa", {family: f"{family}/von_mises" for family in SOLID}),
    "strain": Quantity(
        "largest principal strain, centre", "-", {family: f"{family}/strain" for family in (*SOLID, "ancf_cable")}
    ),
    "axial_force": Quantity("axial force", "N", {family: f"{family}/force" for family in LINES}),
}
"""By the name that options and reports have for them; reports begin with the first one that a result holds."""
ON_SURFACE = {"von_mises": "surface_von_mises", "strain": "surface_strain"}
"""What pictures show of these, from results that hold it."""


def list_quantities(result: Result, deforming: Sequence[Deforming]) -> list[str]:
    """Names of the quantities that a result holds of its meshes."""
    return [key for key in QUANTITIES if any(find_blocks(result, mesh, key) for mesh in deforming)]


def choose_quantity(result: Result, deforming: Sequence[Deforming], colour: str) -> str:
    """The quantity by which pictures are coloured; refuses one that cannot be shown."""
    if colour not in QUANTITIES:
        raise ResultError(say_unknown("colour", colour, QUANTITIES))
    if not deforming:
        raise ResultError(f"colour {colour!r}: the model has no flexible mesh that it could be shown on; leave it out")
    held = list_quantities(result, deforming)
    for key in (ON_SURFACE.get(colour), colour):
        if key in held:
            return key
    there = {family for mesh in deforming for family in mesh.shares}
    known = QUANTITIES[colour].blocks
    blocks = " or ".join(repr(block) for family, block in known.items() if family in there or not there & {*known})
    found = f"it has {', '.join(held)}" if held else "it has none of its kind"
    raise ResultError(f"colour {colour!r}: the result holds no block {blocks} of a mesh; {found}")


def read_values(result: Result, mesh: Deforming, key: str) -> Array | None:
    """Values of the nodes and then of the bars of a mesh, (frames, nodes + bars), NaN where there are none; None if the
    result holds none of them."""
    blocks = find_blocks(result, mesh, key)
    if not blocks:
        return None
    count = len(mesh.nodes)
    values = np.full((len(result.time), count + len(mesh.lines)), np.nan)
    for family, block in blocks.items():
        held, _ = result.block(block, mesh.list_elements(family))
        rows = mesh.shares[family]
        means = (rows @ held[:, :, 0].T).T
        has_share = np.diff(rows.indptr) > 0
        part = values[:, :count] if family == "brick" else values[:, count:]
        part[:, has_share] = means[:, has_share]
    return values


def find_blocks(result: Result, mesh: Deforming, key: str) -> dict[str, str]:
    """Blocks with one number for each element of a mesh, by family."""
    found = {}
    for family, block in QUANTITIES[key].blocks.items():
        if family in mesh.shares and result.has_block(block) and f"{mesh.name}.{family}.0" in result.list_items(block):
            found[family] = block
    return found


@dataclass(frozen=True)
class Scale:
    """A scale of colours.

    Attributes
    ----------
    key : of the quantity
    label, unit : for people
    factor : by which values in SI units are multiplied
    low, high : ends in the unit
    """

    key: str
    label: str
    unit: str
    factor: float
    low: float
    high: float

    def calc_shares(self, values: Array) -> Array:
        """Places of values in SI units on the scale, from 0 to 1; NaN stays NaN."""
        shares: Array = np.clip((self.factor * values - self.low) / (self.high - self.low or 1.0), 0.0, 1.0)
        return shares


def make_scale(result: Result, deforming: Sequence[Deforming], key: str) -> Scale:
    """The scale of a quantity, the same for all frames of a result."""
    numbers = np.unique(np.linspace(0, len(result.time) - 1, MOST_JUDGED).astype(int))
    some = result.with_frames(numbers)
    parts = [values for mesh in deforming if (values := read_values(some, mesh, key)) is not None]
    low, high = find_scale(np.concatenate([part.ravel() for part in parts]))
    quantity = QUANTITIES[key]
    factor, unit = choose_unit([low, high], quantity.unit)
    return Scale(key, quantity.label, unit, factor, factor * low, factor * high)
