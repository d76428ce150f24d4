"""Layout: where each name stands in the tables. The only place where names become indices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from grouser.kernels.driver import STATES
from grouser.kernels.nodes import FRAME_SIZE
from grouser.model.body import WORLD, Frame
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Names in the order of the tables, and the poses that turn frames into table rows.

    Attributes
    ----------
    bodies, points : names of the rigid bodies and of the point nodes, in the order of their rows
    joints, scalars, contacts : names in table order; `joints` holds the joints, then the bushings;
        `scalars` the springs and actuators, then the motions
    tyres, powertrains, brakes, drivers : names in table order
    com : centre of mass of the world and of each body in its own frame (frames, 3) [m]
    model : what it is the layout of
    """

    bodies: tuple[str, ...]
    points: tuple[str, ...]
    joints: tuple[str, ...]
    scalars: tuple[str, ...]
    contacts: tuple[str, ...]
    tyres: tuple[str, ...]
    powertrains: tuple[str, ...]
    brakes: tuple[str, ...]
    drivers: tuple[str, ...]
    com: Array
    model: Model

    @cached_property
    def state_counts(self) -> dict[str, int]:
        """Number of states of every element that has some, in the order of z: one of a scalar element, two of a tyre,
        the gear, one of a brake, those of a driver."""
        counts = dict.fromkeys(self.scalars, 1) | dict.fromkeys(self.tyres, 2)
        return counts | dict.fromkeys((*self.powertrains, *self.brakes), 1) | dict.fromkeys(self.drivers, STATES)

    @cached_property
    def state_start(self) -> dict[str, int]:
        """Place in z of the first state of every element that has some."""
        return dict(zip(self.state_counts, accumulate(self.state_counts.values(), initial=0), strict=False))

    @property
    def state_count(self) -> int:
        """Number of states z."""
        return sum(self.state_counts.values())

    def find_body(self, name: str) -> int:
        """Row of a body, or of the world."""
        return self._rows[name]

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of all rows of arrays by node: the world, the bodies, the points."""
        return (WORLD, *self.bodies, *self.points)

    def say_node(self, row: int) -> str:
        """What the node in a row is, with its name."""
        return f"{'body' if row < self.frame_count else 'point'} {self.nodes[row]!r}"

    @property
    def frame_count(self) -> int:
        """Number of rows with a frame: the world and the bodies."""
        return 1 + len(self.bodies)

    @property
    def speed_count(self) -> int:
        """Numbers in a vector of the velocities of all nodes; two points share a block of the sparse system."""
        return FRAME_SIZE * (self.frame_count + (len(self.points) + 1) // 2)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.nodes)}

    def place_frame(self, frame: Frame) -> tuple[int, Array, Array]:
        """Body index, position from the centre of mass, and axes in columns of a frame."""
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


def make_layout(model: Model) -> Layout:
    """Number the elements of a model."""
    forces = model.forces
    com = np.array([(0.0, 0.0, 0.0), *(body.com for body in model.bodies.values())])
    return Layout(
        bodies=tuple(model.bodies),
        points=tuple(model.points),
        joints=(*model.joints, *(n for n, f in forces.items() if f.type == "bushing")),
        scalars=(
            *(n for n, f in forces.items() if f.type in ("spring", "joint_spring", "actuator")),
            *model.motions,
        ),
        contacts=tuple(model.contacts),
        tyres=_list_forces(model, "tyre"),
        powertrains=_list_forces(model, "powertrain"),
        brakes=_list_forces(model, "brake"),
        drivers=tuple(model.drivers),
        com=com,
        model=model,
    )


def _list_forces(model: Model, kind: str) -> tuple[str, ...]:
    return tuple(name for name, force in model.forces.items() if force.type == kind)
