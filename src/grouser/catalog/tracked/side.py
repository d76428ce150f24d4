"""Bodies, joints, forces and shapes of one side of a tracked vehicle: road wheels as in `gear.py`, and the track.

The tensioner's slide points along the push, and its coordinate is the shift of the idler from its given centre.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, sin
from typing import Any

from grouser.catalog.tracked.gear import ALONG_Y, CHASSIS, Elements, GearMaker
from grouser.catalog.tracked.inertia import mirror_inertia
from grouser.catalog.tracked.parts import ContactLaw, ContactLaws, Side
from grouser.catalog.tracked.routing import Route
from grouser.catalog.tracked.spec import TrackSide
from grouser.catalog.tracked.webs import find_link_lump, make_webs
from grouser.families.coordinate_force.motion import Motion
from grouser.families.coordinate_force.spec import Stops
from grouser.families.joint.bushing import Bushing
from grouser.families.joint.spec import Joint
from grouser.model.base import Signal
from grouser.model.body import Body, Frame
from grouser.model.contact import TERRAIN, Contact, Horn, Pin, Plate, Points, Sprocket, Wheel
from grouser.model.force import JointSpring
from grouser.model.model import Track
from grouser.presets import TRACK_PINS


class SideMaker(GearMaker):
    """Adds one side to the elements of a vehicle.

    Parameters
    ----------
    loads : load of each axle for static preloads, front to rear [N]; None without suspension
    """

    def __init__(self, elements: Elements, name: Side, side: TrackSide, route: Route, loads: Sequence[float] | None):
        super().__init__(elements, name, side, loads)
        self.side, self.route = side, route

    def add(self, drive: Signal, laws: ContactLaws) -> None:
        """Add everything."""
        self._add_sprocket(drive)
        self._add_idler()
        for i in range(len(self.side.road_wheels.centres)):
            self.add_road_wheel(i)
        self._add_rollers()
        self._add_links()
        self._add_contacts(laws)

    def _add_sprocket(self, drive: Signal) -> None:
        sprocket, (x, z) = self.side.sprocket, self.side.sprocket.centre
        body = self.add_body("sprocket", sprocket.mass, sprocket.inertia, (x, self.y, z), (0.0, 0.0, 0.0))
        axle = self.add_joint("sprocket.axle", "revolute", CHASSIS, (x, self.y, z), body, (0.0, 0.0, 0.0))
        self.elements.motions[f"{self.name}.drive"] = Motion(
            joint=axle, coordinate="rotation", quantity="speed", value=drive
        )
        self._add_rim(body)

    def _add_rim(self, body: str) -> None:
        """What of the sprocket touches the track: teeth, or the face of a drum."""
        sprocket, horn, profile = self.side.sprocket, self.side.links.horn, self.side.make_profile()
        group, planes = f"{self.name}.sprockets", [self.outward * ring for ring in sprocket.rings]
        groove = 0.5 * horn.width + sprocket.lateral_backlash if horn else None
        if sprocket.drive == "friction":
            self.elements.shapes[f"{body}.drum"] = Wheel(
                body=body, group=group, radius=profile.addendum_radius, planes=planes, groove=groove
            )
            return
        angle = self.route.sprocket_angle
        self.elements.shapes[f"{body}.teeth"] = Sprocket(
            body=body,
            group=group,
            reference=(cos(angle), 0.0, sin(angle)),
            teeth=profile.teeth,
            arc_radius=profile.arc_radius,
            arc_centre_radius=profile.arc_centre_radius,
            addendum_radius=profile.addendum_radius,
            planes=planes,
            width=sprocket.ring_width,
            groove=groove,
        )

    def _add_idler(self) -> None:
        idler, shift = self.side.idler, self.route.idler_shift
        carrier, tensioner, (axis_x, axis_z) = idler.carrier, idler.tensioner, self.side.find_tensioner_axis()
        x, z = idler.centre[0] + shift * axis_x, idler.centre[1] + shift * axis_z
        body = self.add_body("tensioner", carrier.mass, carrier.inertia, (x, self.y, z), self.flip(carrier.com))
        turn = atan2(axis_x, axis_z)
        slide = self.add_joint(
            "tensioner.slide",
            "prismatic",
            CHASSIS,
            (idler.centre[0], self.y, idler.centre[1]),
            body,
            (0.0, 0.0, 0.0),
            (cos(turn / 2.0), 0.0, sin(turn / 2.0), 0.0),
        )
        self.add_wheel("idler", idler, (x, z), body, (0.0, 0.0, 0.0))
        self.elements.forces[f"{self.name}.tension"] = JointSpring(
            joint=slide,
            coordinate="translation",
            stiffness=tensioner.stiffness,
            damping=tensioner.damping,
            free=shift,
            preload=tensioner.force,
            stops=Stops(
                lower=max(-tensioner.recoil, tensioner.travel[0] - shift),
                upper=tensioner.travel[1] - shift,
                stiffness=tensioner.stop_stiffness,
                damping=tensioner.stop_damping,
            ),
        )

    def _add_rollers(self) -> None:
        rollers = self.side.rollers
        if rollers is None:
            return
        for i, (x, z) in enumerate(rollers.centres):
            self.add_wheel(f"roller{i + 1}", rollers, (x, z), CHASSIS, (x, self.y, z))

    def _add_links(self) -> None:
        links, elements = self.side.links, self.elements
        names = [f"{self.name}.link{i + 1}" for i in range(self.side.link_count)]
        lump = find_link_lump(self.side)
        inertia = lump.inertia if self.outward > 0.0 else mirror_inertia(lump.inertia)
        for i, ((x, z), angle) in enumerate(zip(self.route.centres.tolist(), self.route.angles.tolist(), strict=True)):
            elements.bodies[names[i]] = Body(
                mass=lump.mass,
                inertia=inertia,
                com=self.flip(lump.com),
                position=(x, self.y, z),
                # the angle is counted from x towards z, which is about -y
                orientation=(cos(angle / 2.0), 0.0, -sin(angle / 2.0), 0.0),
            )
            self._add_link_shapes(names[i])
        elements.tracks[self.name] = Track(
            links=names,
            **self._join_links(names),
            sprocket=f"{self.name}.sprocket",
            idler=f"{self.name}.idler",
            wheels=[f"{self.name}.wheel{i + 1}" for i in range(len(self.side.road_wheels.centres))],
            drive=f"{self.name}.drive",
            pitch=links.pitch,
            teeth=self.side.sprocket.teeth,
        )

    def _join_links(self, names: list[str]) -> dict[str, Any]:
        """Pins, bushings or webs between links, and how a track names them."""
        if self.side.is_band:
            belt = f"{self.name}.belt"
            self.elements.meshes[belt] = make_webs(self.side, self.route, self.y, names)
            return {"belt": belt}
        half = 0.5 * self.side.links.pitch
        pins = [f"{self.name}.pin{i + 1}" for i in range(len(names))]
        for pin, a, b in zip(pins, names, [*names[1:], names[0]], strict=True):
            frame_a = Frame(body=a, position=(half, 0.0, 0.0), orientation=ALONG_Y)
            frame_b = Frame(body=b, position=(-half, 0.0, 0.0), orientation=ALONG_Y)
            rubber = self.side.links.rubber
            if self.side.track == "segmented" and rubber is not None:
                # the frame has x along the track, y through its thickness and z along the pin, as `rubber` has
                self.elements.forces[pin] = Bushing(
                    frame_a=frame_a, frame_b=frame_b, stiffness=[*rubber.stiffness], damping=[*rubber.damping]
                )
            else:
                self.elements.joints[pin] = Joint(type="revolute", frame_a=frame_a, frame_b=frame_b, group=TRACK_PINS)
        return {"pins": pins}

    def _add_link_shapes(self, link: str) -> None:
        links, shapes = self.side.links, self.elements.shapes
        x, y, z = links.pad.length / 2.0, links.pad.width / 2.0, -links.pad.depth
        shapes[f"{link}.pad"] = Points(
            body=link,
            group=f"{self.name}.pads",
            positions=[(x, y, z), (x, -y, z), (-x, y, z), (-x, -y, z)],
            area=links.pad.length * links.pad.width / 4.0,
        )
        surface = links.surface
        shapes[f"{link}.surface"] = Plate(
            body=link,
            group=f"{self.name}.surfaces",
            position=(0.0, 0.0, surface.height),
            length=surface.length,
            width=surface.width,
        )
        if self.side.sprocket.drive == "teeth":
            self._add_tooth_pins(link)
        if links.horn:
            shapes[f"{link}.horn"] = Horn(
                body=link,
                group=f"{self.name}.horns",
                position=(links.horn.x, 0.0, 0.5 * (surface.height + links.horn.tip)),
                half_width=links.horn.width / 2.0,
            )

    def _add_tooth_pins(self, link: str) -> None:
        links = self.side.links
        lateral = self.side.sprocket.rings if links.pins.lateral is None else links.pins.lateral
        self.elements.shapes[f"{link}.pins"] = Pin(
            body=link,
            group=f"{self.name}.pins",
            positions=[(x, self.outward * y, z) for x, z in links.pins.positions for y in lateral],
            radius=links.pins.radius,
        )

    def _add_contacts(self, laws: ContactLaws) -> None:
        side = self.side
        faces = "pins" if side.sprocket.drive == "teeth" else "surfaces"
        self._add_contact("sprocket_track", faces, "sprockets", laws.sprocket_track)
        self._add_contact("wheel_track", "surfaces", "wheels", laws.roller_track)
        self._add_contact("idler_track", "surfaces", "idlers", laws.roller_track)
        if side.rollers:
            self._add_contact("roller_track", "surfaces", "rollers", laws.roller_track)
        self._add_contact("ground", "pads", TERRAIN, laws.ground_track)
        if side.links.horn is None:
            return
        if side.road_wheels.gap > 0.0:
            self._add_contact("guide", "horns", "wheels", laws.guide)
        if side.idler.gap > 0.0:
            self._add_contact("idler_guide", "horns", "idlers", laws.guide)
        if side.rollers and side.rollers.gap > 0.0:
            self._add_contact("roller_guide", "horns", "rollers", laws.guide)
        self._add_contact("sprocket_guide", "horns", "sprockets", laws.guide)

    def _add_contact(self, name: str, a: str, b: str, law: ContactLaw) -> None:
        other = b if b == TERRAIN else f"{self.name}.{b}"
        self.elements.contacts[f"{self.name}.{name}"] = Contact(a=f"{self.name}.{a}", b=other, **dict(law))
