"""Thin beams of meshes become rows of their table."""

from __future__ import annotations

import numpy as np

from grouser.compile.springs import Springs
from grouser.families.beam_thin.step import calc_thin_frequencies
from grouser.families.beam_thin.table import ThinBeamTable, make_thin_beams
from grouser.families.family import Family, Output, Shared, Source, list_cells
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data


def make_rows(source: Source) -> tuple[tuple, ...]:
    """The table of thin beams."""
    tables = [make_thin_beams(np.zeros((0, 3), dtype=int), x=np.zeros((1, 3)), EA=0.0, EI=0.0)]
    for name, mesh in source.model.meshes.items():
        data = make_mesh_data(mesh)
        cells = data.beam_thin
        if len(cells.node):
            table = make_thin_beams(
                cells.node,
                x=data.relaxed,
                EA=cells.EA,
                EI=cells.EI,
                pre_strain=cells.pre_strain,
                time_axial=cells.time,
                time_bending=cells.time,
            )
            rows = source.layout.find_mesh_rows(name)[cells.node].astype(np.uint32)
            tables.append(table._replace(node=np.ascontiguousarray(rows), length=cells.length, weight=cells.weight))
    return (ThinBeamTable(*(np.concatenate(columns) for columns in zip(*tables, strict=True))),)


def add_springs(springs: Springs) -> None:
    """Highest frequency of each beam alone, as a bound on all nodes."""
    table = springs.tables.beam_thin
    if len(table.EA):
        omega = calc_thin_frequencies(table, springs.join_cells("beam_thin", "mass_per_length"))
        springs.add_bounds(table.node, omega**2, np.maximum(table.time_axial, table.time_bending) * omega**2)


FAMILY = Family(
    "beam_thin",
    {"beam_thin": ThinBeamTable},
    lambda model: list_cells(model, "beam_thin"),
    make_rows,
    ends={"beam_thin": ("node",)},
    values=3,
    acted=2,
    outputs=(
        Output("force", "N", "pull along the beam, mean of its halves"),
        Output("moment", "N m", "bending moment at its middle node"),
        Output("curvature", "1/m", "curvature"),
    ),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    shared={"beam_thin": Shared(45.0, by="EA")},
    scratch={"matrix": (2, 9, 9)},
)
