"""The moving picture of a result: meshes of bodies and terrain, and the poses of every body over time.

Made of a result alone. Pictures, films and 3D files are made of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grouser.families.joint.spec import HELD_ROWS
from grouser.model.body import WORLD, Frame
from grouser.model.contact import Points, Shape
from grouser.model.force import Tyre
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.surface import Surface
from grouser.output.colour import Colour
from grouser.output.deforming import Deforming, make_deforming
from grouser.output.ground import make_ground
from grouser.output.hull_shapes import make_block_parts, make_front_parts, make_vehicle_parts
from grouser.output.mesh import Array, Mesh, join_meshes, make_mesh
from grouser.output.mesh_motion import calc_boxes, find_moment
from grouser.output.plots import say_title
from grouser.output.poses import find_shown, split_poses
from grouser.output.rods import make_rod_meshes
from grouser.output.shapes import (
    PAINT,
    PLAIN,
    STEEL,
    Parts,
    make_arm_parts,
    make_ball_parts,
    make_lump_parts,
    make_point_parts,
    make_shape_parts,
)
from grouser.output.track_shapes import find_link_frame, make_link_parts
from grouser.output.wheeled_shapes import make_car_parts, make_tyre_parts

if TYPE_CHECKING:
    from grouser.model.model import Model, Track
    from grouser.result.result import Result

PLACE = {"body", "group"}
"""Fields of shapes and frames that say where they belong, not what they look like."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What a result shows, except the motion.

    Attributes
    ----------
    title : of the run, for people
    time : of the frames, (frames,) [s]
    frames : which stored frames of the result these are, (frames,)
    bodies : names of bodies and points; those of the rods of distance joints come last
    main_body : the body that speaks for the whole
    meshes : what bodies look like; bodies that look the same share one
    mesh : for each body, which of `meshes` it has
    deforming : flexible meshes; where their nodes are is read when it is asked for (`MeshMotion`)
    terrain : the ground around the way that was driven and surfaces fixed to the world, in the world; or None
    size : diagonal of the box around all bodies and meshes at the first frame [m]
    """

    title: str
    time: Array
    frames: NDArray[np.int64]
    bodies: tuple[str, ...]
    main_body: str
    meshes: tuple[Mesh, ...]
    mesh: tuple[int, ...]
    deforming: tuple[Deforming, ...]
    terrain: Mesh | None
    size: float


@dataclass(frozen=True, eq=False)
class Scene(Stage):
    """What a result shows.

    Attributes
    ----------
    position : of the origins of the bodies in the world, (frames, bodies, 3) [m]
    quaternion : from body to world, x, y, z, w, without jumps of sign, (frames, bodies, 4)
    way : of the main body, which may be a node of a mesh, (frames, 3) [m]
    """

    position: Array
    quaternion: Array
    way: Array


def make_stage(result: Result, rate: float | None = None) -> Stage:
    """All of the scene of a result but the motion; `rate` as in `make_scene`."""
    model = result.model
    deforming = make_deforming(model)
    shown = find_shown(result, rate, deforming)
    meshes, mesh = make_body_meshes(model)
    rods = make_rod_meshes(model)
    mesh = (*mesh, *range(len(meshes), len(meshes) + len(rods)))
    meshes = (*meshes, *rods.values())
    corners = _find_corners(meshes, mesh, *next(split_poses(result, shown.frames[:1])))
    corners = np.concatenate([corners, calc_boxes(result.with_frames(shown.frames[:1]), deforming)[0]])
    size = float(np.linalg.norm(np.ptp(corners, axis=0)))
    return Stage(
        title=say_title(result),
        time=np.asarray(result.time)[shown.frames],
        frames=shown.frames,
        bodies=(*model.bodies, *model.points, *rods),
        main_body=result.main_body,
        meshes=meshes,
        mesh=mesh,
        deforming=deforming,
        # as much around as the model is large
        terrain=_make_ground(model, shown.low - size, shown.high + size, size),
        size=size,
    )


def _make_ground(model: Model, low: Array, high: Array, size: float) -> Mesh | None:
    """The terrain around the way, and the surfaces that are fixed to the world; arguments as `make_ground`."""
    fixed = [shape for shape in model.shapes.values() if isinstance(shape, Surface) and shape.body == WORLD]
    parts = [] if model.terrain is None else [make_ground(model.terrain, low, high, size)]
    if fixed:
        parts.append(make_mesh("terrain", [part for shape in fixed for part in make_shape_parts(shape, STEEL)]))
    return join_meshes(parts) if parts else None


def make_scene(result: Result, rate: float | None = None) -> Scene:
    """The scene of a result.

    Frames in which a body is nowhere, as at the end of a run that diverged, are left out.

    Parameters
    ----------
    rate : most frames a second; by default all stored frames
    """
    return fill_stage(result, make_stage(result, rate))


def fill_stage(result: Result, stage: Stage, frames: slice = slice(None)) -> Scene:
    """The scene of a result with some of the frames of its stage, by default all."""
    numbers = stage.frames[frames]
    position = np.empty((len(numbers), len(stage.bodies), 3))
    quaternion = np.empty((len(numbers), len(stage.bodies), 4))
    done = 0
    for places, turns in split_poses(result, numbers):
        part = slice(done, done + len(places))
        position[part], quaternion[part] = places, turns
        done += len(places)
    shown = {**vars(stage), "time": stage.time[frames], "frames": numbers}
    if stage.main_body in stage.bodies:
        way = position[:, stage.bodies.index(stage.main_body)]
    else:
        way = result.with_frames(numbers).main_position
    return Scene(**shown, position=position, quaternion=quaternion, way=way)


def calc_pose(scene: Scene, time: float) -> tuple[Array, Array]:
    """Positions (bodies, 3) and quaternions (bodies, 4) at a time [s], straight between two frames."""
    before, after, share = find_moment(scene.time, time)
    position = (1 - share) * scene.position[before] + share * scene.position[after]
    quaternion = (1 - share) * scene.quaternion[before] + share * scene.quaternion[after]
    return position, quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)


def make_body_meshes(model: Model) -> tuple[tuple[Mesh, ...], tuple[int, ...]]:
    """Meshes, and for each body and each point of the model which of them it has."""
    maker = _BodyMaker(model)
    meshes: list[Mesh] = []
    known: dict[str, int] = {}
    index = []
    for body in model.bodies:
        look = maker.describe(body)
        if look not in known:
            known[look] = len(meshes)
            meshes.append(make_mesh(body, maker.make_parts(body, PLAIN[len(meshes) % len(PLAIN)])))
        index.append(known[look])
    if model.points:
        index += [len(meshes)] * len(model.points)
        meshes.append(make_mesh("point", make_point_parts(model)))
    return tuple(meshes), tuple(index)


class _BodyMaker:
    """What belongs to each body of a model, and the solids made of it."""

    def __init__(self, model: Model):
        self.model = model
        self.shapes: dict[str, list[Shape]] = defaultdict(list)
        for shape in model.shapes.values():
            self.shapes[shape.body].append(shape)
        self.joints: dict[str, list[tuple[Frame, bool]]] = defaultdict(list)
        for joint in model.joints.values():
            has_axis = not HELD_ROWS[joint.type][5] and HELD_ROWS[joint.type][3] == 1
            for frame in (joint.frame_a, joint.frame_b):
                if joint.type != "free":
                    self.joints[frame.body].append((frame, has_axis))
        self.tyres = {force.frame.body: force for force in model.forces.values() if isinstance(force, Tyre)}
        # nodes of thick beams are bodies: they round the corners of the bars
        self.bars = {f"{bar.name}.{i}": bar for bar in make_deforming(model) if bar.family == "body" for i in bar.nodes}
        self.tracks: dict[str, Track] = {link: track for track in model.tracks.values() for link in track.links}

    def describe(self, body: str) -> str:
        """A text that is the same for bodies that look the same."""
        if body in self.bars and not self.shapes[body]:
            return f"node of {self.bars[body].name}"
        words = [
            shape.model_copy(update=_sort_places(shape)).model_dump_json(exclude=PLACE) for shape in self.shapes[body]
        ]
        words += [f"{frame.model_dump_json(exclude=PLACE)}{has_axis}" for frame, has_axis in self.joints[body]]
        if body in self.tyres:
            words.append(self.tyres[body].model_dump_json(exclude={"frame": {"body"}}))
        elif not self.shapes[body]:
            words.append(self.model.bodies[body].model_dump_json(include={"mass", "inertia", "com"}))
        kind = body if body == self.model.main_body else str(body in self.tracks)
        return ";".join([kind, *sorted(words)]).replace("-0.0,", "0.0,").replace("-0.0]", "0.0]")

    def make_parts(self, body: str, colour: Colour) -> Parts:
        """Solids of a body; the colour is for what is no part of a tracked vehicle."""
        shapes, model = self.shapes[body], self.model
        if body in self.bars and not shapes:
            return make_ball_parts(self.bars[body].radius, self.bars[body].colour)
        has_surface = any(isinstance(shape, Surface) for shape in shapes)
        if body in self.tracks and not has_surface:
            return make_link_parts(find_link_frame(model, self.tracks[body], body, shapes), shapes)
        parts: Parts = make_tyre_parts(self.tyres[body]) if body in self.tyres else []
        if body == model.main_body and len(self.tyres) > 2:
            parts += make_car_parts(model, body, list(self.tyres.values()))
        for shape in shapes:
            if not isinstance(shape, Points):
                parts += make_shape_parts(shape, STEEL if body in self.tracks else colour)
        corners = np.array([corner for shape in shapes if isinstance(shape, Points) for corner in shape.positions])
        if body == model.main_body and model.tracks:
            parts += make_vehicle_parts(model, body, corners)
        elif len(corners):
            block = make_block_parts(corners, np.array(model.bodies[body].com), colour) or []
            parts += block + (make_front_parts(corners) if block and body == model.main_body else [])
        return parts or self._make_plain(body, colour)

    def _make_plain(self, body: str, colour: Colour) -> Parts:
        """A body without shapes: bars between its joints, or a box of its inertia."""
        places: dict[tuple[float, ...], Array | None] = {}
        for frame, has_axis in self.joints[body]:
            axis = quaternion_to_matrix(frame.orientation)[:, 2] if has_axis else None
            places.setdefault(tuple(np.round(frame.position, 9)), axis)
        points = [np.array(point) for point in places]
        if len(points) < 2:
            return make_lump_parts(self.model.bodies[body], points, STEEL if self.model.tracks else colour)
        slim, colour = (0.11, PAINT) if self.model.tracks else (0.06, colour)
        return make_arm_parts(points, list(places.values()), slim, colour)


def _sort_places(shape: Shape) -> dict[str, list[Any]]:
    """The lists of a shape in an order of their own: pins counted from the left or from the right look the same."""
    return {name: sorted(value) for name, value in shape if isinstance(value, list)}


def _find_corners(meshes: tuple[Mesh, ...], mesh: tuple[int, ...], position: Array, quaternion: Array) -> Array:
    """Corners of boxes around all bodies at the first frame, (2 bodies, 3) [m]."""
    corners = np.empty((2 * len(mesh), 3))
    for i, number in enumerate(mesh):
        matrix = quaternion_to_matrix(np.roll(quaternion[0, i], 1))
        world = position[0, i] + meshes[number].vertices @ matrix.T
        corners[2 * i], corners[2 * i + 1] = world.min(axis=0), world.max(axis=0)
    return corners
