"""Tyres: a wheel that rolls on the terrain, by the semi-empirical model TMeasy (see `families/tyre/kernel.py`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grouser.model.base import NonNegative, Part, Positive
from grouser.model.body import Frame
from grouser.model.check import Scope, find_frame_faults
from grouser.model.fault import Fault, Path, make_fault

Pair = tuple[Positive, Positive]
"""Values at the nominal load and at twice that load."""

FASTEST_RELAXATION = 1000.0
"""Largest ratio of stiffness to damping of the tread [1/s]: what relaxes faster asks for needlessly small steps."""


class SlipCurve(Part):
    """Force of a sliding tyre in one direction: it rises with `slope`, has its peak, and falls to the sliding force.

    Every characteristic is a pair: at the nominal load, and at twice that load.

    Attributes
    ----------
    slope : force over slip at zero slip [N]
    peak : largest force [N]
    peak_slip : slip at which it is reached [-]
    sliding : force at large slip [N]
    sliding_slip : slip from which on the force is the sliding one [-]
    stiffness : of the tread and carcass in this direction [N/m]; slope over stiffness is the relaxation length
    damping : of the same [N s/m]
    """

    slope: Pair
    peak: Pair
    peak_slip: Pair
    sliding: Pair
    sliding_slip: Pair
    stiffness: Positive
    damping: Positive


class Trail(Part):
    """Pneumatic trail, from which the self-aligning torque follows; pairs as in `SlipCurve`.

    Attributes
    ----------
    share : trail at zero slip as a share of the contact length [-]
    zero_slip : lateral slip at which the trail passes zero [-]
    end_slip : lateral slip from which on there is none [-]
    """

    share: Pair
    zero_slip: Pair
    end_slip: Pair


class TyreData(Part):
    """What describes a tyre wherever it is mounted.

    Attributes
    ----------
    radius : unloaded [m]
    width : of the tread [m]
    load : nominal load, to which the first values of all pairs belong [N]
    stiffness : vertical, at small deflection [N/m]
    progression : what the force gains with the square of the deflection [N/m^2]
    damping : vertical [N s/m]; the tyre never pulls
    radius_share : share by which the rolling radius stays at the unloaded one, at the nominal load and at twice that
        load [-]
    longitudinal, lateral : forces by slip
    trail : pneumatic trail, or None for no self-aligning torque
    rolling_resistance : torque over load times radius [-]
    """

    radius: Positive
    width: Positive
    load: Positive
    stiffness: Positive
    progression: NonNegative = 0.0
    damping: NonNegative = 0.0
    radius_share: tuple[NonNegative, NonNegative] = (0.375, 0.75)
    longitudinal: SlipCurve
    lateral: SlipCurve
    trail: Trail | None = None
    rolling_resistance: NonNegative = 0.0


class Tyre(TyreData):
    """Tyre of a wheel on the terrain: TMeasy with contact on the local plane under the footprint, combined slip, camber
    and turn slip, relaxation in both directions, self-aligning torque, rolling resistance.

    Attributes
    ----------
    frame : centre of the wheel; its y axis is the spin axis, positive spin rolls along x
    """

    type: Literal["tyre"] = "tyre"
    frame: Frame


def find_mounted_tyre_faults(path: Path, tyre: Tyre, scope: Scope) -> Iterator[Fault]:
    """Faults of a tyre on a wheel."""
    yield from find_frame_faults((*path, "frame"), tyre.frame, scope.bodies)
    yield from find_tyre_faults(path, tyre)


def find_tyre_faults(path: Path, tyre: TyreData) -> Iterator[Fault]:
    """Characteristics that no tyre has."""
    for key in ("longitudinal", "lateral"):
        yield from _find_curve_faults((*path, key), getattr(tyre, key))
    if max(tyre.radius_share) > 1.0:
        yield make_fault((*path, "radius_share"), f"is {list(tyre.radius_share)}; shares are at most 1")
    if tyre.trail is None:
        return
    for key in ("share", "zero_slip", "end_slip"):
        yield from _find_pair_faults((*path, "trail", key), getattr(tyre.trail, key), 2.0)
    for zero, end in zip(tyre.trail.zero_slip, tyre.trail.end_slip, strict=True):
        if zero >= end:
            yield make_fault((*path, "trail", "zero_slip"), f"{zero:g} is not below end_slip {end:g}; exchange them")
            return


def _find_curve_faults(path: Path, curve: SlipCurve) -> Iterator[Fault]:
    for key in ("slope", "peak", "sliding"):
        yield from _find_pair_faults((*path, key), getattr(curve, key), 4.0, 1.0)
    for key in ("peak_slip", "sliding_slip"):
        yield from _find_pair_faults((*path, key), getattr(curve, key), 2.0)
    for high, low in zip(curve.peak, curve.sliding, strict=True):
        if high < low:
            yield make_fault(
                (*path, "sliding"), f"{low:g} N is above the peak of {high:g} N; a sliding tyre has at most its peak"
            )
            break
    for first, last in zip(curve.peak_slip, curve.sliding_slip, strict=True):
        if first >= last:
            yield make_fault(
                (*path, "peak_slip"), f"{first:g} is not below sliding_slip {last:g}; the peak comes before sliding"
            )
            break
    if curve.stiffness > FASTEST_RELAXATION * curve.damping:
        yield make_fault(
            (*path, "damping"),
            f"is {curve.damping:g} N s/m beside a stiffness of {curve.stiffness:g} N/m; give at least "
            f"{curve.stiffness / FASTEST_RELAXATION:g} N s/m, so that the tread relaxes within a step",
        )


def _find_pair_faults(path: Path, pair: Pair, most: float, least: float = 0.5) -> Iterator[Fault]:
    """A pair whose continuation to other loads has no meaning."""
    first, second = pair
    if not least * first < second < most * first:
        yield make_fault(
            path,
            f"is {first:g} at the nominal load and {second:g} at twice that load; the second must lie between "
            f"{least:g} and {most:g} times the first, so that other loads have values too",
        )
