"""Random courses: roads of ISO 8608, and the courses of ride tests that are known by their roughness in inches.

A road of class A to H has the one-sided displacement spectrum (ISO 8608:2016, with waviness 2)

    G(n) = G0 (n/n0)^-2,   n0 = 0.1 1/m                                                   (1)

with G0 the geometric mean of its class. Waves with random phases and the amplitudes sqrt(2 G(n) dn) are summed up. Both
wheel tracks have this spectrum; a surface that is the same in all directions has between two tracks at a distance B the
coherence (C. J. Dodds, J. D. Robson, The description of road surface roughness, J. Sound Vib. 31 (1973))

    g(n) = 2 pi n B K1(2 pi n B)                                                          (2)

with the modified Bessel function K1, so the right track has g of the left one's waves and sqrt(1 - g^2) of its own.
Long waves lift both sides, short ones each for itself.

Courses for the ride of vehicles off the road are named by the root mean square of their height, in inches, once long
waves are taken out. Their spectrum falls with the square of n too (Bylsma 1999), so it is (1) between the longest and
the shortest wave, and G0 is such that each side has the root mean square that is asked for. The longest wave, 60 ft, is
assumed.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from grouser.catalog.grounds.rule import GroundRule, make_sides_grid
from grouser.model.base import Count, Number, Positive
from grouser.model.terrain import Terrain

ROUGHNESS = {name: 16e-6 * 4**k for k, name in enumerate("ABCDEFGH")}
"""G0 of (1) by class [m^3]."""
REFERENCE = 0.1
"""n0 of (1) [1/m]."""
LOWEST = 0.01
"""Least number of waves per length of a road [1/m]: longer waves are hills."""
INCH = 0.0254
"""[m]"""


class RandomGround(GroundRule):
    """What random courses have. They begin level and rise to their roughness.

    Attributes
    ----------
    seed : number that chooses one of all courses of a kind
    length : [m]
    spacing : distance of heights along the course [m]
    track : distance of the wheel tracks across it, whose heights differ [m]
    start : place x where it begins [m]; it is level before
    run_in : length over which it rises to its roughness [m]
    """

    seed: Annotated[Count, Field(ge=0)] = 1
    length: Annotated[Number, Field(ge=10, le=5000)] = 200.0
    spacing: Annotated[Number, Field(ge=0.01, le=1)] = 0.1
    track: Positive = 1.8
    start: Number = 5.0
    run_in: Positive = 10.0

    def calc_spectrum(self, n: np.ndarray) -> np.ndarray:
        """Spectrum of both tracks at numbers of waves per length [1/m], zero where there are none; in m^3."""
        raise NotImplementedError

    def calc_tracks(self) -> tuple[np.ndarray, np.ndarray]:
        """Heights of the left and of the right track, without the run-in [m]."""
        count = int(np.ceil(self.length / self.spacing)) + 1
        random = np.random.default_rng(self.seed)
        length = count * self.spacing
        n = np.fft.rfftfreq(count, self.spacing)
        spectrum = self.calc_spectrum(n)
        used = spectrum > 0.0
        amplitude = np.sqrt(2.0 * spectrum / length)
        shared, own = (amplitude * np.exp(2j * np.pi * random.random(len(n))) for _ in range(2))
        coherence = np.zeros(len(n))
        coherence[used] = calc_coherence(n[used], self.track)
        right = coherence * shared + np.sqrt(1.0 - coherence**2) * own
        # a wave a cos(2 pi n x + phi) has the coefficient a/2 exp(i phi) times the number of points
        left_height, right_height = (np.fft.irfft(0.5 * count * wave, count) for wave in (shared, right))
        return left_height, right_height

    def make_terrain(self) -> Terrain:
        left, right = self.calc_tracks()
        share = np.clip(np.arange(len(left)) * self.spacing / self.run_in, 0.0, 1.0)
        rise = share**2 * (3.0 - 2.0 * share)
        return make_sides_grid(self.start, self.spacing, left * rise, right * rise, self.track, self.friction)


class Road(RandomGround):
    """A random road of ISO 8608, in which the two wheel tracks differ. It begins level and rises to its roughness.

    Attributes
    ----------
    road_class : class of the standard, from A, very good, to H, hardly passable
    """

    type: Literal["road"] = "road"
    road_class: Literal["A", "B", "C", "D", "E", "F", "G", "H"] = "C"

    def calc_spectrum(self, n: np.ndarray) -> np.ndarray:
        spectrum, used = np.zeros(len(n)), n >= LOWEST
        spectrum[used] = calc_roughness(self.road_class, n[used])
        return spectrum


class Course(RandomGround):
    """A random course for the ride off the road, by the roughness by which such courses are named.

    Attributes
    ----------
    rms : root mean square of the height of each side [inch]
    longest, shortest : wave lengths between which it has waves [m]
    """

    type: Literal["course"] = "course"
    rms: Annotated[Number, Field(ge=0.01, le=10)] = 1.5
    longest: Annotated[Number, Field(ge=2, le=100)] = 18.288
    shortest: Annotated[Number, Field(ge=0.05, le=1.9)] = 0.3

    def calc_spectrum(self, n: np.ndarray) -> np.ndarray:
        used = (n * self.longest >= 1.0) & (n * self.shortest <= 1.0)
        spectrum = np.zeros(len(n))
        spectrum[used] = n[used] ** -2.0
        # the mean square of a sum of waves with the amplitudes sqrt(2 G dn) is the sum of G dn
        return spectrum * (INCH * self.rms) ** 2 / (np.sum(spectrum) * (n[1] - n[0]))


def calc_roughness(road_class: str, n: np.ndarray) -> np.ndarray:
    """Spectrum (1) of a class at numbers of waves per length [1/m]; in m^3."""
    return np.asarray(ROUGHNESS[road_class] * (n / REFERENCE) ** -2)


def calc_coherence(n: np.ndarray, distance: float) -> np.ndarray:
    """(2) of two tracks at a distance [m]."""
    from scipy.special import k1  # a fifth of a second, which most runs can do without

    argument = 2.0 * np.pi * n * distance
    return np.asarray(argument * k1(argument))
