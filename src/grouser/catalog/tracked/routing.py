"""Routing: the closed loop of links round sprocket, road wheels, idler and return rollers.

All in the plane of one track: x forward, z up, points are pin centres. The links on the sprocket form the regular
polygon of circumradius pitch / (2 sin(pi / teeth)), pins in the middle of the gaps. Everywhere else the chain is
laid taut along tangents (see `march`). For a shift of the idler it is laid in four steps:

1. From a pin on the ground run to the idler. Starting on the ground run keeps the run under the road wheels
   straight, with nothing below it. Round a wheel a chain is shortest where every link touches in its middle, so
   the first pin is moved along the ground run until the links meet the idler so; there is one such place in each
   pitch. (Out of step, the idler of an M113 takes up 60 mm more chain, which the tensioner would lose at once.)
2. From the same pin to the sprocket: whole links up to a pin in the middle of a gap. That gives the angle of
   the sprocket, hence all gaps.
3. On from the idler over the top to the gap that it meets first.
4. The seated links between the two gaps.

In step 3 the number of links is a real number; it grows with the shift of the idler. The shift is found at which the
whole loop has as many links as asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, cos, floor, hypot, pi, sin, tan

import numpy as np

from grouser.catalog.tracked.clearance import Array, ToothProfile
from grouser.catalog.tracked.march import MOST_LINKS, Circle, Point, Run, find_root, march
from grouser.errors import ModelError


@dataclass(frozen=True, kw_only=True)
class Undercarriage:
    """What one track runs on, in its plane (x, z).

    Attributes
    ----------
    name : name of the track, for messages
    sprocket : centre [m]
    profile : outline of its teeth
    idler : centre and radius of the pin line (wheel radius plus wheel surface height) [m]
    axis : unit vector along which the tensioner moves the idler
    travel : range of its shift [m]
    road_wheels, rollers : centres and radii of the pin line [m]
    pitch : distance between the pins of a link [m]
    count : number of links
    tooth_pins : what engages the teeth, in the link's frame (x along the track, z towards the wheels) [m]
    tooth_pin_radius : its radius [m]
    seats_in_middle : the middle of links lies in the gaps, and not their pins
    """

    name: str
    sprocket: Point
    profile: ToothProfile
    idler: Circle
    axis: Point
    travel: tuple[float, float]
    road_wheels: tuple[Circle, ...]
    rollers: tuple[Circle, ...] = ()
    pitch: float
    count: int
    tooth_pins: tuple[Point, ...]
    tooth_pin_radius: float
    seats_in_middle: bool = False

    def find_idler(self, shift: float) -> Circle:
        """The idler moved along the tensioner's axis."""
        x, z, radius = self.idler
        return x + shift * self.axis[0], z + shift * self.axis[1], radius


@dataclass(frozen=True)
class Route:
    """A closed track.

    Attributes
    ----------
    pins : (count, 2) pin centres, counter-clockwise [m]; link i reaches from pin i to pin i + 1
    idler_shift : place of the idler along the tensioner's axis [m]
    sprocket_angle : direction of the middle of one gap, from x towards z [rad]
    seated : number of links that lie on the sprocket
    """

    pins: Array
    idler_shift: float
    sprocket_angle: float
    seated: int

    @cached_property
    def links(self) -> Array:
        """Vectors from pin to pin, (count, 2) [m]."""
        return np.roll(self.pins, -1, axis=0) - self.pins

    @cached_property
    def centres(self) -> Array:
        """Middle of every link on the line of its pins, (count, 2) [m]."""
        return self.pins + 0.5 * self.links

    @cached_property
    def angles(self) -> Array:
        """Direction of every link, from x towards z [rad]; zero on a level ground run."""
        return np.arctan2(self.links[:, 1], self.links[:, 0])


@dataclass(frozen=True)
class Loop:
    """The chain laid for one shift of the idler, in the inner frame of `LoopMaker`.

    Attributes
    ----------
    front : pins from the ground run to the first seated one, both included
    back : run from the ground run round the idler to the tangent that meets the last seated pin
    gap_angle : direction of the gap of the first seated pin [rad]
    seated : links between the first and the last seated pin
    count : links of the loop, as a real number
    """

    front: list[Point]
    back: Run
    gap_angle: float
    seated: int
    count: float


class LoopMaker:
    """Lays the chain of an undercarriage for any shift of the idler.

    Inside, x is counted towards the side on which the ground run meets the sprocket before the idler: `mirror`
    is -1 where that is the rear.
    """

    def __init__(self, undercarriage: Undercarriage):
        self.given = undercarriage
        self._sprocket_name = f"{undercarriage.name} track: the sprocket"
        half_gap = pi / undercarriage.profile.teeth
        self.seat_radius = 0.5 * undercarriage.pitch / sin(half_gap)
        self.apothem = 0.5 * undercarriage.pitch / tan(half_gap)
        self.ground, self.direction = _find_ground_run(undercarriage, self.apothem)
        meets = {side: self._meets_idler(side) for side in (1.0, -1.0)}
        if meets[1.0] == meets[-1.0]:
            raise ModelError(
                f"{undercarriage.name} track: the idler does not touch the track on one side of the sprocket; "
                "move it outwards"
            )
        self.mirror = -1.0 if meets[1.0] else 1.0

    def _make_circles(self, shift: float, side: float) -> list[Circle]:
        """Road wheels, rollers and the idler, x counted towards `side`."""
        given = self.given
        return [(side * x, z, r) for x, z, r in (*given.road_wheels, *given.rollers, given.find_idler(shift))]

    def _make_start(self, offset: float, side: float) -> Point:
        (x, z), (dx, dz) = self.ground, self.direction
        return side * (x + offset * dx), z + offset * dz

    def _meets_idler(self, side: float) -> bool:
        circles = self._make_circles(0.0, side)
        goal = [(side * self.given.sprocket[0], self.given.sprocket[1], self.apothem)]
        run = march(self._make_start(0.0, side), circles + goal, self.given.pitch, len(circles), self._sprocket_name)
        return len(circles) - 1 in run.touched

    def lay(self, shift: float) -> Loop:
        """The chain with the idler at `shift`."""
        offset = self._find_start(shift)
        front, gap_angle = self._lay_front(offset)
        back = self._lay_back(shift, offset, gap_angle)
        seated = back.goal - len(self._make_circles(shift, 1.0))
        if not 1 <= seated <= self.given.profile.teeth - 2:
            raise ModelError(
                f"{self.given.name} track: it does not wrap round the sprocket; move the sprocket outwards"
            )
        count = len(front) - 1 + seated + len(back.pins) - 1 + back.length / self.given.pitch
        return Loop(front, back, gap_angle, seated, count)

    def _find_start(self, shift: float) -> float:
        """Place of the first pin on the ground run from which links meet the idler in their middle (step 1)."""
        side, pitch = -self.mirror, self.given.pitch
        circles, name = self._make_circles(shift, side), f"{self.given.name} track: the idler"

        def calc_links(offset: float) -> float:
            run = march(self._make_start(side * offset, side), circles, pitch, len(circles) - 1, name)
            return len(run.pins) - 1 + run.length / pitch + 0.5

        start, stop = -0.5 * pitch, 0.5 * pitch
        first, last = calc_links(start), calc_links(stop)
        whole = floor(first)
        if last >= whole:  # the ground run is shorter than a link, or the first pin is in place already
            return side * stop
        return side * find_root(lambda u: calc_links(u) - whole, start, stop, first - whole, last - whole)

    def _lay_front(self, offset: float) -> tuple[list[Point], float]:
        """Pins from the first one to the first seated one, and the angle of its gap (step 2)."""
        pitch, period = self.given.pitch, 2.0 * pi / self.given.profile.teeth
        circles = self._make_circles(0.0, self.mirror)[:-1]  # the idler is not on this side
        start = self._make_start(offset, self.mirror)

        def lay(gap_angle: float) -> Run:
            seats = [(x, z, 0.0) for x, z in self._make_seats(gap_angle)]
            return march(start, circles + seats, pitch, len(circles), self._sprocket_name)

        def calc_links(gap_angle: float) -> float:
            # less the number of the seat: turned by one gap, the sprocket is the same and each seat has the next number
            run = lay(gap_angle)
            return len(run.pins) - 1 + run.length / pitch - (run.goal - len(circles))

        first, last = calc_links(0.0), calc_links(period)
        whole = ceil(first)
        gap_angle = find_root(lambda a: calc_links(a) - whole, 0.0, period, first - whole, last - whole)
        run = lay(gap_angle)
        seat = run.goal - len(circles)
        return self._add_straight_run(run, self._make_seats(gap_angle)[seat]), gap_angle + seat * period

    def _lay_back(self, shift: float, offset: float, gap_angle: float) -> Run:
        """Chain from the first pin round the idler and over the top to a seat (step 3)."""
        circles = self._make_circles(shift, -self.mirror)
        seats = [(-x, z, 0.0) for x, z in self._make_seats(gap_angle)]
        return march(
            self._make_start(offset, -self.mirror), circles + seats, self.given.pitch, len(circles), self._sprocket_name
        )

    def _make_seats(self, gap_angle: float) -> list[Point]:
        teeth, radius = self.given.profile.teeth, self.seat_radius
        x, z = self.mirror * self.given.sprocket[0], self.given.sprocket[1]
        angles = [gap_angle + i * 2.0 * pi / teeth for i in range(teeth)]
        return [(x + radius * cos(a), z + radius * sin(a)) for a in angles]

    def _add_straight_run(self, run: Run, seat: Point) -> list[Point]:
        """Pins of a run and those of its last straight stretch, up to the seat."""
        links = round(run.length / self.given.pitch)
        if len(run.pins) + links > MOST_LINKS:
            raise ModelError(
                f"{self.given.name} track: the free run to the sprocket is {run.length:.4g} m long, which takes "
                f"{links:,} links of {self.given.pitch:g} m; a track has at most {MOST_LINKS:,}: move the sprocket "
                "nearer"
            )
        if links == 0:
            raise ModelError(
                f"{self.given.name} track: the free run between the sprocket and its neighbour is shorter than half "
                f"a link of {1e3 * self.given.pitch:.1f} mm; move them apart"
            )
        (x, z), (ex, ez) = run.pins[-1], seat
        shares = [i / links for i in range(1, links)]
        return [*run.pins, *((x + s * (ex - x), z + s * (ez - z)) for s in shares), seat]

    def make_route(self, shift: float) -> Route:
        """The loop with the idler at `shift`, at which its number of links is whole."""
        loop = self.lay(shift)
        seats = self._make_seats(loop.gap_angle)
        last_x, last_z = seats[loop.seated]
        back = self._add_straight_run(loop.back, (-last_x, last_z))
        loop_pins = [*loop.front, *seats[1 : loop.seated], *((-x, z) for x, z in back[:0:-1])]
        pins, angle = np.array(loop_pins), loop.gap_angle
        if self.mirror < 0.0:
            pins, angle = np.vstack([pins[:1], pins[:0:-1]]) * (-1.0, 1.0), pi - angle
        if self.given.seats_in_middle:
            angle += pi / self.given.profile.teeth
        return Route(pins, shift, angle, loop.seated)


def _find_ground_run(given: Undercarriage, apothem: float) -> tuple[Point, Point]:
    """Middle of the longest straight run under two road wheels, and its direction (forward)."""
    others = (*given.road_wheels, *given.rollers, given.idler, (*given.sprocket, apothem))
    best, longest = None, 0.0
    for ax, az, ar in given.road_wheels:
        for bx, bz, br in given.road_wheels:
            distance = hypot(bx - ax, bz - az)
            if bx <= ax or distance <= abs(br - ar):
                continue
            # unit normal n to the right of the run: (b - a) . n = ar - br
            ux, uz, s = (bx - ax) / distance, (bz - az) / distance, (ar - br) / distance
            c = (1.0 - s * s) ** 0.5
            nx, nz = ux * s + uz * c, uz * s - ux * c
            level = ax * nx + az * nz + ar + 1e-9
            if distance * c > longest and all(x * nx + z * nz + r <= level for x, z, r in others):
                longest = distance * c
                middle = (0.5 * (ax + bx + (ar + br) * nx), 0.5 * (az + bz + (ar + br) * nz))
                best = (middle, (-nz, nx))
    if best is None:
        lowest, lowest_of_all = (min(z - r for _, z, r in some) for some in (given.road_wheels, others))
        raise ModelError(
            f"{given.name} track: no two road wheels stand on a common straight run of the track: they reach down to "
            f"z = {lowest:.4g} m, all wheels to {lowest_of_all:.4g} m; raise what reaches lower, the idler, the "
            "sprocket or a single road wheel, or make it smaller"
        )
    return best
