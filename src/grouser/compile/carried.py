"""Markers and carried points become rows of their table: what follows what, and how (`grouser.kernels.carried`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.tables import CarriedTable, make_rows
from grouser.kernels.kinds import WORLD_ROW
from grouser.model.body import WORLD, Frame
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

Array = np.ndarray


def list_frames(model: Model) -> Iterator[Frame]:
    """All frames that elements of a model sit on."""
    for family in (model.joints, model.forces, model.sensors, model.drivers):
        for element in family.values():
            yield from (value for _, value in element if isinstance(value, Frame))


def make_carried(model: Model, layout: Layout) -> tuple:
    """The table of carried rows."""
    columns: dict[str, list] = {name: [] for name, *_ in CarriedTable.FIELDS}  # type: ignore[attr-defined]
    points = layout.point_data
    for number in range(points.free_count, len(points.names)):
        body, place = WORLD_ROW, points.position[number]
        if points.carriers[number] != WORLD:
            carrier = model.bodies[points.carriers[number]]
            body = layout.find_body(points.carriers[number])
            turned = quaternion_to_matrix(carrier.orientation).T
            place = turned @ (place - np.array(carrier.position)) - np.array(carrier.com)
        columns["point"].append(layout.frame_count + number)
        columns["body"].append(body)
        columns["p"].append(place)
    for name in layout.markers:
        columns["start"].append(len(columns["node"]))
        columns["marker"].append(layout.find_body(name))
        columns["turns"].append(0)
        columns["node"].append(layout.find_point(name))
        columns["weight"].append(1.0)
        columns["gradient"].append((0.0, 0.0, 0.0))
    columns["start"].append(len(columns["node"]))
    columns["row"] = [*columns["marker"], *columns["point"]]
    return make_rows(CarriedTable, columns)
