"""Whether a vehicle has passed: a result against the criterion of a limit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from grouser.result.metrics import calc_centre, calc_forward_speed, find_all_events
from grouser.result.result import Array, Result
from grouser.result.ride import calc_signal_ride
from grouser.study.limits.limit import RATE_TIME, Limit

STEEP = 0.5
"""Vertical part of the up axis of the main body below which it has fallen over [-]: leaning by 60 degrees."""
SEAT = "seat"
"""Name of the sensor at the driver's seat."""
PASSING = 30.0
"""Frequency up to which shocks are felt [Hz]."""
KEPT = 0.9
"""Share of a speed that counts as kept."""
G = 9.80665
LOST = frozenset({"detracking", "broken_link", "joint open", "tyre crushed"})
"""Kinds of events by which a vehicle fails."""


@dataclass(frozen=True)
class Verdict:
    """What came of a run.

    Attributes
    ----------
    value : size of the obstacle, grade or speed
    passed : whether it has passed
    reason : why not, empty if it has
    numbers : what was measured
    run : number of the run
    """

    value: float
    passed: bool
    reason: str
    numbers: dict[str, float] = field(default_factory=dict)
    run: int = -1


def judge(limit: Limit, value: float, result: Result, run: int) -> Verdict:
    """Whether the vehicle of a run has passed; the first criterion that it misses is the reason."""
    centre = calc_centre(result)
    up = result.main_rotation[:, 2, 2]
    numbers = {"reach": float(centre[:, 0].max()), "lowest_up": float(up.min())}
    reasons = []
    if up.min() < STEEP:
        reasons.append(f"it falls over at {result.time[int(np.argmax(up < STEEP))]:.1f} s")
    lost = [event for event in find_all_events(result) if event.kind in LOST]
    if lost:
        reasons.append(f"{lost[0].kind.replace('_', ' ')} at {lost[0].time:.1f} s: {lost[0].message}")
    if limit.find_reach is not None and numbers["reach"] < (reach := limit.find_reach(value)):
        reasons.append(f"it comes to x = {numbers['reach']:.2f} m, where {reach:.2f} m is behind it")
    if limit.offset is not None:
        numbers["offset"] = _find_offset(result, centre)
        if numbers["offset"] > limit.offset:
            reasons.append(f"it leaves its path by {numbers['offset']:.2f} m")
    late = result.time >= result.time[-1] - RATE_TIME
    if limit.is_speed:
        numbers["speed"] = float(calc_forward_speed(result)[late].mean())
        numbers["made_good"] = float((centre[-1, 0] - centre[late][0, 0]) / np.ptp(result.time[late]))
    if limit.comfort is not None:
        numbers["absorbed_power"] = _calc_absorbed_power(result, late)
        if numbers["absorbed_power"] > limit.comfort:
            reasons.append(f"the seat takes up {numbers['absorbed_power']:.2f} W")
    if limit.shock is not None:
        numbers["peak"] = calc_peak(result.time, result[f"{SEAT}.value"][:, 2])
        if numbers["peak"] > limit.shock:
            reasons.append(f"the seat feels {numbers['peak']:.2f} g")
    if limit.is_speed and numbers["speed"] < KEPT * value:
        reasons.append(f"it comes to {numbers['speed']:.2f} m/s only")
    if (power := result.summary.get("power")) and power.get("mean_power") is not None:
        numbers["power"] = float(power["mean_power"])
    return Verdict(value, not reasons, reasons[0] if reasons else "", numbers, run)


def calc_peak(time: Array, acceleration: Array) -> float:
    """Largest change of an acceleration from its mean, of what is slower than `PASSING` [g]."""
    step = float(np.median(np.diff(time)))
    signal = acceleration - acceleration.mean()
    spectrum = np.fft.rfft(signal)
    spectrum[np.fft.rfftfreq(len(signal), step) > PASSING] = 0.0
    return float(np.abs(np.fft.irfft(spectrum, len(signal))).max() / G)


def find_moment(limit: Limit, value: float, result: Result, *, passed: bool) -> float:
    """Time that shows best what happened [s]: on the obstacle if it passed, else where it has come to."""
    if limit.find_reach is None:
        if limit.offset is None or passed:
            return float(0.75 * result.time[-1])
        offset = np.abs(result["driver.lateral_offset"])
        return float(result.time[int(np.argmax(offset > limit.offset))])
    centre = calc_centre(result)[:, 0]
    up = result.main_rotation[:, 2, 2]
    if not passed:
        if up.min() < STEEP:
            return float(result.time[int(np.argmax(up < STEEP))])
        return float(result.time[int(np.argmax(centre))])
    # where it leans most while it is over the obstacle
    return float(result.time[int(np.argmin(up))]) if limit.offset is None else float(result.time[-1])


def _find_offset(result: Result, centre: Array) -> float:
    """Largest offset from the path, or from the x axis where nobody steers [m]."""
    if "driver.lateral_offset" in result:
        return float(np.abs(result["driver.lateral_offset"]).max())
    return float(np.abs(centre[:, 1]).max())


def _calc_absorbed_power(result: Result, late: Array) -> float:
    ride = calc_signal_ride(result.time[late], result[f"{SEAT}.value"][late, 2], SEAT)
    return float(ride.absorbed_power or 0.0)
