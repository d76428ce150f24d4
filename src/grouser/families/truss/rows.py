"""Trusses become rows of their table."""

from __future__ import annotations

import math

import numpy as np

from grouser.compile.springs import Springs
from grouser.compile.tables import FLOAT, INDEX, INT, collect_rows, make_table
from grouser.families.family import Family, Output, Shared, Source, list_cells, list_forces
from grouser.families.truss.spec import Truss
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data
from grouser.model.model import Model

TrussTable = make_table(
    "TrussTable",
    ("point_a", "(n,)", INDEX, "-", "first point"),
    ("point_b", "(n,)", INDEX, "-", "second point"),
    ("length", "(n,)", FLOAT, "m", "relaxed length"),
    ("k", "(n,)", FLOAT, "N/m", "stiffness E A/l0"),
    ("c", "(n,)", FLOAT, "N s/m", "damping C A/l0"),
    ("is_rope", "(n,)", INT, "-", "1 where it does not push"),
)


def list_trusses(model: Model) -> tuple[str, ...]:
    """Trusses by name, then those of meshes."""
    return (*list_forces("truss")(model), *list_cells(model, "truss"))


def make_trusses(source: Source) -> tuple[tuple, ...]:
    """The table of trusses."""
    points, rows = source.model.points, []
    for truss in source.model.forces.values():
        if isinstance(truss, Truss):
            length = truss.length
            if length is None:
                length = math.dist(points[truss.point_a].position, points[truss.point_b].position)
            row: dict[str, object] = {
                "point_a": source.layout.find_point(truss.point_a),
                "point_b": source.layout.find_point(truss.point_b),
                "length": length,
                "k": truss.modulus * truss.area / length,
                "c": truss.damping * truss.area / length,
                "is_rope": int(truss.is_rope),
            }
            rows.append(row)
    tables = [collect_rows(TrussTable, rows)]
    for name, mesh in source.model.meshes.items():
        cells = make_mesh_data(mesh).truss
        node = source.layout.find_mesh_rows(name)[cells.node]
        stiffness = cells.modulus * cells.area / cells.length
        tables.append(
            TrussTable(
                point_a=node[:, 0].astype(INDEX),
                point_b=node[:, 1].astype(INDEX),
                length=cells.length * (1.0 + cells.pre_strain),
                k=stiffness,
                c=cells.time * stiffness,
                is_rope=cells.is_rope.astype(INT),
            )
        )
    return (TrussTable(*(np.concatenate(columns) for columns in zip(*tables, strict=True))),)


def add_springs(springs: Springs) -> None:
    """Stiffness along the trusses, and across those that are pulled."""
    truss, x = springs.tables.truss, springs.state.x
    along = x[truss.point_b] - x[truss.point_a]
    length = np.linalg.norm(along, axis=1)
    n = along / length[:, None]
    across = np.maximum(truss.k * (length - truss.length), 0.0) / length
    square = np.einsum("ni,nj->nij", n, n)
    k = truss.k[:, None, None] * square + across[:, None, None] * (np.eye(3) - square)
    springs.add_points(np.column_stack([truss.point_a, truss.point_b]), k, truss.c[:, None, None] * square)


FAMILY = Family(
    "truss",
    {"truss": TrussTable},
    list_trusses,
    make_trusses,
    ends={"truss": ("point_a", "point_b")},
    values=7,
    acted=1,
    outputs=(Output("force", "N", "pull along the truss"), Output("strain", "-", "elongation over relaxed length")),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    shared={"truss": Shared(15.0, by="k")},
)
