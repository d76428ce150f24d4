"""Layout: where each name stands in the tables. The only place where names become indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from grouser.compile.markers import Marker
from grouser.compile.points import Points
from grouser.kernels.nodes import FRAME_SIZE
from grouser.mesh.make import make_mesh_data
from grouser.model.body import WORLD, Frame
from grouser.model.carrier import carry
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Names in the order of the tables, and the poses that turn frames into table rows.

    Attributes
    ----------
    bodies : names of the rigid bodies in the order of their rows
    point_data : the points in the order of their rows
    markers : frames on points, each with a row of its own
    names : of the elements of each family, in the order of its rows
    counts : numbers z of an element of each family
    contacts : names in table order
    com : centre of mass of each row with a frame, in that frame (frames, 3) [m]
    model : what it is the layout of
    """

    bodies: tuple[str, ...]
    point_data: Points
    markers: tuple[Marker, ...]
    names: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, int]
    contacts: tuple[str, ...]
    com: Array
    model: Model

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints, then bushings."""
        return self.names["joint"]

    @property
    def scalars(self) -> tuple[str, ...]:
        """Springs and actuators, then motions."""
        return self.names["scalar"]

    @cached_property
    def state_counts(self) -> dict[str, int]:
        """Number of states of every element that has some, in the order of z."""
        return {
            name: self.counts[family] for family, names in self.names.items() for name in names if self.counts[family]
        }

    @cached_property
    def state_start(self) -> dict[str, int]:
        """Place in z of the first state of every element that has some."""
        return dict(zip(self.state_counts, accumulate(self.state_counts.values(), initial=0), strict=False))

    @property
    def state_count(self) -> int:
        """Number of states z."""
        return sum(self.state_counts.values())

    def find_body(self, name: str) -> int:
        """Row with the frame of a body, of the world, or of a marker on a point."""
        return self._frame_rows[name]

    def find_point(self, name: str) -> int:
        """Row of a point."""
        return self.frame_count + self._point_rows[name]

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of all rows of arrays by node: the world, the bodies, the markers, the points."""
        return (*self._frames, *self.points)

    def say_node(self, row: int) -> str:
        """What the node in a row is, with its name."""
        return f"{'body' if row <= len(self.bodies) else 'point'} {self.nodes[row]!r}"

    @property
    def frame_count(self) -> int:
        """Number of rows with a frame: the world, the bodies, the markers."""
        return 1 + len(self.bodies) + len(self.markers)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the points in the order of their rows; those that are carried come last."""
        return self.point_data.names

    @cached_property
    def free_points(self) -> tuple[str, ...]:
        """Points that are not carried."""
        return self.points[: self.point_data.free_count]

    @cached_property
    def mesh_markers(self) -> tuple[str, ...]:
        """Names of the markers that sit on meshes, other than at a node."""
        return tuple(marker.name for marker in self.markers if marker.name not in self._point_rows)

    def find_mesh_rows(self, mesh: str) -> NDArray[np.int64]:
        """Rows of the nodes of a mesh: points, or where they are nodes of thick beams bodies and what holds them."""
        if mesh in self.point_data.of_mesh:
            return self.frame_count + self.point_data.of_mesh[mesh]
        data = make_mesh_data(self.model.meshes[mesh])
        holders = {int(i): WORLD for i in data.fixed}
        holders |= {int(i): body for body, nodes in data.bonded.items() for i in nodes}
        names = (holders.get(i, f"{mesh}.{i}") for i in range(len(data.nodes)))
        return np.array([self.find_body(name) for name in names], dtype=np.int64)

    @property
    def speed_count(self) -> int:
        """Numbers in a vector of the velocities of all nodes; two points share a block of the sparse system."""
        return FRAME_SIZE * (self.frame_count + (len(self.free_points) + 1) // 2)

    @property
    def _frames(self) -> tuple[str, ...]:
        return (WORLD, *self.bodies, *(marker.name for marker in self.markers))

    @cached_property
    def _frame_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self._frames)}

    @cached_property
    def _point_rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.points)}

    def place_rows(self, rows: NDArray[np.int64]) -> tuple[Array, Array]:
        """Centres of mass (n, 3) [m] and axes (n, 3, 3) in columns of bodies or the world at the start, by row."""
        x, R = np.zeros((len(rows), 3)), np.tile(np.eye(3), (len(rows), 1, 1))
        for i, row in enumerate(rows):
            if row > 0:
                body = self.model.bodies[self.bodies[row - 1]]
                R[i] = quaternion_to_matrix(body.orientation)
                x[i] = np.array(body.position) + R[i] @ self.com[row]
        return x, R

    def place_frame(self, frame: Frame) -> tuple[int, Array, Array]:
        """Row of what carries a frame, position from its centre of mass, and axes in columns of the frame there."""
        frame = carry(self.model, frame)
        body = self.find_body(frame.body)
        return body, np.array(frame.position) - self.com[body], quaternion_to_matrix(frame.orientation)

    def place_ends(self, frame_a: Frame, frame_b: Frame) -> dict[str, object]:
        """Columns of a table row that connects frame a with frame b."""
        body_a, p_a, axes_a = self.place_frame(frame_a)
        body_b, p_b, axes_b = self.place_frame(frame_b)
        return {
            "body_a": body_a,
            "body_b": body_b,
            "p_a": p_a,
            "p_b": p_b,
            "frame_a": axes_a,
            "frame_b": axes_b,
        }
