"""Tracks whose links are elastic: a model in which a ring of beams by gradients stands for the links of each track.

A link becomes one or more beams from its rear pin to its front pin, and the pins become rows that neighbours share
(`grouser.mesh.ancf`): its place and the gradient along the pin. What the link touches with sits on the mesh, in the
middle of the link and with its axes, so that wheels, teeth and guides act on it as on the rigid link. Contact points of
pads sit where they are along the link, so that the ground bends it.

The section is the rectangle h x b that has the mass m of the link over its length L, and its inertia about the pin and
about the track,

    J_pin = m (L^2 + h^2)/12,   J_along = m (b^2 + h^2)/12                                                (1)

so a link that is stiff moves as the rigid one does. What differs: the centre of mass lies on the line of the pins, the
third moment of inertia follows from (1), and where an inertia is less than that of a bar, a section is a share `THIN`
of the length. The density is that of m, so a link with holes has the stiffness of the full section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from grouser.compile.realization import ElasticLinks, Realization, find_realization
from grouser.errors import UnsupportedError
from grouser.model.base import Part, Quaternion, Vec3
from grouser.model.body import Body, Frame, make_inertia_matrix
from grouser.model.contact import Horn, Pin, Plate, Points, Shape
from grouser.model.material import LinearMaterial
from grouser.model.mesh import RingMesh
from grouser.model.model import Model, Track
from grouser.model.rotation import matrix_to_quaternion, multiply_quaternions, quaternion_to_matrix
from grouser.model.section import Section

THIN = 0.1
"""Least thickness and width of a section over the length of the link."""
LEAST = 0.01
"""Least distance of two places along a link, and of a place from its ends, at which shapes sit, over its length."""
ALIKE = 1e-6
"""Share by which masses and inertias of the links of a track may differ."""

Array = np.ndarray


@dataclass(frozen=True)
class _Links:
    """Links of a track, world axes: places of their rear pins (n, 3), middles (n, 3), and axes (n, 3, 3) in columns,
    along the link, across it along its front pin, and up."""

    rear: Array
    middle: Array
    axes: Array


def with_elastic_links(model: Model, realizations: Mapping[str, Realization]) -> Model:
    """The model itself, or a copy with a mesh for each track whose pins are realized by `ElasticLinks`. A model that
    has these meshes already stays as it is."""
    changed = model
    for name, track in model.tracks.items():
        groups = {model.joints[pin].group for pin in track.pins if pin in model.joints}
        found = {group: find_realization(group, realizations) for group in groups}
        for group, realization in found.items():
            if isinstance(realization, ElasticLinks):
                if len(groups) > 1 or len(track.pins) != sum(pin in model.joints for pin in track.pins):
                    raise UnsupportedError(
                        f"tracks.{name}: its pins are of several kinds; links are elastic together, with pins of the "
                        f"one joint group {group!r}"
                    )
                changed = _replace_links(changed, name, track, realization)
    return changed


def _replace_links(model: Model, name: str, track: Track, wanted: ElasticLinks) -> Model:
    """A copy with a mesh in place of the links of a track."""
    _refuse(model, name, track)
    links = _place_links(model, track)
    mesh_name = f"{name}.chain"
    main = model.bodies[model.main_body or track.sprocket]
    turn = quaternion_to_matrix(main.orientation)
    mesh = RingMesh(
        element="ancf_beam",
        orientation=main.orientation,
        points=[_point(turn.T @ place) for place in links.rear],
        count=wanted.elements,
        normal=_point(turn.T @ links.axes[0][:, 1]),
        pins={"corners": "z"},
        velocity=_point(turn.T @ np.array(model.bodies[track.links[0]].velocity)),
        **_make_section(model, track, links, wanted),
    )
    number = {link: i for i, link in enumerate(track.links)}
    shapes: dict[str, Shape] = {}
    for key, shape in model.shapes.items():
        if shape.body not in number:
            shapes[key] = shape
            continue
        body, i = model.bodies[shape.body], number[shape.body]
        middle, along = links.middle[i], links.axes[i, :, 0]
        parts = _split_points(shape, body, middle, along, LEAST * track.pitch)
        for part, (at, piece) in enumerate(parts):
            name_of_part = key if len(parts) == 1 else f"{key}.{part + 1}"
            shapes[name_of_part] = _move_shape(piece, body, mesh_name, middle + at * along, turn)
    kept = {key: body for key, body in model.bodies.items() if key not in number}
    joints = {key: joint for key, joint in model.joints.items() if key not in set(track.pins)}
    moved = track.model_copy(update={"links": [], "pins": [], "chain": mesh_name})
    return model.model_copy(
        update={
            "bodies": kept,
            "joints": joints,
            "shapes": shapes,
            "meshes": {**model.meshes, mesh_name: mesh},
            "tracks": {**model.tracks, name: moved},
        }
    )


def _refuse(model: Model, name: str, track: Track) -> None:
    """Refuse what elastic links cannot carry."""
    why = next(_find_reasons(model, track), None)
    if why is not None:
        other = "recursive" if model.planar else "implicit"
        raise UnsupportedError(f"tracks.{name}: its links cannot be elastic: {why}; or take the preset {other!r}")


def _find_reasons(model: Model, track: Track) -> Iterator[str]:
    links = set(track.links)
    if model.planar:
        yield "the model moves in a plane, and meshes do not"
    for key, shape in model.shapes.items():
        if shape.body in links and not isinstance(shape, Points | Plate | Pin | Horn):
            yield f"its shape {key!r} of the type {shape.type!r} sits on rigid bodies alone"
    for family in ("joints", "forces", "sensors", "drivers"):
        for key, element in getattr(model, family).items():
            if key not in track.pins and isinstance(element, Part):
                ends = {value.body for _, value in element if isinstance(value, Frame)} & links
                if ends:
                    yield f"{family}.{key} is held by the link {ends.pop()!r}"
    first = model.bodies[track.links[0]]
    for link in track.links:
        body = model.bodies[link]
        numbers = np.array([*np.subtract(body.inertia, first.inertia[: len(body.inertia)]), body.mass - first.mass])
        if np.abs(numbers).max() > ALIKE * first.mass:
            yield f"link {link!r} has another mass or inertia than {track.links[0]!r}"
        if np.abs(np.subtract(body.velocity, first.velocity)).max() > 0.0 or any(body.angular_velocity):
            yield f"link {link!r} moves round the track at the start; start from rest"


def _place_links(model: Model, track: Track) -> _Links:
    """Where links lie, by the places of their pins."""
    pins, lines = [], []
    for pin in track.pins:
        joint = model.joints[pin]
        places = [_place(model.bodies[frame.body], frame.position) for frame in (joint.frame_a, joint.frame_b)]
        pins.append(0.5 * (places[0] + places[1]))
        a = joint.frame_a
        turned = quaternion_to_matrix(model.bodies[a.body].orientation) @ quaternion_to_matrix(a.orientation)
        lines.append(turned[:, 2])
    front, across = np.array(pins), np.array(lines)
    rear = np.roll(front, 1, axis=0)
    along = (front - rear) / np.linalg.norm(front - rear, axis=1)[:, None]
    up = np.cross(along, across)
    return _Links(rear, 0.5 * (rear + front), np.stack([along, across, up], axis=2))


def _place(body: Body, position: Vec3) -> Array:
    place: Array = np.array(body.position) + quaternion_to_matrix(body.orientation) @ np.array(position)
    return place


def _make_section(model: Model, track: Track, links: _Links, wanted: ElasticLinks) -> dict[str, object]:
    """Section and material by (1)."""
    body = model.bodies[track.links[0]]
    axes = quaternion_to_matrix(body.orientation).T @ links.axes[0]
    moments = np.diag(axes.T @ make_inertia_matrix(body.inertia) @ axes)
    length = float(np.linalg.norm(links.middle[0] - links.rear[0])) * 2.0
    m = body.mass
    square = 12.0 * moments[1] / m - length**2
    thickness = float(np.sqrt(max(square, (THIN * length) ** 2)))
    width = float(np.sqrt(max(12.0 * moments[0] / m - thickness**2, (THIN * length) ** 2)))
    density = m / (length * thickness * width)
    return {
        "section": Section(rectangle=(thickness, width)),
        "material": LinearMaterial(
            young=wanted.young,
            poisson=wanted.poisson,
            density=density,
            dilatational=wanted.damping,
            deviatoric=wanted.damping,
        ),
    }


def _split_points(shape: Shape, body: Body, middle: Array, along: Array, least: float) -> list[tuple[float, Shape]]:
    """Contact points of a pad by their places along the link, so that they bend it; other shapes as they are, in the
    middle."""
    if not isinstance(shape, Points):
        return [(0.0, shape)]
    places = [float((_place(body, point) - middle) @ along) for point in shape.positions]
    groups: dict[int, list[int]] = {}
    for k, place in enumerate(places):
        groups.setdefault(round(place / least), []).append(k)
    limit = max(0.5 - LEAST, 0.0) * least / LEAST
    return [
        (
            min(max(places[group[0]], -limit), limit),
            shape.model_copy(update={"positions": [shape.positions[k] for k in group]}),
        )
        for group in groups.values()
    ]


def _move_shape(shape: Shape, body: Body, mesh: str, middle: Array, turn: Array) -> Shape:
    """A shape of a link as one of the mesh, on the frame in the middle of the link, which has the mesh's axes."""
    R = turn.T @ quaternion_to_matrix(body.orientation)
    origin = turn.T @ (np.array(body.position) - middle)
    q = matrix_to_quaternion(R)

    def move(point: Vec3) -> Vec3:
        return _point(origin + R @ np.array(point))

    changes: dict[str, object] = {"body": mesh, "at": _point(turn.T @ middle)}
    if isinstance(shape, Points | Pin):
        changes["positions"] = [move(point) for point in shape.positions]
    if isinstance(shape, Plate | Horn):
        changes["position"] = move(shape.position)
    if isinstance(shape, Plate):
        changes["orientation"] = _turn(q, shape.orientation)
    return shape.model_copy(update=changes)


def _turn(q: Quaternion | Array, other: Quaternion) -> Quaternion:
    return tuple(float(value) for value in multiply_quaternions(np.array(q), np.array(other)))  # type: ignore[return-value]


def _point(values: Array) -> Vec3:
    return tuple(float(value) for value in values)  # type: ignore[return-value]
