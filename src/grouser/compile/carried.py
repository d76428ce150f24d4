"""Markers and carried points become rows of their table: what follows what, and how (`grouser.kernels.carried`)."""

from __future__ import annotations

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.tables import CarriedTable, make_rows
from grouser.kernels.kinds import WORLD_ROW
from grouser.model.body import WORLD
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix

Array = np.ndarray


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
    for marker in layout.markers:
        columns["start"].append(len(columns["node"]))
        columns["marker"].append(layout.find_body(marker.name))
        columns["turns"].append(marker.turns)
        columns["normal"].append(marker.normal)
        columns["node"].extend(layout.frame_count + marker.points)
        columns["weight"].extend(marker.weights)
        columns["gradient"].extend(marker.gradients)
    columns["start"].append(len(columns["node"]))
    columns["row"] = [*columns["marker"], *columns["point"]]
    return make_rows(CarriedTable, columns)
