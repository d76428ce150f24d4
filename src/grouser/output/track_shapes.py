"""What the links of a track look like: block with pad, hinges, pins for the teeth, guide horn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.families.joint.bushing import Bushing
from grouser.families.joint.spec import Joint
from grouser.model.contact import Horn, Pin, Plate, Points, Rail, Shape
from grouser.model.mesh import LinesMesh, WebsMesh
from grouser.model.model import Model, Track
from grouser.model.rotation import quaternion_to_matrix
from grouser.output.mesh import Array, make_rod, make_slab, place
from grouser.output.shapes import BRIGHT, RUBBER, STEEL, Parts, make_rail_solid

THIN_LINK = 0.15
"""Half the height of a link without plate or pads, as a share of the pitch."""
WIDE_LINK = 1.2
"""Half the width of a link without plate or pads, as a share of the pitch."""


@dataclass(frozen=True)
class LinkFrame:
    """Middle between the pins of a link, and its axes in the body's frame: along the track, across, to the wheels."""

    origin: Array
    axes: Array
    pitch: float

    def find_local(self, points: object) -> Array:
        """Points of the body in this frame, (n, 3)."""
        local: Array = (np.asarray(points, dtype=float).reshape(-1, 3) - self.origin) @ self.axes
        return local


def find_pins(model: Model, track: Track, link: str) -> tuple[Array, Array]:
    """The two pins of a link in its own frame, in order of travel; of a band the middles of the webs at its ends."""
    number = track.links.index(link)
    if track.belt is not None:
        return tuple(_find_web_middle(model, track, link, i) for i in (number - 1, number))  # type: ignore[return-value]
    front, rear = (find_pin(model, track.pins[i]) for i in (number, number - 1))
    return np.array(rear.frame_b.position), np.array(front.frame_a.position)


def find_pin(model: Model, name: str) -> Joint | Bushing:
    """What joins two links: a joint or a bushing."""
    pin = model.joints.get(name) or model.forces[name]
    assert isinstance(pin, Joint | Bushing)
    return pin


def _find_web_middle(model: Model, track: Track, link: str, number: int) -> Array:
    """Where the lines along both ends of a web meet: half a web ahead of one of its ends, in the frame of a link."""
    mesh, body = model.meshes[str(track.belt)], model.bodies[link]
    assert isinstance(mesh, LinesMesh | WebsMesh)
    start, end = np.array(mesh.ends[number], dtype=float)
    middle = 0.5 * (start + end)
    if mesh.tangents is not None:
        t_a, t_b = (np.array(t) / np.linalg.norm(t) for t in mesh.tangents[number])
        middle = start + np.linalg.norm(end - start) / (1.0 + t_a @ t_b) ** 0.5 / 2.0**0.5 * t_a
    world = np.array(mesh.position) + quaternion_to_matrix(mesh.orientation) @ middle
    place: Array = quaternion_to_matrix(body.orientation).T @ (world - np.array(body.position))
    return place


def find_link_frame(model: Model, track: Track, link: str, shapes: list[Shape]) -> LinkFrame:
    """The frame of a link from its pins and its plate."""
    rear, front = find_pins(model, track, link)
    along = (front - rear) / np.linalg.norm(front - rear)
    plates = [shape for shape in shapes if isinstance(shape, Plate)]
    if plates:
        up = quaternion_to_matrix(plates[0].orientation)[:, 2]
    else:
        across = np.array([0.0, 1.0, 0.0])
        if track.belt is None:
            frame = find_pin(model, track.pins[track.links.index(link)]).frame_a
            across = quaternion_to_matrix(frame.orientation)[:, 2]
        up = np.cross(along, across)
    up = up - along * (along @ up)
    up = up / np.linalg.norm(up)
    return LinkFrame((front + rear) / 2, np.column_stack([along, np.cross(up, along), up]), track.pitch)


def make_link_parts(frame: LinkFrame, shapes: list[Shape]) -> Parts:
    """A link from its shapes."""
    pitch = frame.pitch
    plates = [s for s in shapes if isinstance(s, Plate)]
    pads = [frame.find_local(s.positions) for s in shapes if isinstance(s, Points)]
    low, half_pad, half_width = -THIN_LINK * pitch, 0.4 * pitch, WIDE_LINK * pitch
    if pads:
        soles = np.concatenate(pads)
        low = float(soles[:, 2].min())
        half_pad, half_width = (float(np.abs(soles[:, i]).max()) for i in range(2))
    high, half_plate = THIN_LINK * pitch, 0.35 * pitch
    if plates:
        high = float(frame.find_local(plates[0].position)[0, 2])
        half_plate, half_width = plates[0].length / 2, max(plates[0].width / 2, half_width if pads else 0.0)
    parts = _make_block(pitch, (half_pad, low), (half_plate, high), half_width)
    parts += _make_hinges(pitch, min(-low, high), half_width)
    parts += _make_tooth_pins(frame, [s for s in shapes if isinstance(s, Pin)], half_width)
    for horn in shapes:
        if isinstance(horn, Horn):
            parts.append((_make_horn(frame, horn, high, half_plate), STEEL))
    rails: Parts = [(make_rail_solid(rail), STEEL) for rail in shapes if isinstance(rail, Rail)]
    return [*rails, *((place(solid, frame.origin, frame.axes), colour) for solid, colour in parts)]


def _make_block(pitch: float, sole: tuple[float, float], face: tuple[float, float], half: float) -> Parts:
    """The body: widest at the line of the pins, down to the pad of rubber and up to the face for the wheels."""
    (pad, low), (plate, high) = sole, face
    waist = min(0.42 * pitch, max(pad, plate))
    edge = 0.45 * low
    steel = [(-waist, edge), (waist, edge), (waist, 0.2 * high), (plate, high), (-plate, high), (-waist, 0.2 * high)]
    bevel = 0.12 * pad
    rubber = [(bevel - pad, low), (pad - bevel, low), (pad, low + 0.2 * (edge - low)), (pad, edge), (-pad, edge)]
    rubber.append((-pad, low + 0.2 * (edge - low)))
    return [(make_slab(steel, half, -half), STEEL), (make_slab(rubber, 0.96 * half, -0.96 * half), RUBBER)]


def _make_hinges(pitch: float, radius: float, half: float) -> Parts:
    """Eyes about the two pins that interlock with those of the neighbours."""
    radius = min(0.75 * radius, 0.16 * pitch)
    front, rear = pitch / 2, -pitch / 2
    spans = [(front, -0.3, 0.3), (rear, -0.95, -0.33), (rear, 0.33, 0.95)]
    return [(make_rod((x, low * half, 0), (x, high * half, 0), radius, 10), STEEL) for x, low, high in spans]


def _make_tooth_pins(frame: LinkFrame, pins: list[Pin], half: float) -> Parts:
    """Pins that engage the teeth, out to both sides of the gear rings, held by slim webs outside of them."""
    if not pins:
        return []
    places = np.concatenate([frame.find_local(pin.positions) for pin in pins])
    radius = max(pin.radius for pin in pins)
    ring, web, cap = float(np.abs(places[:, 1]).max()), 0.8 * radius, 0.3 * radius
    inner = max(half, ring + 0.5 * max(ring - half, 2.0 * radius))
    lines = sorted({(float(x), float(z)) for x, z in np.round(places[:, [0, 2]], 6)})
    outer = inner + web + cap
    parts: Parts = [(make_rod((x, -outer, z), (x, outer, z), radius, 10), BRIGHT) for x, z in lines]
    rear, front = min(-0.44 * frame.pitch, lines[0][0]), 0.44 * frame.pitch
    level = float(np.mean([z for _, z in lines]))
    low, high = level - 0.45 * radius, level + 0.45 * radius
    outline = [(rear, low), (front, low), (front, high), (rear, high)]
    parts += [(make_slab(outline, -inner, -inner - web), STEEL), (make_slab(outline, inner + web, inner), STEEL)]
    return parts


def _make_horn(frame: LinkFrame, horn: Horn, high: float, half_plate: float) -> Array:
    """A tooth from the face to its tip, as far over the given point as that is over the face."""
    x, y, z = frame.find_local(horn.position)[0]
    tip = z + max(z - high, 0.1 * frame.pitch)
    foot, top = 0.45 * half_plate, 0.2 * half_plate
    outline = [(x - foot, high), (x + foot, high), (x + top, tip), (x - top, tip)]
    return make_slab(outline, y + horn.half_width, y - horn.half_width)
