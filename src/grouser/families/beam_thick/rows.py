"""Thick beams of meshes become rows of their table. Their nodes are rigid bodies."""

from __future__ import annotations

import numpy as np

from grouser.compile.springs import Springs
from grouser.families.beam_thick.step import calc_thick_frequencies
from grouser.families.beam_thick.table import ThickBeamTable, make_thick_beams
from grouser.families.family import Family, Output, Shared, Source, list_cells
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data


def make_rows(source: Source) -> tuple[tuple, ...]:
    """The table of thick beams."""
    none = np.zeros(0, dtype=int)
    empty = np.zeros((1, 3)), np.eye(3)[None]
    tables = [
        make_thick_beams(
            none, none, x=empty[0], R=empty[1], centre=np.zeros((0, 3)), frame=np.zeros((0, 3, 3)),
            length=np.zeros(0), section=np.zeros((0, 6)),
        )
    ]  # fmt: skip
    for name, mesh in source.model.meshes.items():
        data = make_mesh_data(mesh)
        cells = data.beam_thick
        if len(cells.node):
            rows = source.layout.find_mesh_rows(name)
            x, R = source.layout.place_rows(rows)
            table = make_thick_beams(
                cells.node[:, 0],
                cells.node[:, 1],
                x=x,
                R=R,
                centre=cells.centre,
                frame=cells.frame,
                frame_b=cells.frame_b,
                length=cells.length,
                section=cells.section,
                time=cells.time,
                pre_strain=cells.pre_strain,
            )
            ends = rows[cells.node].astype(np.uint32)
            tables.append(
                table._replace(body_a=np.ascontiguousarray(ends[:, 0]), body_b=np.ascontiguousarray(ends[:, 1]))
            )
    return (ThickBeamTable(*(np.concatenate(columns) for columns in zip(*tables, strict=True))),)


def add_springs(springs: Springs) -> None:
    """Highest frequency of each beam alone, as a bound on both bodies."""
    table = springs.tables.beam_thick
    if len(table.length):
        line, rotary = (springs.join_cells("beam_thick", column) for column in ("mass_per_length", "rotary"))
        omega = calc_thick_frequencies(table, line, rotary)
        ends = np.column_stack([table.body_a, table.body_b]).astype(int)
        springs.add_bounds(ends, omega**2, table.time.max(axis=1) * omega**2)


FAMILY = Family(
    "beam_thick",
    {"beam_thick": ThickBeamTable},
    lambda model: list_cells(model, "beam_thick"),
    make_rows,
    ends={"beam_thick": ("body_a", "body_b")},
    values=12,
    acted=6,
    outputs=(
        Output("force", "N", "pull along the beam"),
        Output("shear_y", "N", "shear force along y of the section"),
        Output("shear_z", "N", "shear force along z of the section"),
        Output("torque", "N m", "torsion"),
        Output("moment_y", "N m", "bending moment about y of the section"),
        Output("moment_z", "N m", "bending moment about z of the section"),
    ),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    shared={"beam_thick": Shared(50.0, by="length")},
)
