"""Cameras: where a scene is seen from, and how far away so that it fills the picture."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grouser.errors import ResultError
from grouser.output.mesh import Array

VIEWS = {"iso": (-50.0, 15.0), "side": (-90.0, 4.0), "front": (0.0, 6.0), "top": (-90.0, 90.0)}
"""Azimuth and elevation [degree] of the camera, seen from what is shown: from ahead, positive to the left; upwards."""
FIELD = np.radians(18.0)
"""Angle of the picture from top to bottom."""
MARGIN = 1.12
"""Size of the picture over the least that has everything in it."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera with perspective.

    Attributes
    ----------
    eye : its place (3,) [m]
    axes : rows to the right, upwards, and back from the scene to the camera (3, 3)
    """

    eye: Array
    axes: Array

    def make_matrix(self, width: int, height: int) -> Array:
        """Rows (3, 4) that turn a point (x, y, z, 1) into column and row, times distance, and distance."""
        right, up, back = self.axes
        focus = 0.5 * height / np.tan(FIELD / 2)
        turn = np.array([focus * right - 0.5 * width * back, -focus * up - 0.5 * height * back, -back])
        return np.column_stack([turn, -turn @ self.eye])

    def with_shift(self, way: Array) -> Camera:
        """The camera moved."""
        return replace(self, eye=self.eye + way)


def find_view(name: str) -> tuple[float, float]:
    """Azimuth and elevation [degree] from the name of a view, or from two numbers ``azimuth,elevation``.

    >>> find_view("30,20")
    (30.0, 20.0)
    """
    if name in VIEWS:
        return VIEWS[name]
    try:
        azimuth, elevation = (float(word) for word in name.split(","))
    except ValueError:
        azimuth = elevation = np.nan
    if not (np.isfinite(azimuth) and -90.0 <= elevation <= 90.0):
        raise ResultError(
            f"view {name!r} is none of {', '.join(VIEWS)}, nor an azimuth and an elevation from -90 to 90 degrees such "
            "as 30,20"
        )
    return azimuth, elevation


def make_view_axes(azimuth: float, elevation: float) -> Array:
    """Axes of a camera (rows right, up, back) from two angles [rad]; azimuth is counted from X about Z."""
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    back = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    return np.array([right, np.cross(back, right), back])


def fit_camera(points: Array, axes: Array, aspect: float, zoom: float = 1.0) -> Camera:
    """The nearest camera that has all points in its picture.

    With the coordinates (a, b, c) of a point along the axes, the camera at (a0, b0, D) and half the width t of the
    picture at a distance of 1, |a - a0| <= t (D - c) for all points. So with p = max(a + t c) and q = max(t c - a),
    D >= (p + q) / (2 t) and a0 = (p - q) / 2; likewise for b.

    Parameters
    ----------
    points : (n, 3) [m]
    axes : rows right, up, back
    aspect : width of the picture over its height
    zoom : larger brings the camera nearer by this factor, to the same middle
    """
    local = points @ axes.T
    middle, distance = np.zeros(3), 0.0
    tangent = np.tan(FIELD / 2) / MARGIN
    for i, t in enumerate((aspect * tangent, tangent)):
        p, q = (local[:, i] + t * local[:, 2]).max(), (t * local[:, 2] - local[:, i]).max()
        middle[i], distance = (p - q) / 2, max(distance, (p + q) / (2 * t))
    middle[2] = (local[:, 2].min() + local[:, 2].max()) / 2
    away = max(distance - middle[2], 1e-3) / zoom
    return Camera(middle @ axes + away * axes[2], axes)


def aim_camera(camera: Camera, points: Array, target: Array) -> Camera:
    """The camera moved sideways so that a target (3,) is in the middle; points are what it was fitted to."""
    depth = (points @ camera.axes[2]).min(), (points @ camera.axes[2]).max()
    distance = camera.eye @ camera.axes[2] - sum(depth) / 2
    return Camera(target + distance * camera.axes[2], camera.axes)
