"""The model: everything about a system, by name, frozen."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ModelWrapValidatorHandler, ValidationError

from grouser.errors import ModelError, say_unknown
from grouser.families.coordinate_force.motion import Motion
from grouser.families.driver.spec import Driver
from grouser.families.joint.spec import Joint
from grouser.mesh.make import make_mesh_data
from grouser.model.base import Count, Description, Flag, Part, Positive, Signal, Title, Vec3, Whole
from grouser.model.body import Body, Point
from grouser.model.contact import Contact, Shape
from grouser.model.fault import Fault
from grouser.model.force import Force
from grouser.model.mesh import Mesh
from grouser.model.sensor import Sensor
from grouser.model.terrain import Terrain
from grouser.model.validate import FAMILIES, find_faults
from grouser.notebook_page import make_page


class Track(Part):
    """A closed chain of links, named so that tension, slip and detectors have something to speak of.

    Attributes
    ----------
    links : bodies in order of travel around the loop
    pins : joints or bushings; pin i connects link i (frame a) and link i + 1 (frame b), the last closes the loop
    belt : in place of pins, the mesh of the webs of a band, lines of thick beams or strips of bricks: number i is
        bonded to link i at its start and to link i + 1 at its end
    chain : in place of links and pins, the mesh of beams by gradients whose pieces between corners are the links
    sprocket, idler : bodies
    wheels : road wheel bodies, front to rear
    drive : name of the motion or actuator that turns the sprocket, or of the powertrain that drives both
    pitch : distance between the pins of a link [m]
    teeth : number of teeth of the sprocket
    """

    links: list[str] = Field(default_factory=list)
    pins: list[str] = Field(default_factory=list)
    belt: str | None = None
    chain: str | None = None
    sprocket: str
    idler: str
    wheels: list[str]
    drive: str
    pitch: Positive
    teeth: Annotated[Count, Field(ge=3, le=1000)]

    @property
    def pitch_radius(self) -> float:
        """Radius of the circle through the pins of links that lie on the sprocket [m]."""
        return self.pitch / (2.0 * math.sin(math.pi / self.teeth))

    @property
    def rolling_radius(self) -> float:
        """Speed of the track over the angular speed of its sprocket, on average: a tooth a link [m]."""
        return self.teeth * self.pitch / (2.0 * math.pi)


class Post(Part):
    """A shaker post under a wheel, named so that what a rig measures has something to speak of.

    Attributes
    ----------
    pan : body of the pan, which the post lifts
    motion : prescribed motion of the pan
    wheel : body of the wheel that stands on it
    arm : spring in the pivot of the arm that carries the wheel, whose coordinate is its angle; or empty
    on_pan, on_stops, on_rails : contacts of the wheel with pan, stops and side rails; empty where there are none
    """

    pan: str
    motion: str
    wheel: str
    arm: str = ""
    on_pan: str
    on_stops: str = ""
    on_rails: str = ""


class Model(Whole):
    """A multibody system. Every element has a name; names become indices only when it is compiled.

    A model with a fault cannot be made: whatever way it is made, it raises a `ModelError` that lists all.

    Attributes
    ----------
    grouser : version of the file format
    kind : kind of document
    name, description : free text
    gravity : acceleration of free fall, world axes [m/s^2]
    bodies, points, meshes, joints, forces, motions, contacts, sensors, tracks, drivers : elements by name; no two share
        a name
    posts : shaker posts under wheels by name
    shapes : contact shapes by name
    terrain : the ground, or None
    main_body : the body of which speed and distance are reported, or empty
    planar : all motion is in the x-z plane: nothing leaves it, and the recursive formulation needs three coordinates a
        body
    """

    grouser: Literal[1] = 1
    kind: Literal["model"] = "model"
    name: Title
    description: Description = ""
    gravity: Vec3 = (0.0, 0.0, -9.81)
    bodies: dict[str, Body] = Field(default_factory=dict)
    points: dict[str, Point] = Field(default_factory=dict)
    meshes: dict[str, Mesh] = Field(default_factory=dict)
    joints: dict[str, Joint] = Field(default_factory=dict)
    forces: dict[str, Force] = Field(default_factory=dict)
    motions: dict[str, Motion] = Field(default_factory=dict)
    shapes: dict[str, Shape] = Field(default_factory=dict)
    contacts: dict[str, Contact] = Field(default_factory=dict)
    terrain: Terrain | None = None
    sensors: dict[str, Sensor] = Field(default_factory=dict)
    tracks: dict[str, Track] = Field(default_factory=dict)
    posts: dict[str, Post] = Field(default_factory=dict)
    drivers: dict[str, Driver] = Field(default_factory=dict)
    main_body: str = ""
    planar: Flag = False

    def _find_faults(self) -> list[Fault]:
        return find_faults(self)

    @classmethod
    def _find_further_faults(
        cls, faults: list[Fault], data: Any, handler: ModelWrapValidatorHandler[Self]
    ) -> list[Fault]:
        return _find_further_faults(faults, data, handler)

    @property
    def mass(self) -> float:
        """Mass of all that moves [kg]."""
        moving = (point.mass for point in self.points.values() if not point.is_carried)
        total = sum(body.mass for body in self.bodies.values()) + sum(moving)
        for mesh in self.meshes.values():
            data = make_mesh_data(mesh)
            total += float(data.masses.sum() - data.masses[data.fixed[data.fixed < len(data.masses)]].sum())
        return total

    def with_motion(self, name: str, value: Signal) -> Model:
        """A copy in which motion `name` follows another signal."""
        if name not in self.motions:
            raise ModelError(say_unknown("motion", name, self.motions))
        return self.with_changes(motions={**self.motions, name: {**dict(self.motions[name]), "value": value}})

    def with_terrain(self, terrain: Terrain | None) -> Model:
        """A copy on another terrain."""
        return self.with_changes(terrain=terrain)

    def with_changes(self, **changes: Any) -> Model:
        """A validated copy with whole fields replaced."""
        return Model.model_validate({**dict(self), **changes})

    def _repr_html_(self) -> str:
        return make_page(self)


_ANY_NODE: dict[str, Part] = {"bodies": Body(mass=1.0, inertia=(1.0, 1.0, 1.0)), "points": Point(fixed=True)}
"""Stand for a body and for a point that cannot be read, so that the others can be judged."""


def _find_further_faults(faults: list[Fault], data: Any, handler: Any) -> list[Fault]:
    """Faults between the elements that could be read, so that the first report is the whole report."""
    rest: dict[str, Any] = dict(data) if isinstance(data, dict) else {}
    absent: set[tuple[str, str]] = set()
    for fault in faults:
        first, *below = fault.path or ("",)
        if first in FAMILIES and below:
            absent.add((str(first), str(below[0])))
        elif first in FAMILIES or first not in Model.model_fields:
            return []  # a family cannot be read, or is misspelt: what refers to it cannot be judged
        else:
            absent.add((str(first), ""))
            rest.pop(str(first), None)
    rest = {"name": "unnamed", **rest}
    for family, name in absent:
        if family in _ANY_NODE:
            rest[family] = {**rest[family], name: _ANY_NODE[family]}
        elif name:
            rest[family] = {key: value for key, value in rest[family].items() if str(key) != name}
    try:
        return find_faults(handler(rest), absent=absent)
    except ValidationError:
        return []
