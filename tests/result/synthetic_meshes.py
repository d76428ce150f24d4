"""Flexible meshes whose motion is known in closed form, as a model and as a result.

A plate that shakes, a rope of trusses, a thin and a thick beam, and a block of steel beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from grouser.mesh.make import make_mesh_data
from grouser.model.model import Model
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

XYZ = ("x", "y", "z")
RUBBER = {"type": "linear", "density": 1100.0, "young": 5.0e6, "poisson": 0.3}
SHAKE = 0.1
"""Amplitude of the shaking [m]."""
STRESS = 2.0e6
"""Largest stress [Pa]."""
SIZES = {"von_mises": 0.75 * STRESS, "strain": 0.1, "surface_von_mises": STRESS, "surface_strain": 0.2, "force": 500.0}
"""Largest values of elements."""
ROUND = {"circle": 0.02}


def make_model(counts: tuple[int, int] = (6, 4), *, is_alone: bool = False) -> Model:
    """The model; `is_alone` leaves only the plate."""
    plate = {"type": "plate", "sides": (2.0, 1.5), "thickness": 0.05, "counts": counts, "material": RUBBER}
    meshes: dict = {"plate": plate}
    if not is_alone:
        line = {"type": "line", "start": (0.0, 2.0, 0.0), "end": (2.0, 2.0, 0.0), "count": 4, "material": RUBBER}
        for number, element in enumerate(("truss", "beam_thin", "beam_thick")):
            meshes[element] = {
                **line,
                "element": element,
                "section": ROUND,
                "position": (0.0, 0.3 * number, 0.0),
            }
    bodies = {} if is_alone else {"anvil": {"mass": 20.0, "inertia": (0.5, 0.5, 0.5), "position": (1.0, -0.5, 0.0)}}
    return Model.model_validate({"name": "shaker", "bodies": bodies, "meshes": meshes})


def calc_shift(nodes: np.ndarray, time: float) -> np.ndarray:
    """How far nodes (n, 3) are from where they were, (n, 3) [m]: waves along x that go upwards and downwards."""
    shift = np.zeros_like(nodes)
    shift[:, 2] = SHAKE * np.sin(2 * np.pi * time) * np.sin(np.pi * nodes[:, 0])
    return shift


def list_blocks(model: Model, *, has_values: bool = True, has_surface: bool = True) -> Iterator[Block]:
    """Blocks as a run stores them; earlier ones had no values of the surface."""
    datas = {name: make_mesh_data(mesh) for name, mesh in model.meshes.items()}
    items: dict[str, list[str]] = {"node": [], "body": list(model.bodies)}
    for name, data in datas.items():
        items["body" if len(data.beam_thick.node) else "node"] += [f"{name}.{i}" for i in range(len(data.nodes))]
    for family, names in items.items():
        yield Block(family, "position", tuple(names), XYZ, "m", "world")
        yield Block(family, "velocity", tuple(names), XYZ, "m/s", "world")
    yield Block("body", "orientation", tuple(items["body"]), ("w", *XYZ), "-")
    for family, quantity, unit in (
        ("brick", "von_mises", "Pa"),
        ("brick", "strain", "-"),
        ("brick", "surface_von_mises", "Pa"),
        ("brick", "surface_strain", "-"),
        ("truss", "force", "N"),
        ("beam_thin", "force", "N"),
    ):
        names = [f"{n}.{family}.{i}" for n, d in datas.items() for i in range(len(getattr(d, family).node))]
        if has_values and (has_surface or not quantity.startswith("surface")):
            yield Block(family, quantity, tuple(names), ("value",), unit)


def make_mesh_result(
    path: Path | None = None,
    counts: tuple[int, int] = (6, 4),
    frames: int = 21,
    *,
    is_alone: bool = False,
    has_values: bool = True,
    has_surface: bool = True,
) -> Result:
    """A second of shaking; stress grows from the first brick to the last, and with the shift. The centre has a part of
    that of the surface."""
    model = make_model(counts, is_alone=is_alone)
    blocks = [block for block in list_blocks(model, has_values=has_values, has_surface=has_surface) if block.items]
    writer = ResultWriter(path, header={"model_name": "shaker"}, blocks=blocks, model=model)
    nodes = {name: make_mesh_data(mesh).nodes for name, mesh in model.meshes.items()}
    rest = {f"{name}.{i}": place for name, places in nodes.items() for i, place in enumerate(places)}
    rest |= {name: np.array(body.position) for name, body in model.bodies.items()}
    for time in np.linspace(0.0, 1.0, frames):
        values: dict[str, np.ndarray] = {}
        for block in blocks:
            frame = np.zeros(block.shape)
            if block.quantity == "position":
                places = np.array([rest[item] for item in block.items])
                frame = places + calc_shift(places, time)
                frame[[item in model.bodies for item in block.items]] = [rest[b] for b in model.bodies] or 0.0
            elif block.quantity == "orientation":
                frame[:, 0] = 1.0
            elif block.quantity != "velocity":
                size = SIZES[block.quantity]
                frame[:, 0] = size * np.sin(2 * np.pi * time) ** 2 * np.linspace(0.0, 1.0, len(frame))
            values[block.name] = frame
        writer.add_frames([time], {name: value[np.newaxis] for name, value in values.items()})
    return writer.finish("done")
