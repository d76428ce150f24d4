"""The vehicle at one moment, seen from its side: the first thing to look at before any number is believed.

Everything is drawn from the model's shapes at the stored poses, projected on the world's X-Z plane, or on
the vertical plane along its heading once a vehicle has turned away from X.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from grouser.errors import ResultError, say_unknown
from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD, Frame
from grouser.model.contact import Pin, Plate, Points, Rail, Sphere, Sprocket, Toothed, Wheel
from grouser.model.force import Spring
from grouser.model.mesh import RingMesh
from grouser.model.rotation import make_axis_frame, quaternion_to_matrix
from grouser.model.surface import Surface
from grouser.model.terrain import calc_terrain_height
from grouser.output.deforming import make_deforming
from grouser.output.mesh_motion import read_moment
from grouser.output.plots import say_title
from grouser.output.shapes import calc_sprocket_outline
from grouser.output.silhouette import find_lines
from grouser.output.style import BLACK, BLUE, COLOR_MAP, GREEN, GREY, ORANGE, RED, STYLE, say_plain
from grouser.output.track_shapes import find_pin, find_pins
from grouser.result.detect import make_sprocket_axes
from grouser.result.loads import read_tension
from grouser.result.metrics import calc_forward_speed
from grouser.result.nodes import read_nodes
from grouser.result.places import calc_places
from grouser.surface.make import make_rigid_data

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from grouser.model.model import Track
    from grouser.result.result import Array, Result

POINTS_PER_TOOTH = 40
CIRCLE = np.linspace(0.0, 2 * np.pi, 73)
THIN_LINK = 0.15
"""Thickness of a link without pads, as a share of the pitch."""
WIDTH, HEIGHT = 10.0, 7.5
"""Largest size of the picture [inch]."""
TURNED = np.cos(np.radians(10.0))
"""A vehicle whose heading is further than this from X is drawn along its heading."""


def make_side_view(result: Result, time: float, side: str | None = None) -> Figure:
    """The vehicle at a time, links coloured by their tension.

    A track is seen from outside: the left one from the left, so that the vehicle drives to the left. A
    model without tracks is drawn with X to the right: centres of mass as dots, lines to the joints.

    Parameters
    ----------
    time : drawn is the stored frame nearest to it [s]
    side : name of the track to draw; by default the first. Wheels and arms are drawn if they lie on its
        side of the main body.
    """
    track = _find_track(result, side)
    # bodies of a run that diverged may be anywhere
    with mpl.rc_context({**STYLE, "axes.grid": False}), np.errstate(all="ignore"):
        scene = _Scene(result, find_frame(result, time), is_vehicle=track is not None)
        figure = Figure(layout="constrained")
        ax = figure.subplots()
        label = "X [m]" if scene.is_along_x else "way along the heading [m]"
        if track is None:
            _draw_bodies(scene, ax)
            _draw_surfaces(scene, ax, set(result.model.bodies))
            _draw_meshes(scene, ax)
            _fit_view(scene, ax, figure, np.zeros(3))
        else:
            _draw_vehicle(scene, ax, figure, track)
            _draw_meshes(scene, ax)
            _fit_view(scene, ax, figure, scene.position[track.sprocket])
            is_left = scene.calc_lateral(track.sprocket) > 0
            label += f", seen from the {'left' if is_left else 'right'}"
            if is_left:
                ax.invert_xaxis()
        ax.set_xlabel(label)
        ax.set_ylabel("Z [m]")
        ax.set_title(say_plain(_say_moment(scene)))
    return figure


def find_frame(result: Result, time: float) -> int:
    """The stored frame nearest to a time; a time outside of the run is refused."""
    if len(result.time) == 0:
        raise ResultError("the result holds no frame yet")
    first, last = result.time[0], result.time[-1]
    slack = 1e-6 + (last - first) / max(1, len(result.time) - 1)
    if not first - slack <= time <= last + slack:
        raise ResultError(f"time {time:g} s lies outside of the run, which goes from {first:g} s to {last:g} s")
    return int(np.argmin(np.abs(result.time - time)))


class _Scene:
    """The poses of one frame, the plane of the picture, and the extent of what has been drawn."""

    def __init__(self, result: Result, frame: int, *, is_vehicle: bool):
        self.result, self.frame = result, frame
        self.time = float(result.time[frame])
        self.bodies = list(result.model.bodies)
        self.shown = shown = result.with_frames(slice(frame, frame + 1))
        self.position: dict[str, Array] = {}
        self.rotation: dict[str, Array] = {}
        if self.bodies:
            positions, _ = shown.block("body/position", self.bodies)
            quaternions, _ = shown.block("body/orientation", self.bodies)
            self.position = dict(zip(self.bodies, positions[0], strict=True))
            self.rotation = {name: quaternion_to_matrix(q) for name, q in zip(self.bodies, quaternions[0], strict=True)}
        if points := list(result.model.points):
            places, _ = shown.block("point/position", points)
            self.position |= dict(zip(points, places[0], strict=True))
            self.rotation |= dict.fromkeys(points, np.eye(3))
        heading = self.rotation.get(result.main_body, np.eye(3))[:2, 0]
        heading = heading / np.linalg.norm(heading)
        self.is_along_x = not is_vehicle or not heading[0] < TURNED
        self.along = np.array([1.0, 0.0, 0.0] if self.is_along_x else [*heading, 0.0])
        self.drawn: list[Array] = []

    def place(self, body: str, points: ArrayLike) -> Array:
        """Points of a body in the world, (n, 3)."""
        local = np.atleast_2d(np.asarray(points, dtype=float))
        if body == WORLD:
            return local
        return self.position[body] + local @ self.rotation[body].T

    def project(self, body: str, points: ArrayLike) -> Array:
        """Points of a body in the picture, (n, 2); the view will contain them."""
        world = self.place(body, points)
        seen = np.column_stack([world @ self.along, world[:, 2]])
        self.drawn.append(seen)
        return seen

    def project_frame(self, frame: Frame) -> Array:
        """Origin of a frame in the picture, (2,)."""
        return self.project(WORLD, calc_places(self.shown, [frame])[0])[0]

    def calc_lateral(self, body: str) -> float:
        """Place of a body across the main body, positive to the left [m]."""
        main = self.result.main_body
        return float((self.position[body] - self.position[main]) @ self.rotation[main][:, 1])


def _find_track(result: Result, side: str | None) -> Track | None:
    tracks = result.model.tracks
    if side is None:
        return next(iter(tracks.values()), None)
    if side not in tracks:
        raise ResultError(say_unknown("track", side, tracks))
    return tracks[side]


def _draw_vehicle(scene: _Scene, ax: Axes, figure: Figure, track: Track) -> None:
    """Draw everything on the side of a track."""
    model, main = scene.result.model, scene.result.main_body
    sign = np.sign(scene.calc_lateral(track.sprocket))
    links = {link for other in model.tracks.values() for link in other.links}
    near = {b for b in model.bodies if b != main and b not in links and sign * scene.calc_lateral(b) >= 0}
    _draw_hull(scene, ax, main)
    for shape in model.shapes.values():
        if isinstance(shape, Wheel) and (shape.body in near or shape.body == main):
            _draw_wheel(scene, ax, shape, ORANGE if shape.body == track.idler else GREY)
    _draw_arms(scene, ax, near)
    for force in model.forces.values():
        if isinstance(force, Spring) and {force.frame_a.body, force.frame_b.body} & near:
            ends = np.array([scene.project_frame(force.frame_a), scene.project_frame(force.frame_b)])
            ax.plot(*ends.T, color=GREEN, linewidth=1.2, linestyle=(0, (2, 1)), zorder=4)
    for shape in model.shapes.values():
        if isinstance(shape, Sprocket | Toothed) and shape.body in near:
            _draw_sprocket(scene, ax, shape)
    _draw_surfaces(scene, ax, {*near, *track.links})
    if track.chain is None:
        _draw_links(scene, ax, figure, track)
    else:
        _draw_chain(scene, ax, figure, track)


def _draw_meshes(scene: _Scene, ax: Axes) -> None:
    """Edges of the faces and bars of flexible meshes."""
    model = scene.result.model
    chains = {track.chain for track in model.tracks.values()}  # drawn as links
    meshes = [mesh for mesh in make_deforming(model) if mesh.name not in chains]
    for mesh, (places, _) in zip(meshes, read_moment(scene.result, meshes, scene.frame), strict=True):
        seen = scene.project(WORLD, places)
        ax.add_collection(LineCollection(list(seen[mesh.list_edges()]), colors=[mesh.colour], linewidths=0.6, zorder=2))


def _draw_surfaces(scene: _Scene, ax: Axes, bodies: Set[str]) -> None:
    """Outlines and sharp edges of the surfaces on some bodies and on the world."""
    lines = []
    for shape in scene.result.model.shapes.values():
        if isinstance(shape, Surface) and shape.body in {*bodies, WORLD}:
            turn = np.eye(3) if shape.body == WORLD else scene.rotation[shape.body]
            ends = find_lines(make_rigid_data(shape), turn.T @ np.cross(scene.along, [0.0, 0.0, 1.0]))
            if shape.body == WORLD:  # it may go on for ever, and the view does not
                seen = np.stack([ends @ scene.along, ends[..., 2]], axis=-1)
            else:
                seen = scene.project(shape.body, ends.reshape(-1, 3)).reshape(-1, 2, 2)
            lines += list(seen)
    ax.add_collection(LineCollection(lines, colors=[BLACK], linewidths=0.5, zorder=5))


def _draw_hull(scene: _Scene, ax: Axes, body: str) -> None:
    """The convex outline of the points of a body, or a dot.

    Points are mostly the underside alone. The body is drawn over their whole length up to the highest of
    them and to its centre of mass: of what is above them the model says nothing more.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = [
        position
        for shape in scene.result.model.shapes.values()
        if isinstance(shape, Points) and shape.body == body
        for position in shape.positions
    ]
    com = scene.result.model.bodies[body].com
    if points:
        top = max(com[2], *(z for _, _, z in points))
        ends = min(x for x, _, _ in points), max(x for x, _, _ in points)
        points += [(x, com[1], top) for x in ends]
    seen = scene.project(body, points or [com])
    try:
        outline = seen[ConvexHull(seen).vertices]
        ax.fill(*outline.T, facecolor="#DCE3EA", edgecolor=GREY, linewidth=0.8, zorder=1)
    except (QhullError, ValueError):  # too few points, or all on one line
        ax.plot(*seen.T, "o-", color=GREY, markersize=4, zorder=1)
    ax.plot(*scene.project(body, com)[0], "P", color=GREY, markersize=6, zorder=1)


def _draw_wheel(scene: _Scene, ax: Axes, wheel: Wheel, color: str) -> None:
    """A disc with a spoke, by which its rotation is seen."""
    axes = make_axis_frame(wheel.axis)
    centre = np.array(wheel.position)
    rim = centre + wheel.radius * (np.outer(np.cos(CIRCLE), axes[:, 0]) + np.outer(np.sin(CIRCLE), axes[:, 1]))
    seen = scene.project(wheel.body, rim)
    ax.fill(*seen.T, facecolor=color, alpha=0.22, linewidth=0, zorder=2)
    ax.plot(*seen.T, color=color, linewidth=1.0, zorder=3)
    spoke = scene.project(wheel.body, [centre, centre + wheel.radius * axes[:, 0]])
    ax.plot(*spoke.T, color=color, linewidth=1.4, zorder=3)
    ax.plot(*spoke[:1].T, "o", color=color, markersize=3.5, zorder=3)


def _draw_sphere(scene: _Scene, ax: Axes, sphere: Sphere) -> None:
    """A circle with a line to the point ahead on its body, by which its rotation is seen."""
    up = np.array([0.0, 0.0, 1.0])
    rim = sphere.radius * (np.outer(np.cos(CIRCLE), scene.along) + np.outer(np.sin(CIRCLE), up))
    seen = scene.project(WORLD, scene.place(sphere.body, sphere.position) + rim)
    ax.fill(*seen.T, facecolor=GREY, alpha=0.22, linewidth=0, zorder=2)
    ax.plot(*seen.T, color=GREY, linewidth=1.0, zorder=3)
    x, y, z = sphere.position
    spoke = scene.project(sphere.body, [sphere.position, (x + sphere.radius, y, z)])
    ax.plot(*spoke.T, color=GREY, linewidth=1.4, zorder=3)


def _draw_sprocket(scene: _Scene, ax: Axes, sprocket: Sprocket | Toothed) -> None:
    """The real outline: concave arcs and lands; the spoke points to the reference gap."""
    along, across, _ = make_sprocket_axes(sprocket).T
    centre = np.array(sprocket.position)
    teeth = calc_sprocket_outline(sprocket, POINTS_PER_TOOTH)
    closed = np.vstack([teeth, teeth[:1]])
    outline = centre + np.outer(closed[:, 0], along) + np.outer(closed[:, 1], across)
    seen = scene.project(sprocket.body, outline)
    ax.fill(*seen.T, facecolor=BLUE, alpha=0.25, linewidth=0, zorder=5)
    ax.plot(*seen.T, color=BLUE, linewidth=1.0, zorder=10)  # above the links: teeth and pins are seen to fit
    spoke = scene.project(sprocket.body, [centre, centre + np.linalg.norm(teeth, axis=1).min() * along])
    ax.plot(*spoke.T, color=BLUE, linewidth=1.4, zorder=6)
    ax.plot(*spoke[:1].T, "o", color=BLUE, markersize=3.5, zorder=6)


def _draw_arms(scene: _Scene, ax: Axes, bodies: Iterable[str]) -> None:
    """Lines between the joints of bodies that have several: arms, carriers, rockers."""
    ends: dict[str, list[Frame]] = {body: [] for body in bodies}
    for joint in scene.result.model.joints.values():
        for frame in (joint.frame_a, joint.frame_b):
            if frame.body in ends:
                ends[frame.body].append(frame)
    for frames in ends.values():
        if len(frames) > 1:
            line = np.array([scene.project_frame(frame) for frame in frames])
            ax.plot(*line.T, "o-", color=BLACK, linewidth=1.6, markersize=3, zorder=4)


def _draw_links(scene: _Scene, ax: Axes, figure: Figure, track: Track) -> None:
    """Links as plates, coloured by tension; pins as dots; circles where they meet the sprocket."""
    result = scene.result
    plates = [scene.project(link, corners) for link, corners in _make_plates(result, track).items()]
    collection = PolyCollection(plates, edgecolors="#33383F", linewidths=0.5, zorder=7)
    if result.has_block("link/tension"):
        shown = result.with_frames(slice(scene.frame, scene.frame + 1))
        _colour_by_tension(collection, shown.block("link/tension", track.links)[0][0, :, 0] / 1e3, ax, figure)
    else:
        collection.set_facecolor(GREY)
    ax.add_collection(collection)
    model = result.model
    if track.pins:
        dots = np.array([scene.project_frame(find_pin(model, pin).frame_a) for pin in track.pins])
        ax.plot(*dots.T, "o", color=BLACK, markersize=1.8, zorder=9)
    circles = []
    for shape in model.shapes.values():
        if isinstance(shape, Pin) and shape.body in set(track.links):
            centres = scene.project(shape.body, shape.positions)
            ring = shape.radius * np.column_stack([np.cos(CIRCLE), np.sin(CIRCLE)])
            circles += [centre + ring for centre in centres]
    ax.add_collection(LineCollection(circles, colors=RED, linewidths=0.6, zorder=8))


def _draw_chain(scene: _Scene, ax: Axes, figure: Figure, track: Track) -> None:
    """Elastic links as plates as thick as their section, coloured by tension; pins as dots."""
    chain = str(track.chain)
    mesh = scene.result.model.meshes[chain]
    assert isinstance(mesh, RingMesh)
    shown = scene.result.with_frames(slice(scene.frame, scene.frame + 1))
    data = make_mesh_data(mesh)
    ends = scene.project(WORLD, read_nodes(shown, chain, "position")[0])[data.ancf_beam.node]
    way = ends[:, 1] - ends[:, 0]
    aside = data.ancf_beam.half[0] * np.column_stack([-way[:, 1], way[:, 0]])
    aside /= np.linalg.norm(way, axis=1)[:, None]
    plates = np.stack([ends[:, 0] + aside, ends[:, 1] + aside, ends[:, 1] - aside, ends[:, 0] - aside], axis=1)
    collection = PolyCollection(list(plates), edgecolors="#33383F", linewidths=0.5, facecolor=GREY, zorder=7)
    tension = read_tension(shown, [track])
    if tension is not None:
        _colour_by_tension(collection, tension[0] / 1e3, ax, figure)
    ax.add_collection(collection)
    dots = ends[:: mesh.count, 0]
    ax.plot(*dots.T, "o", color=BLACK, markersize=1.8, zorder=9)


def _colour_by_tension(collection: PolyCollection, tension: Array, ax: Axes, figure: Figure) -> None:
    """Colour links by tension [kN], with a scale."""
    collection.set_array(tension)
    collection.set_cmap(COLOR_MAP)
    # one colour for a slack track, however small the differences
    finite = tension[np.isfinite(tension)]
    collection.set_clim(min([0.0, *finite]), max([1e-3, *finite]))
    figure.colorbar(collection, ax=ax, label="link tension [kN]", shrink=0.8, pad=0.01, aspect=30)


def _make_plates(result: Result, track: Track) -> dict[str, Array]:
    """Corners of each link's side in its own frame, (n, 3): a pitch long, from its plate or rail to its pads."""
    plates: dict[str, Plate] = {}
    rails: dict[str, Rail] = {}
    pads: dict[str, list[Array]] = {link: [] for link in track.links}
    for shape in result.model.shapes.values():
        if isinstance(shape, Plate) and shape.body in pads:
            plates.setdefault(shape.body, shape)
        elif isinstance(shape, Rail) and shape.body in pads:
            rails.setdefault(shape.body, shape)
        elif isinstance(shape, Points) and shape.body in pads:
            pads[shape.body] += [np.array(position) for position in shape.positions]
    pins = {link: find_pins(result.model, track, link) for link in track.links}
    corners = {}
    for link in track.links:
        rear, front = pins[link]
        forward = front - rear
        middle = (front + rear) / 2
        if link in plates:
            top = np.array(plates[link].position)
            up = quaternion_to_matrix(plates[link].orientation)[:, 2]
        else:
            up = np.cross(forward, (0.0, 1.0, 0.0)) / np.linalg.norm(forward)
            top = middle + 0.5 * THIN_LINK * track.pitch * up
        upper = (top - middle) @ up
        lower = min([(pad - middle) @ up for pad in pads[link]], default=upper - THIN_LINK * track.pitch)
        if link in rails:
            outer = np.array([(x, rails[link].y, z) for x, z in rails[link].points])
            corners[link] = np.vstack([outer, front + lower * up, rear + lower * up])
            continue
        corners[link] = np.array([rear + upper * up, front + upper * up, front + lower * up, rear + lower * up])
    return corners


def _draw_bodies(scene: _Scene, ax: Axes) -> None:
    """Any model: centres of mass as dots with names, lines to their joints, shapes that have an outline."""
    model = scene.result.model
    for shape in model.shapes.values():
        if shape.body in model.meshes and not isinstance(shape, Sphere):
            continue  # the mesh itself is seen
        if isinstance(shape, Wheel):
            _draw_wheel(scene, ax, shape, GREY)
        elif isinstance(shape, Sphere):
            _draw_sphere(scene, ax, shape)
        elif isinstance(shape, Sprocket | Toothed):
            _draw_sprocket(scene, ax, shape)
        elif isinstance(shape, Points):
            ax.plot(*scene.project(shape.body, shape.positions).T, ".", color=GREY, markersize=2, zorder=3)
    for joint in model.joints.values():
        for frame in (joint.frame_a, joint.frame_b):
            point = scene.project_frame(frame)
            if frame.body == WORLD:
                ax.plot(*point, "^", color=BLACK, markersize=8, zorder=3)
            elif frame.body in model.bodies:
                centre = scene.project(frame.body, model.bodies[frame.body].com)[0]
                ax.plot(*np.array([centre, point]).T, color=GREY, linewidth=1.6, zorder=2)
        ax.plot(*point, "o", color=BLACK, markersize=3, zorder=5)
    for force in model.forces.values():
        if isinstance(force, Spring):
            ends = np.array([scene.project_frame(force.frame_a), scene.project_frame(force.frame_b)])
            ax.plot(*ends.T, color=GREEN, linewidth=1.2, linestyle=(0, (2, 1)), zorder=2)
    for name in model.points:
        ax.plot(*scene.project(name, (0.0, 0.0, 0.0))[0], "o", color=BLUE, markersize=3, zorder=4)
    for body in model.bodies:
        centre = scene.project(body, model.bodies[body].com)[0]
        ax.plot(*centre, "o", color=BLUE, markersize=7, zorder=4)
        ax.annotate(say_plain(body), centre, xytext=(6, 6), textcoords="offset points", fontsize=8)


def _fit_view(scene: _Scene, ax: Axes, figure: Figure, origin: Array) -> None:
    """Frame what was drawn at equal scale, and draw the ground below a point through the whole view."""
    points = np.concatenate(scene.drawn)
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) == 0:
        raise ResultError(f"at {scene.time:g} s no body has a finite position: the run had diverged")
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.06 * max(float((high - low).max()), 1e-3)
    low, high = low - margin, high + margin
    span = high - low
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    scale = min(WIDTH / span[0], HEIGHT / span[1])
    figure.set_size_inches(max(4.0, scale * span[0] + 1.5), max(2.5, scale * span[1]) + 0.9)
    terrain = scene.result.model.terrain
    if terrain is None:
        return
    way = np.linspace(low[0], high[0], 400)
    x, y, _ = (origin + np.outer(way - origin @ scene.along, scene.along)).T
    height = calc_terrain_height(terrain, x, y)
    ax.plot(way, height, color="#6B4F2A", linewidth=1.2, zorder=6)
    ax.fill_between(way, height, low[1] - span[1], color="#B9A27E", alpha=0.35, linewidth=0, zorder=0)


def _say_moment(scene: _Scene) -> str:
    words = [say_title(scene.result), f"t = {scene.time:.3f} s"]
    if scene.result.has_block("body/velocity"):
        words.append(f"speed {calc_forward_speed(scene.result)[scene.frame]:.2f} m/s")
    return ", ".join(words)
