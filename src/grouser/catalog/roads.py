"""Grounds of scenarios that are made by rule: random roads of ISO 8608, and a half-round obstacle.

A road of class A to E has the one-sided displacement spectrum (ISO 8608:2016, with waviness 2)

    G(n) = G0 (n/n0)^-2,   n0 = 0.1 1/m                                                   (1)

with G0 the geometric mean of its class. Waves with random phases and the amplitudes sqrt(2 G(n) dn) are summed up. Both
wheel tracks have this spectrum; a surface that is the same in all directions has between two tracks at a distance B the
coherence (C. J. Dodds, J. D. Robson, The description of road surface roughness, J. Sound Vib. 31 (1973))

    g(n) = 2 pi n B K1(2 pi n B)                                                          (2)

with the modified Bessel function K1, so the right track has g of the left one's waves and sqrt(1 - g^2) of its own.
Long waves lift both sides, short ones each for itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grouser.catalog.obstacles import Bump, Ramp, Sine, Trough, make_profile
from grouser.model.base import Count, NonNegative, Number, Part, Positive
from grouser.model.terrain import Grid, Plane, Profile, Terrain

ROUGHNESS = {"A": 16e-6, "B": 64e-6, "C": 256e-6, "D": 1024e-6, "E": 4096e-6}
"""G0 of (1) by class [m^3]."""
REFERENCE = 0.1
"""n0 of (1) [1/m]."""
LOWEST = 0.01
"""Least number of waves per length [1/m]: longer waves are hills."""
PIECES = 32
"""Straight pieces of a half-round obstacle."""


class Road(Part):
    """A random road of ISO 8608, in which the two wheel tracks differ. It begins level and rises to its roughness.

    Attributes
    ----------
    road_class : class of the standard, from A, very good, to E, very poor
    seed : number that chooses one of all roads of the class
    length : [m]
    spacing : distance of heights along the road [m]
    track : distance of the wheel tracks across the road, whose heights differ [m]
    start : place x where it begins [m]; it is level before
    run_in : length over which it rises to its roughness [m]
    friction : factor on the contact's mu
    """

    type: Literal["road"] = "road"
    road_class: Literal["A", "B", "C", "D", "E"] = "C"
    seed: Annotated[Count, Field(ge=0)] = 1
    length: Annotated[Number, Field(ge=10, le=5000)] = 200.0
    spacing: Annotated[Number, Field(ge=0.01, le=1)] = 0.1
    track: Positive = 1.8
    start: Number = 5.0
    run_in: Positive = 10.0
    friction: NonNegative = 1.0


class HalfRound(Part):
    """A half-round obstacle across level ground.

    Attributes
    ----------
    radius : its height, and half of its length [m]
    position : place x of its middle [m]
    friction : factor on the contact's mu
    """

    type: Literal["half-round"] = "half-round"
    radius: Annotated[Number, Field(ge=0.001, le=2)] = 0.1
    position: Number = 10.0
    friction: NonNegative = 1.0


Ground = Annotated[Plane | Profile | Grid | Road | HalfRound | Bump | Trough | Ramp | Sine, Field(discriminator="type")]
"""A terrain, or a rule that makes one."""


def make_ground(ground: Plane | Profile | Grid | Road | HalfRound | Bump | Trough | Ramp | Sine) -> Terrain:
    """The terrain of a scenario."""
    if isinstance(ground, Road):
        return _make_road(ground)
    if isinstance(ground, Bump | Trough | Ramp | Sine):
        return make_profile(ground)
    return _make_half_round(ground) if isinstance(ground, HalfRound) else ground


def calc_roughness(road_class: str, n: np.ndarray) -> np.ndarray:
    """Spectrum (1) of a class at numbers of waves per length [1/m]; in m^3."""
    return np.asarray(ROUGHNESS[road_class] * (n / REFERENCE) ** -2)


def calc_coherence(n: np.ndarray, distance: float) -> np.ndarray:
    """(2) of two tracks at a distance [m]."""
    from scipy.special import k1  # a fifth of a second, which most runs can do without

    argument = 2.0 * np.pi * n * distance
    return np.asarray(argument * k1(argument))


def calc_tracks(road: Road) -> tuple[np.ndarray, np.ndarray]:
    """Heights of the left and of the right track along a road, without its run-in [m]."""
    count = int(np.ceil(road.length / road.spacing)) + 1
    random = np.random.default_rng(road.seed)
    length = count * road.spacing
    n = np.fft.rfftfreq(count, road.spacing)
    used = n >= LOWEST
    amplitude = np.zeros(len(n))
    amplitude[used] = np.sqrt(2.0 * calc_roughness(road.road_class, n[used]) / length)
    shared, own = (amplitude * np.exp(2j * np.pi * random.random(len(n))) for _ in range(2))
    coherence = np.zeros(len(n))
    coherence[used] = calc_coherence(n[used], road.track)
    right = coherence * shared + np.sqrt(1.0 - coherence**2) * own
    # a wave a cos(2 pi n x + phi) has the coefficient a/2 exp(i phi) times the number of points
    left_height, right_height = (np.fft.irfft(0.5 * count * wave, count) for wave in (shared, right))
    return left_height, right_height


def _make_road(road: Road) -> Grid:
    left, right = calc_tracks(road)
    share = np.clip(np.arange(len(left)) * road.spacing / road.run_in, 0.0, 1.0)
    rise = share**2 * (3.0 - 2.0 * share)
    columns = np.column_stack([right, right, left, left]) * rise[:, None]
    return Grid(
        origin=(road.start, -1.5 * road.track),
        spacing=(road.spacing, road.track),
        heights=np.round(columns, 6).tolist(),
        friction=road.friction,
    )


def _make_half_round(obstacle: HalfRound) -> Profile:
    angles = np.linspace(np.pi, 0.0, PIECES + 1)
    radius, middle = obstacle.radius, obstacle.position
    arc = [(middle + radius * float(np.cos(a)), max(radius * float(np.sin(a)), 0.0)) for a in angles]
    return Profile(
        points=[(middle - 2.0 * radius, 0.0), *arc, (middle + 2.0 * radius, 0.0)], friction=obstacle.friction
    )
