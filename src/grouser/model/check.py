"""Checks of single values: what the type of a field cannot say of a direction, a table or a reference."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grouser.errors import ModelError, say_unknown
from grouser.model.base import Input, Signal
from grouser.model.body import WORLD, Frame, Moments, make_inertia_matrix
from grouser.model.expression import calc_value, parse_expression
from grouser.model.fault import Fault, Path, make_fault, say_value

if TYPE_CHECKING:
    from grouser.model.model import Model


class Scope(NamedTuple):
    """What elements of a model may refer to.

    Attributes
    ----------
    model : with all elements that could be read
    bodies, points, joints : names, those of elements that could not be read among them
    meshes : names of the meshes without faults
    absent : (family, name) of what could not be read; others stand for bodies and points among these
    """

    model: Model
    bodies: Set[str]
    points: Set[str]
    joints: Set[str]
    meshes: Set[str]
    absent: Set[tuple[str, str]] = frozenset()


SHORTEST = 1e-9
"""Vectors shorter than this have no direction."""

MOMENT_ROUNDING = 1e-3
"""Share by which a moment of inertia may exceed the sum of the two others: data of three digits."""

LEAST_GYRATION, LARGEST_GYRATION = 1e-6, 1e3
"""Range of the radius of gyration sqrt(moment / mass) of a body [m]."""

ROUNDING = 1e-9
"""Relative share by which a matrix may miss symmetry or definiteness: rounding of a file's digits."""


def find_reference_faults(path: Path, kind: str, name: str, valid: Collection[str]) -> Iterator[Fault]:
    """A name that nothing has."""
    if name not in valid:
        yield make_fault(path, say_unknown(kind, name, valid))


def find_direction_faults(path: Path, vector: Sequence[float], meaning: str) -> Iterator[Fault]:
    """A vector without direction."""
    if math.hypot(*vector) < SHORTEST:
        yield make_fault(path, f"is {list(vector)}, which has no direction; give {meaning}")


def find_orientation_faults(path: Path, quaternion: Sequence[float]) -> Iterator[Fault]:
    """A quaternion of length zero."""
    if math.hypot(*quaternion) < SHORTEST:
        yield make_fault(path, "is a quaternion of length zero; [1, 0, 0, 0] means no rotation")


def find_inertia_faults(path: Path, mass: float, inertia: Moments) -> Iterator[Fault]:
    """Moments that no rigid body of this mass [kg] has."""
    low, middle, high = (float(m) for m in np.linalg.eigvalsh(make_inertia_matrix(inertia)))
    moments = f"has the principal moments {low:g}, {middle:g}, {high:g} kg m^2"
    if low <= 0:
        yield make_fault(path, f"{moments}; all must be positive")
        return
    if high > (low + middle) * (1 + MOMENT_ROUNDING):
        yield make_fault(
            path, f"{moments}; no rigid body has one larger than the sum of the two others (triangle inequality)"
        )
    radii = math.sqrt(low / mass), math.sqrt(high / mass)
    if radii[0] < LEAST_GYRATION or radii[1] > LARGEST_GYRATION:
        yield make_fault(
            path,
            f"{moments} and the mass is {mass:g} kg, so the radii of gyration are {radii[0]:.3g} to {radii[1]:.3g} m; "
            f"from {LEAST_GYRATION:g} to {LARGEST_GYRATION:g} m are taken: put mass or inertia right",
        )


def find_body_faults(path: Path, name: str, bodies: Collection[str]) -> Iterator[Fault]:
    """A name that neither a body nor the world has."""
    if name != WORLD and name not in bodies:
        yield make_fault(path, say_unknown("body", name, {*bodies, WORLD}))


def find_frame_faults(path: Path, frame: Frame, bodies: Collection[str]) -> Iterator[Fault]:
    """A frame on a body that does not exist, or without orientation."""
    yield from find_body_faults((*path, "body"), frame.body, bodies)
    yield from find_orientation_faults((*path, "orientation"), frame.orientation)
    if frame.nodes and (frame.body == WORLD or frame.body in bodies):
        yield make_fault((*path, "nodes"), f"names nodes, and {frame.body!r} is no mesh; give a position instead")


def find_table_faults(path: Path, points: Sequence[tuple[float, float]]) -> Iterator[Fault]:
    """A table that is too short or runs backwards."""
    if len(points) < 2:
        yield make_fault(path, f"is a table of {len(points)} points; at least 2 are needed")
    for i in range(1, len(points)):
        before, after = points[i - 1][0], points[i][0]
        if after <= before:
            yield make_fault((*path, i), f"argument {after:g} follows {before:g}; arguments must increase")
            return


def find_signal_faults(path: Path, signal: Signal) -> Iterator[Fault]:
    """An expression that cannot be read or has no value at the start; a bad table; an input beyond its limits."""
    if isinstance(signal, str):
        try:
            value = calc_value(parse_expression(signal), 0.0)
        except ModelError as error:
            yield from (make_fault(path, text) for text in error.faults)
            return
        if not math.isfinite(value):
            yield make_fault(path, f"expression {say_value(signal)} is {value} at t = 0; it must be finite")
    elif isinstance(signal, Input):
        yield from _find_input_faults(path, signal)
    elif not isinstance(signal, float):
        yield from find_table_faults(path, signal)


def _find_input_faults(path: Path, signal: Input) -> Iterator[Fault]:
    least = -math.inf if signal.min is None else signal.min
    largest = math.inf if signal.max is None else signal.max
    if not least < largest:
        yield make_fault((*path, "min"), f"is {least:g}, not below max, {largest:g}")
        return
    if signal.factor == 0.0:
        yield make_fault((*path, "factor"), "is 0, so that the input does nothing; give another factor, or no input")
    points = signal.start if isinstance(signal.start, list) else [(0.0, signal.start)]
    if isinstance(signal.start, list):
        yield from find_table_faults((*path, "start"), points)
    for time, value in points:
        if not least <= value <= largest:
            yield make_fault(
                (*path, "start"), f"is {value:g} at t = {time:g} s, outside of {least:g} to {largest:g}, its limits"
            )
            return
    for (time, value), (later, after) in pairwise(points):
        if signal.rate is not None and abs(after - value) > signal.rate * (later - time) * (1.0 + ROUNDING):
            yield make_fault(
                (*path, "start"),
                f"changes by {abs(after - value) / (later - time):g} in a second after t = {time:g} s, more than its "
                f"rate of {signal.rate:g} 1/s",
            )
            return


def find_matrix_faults(path: Path, rows: Sequence[float] | Sequence[Sequence[float]]) -> Iterator[Fault]:
    """Six diagonal values or a symmetric 6 x 6 matrix without negative direction."""
    lengths = [len(row) if isinstance(row, list | tuple) else 1 for row in rows]
    if lengths not in ([1] * 6, [6] * 6):
        shape = f"{len(rows)} rows of {lengths}" if max(lengths, default=1) > 1 else f"{len(rows)} values"
        yield make_fault(path, f"has {shape}; 6 values or a 6 x 6 matrix are expected")
        return
    matrix = np.diag(rows) if lengths[0] == 1 else np.array(rows, dtype=float)
    scale = float(np.abs(matrix).max())
    apart = np.abs(matrix - matrix.T)
    if apart.max() > ROUNDING * scale:
        i, j = (int(k) for k in np.unravel_index(int(apart.argmax()), apart.shape))
        yield make_fault(
            path,
            f"is not symmetric: row {i + 1}, column {j + 1} is {matrix[i, j]:g}, "
            f"and row {j + 1}, column {i + 1} is {matrix[j, i]:g}",
        )
        return
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -ROUNDING * scale:
        yield make_fault(path, f"has the negative eigenvalue {lowest:g}; it must be positive semidefinite")
