"""Stills and movies of a result, made without a display."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from grouser.errors import ResultError, say_unknown
from grouser.model.rotation import rotate
from grouser.output.camera import aim_camera, find_view, fit_camera, make_view_axes
from grouser.output.encoder import Encoder, find_encoder
from grouser.output.legend import add_legend, find_colours
from grouser.output.mesh import Array
from grouser.output.mesh_motion import MeshMotion
from grouser.output.mesh_values import choose_quantity, make_scale
from grouser.output.painter import Painter, find_ball
from grouser.output.scene import Scene, calc_pose, fill_stage, make_scene, make_stage
from grouser.output.side_view import find_frame
from grouser.result.mark import MADE_BY
from grouser.result.target import check_place
from grouser.whole_file import save_whole

if TYPE_CHECKING:
    from PIL.Image import Image

    from grouser.result.result import Result

FRAMES_FITTED = 12
"""Moments of a movie at which everything shall be in the picture."""
SMOOTHING = 0.5
"""Time over which the way of a camera that follows a body is smoothed [s]."""
SIZE_RANGE = (16, 8192)

Progress = Callable[[str, float, float], None]
"""Takes the phase, the time that was reached and the end [s]."""


@dataclass(frozen=True)
class Shot:
    """How a result is looked at.

    Attributes
    ----------
    view : ``iso``, ``side``, ``front``, ``top``, or azimuth and elevation from the heading in degrees, as ``30,20``
    size : width and height [pixel]
    follow : body in the middle of the picture; by default all bodies are shown, and a movie follows the main body
        where it drives further than it is long
    zoom : larger than 1 brings the camera nearer
    colour : quantity by which flexible meshes are coloured, one of `QUANTITIES`, with a legend; by default none.
        Where the result holds them, ``von_mises`` and ``strain`` are those of the surface
    """

    view: str = "iso"
    size: tuple[int, int] = (1280, 720)
    follow: str | None = None
    zoom: float = 1.0
    colour: str | None = None


def save_still(result: Result, path: str | Path, time: float | None = None, shot: Shot | None = None) -> Path:
    """Write a picture (.png) of a result at a time [s], by default at its end."""
    from PIL.PngImagePlugin import PngInfo

    shot, path = shot or Shot(), Path(path)
    check_place(path, "picture")
    stage = make_stage(result)
    frame = len(stage.time) - 1
    if time is not None:
        frame = int(np.argmin(np.abs(stage.frames - find_frame(result, time))))
    scene = fill_stage(result, stage, slice(frame, frame + 1))
    film = _Film(result, scene, shot, scene.time)
    facts = PngInfo()
    facts.add_text("Software", MADE_BY)
    with save_whole(path, "picture") as unfinished:
        film.make_image(0).save(unfinished, format="PNG", optimize=True, pnginfo=facts)
    return path


def save_movie(
    result: Result,
    path: str | Path,
    shot: Shot | None = None,
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    progress: Progress | None = None,
) -> Path:
    """Write a movie (.mp4) of a result.

    Parameters
    ----------
    fps : pictures a second
    speed : of the movie over that of the run; 0.25 is slow motion
    progress : is told how far it is
    """
    shot, path = shot or Shot(), Path(path)
    check_place(path, "movie")
    for name, value in (("fps", fps), ("speed", speed)):
        if not 0.001 <= value <= 1000.0:
            raise ResultError(f"{name} {value:g} must lie between 0.001 and 1000")
    if any(length % 2 for length in shot.size):
        raise ResultError(f"size {shot.size[0]}x{shot.size[1]}: width and height of a movie must be even")
    program = find_encoder()
    scene = make_scene(result)
    step = speed / fps
    times = np.arange(scene.time[0], scene.time[-1] + 0.5 * step, step)
    film = _Film(result, scene, shot, times)
    with save_whole(path, "movie") as unfinished, Encoder(program, unfinished, shot.size, fps) as encoder:
        for number, time in enumerate(times):
            if progress:
                progress("rendering", float(time - times[0]), float(times[-1] - times[0]))
            encoder.add(film.make_image(number).tobytes())
    return path


class _Film:
    """Pictures of a scene at given times: camera and captions."""

    def __init__(self, result: Result, scene: Scene, shot: Shot, times: Array):
        check_shot(shot, scene)
        self._scale, key = None, None
        if shot.colour is not None:
            key = choose_quantity(result, scene.deforming, shot.colour)
            self._scale = make_scale(result, scene.deforming, key)
        self._motion = MeshMotion(result, scene, key)
        self._scene, self._times = scene, times
        self._painter = Painter(scene, shot.size)
        azimuth, elevation = find_view(shot.view)
        heading = _find_heading(scene, times[0]) if result.model.main_body else 0.0
        self._axes = make_view_axes(np.radians(azimuth) + heading, np.radians(elevation))
        self._ways = find_ways(scene, shot.follow, times)
        points = self._find_points()
        self._centre, self._radius = find_ball(points)
        self._camera = fit_camera(points, self._axes, shot.size[0] / shot.size[1], shot.zoom)
        if shot.follow is not None:
            target = calc_pose(scene, times[0])[0][scene.bodies.index(shot.follow)]
            self._camera = aim_camera(self._camera, points, target)

    def _find_points(self) -> Array:
        """Points (n, 3) of all bodies at a few moments, as seen from a camera that moves along."""
        moments = np.unique(np.linspace(0, len(self._times) - 1, FRAMES_FITTED).astype(int))
        return np.concatenate([self._place(self._times[i]) - self._ways[i] for i in moments])

    def _place(self, time: float) -> Array:
        """Put everything where it was at a time [s], and in its colour; gives all vertices, (n, 3) [m]."""
        for number, (places, values) in enumerate(self._motion.calc(time)):
            colours = None
            if self._scale is not None:
                mesh = self._scene.deforming[number]
                known = np.full(len(mesh.nodes) + len(mesh.lines), np.nan) if values is None else values
                colours = find_colours(self._scale.calc_shares(mesh.spread(known)))
            self._painter.place_nodes(number, places, colours)
        return self._painter.place_bodies(*calc_pose(self._scene, time))

    def make_image(self, number: int) -> Image:
        """The picture of a number with its caption."""
        from PIL import Image

        time, way = self._times[number], self._ways[number]
        self._place(time)
        picture = self._painter.paint(self._camera.with_shift(way), self._centre + way, self._radius)
        image = Image.fromarray(picture)
        add_caption(image, f"{self._scene.title}, t = {time:.2f} s")
        if self._scale is not None:
            add_legend(image, self._scale)
        return image


def check_shot(shot: Shot, scene: Scene) -> None:
    """Refuse what cannot be shown."""
    find_view(shot.view)
    low, high = SIZE_RANGE
    if not all(low <= length <= high for length in shot.size):
        raise ResultError(f"size {shot.size[0]}x{shot.size[1]}: width and height must lie between {low} and {high}")
    if not 0.01 <= shot.zoom <= 1000.0:
        raise ResultError(f"zoom {shot.zoom:g} must lie between 0.01 and 1000")
    if shot.follow is not None and shot.follow not in scene.bodies:
        raise ResultError(say_unknown("body", shot.follow, scene.bodies))


def _find_heading(scene: Scene, time: float) -> float:
    """Angle of the main body's x axis from the world's, seen from above [rad]."""
    quaternion = calc_pose(scene, time)[1][scene.bodies.index(scene.main_body)]
    ahead = rotate(np.roll(quaternion, 1), (1.0, 0.0, 0.0))
    return float(np.arctan2(ahead[1], ahead[0]))


def find_ways(scene: Scene, follow: str | None, times: Array) -> Array:
    """How far the camera has moved at each time, (times, 3) [m]; zero for one that stands still."""
    position = scene.way if follow is None else scene.position[:, scene.bodies.index(follow)]
    if len(times) == 1 or (follow is None and np.ptp(position, axis=0).max() < scene.size):
        return np.zeros((len(times), 3))
    step = (times[-1] - times[0]) / (len(times) - 1)
    half = int(SMOOTHING / step / 2)
    way = np.column_stack([np.interp(times, scene.time, position[:, i]) for i in range(3)])
    padded = np.concatenate([np.repeat(way[:1], half, axis=0), way, np.repeat(way[-1:], half, axis=0)])
    window = np.full(2 * half + 1, 1 / (2 * half + 1))
    smooth = np.column_stack([np.convolve(padded[:, i], window, mode="valid") for i in range(3)])
    return smooth - smooth[0]


def add_caption(image: Image, text: str) -> None:
    """Write a line at the lower left of a picture."""
    from PIL import ImageDraw, ImageFont

    size = max(10, image.height // 40)
    draw = ImageDraw.Draw(image)
    place = (size, image.height - size)
    draw.text(place, text, font=ImageFont.load_default(size), anchor="ls", fill=(40, 44, 50))
