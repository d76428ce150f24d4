"""Cables by gradients of meshes become rows of their table."""

from __future__ import annotations

import numpy as np

from grouser.compile.springs import Springs
from grouser.families.ancf_cable.layout import AXIAL_DELAY, BENDING_DELAY, SHAPE_SIZE
from grouser.families.ancf_cable.step import calc_cable_frequencies
from grouser.families.ancf_cable.table import AncfCableTable, make_ancf_cables
from grouser.families.ancf_cable.tangent import TANGENT_WORK_SIZE
from grouser.families.family import Family, Output, Shared, Source, list_cells
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data
from grouser.model.material import calc_moduli
from grouser.model.mesh import LineMesh, RingMesh
from grouser.model.section import calc_section


def make_rows(source: Source) -> tuple[tuple, ...]:
    """The table of cables."""
    tables = [AncfCableTable(np.zeros((0, 4), dtype=np.uint32), np.zeros((0, SHAPE_SIZE)))]
    for name, mesh in source.model.meshes.items():
        cable = make_mesh_data(mesh).ancf_cable
        if not len(cable.node):
            continue
        assert isinstance(mesh, LineMesh | RingMesh)
        young, section, delay = calc_moduli(mesh.material).young, calc_section(mesh.section), mesh.material.damping
        table = make_ancf_cables(
            4 * np.arange(len(cable.node))[:, None] + [0, 2],
            cable.reference.reshape(-1, 3),
            cable.length,
            axial=young * section.area,
            bending=young * section.iy,
            axial_delay=delay,
            bending_delay=delay,
        )
        rows = source.layout.find_mesh_rows(name)[cable.row]
        tables.append(table._replace(row=rows.astype(np.uint32)))
    return (AncfCableTable(*(np.ascontiguousarray(np.concatenate(part)) for part in zip(*tables, strict=True))),)


def add_springs(springs: Springs) -> None:
    """Highest frequency of all cables, each by itself, as a bound on all rows."""
    table = springs.tables.ancf_cable
    if len(table.row):
        omega = calc_cable_frequencies(table, springs.state.x, springs.join_cells("ancf_cable", "mass"))
        delay = table.shape[:, [AXIAL_DELAY, BENDING_DELAY]].max(axis=1)
        springs.add_mesh_bounds(table.row.astype(int), omega**2, delay * omega**2)


FAMILY = Family(
    "ancf_cable",
    {"ancf_cable": AncfCableTable},
    lambda model: list_cells(model, "ancf_cable"),
    make_rows,
    ends={"ancf_cable": ("row",)},
    values=4,
    outputs=(
        Output("strain", "-", "stretch of the axis in the middle"),
        Output("curvature", "1/m", "change of angle along the cable, over its length without stress, in the middle"),
        Output("force", "N", "pull along the cable in the middle"),
        Output("moment", "N m", "bending moment in the middle"),
    ),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    shared={"ancf_cable": Shared(100.0, by="row")},
    scratch={"matrix": (2, 12, 12), "sums": (2,), "row": (TANGENT_WORK_SIZE,)},
)
