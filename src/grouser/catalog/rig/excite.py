"""Signals of posts: what an excitation means for the post at a place.

With amplitude A, frequency f, an envelope g(t) that grows in the time T and dies away before the end L,

    z = A s g sin(2 pi f t),    g = max(0, min(1, t/T, (L - t)/T))                             (1)
    z = A s (S(t; t0, t0 + r) - S(t; t1, t1 + r)),    t1 = t0 + r + dwell                      (2)

S rises smoothly from 0 to 1 (`step` of expressions). The share s of a post is 1 in shake. In pitch it is linear in its
place x, from 1 at the front post of its side to -1 at the rear one, so that pans of a side stay on one line.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grouser.catalog.rig.measured import load_measured
from grouser.catalog.rig.spec import Excitation, Harmonic, Measured, Ramp, Signals
from grouser.errors import ModelError, say_names, say_unknown
from grouser.model.base import Signal


def make_signals(excitation: Excitation, places: Mapping[str, float], sides: Mapping[str, str]) -> dict[str, Signal]:
    """Height of every post over time [m].

    Parameters
    ----------
    places : place x of each post [m]
    sides : side of each post
    """
    if isinstance(excitation, Signals):
        check_posts("rig.excitation.posts", excitation.posts, places)
        return {name: excitation.posts[name] for name in places}
    if isinstance(excitation, Measured):
        return load_measured(excitation, tuple(places))
    shares = dict.fromkeys(places, 1.0) if excitation.motion == "shake" else calc_shares(places, sides)
    return {name: _make_course(excitation, share) for name, share in shares.items()}


def calc_shares(places: Mapping[str, float], sides: Mapping[str, str]) -> dict[str, float]:
    """Share of each post in a pitch of its side: 1 at its front, -1 at its rear.

    >>> calc_shares({"a": 3.0, "b": 2.0, "c": -1.0}, dict.fromkeys("abc", "left"))
    {'a': 1.0, 'b': 0.5, 'c': -1.0}
    """
    shares = {}
    for name, x in places.items():
        row = [places[other] for other, side in sides.items() if side == sides[name]]
        front, rear = max(row), min(row)
        if front == rear:
            raise ModelError(
                "rig.excitation.motion: is pitch, but a side of the vehicle has one wheel: nothing pitches; take shake"
            )
        shares[name] = (2.0 * x - front - rear) / (front - rear)
    return shares


def check_posts(place: str, given: Mapping[str, object], posts: Mapping[str, object]) -> None:
    """Refuse signals that do not fit the posts one by one."""
    faults = [f"{place}: {say_unknown('post', name, posts)}" for name in given if name not in posts]
    missing = [name for name in posts if name not in given]
    if missing:
        faults.append(
            f"{place}: has {len(given)} signals for {len(posts)} posts, {say_names(missing)} missing: every wheel "
            "stands on a post that needs one; 0 keeps it still"
        )
    if faults:
        raise ModelError(faults)


def _make_course(excitation: Harmonic | Ramp, share: float) -> str:
    size = f"{excitation.amplitude * share!r}"
    if isinstance(excitation, Ramp):
        up, down = excitation.start, excitation.start + excitation.rise + excitation.dwell
        rise = excitation.rise
        return f"{size}*(step(t, {up!r}, 0, {up + rise!r}, 1) - step(t, {down!r}, 0, {down + rise!r}, 1))"  # (2)
    wave = f"{size}*sin({2.0 * np.pi * excitation.frequency!r}*t)"
    length, ramp = excitation.length, excitation.ramp
    if ramp == 0.0:
        return f"{wave}*if(t <= {length!r}, 1, 0)"
    return f"{wave}*max(0, min(1, t/{ramp!r}, ({length!r} - t)/{ramp!r}))"  # (1)
