"""What a run on an N-post rig tells of each wheel and its arm: amplitude, phase, transfer function, lift-off, hits.

Over whole periods of the frequency f, arm and post are fitted by least squares,

    y(t) = b + Re(Y exp(i 2 pi f t))                                                       (1)

and the transfer function from the height of the post to the arm is H = Y_arm / Y_post.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.errors import ResultError
from grouser.families.coordinate_force.spec import JointSpring
from grouser.model.model import Post
from grouser.result.result import Result

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PostMeasure:
    """One wheel in one run.

    Attributes
    ----------
    post : name of its post
    rest : angle of the arm at the start, or travel of a wheel without an arm (the same for all below) [deg or mm]
    amplitude : half of the way from the least to the largest value [deg or mm]
    highest, lowest : furthest from the start, up and down [deg or mm]
    gain, phase : of the transfer function from the post, at the frequency [deg/mm or mm/mm, deg]; NaN without one
    post_amplitude : half of the way of the post [mm]
    lift_offs, longest_lift_off : how often the wheel was off pan and stops, and the longest time of it [s]
    stop_hits, stop_force : how often it met the stops, and the largest force on them [N]
    peak_force : largest force on the floor of the pan [N]
    """

    post: str
    rest: float
    amplitude: float
    highest: float
    lowest: float
    gain: float
    phase: float
    post_amplitude: float
    lift_offs: int
    longest_lift_off: float
    stop_hits: int
    stop_force: float
    peak_force: float


def measure_posts(result: Result, frequency: float | None, window: tuple[float, float]) -> list[PostMeasure]:
    """All wheels of a run.

    Parameters
    ----------
    frequency : of the posts [Hz], or None
    window : times between which amplitudes are taken, cut to whole periods [s]
    """
    if not result.model.posts:
        raise ResultError(f"{result.model.name!r} stands on no posts: take a run on a rig, as of scenario npost-shake")
    inside = find_window(result.time, frequency, window)
    return [_measure(result, name, post, frequency, inside) for name, post in result.model.posts.items()]


def find_window(time: Array, frequency: float | None, window: tuple[float, float]) -> NDArray[np.bool_]:
    """Which frames lie in a window, cut to whole periods from its end."""
    start, end = window
    if frequency is not None:
        periods = np.floor((end - start) * frequency + 1e-9)
        start = max(start, end - periods / frequency) if periods >= 1 else start
    return np.asarray((time > start + 1e-9) & (time <= end + 1e-9))


def read_arm(result: Result, name: str) -> tuple[Array, str]:
    """Angle of the arm over a post from its place in the design position, wheel up positive [deg]; without an arm the
    travel of the wheel [mm]. And its unit."""
    post = result.model.posts[name]
    if post.arm:
        return _find_sign(result, post) * np.degrees(result[f"{post.arm}.coordinate"]), "deg"
    wheel, hull = (result[f"{body}.position"][:, 2] for body in (post.wheel, result.main_body))
    return 1000.0 * (wheel - hull - (wheel[0] - hull[0])), "mm"


def read_post(result: Result, name: str) -> Array:
    """Height of a post [mm]."""
    return 1000.0 * np.asarray(result[f"{result.model.posts[name].motion}.target"])


def fit_harmonic(time: Array, values: Array, frequency: float) -> complex:
    """Y of (1)."""
    angle = 2.0 * np.pi * frequency * time
    columns = np.column_stack([np.ones(len(time)), np.cos(angle), -np.sin(angle)])
    _, real, imaginary = np.linalg.lstsq(columns, values, rcond=None)[0]
    return complex(real, imaginary)


def _measure(result: Result, name: str, post: Post, frequency: float | None, inside: NDArray[np.bool_]) -> PostMeasure:
    arm, height = read_arm(result, name)[0], read_post(result, name)
    gain = phase = np.nan
    if frequency is not None and np.count_nonzero(inside) > 3:
        driven = fit_harmonic(result.time[inside], height[inside], frequency)
        ratio = fit_harmonic(result.time[inside], arm[inside], frequency) / driven if abs(driven) > 1e-9 else np.nan
        gain, phase = float(np.abs(ratio)), float(np.degrees(np.angle(ratio)))
    on_pan = result[f"{post.on_pan}.normal"]
    on_stops = result[f"{post.on_stops}.normal"] if post.on_stops else np.zeros_like(on_pan)
    off = (on_pan <= 0.0) & (on_stops <= 0.0)
    shown = arm[inside] if inside.any() else arm
    return PostMeasure(
        post=name,
        rest=float(arm[0]),
        amplitude=0.5 * float(np.ptp(shown)),
        highest=float(arm.max() - arm[0]),
        lowest=float(arm.min() - arm[0]),
        gain=gain,
        phase=phase,
        post_amplitude=0.5 * float(np.ptp(height)),
        lift_offs=len(_find_starts(off)),
        longest_lift_off=_find_longest(result.time, off),
        stop_hits=len(_find_starts(on_stops > 0.0)),
        stop_force=float(on_stops.max()),
        peak_force=float(on_pan.max()),
    )


def _find_sign(result: Result, post: Post) -> float:
    """1 for a trailing arm, whose angle grows as its wheel goes up; -1 for a leading one."""
    model, spring = result.model, result.model.forces[post.arm]
    assert isinstance(spring, JointSpring)
    frame = model.joints[spring.joint].frame_a
    carrier = model.bodies.get(frame.body)
    pivot = frame.position[0] + (carrier.position[0] if carrier else 0.0)
    return 1.0 if model.bodies[post.wheel].position[0] < pivot else -1.0


def _find_starts(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Frames at which a flag goes up."""
    return np.flatnonzero(flags & ~np.append(False, flags[:-1]))


def _find_longest(time: Array, flags: NDArray[np.bool_]) -> float:
    starts, ends = _find_starts(flags), np.flatnonzero(flags & ~np.append(flags[1:], False))
    step = float(time[1] - time[0]) if len(time) > 1 else 0.0
    return float(max((time[end] - time[start] + step for start, end in zip(starts, ends, strict=True)), default=0.0))
