"""Painter: pictures of a scene in light and shadow, without a display, by compiled code alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from grouser.kernels.picture import Backdrop, Lighting, Surface, calc_picture, calc_screen, calc_visible
from grouser.model.rotation import quaternion_to_matrix
from grouser.output.camera import Camera, make_view_axes
from grouser.output.colour import calc_linear, calc_srgb
from grouser.output.mesh import Array
from grouser.output.scene import Scene

SAMPLES = 2
"""Samples of a pixel along each side."""
LIGHT = np.array([1.9, 0.75, 0.22])
"""Light of the sun, of the whole sky on level ground, and of the ground on what looks down."""
SUN_AZIMUTH, SUN_ELEVATION = np.radians(-52.0), np.radians(54.0)
"""Where the sun stands: azimuth from the camera's, elevation over the ground."""
SUN_MAP, SKY_MAP, SKY_LAMPS = 2048, 512, 18
"""Pixels along the side of the depth maps, and number of lamps that make the sky."""
GRAIN = 2.0
"""Points are lifted over their face by this many pixels of a map, so that no face shades itself."""
BACKGROUND = np.array([(0.44, 0.56, 0.70), (0.78, 0.82, 0.86)])
"""Top and bottom, linear light."""
FADE = 1.1, 2.4
"""The ground fades between these multiples of the radius of what is shown."""
BANDS = 32
"""Parts of a picture that threads paint side by side."""
NEAR = 0.02
"""Nearest distance that is drawn, as a share of the distance of the camera."""


class Painter:
    """Paints a scene in one size of picture.

    Parameters
    ----------
    size : width and height [pixel]
    """

    def __init__(self, scene: Scene, size: tuple[int, int]):
        self._scene = scene
        width, height = size
        pieces = [(len(mesh.vertices), mesh.faces, mesh.colours) for mesh in map(scene.meshes.__getitem__, scene.mesh)]
        for flexible in scene.deforming:
            count = flexible.vertex_count
            colours = np.tile(np.array(flexible.colour, dtype=np.float32), (count, 1))
            pieces.append((count, flexible.make_faces(), colours))
        self._body_faces = sum(len(faces) for _, faces, _ in pieces)
        self._body_vertices = sum(count for count, _, _ in pieces)
        if scene.terrain is not None:
            pieces.append((len(scene.terrain.vertices), scene.terrain.faces, scene.terrain.colours))
        starts = np.cumsum([0, *(count for count, _, _ in pieces)])
        self._starts = starts
        self._faces = np.concatenate([faces + start for (_, faces, _), start in zip(pieces, starts[:-1], strict=True)])
        self._faces = self._faces.astype(np.int32)
        self._colours = calc_linear(np.concatenate([colours for _, _, colours in pieces]).astype(float))
        self._world, self._normals, self._screen = (np.zeros((starts[-1], 3)) for _ in range(3))
        if scene.terrain is not None:
            self._world[self._body_vertices :] = scene.terrain.vertices
            self._normals[self._body_vertices :] = scene.terrain.normals
        self._depth = np.empty((SAMPLES * height, SAMPLES * width))
        self._face = np.empty(self._depth.shape, dtype=np.int32)
        self._sun_map = np.empty((1, SUN_MAP, SUN_MAP))
        self._sky_maps = np.empty((SKY_LAMPS, SKY_MAP, SKY_MAP))
        self._picture = np.empty((height, width, 3))

    def place_bodies(self, position: Array, quaternion: Array) -> Array:
        """Put the bodies to their places (bodies, 3), (bodies, 4); gives all vertices but the terrain's, (n, 3) [m]."""
        matrices = quaternion_to_matrix(np.roll(quaternion, 1, axis=-1))
        for i, number in enumerate(self._scene.mesh):
            mesh, part = self._scene.meshes[number], slice(self._starts[i], self._starts[i + 1])
            self._world[part] = position[i] + mesh.vertices @ matrices[i].T
            self._normals[part] = mesh.normals @ matrices[i].T
        return self._world[: self._body_vertices]

    def place_nodes(self, number: int, places: Array, colours: Array | None = None) -> None:
        """Put the nodes of a flexible mesh to their places (n, 3) [m].

        Parameters
        ----------
        number : of the mesh among those of the scene
        colours : of its vertices (vertices, 3), as a screen shows them, 0 to 1; by default they stay as they are
        """
        first = len(self._scene.mesh) + number
        part = slice(self._starts[first], self._starts[first + 1])
        self._world[part], self._normals[part] = self._scene.deforming[number].calc_surface(places)
        if colours is not None:
            self._colours[part] = calc_linear(colours)

    def paint(self, camera: Camera, centre: Array, radius: float) -> NDArray[np.uint8]:
        """A picture (height, width, 3) of the bodies where they are now.

        Parameters
        ----------
        centre, radius : a ball around what is shown [m]; the ground fades away around it
        """
        height, width, _ = self._picture.shape
        distance = max(float((camera.eye - centre) @ camera.axes[2]), 1e-6)
        matrix = camera.make_matrix(SAMPLES * width, SAMPLES * height)
        calc_screen(matrix, NEAR * distance, self._world, self._screen)
        calc_visible(self._faces, self._screen, self._depth, self._face)
        middle, reach = find_ball(self._world[: self._body_vertices])
        sun = make_lamps(_find_sun(camera), middle, reach, SUN_MAP)
        sky = make_lamps(_spread_lamps(SKY_LAMPS), middle, reach, SKY_MAP)
        self._draw_maps(sun, self._sun_map)
        self._draw_maps(sky, self._sky_maps)
        lift = GRAIN * 2 * reach / np.array([SUN_MAP, SKY_MAP])
        fade = radius * np.array(FADE)
        surface = Surface(self._faces, self._body_faces, self._screen, self._world, self._normals, self._colours)
        lighting = Lighting(sun, self._sun_map, sky, self._sky_maps, LIGHT, lift)
        given = (surface, lighting, Backdrop(BACKGROUND, centre, fade), camera.eye, self._face)
        bands = np.linspace(0, height, BANDS + 1).astype(int)
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda first, last: calc_picture(*given, first, last, self._picture), bands[:-1], bands[1:]))
        return calc_srgb(self._picture)

    def _draw_maps(self, lamps: Array, maps: Array) -> None:
        """What each lamp sees of the bodies."""
        bodies, faces = self._world[: self._body_vertices], self._faces[: self._body_faces]

        def draw(lamp: Array, depth: Array) -> None:
            screen = np.empty_like(bodies)
            calc_screen(lamp, 0.0, bodies, screen)
            calc_visible(faces, screen, depth, None)

        with ThreadPoolExecutor() as pool:
            list(pool.map(draw, lamps, maps))


def find_ball(points: Array) -> tuple[Array, float]:
    """Centre and radius of a ball around points, (n, 3) [m]; not the least one."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-6)


def make_lamps(directions: Array, centre: Array, radius: float, size: int) -> Array:
    """Rows of lamps as `kernels.picture` takes them, (lamps, 4, 4).

    Parameters
    ----------
    directions : to the lamps, of length 1, (lamps, 3)
    centre, radius : the ball that their maps show [m]
    size : pixels along the side of a map
    """
    lamps = np.zeros((len(directions), 4, 4))
    scale = size / (2 * radius)
    for lamp, direction in zip(lamps, directions, strict=True):
        right, up, back = make_view_axes(np.arctan2(direction[1], direction[0]), np.arcsin(direction[2]))
        lamp[:3, :3] = scale * right, -scale * up, back
        lamp[:3, 3] = [size / 2, size / 2, 2 * radius] - lamp[:3, :3] @ centre
        lamp[3, :3] = back
    return lamps


def _find_sun(camera: Camera) -> Array:
    """Direction to the sun, (1, 3): it stands beside the camera, so that faces are lit and shadows are seen."""
    right = camera.axes[0]
    azimuth = np.arctan2(-right[0], right[1]) + SUN_AZIMUTH
    return make_view_axes(azimuth, SUN_ELEVATION)[2:]


def _spread_lamps(count: int) -> Array:
    """Directions all over the sky, (count, 3), each with the same share of it: a spiral of golden angles."""
    number = np.arange(count) + 0.5
    z, angle = number / count, np.pi * (1 + np.sqrt(5)) * number
    across = np.sqrt(1 - z * z)
    return np.column_stack([across * np.cos(angle), across * np.sin(angle), z])
