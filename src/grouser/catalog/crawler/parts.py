"""Parts of a crawler as a user writes them down. Points are (x, z) in the plane of the machine: x forward, z up from
the ground on which the grousers stand."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grouser.model.base import Count, Mass, NonNegative, Number, Part, Positive
from grouser.model.contact import Friction


class Lump(Part):
    """A rigid body in the plane.

    Attributes
    ----------
    mass : [kg]
    inertia : about its centre of mass, across the plane [kg m^2]
    centre : its centre of mass [m]
    """

    mass: Mass
    inertia: Positive
    centre: tuple[Number, Number]


class RoundWheel(Part):
    """A wheel that is fixed to its body, as a circle.

    Attributes
    ----------
    centre : [m]
    radius : [m]
    """

    centre: tuple[Number, Number]
    radius: Positive


class CrawlerSprocket(Part):
    """The driven wheel.

    Attributes
    ----------
    centre : [m]
    mass, inertia : [kg], about its axis [kg m^2]
    teeth : number of teeth
    face_angle : of the teeth's faces from the centre line of a valley [rad]
    root_radius, tip_radius, round_radius, seat_radius : of the valleys, see `Toothed` [m]
    flat_width : of their bottom [m]
    """

    centre: tuple[Number, Number]
    mass: Mass
    inertia: Positive
    teeth: Annotated[Count, Field(ge=6, le=60)]
    face_angle: Number
    root_radius: Positive
    tip_radius: Positive
    round_radius: NonNegative
    seat_radius: Positive
    flat_width: NonNegative


class CrawlerLinks(Part):
    """The track: link, shoe with grouser, one pin and bushing each.

    Attributes
    ----------
    count : number of links
    pitch : distance between the pins [m]
    mass, inertia : of a link [kg], about its centre across the plane [kg m^2]
    depth : of its centre of mass below the line of the pins [m]
    rail_height : of the flat top over the line of the pins [m]
    rail_flat, rail_length, rail_drop : length of the flat, of the whole top, and how much its ends lie lower [m]
    bushing_radius : [m]
    sole_depth : of the sole below the line of the pins [m]
    sole_length : [m]
    grouser_height : over the sole [m]
    grouser_offset : of its tip from the middle of the link, along the way [m]
    cells : into which the sole is divided for its contact with the ground
    """

    count: Annotated[Count, Field(ge=20, le=200)]
    pitch: Positive
    mass: Mass
    inertia: Positive
    depth: Number = 0.0
    rail_height: Positive
    rail_flat: Positive
    rail_length: Positive
    rail_drop: NonNegative
    bushing_radius: Positive
    sole_depth: Positive
    sole_length: Positive
    grouser_height: Positive
    grouser_offset: Number = 0.0
    cells: Annotated[Count, Field(ge=1, le=16)] = 2


class Mount(Part):
    """A spring and damper between two points.

    Attributes
    ----------
    lower, upper : ends on the undercarriage and on the superstructure [m]
    stiffness, damping : [N/m], [N s/m]
    """

    lower: tuple[Number, Number]
    upper: tuple[Number, Number]
    stiffness: Positive
    damping: NonNegative


class Seat(Part):
    """The seat with its driver, on a spring and damper along the vertical of the cab.

    Attributes
    ----------
    mass : [kg]
    position : [m]
    stiffness, damping : [N/m], [N s/m]
    """

    mass: Mass
    position: tuple[Number, Number]
    stiffness: Positive
    damping: NonNegative


class CrawlerLaw(Part):
    """Law of a contact of the track with the machine.

    Attributes
    ----------
    stiffness, damping : [N/m], [N s/m]
    damping_depth : penetration up to which the damping grows in; 0: it acts at first touch [m]
    separation : share of the damping while separating
    depth_limit : a deeper penetration is none [m]
    friction : or None
    """

    stiffness: Positive
    damping: NonNegative
    damping_depth: NonNegative = 0.0
    separation: Annotated[Number, Field(ge=0, le=1)] = 0.0
    depth_limit: Positive = 0.02
    friction: Friction | None = None


class WinklerGround(Part):
    """Ground as springs and dampers: at the tips of grousers, and along soles.

    Attributes
    ----------
    tip_stiffness, tip_damping : of a grouser [N/m], [N s/m]
    sole_stiffness, sole_damping : by length of a sole [N/m^2], [N s/m^2]
    damping_depth : penetration up to which the damping grows in; 0: it acts at first touch [m]
    separation : share of the damping while separating
    friction : of both; stiffness of the anchor springs of `asperity` is by tip, or by length
    """

    tip_stiffness: Positive
    tip_damping: NonNegative
    sole_stiffness: Positive
    sole_damping: NonNegative
    damping_depth: NonNegative = 0.0
    separation: Annotated[Number, Field(ge=0, le=1)] = 0.0
    friction: Friction
