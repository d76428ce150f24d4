"""From the template of a crawler to a model of every link, in the plane.

The track is laid round wheels that are larger by a clearance, so that it touches nothing at the start but hangs within
a fraction of a millimetre of everything; settling lets it down (S1, section 3.4). Bushings sit in the middle of their
valleys, on the circle through the corners of the polygon of links.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from grouser.catalog.crawler.link import WIDTH, make_link_shapes
from grouser.catalog.crawler.parts import CrawlerLaw, Lump, RoundWheel
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.clearance import ToothProfile
from grouser.catalog.tracked.closing import route_track
from grouser.catalog.tracked.gear import ALONG_Y, Elements
from grouser.catalog.tracked.march import Point
from grouser.catalog.tracked.routing import Route, Undercarriage
from grouser.errors import ModelError
from grouser.families.coordinate_force.motion import Motion
from grouser.families.joint.spec import Joint
from grouser.model.base import Quaternion, Signal, Vec3
from grouser.model.body import Body, Frame
from grouser.model.contact import TERRAIN, Contact, Toothed, Wheel
from grouser.model.force import JointSpring, Spring
from grouser.model.model import Model, Track
from grouser.model.sensor import Sensor
from grouser.model.terrain import Plane, Terrain
from grouser.presets import TRACK_PINS

LOWER, UPPER, SPROCKET, SEAT, TRACK = "undercarriage", "superstructure", "sprocket", "seat", "left"
"""Names of the bodies, and of the track, which stands for both."""
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)


def make_crawler(spec: Crawler, terrain: Terrain | None = None, drive: Signal = 0.0) -> Model:
    """Model of a crawler that stands on its terrain, track closed.

    Parameters
    ----------
    terrain : ground, by default the plane z = 0
    drive : speed of the sprocket [rad/s], positive drives forward
    """
    route = _route(spec)
    elements = Elements()
    _add_machine(elements, spec, route, drive)
    _add_track(elements, spec, route)
    _add_contacts(elements, spec)
    seat = Frame(body=SEAT)
    model = Model(
        name=spec.name,
        description=spec.description,
        main_body=UPPER,
        terrain=Plane(),
        planar=True,
        sensors={
            "seat_acceleration": Sensor(frame=seat, quantity="acceleration"),
            "seat_position": Sensor(frame=seat, quantity="position"),
        },
        **vars(elements),
    )
    return place_on_terrain(model, Plane() if terrain is None else terrain)


def calc_weight(spec: Crawler, gravity: float = 9.81) -> float:
    """Weight of all bodies [N]."""
    parts = (spec.undercarriage, spec.superstructure, spec.sprocket, spec.seat)
    return gravity * (sum(part.mass for part in parts) + spec.links.count * spec.links.mass)


def _route(spec: Crawler) -> Route:
    """The closed track; the level of its ground run is that of the rollers."""
    links, sprocket = spec.links, spec.sprocket
    room = links.rail_height + spec.clearance
    bottom = sprocket.root_radius + sprocket.seat_radius
    seat = 0.5 * links.pitch / sin(pi / sprocket.teeth)
    if seat - links.bushing_radius < sprocket.root_radius:
        raise ModelError(
            f"sprocket.root_radius is {sprocket.root_radius:g} m, but bushings of links of {links.pitch:g} m on "
            f"{sprocket.teeth} teeth reach to {seat - links.bushing_radius:.5g} m; use a smaller root_radius"
        )

    def grow(wheels: list[RoundWheel]) -> tuple[tuple[float, float, float], ...]:
        return tuple((*wheel.centre, wheel.radius + room) for wheel in wheels)

    return route_track(
        Undercarriage(
            name=TRACK,
            sprocket=sprocket.centre,
            # the bottom of the valleys as an arc: it is where seated bushings could cut the teeth
            profile=ToothProfile(
                sprocket.teeth, sprocket.seat_radius, bottom, sprocket.root_radius + 0.5 * sprocket.seat_radius
            ),
            idler=(*spec.idler.centre, spec.idler.radius + room),
            axis=(1.0 if spec.idler.centre[0] > sprocket.centre[0] else -1.0, 0.0),
            travel=spec.idler_travel,
            road_wheels=grow(spec.rollers),
            rollers=grow(spec.carriers),
            pitch=links.pitch,
            count=links.count,
            tooth_pins=((0.5 * links.pitch, 0.0),),
            tooth_pin_radius=links.bushing_radius,
        )
    )


def _make_body(lump: Lump) -> Body:
    inertia = (lump.inertia, lump.inertia, lump.inertia)
    return Body(mass=lump.mass, inertia=inertia, position=_lift(lump.centre))


def _lift(point: Point) -> Vec3:
    return point[0], 0.0, point[1]


def _place(lump: Lump, point: Point) -> Vec3:
    """A point of the machine in the frame of a body."""
    return point[0] - lump.centre[0], 0.0, point[1] - lump.centre[1]


def _add_machine(elements: Elements, spec: Crawler, route: Route, drive: Signal) -> None:
    lower, upper, sprocket, seat = spec.undercarriage, spec.superstructure, spec.sprocket, spec.seat
    bodies = elements.bodies
    bodies[LOWER], bodies[UPPER] = _make_body(lower), _make_body(upper)
    bodies[SPROCKET] = _make_body(Lump(mass=sprocket.mass, inertia=sprocket.inertia, centre=sprocket.centre))
    bodies[SEAT] = _make_body(Lump(mass=seat.mass, inertia=0.05 * seat.mass, centre=seat.position))
    elements.joints["pivot"] = Joint(
        type="revolute",
        frame_a=Frame(body=LOWER, position=_place(lower, spec.pivot), orientation=ALONG_Y),
        frame_b=Frame(body=UPPER, position=_place(upper, spec.pivot), orientation=ALONG_Y),
    )
    elements.joints["axle"] = Joint(
        type="revolute",
        frame_a=Frame(body=UPPER, position=_place(upper, sprocket.centre), orientation=ALONG_Y),
        frame_b=Frame(body=SPROCKET, orientation=ALONG_Y),
    )
    elements.joints["rail"] = Joint(
        type="prismatic",
        frame_a=Frame(body=UPPER, position=_place(upper, seat.position), orientation=UPRIGHT),
        frame_b=Frame(body=SEAT, orientation=UPRIGHT),
    )
    elements.forces["mount"] = Spring(
        frame_a=Frame(body=LOWER, position=_place(lower, spec.mount.lower)),
        frame_b=Frame(body=UPPER, position=_place(upper, spec.mount.upper)),
        stiffness=spec.mount.stiffness,
        damping=spec.mount.damping,
    )
    elements.forces["suspension"] = JointSpring(
        joint="rail", coordinate="translation", stiffness=seat.stiffness, damping=seat.damping, preload=9.81 * seat.mass
    )
    elements.motions[f"{TRACK}.drive"] = Motion(joint="axle", coordinate="rotation", quantity="speed", value=drive)
    elements.shapes["teeth"] = Toothed(
        body=SPROCKET,
        group="teeth",
        reference=(cos(route.sprocket_angle), 0.0, sin(route.sprocket_angle)),
        teeth=sprocket.teeth,
        face_angle=sprocket.face_angle,
        root_radius=sprocket.root_radius,
        tip_radius=sprocket.tip_radius,
        round_radius=sprocket.round_radius,
        seat_radius=sprocket.seat_radius,
        flat_width=sprocket.flat_width,
        width=WIDTH,
    )
    axis = 1.0 if spec.idler.centre[0] > sprocket.centre[0] else -1.0
    x, z = spec.idler.centre
    idler = RoundWheel(centre=(x + axis * route.idler_shift, z), radius=spec.idler.radius)
    for name, body, lump, wheel in (
        ("idler", LOWER, lower, idler),
        *((f"roller{i + 1}", LOWER, lower, wheel) for i, wheel in enumerate(spec.rollers)),
        *((f"carrier{i + 1}", UPPER, upper, wheel) for i, wheel in enumerate(spec.carriers)),
    ):
        elements.shapes[name] = Wheel(
            body=body, group="wheels", position=_place(lump, wheel.centre), radius=wheel.radius
        )


def _add_track(elements: Elements, spec: Crawler, route: Route) -> None:
    links = spec.links
    names = [f"{TRACK}.link{i + 1}" for i in range(links.count)]
    pins = [f"{TRACK}.pin{i + 1}" for i in range(links.count)]
    half = 0.5 * links.pitch
    for i, ((x, z), angle) in enumerate(zip(route.centres.tolist(), route.angles.tolist(), strict=True)):
        following = names[(i + 1) % links.count]
        elements.bodies[names[i]] = Body(
            mass=links.mass,
            inertia=(links.inertia, links.inertia, links.inertia),
            com=(0.0, 0.0, -links.depth),
            position=(x, 0.0, z),
            # the angle is counted from x towards z, which is about -y
            orientation=(cos(angle / 2.0), 0.0, -sin(angle / 2.0), 0.0),
        )
        elements.joints[pins[i]] = Joint(
            type="revolute",
            frame_a=Frame(body=names[i], position=(half, 0.0, 0.0), orientation=ALONG_Y),
            frame_b=Frame(body=following, position=(-half, 0.0, 0.0), orientation=ALONG_Y),
            group=TRACK_PINS,
        )
        elements.shapes |= make_link_shapes(links, names[i], following)
    elements.tracks[TRACK] = Track(
        links=names,
        pins=pins,
        sprocket=SPROCKET,
        idler=LOWER,
        wheels=[LOWER],
        drive=f"{TRACK}.drive",
        pitch=links.pitch,
        teeth=spec.sprocket.teeth,
    )


def _add_contacts(elements: Elements, spec: Crawler) -> None:
    ground = spec.ground
    elements.contacts["sprocket_track"] = _make_contact("teeth", "bushings", spec.sprocket_contact)
    elements.contacts["wheel_track"] = _make_contact("wheels", "rails", spec.roller_contact)
    for name, group, stiffness, damping, per in (
        ("grouser_ground", "grousers", ground.tip_stiffness, ground.tip_damping, "contact"),
        ("sole_ground", "soles", ground.sole_stiffness, ground.sole_damping, "length"),
    ):
        elements.contacts[name] = Contact(
            a=group,
            b=TERRAIN,
            stiffness=stiffness,
            damping=damping,
            damping_depth=ground.damping_depth,
            separation=ground.separation,
            per="length" if per == "length" else "contact",
            friction=ground.friction,
        )


def _make_contact(a: str, b: str, law: CrawlerLaw) -> Contact:
    return Contact(a=a, b=b, **dict(law))


def calc_sink(spec: Crawler) -> float:
    """How far grousers sink at rest if those between the outer rollers share the weight [m]; soles help beyond."""
    reach = [wheel.centre[0] for wheel in spec.rollers]
    tips = (max(reach) - min(reach)) / spec.links.pitch + 1.0
    return calc_weight(spec) / (tips * spec.ground.tip_stiffness)


def calc_seat_frequency(spec: Crawler) -> float:
    """Undamped natural frequency of the seat on a cab at rest [Hz]."""
    return sqrt(spec.seat.stiffness / spec.seat.mass) / (2.0 * pi)
