"""Beams by gradients of meshes become rows of their table."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.compile.springs import Springs
from grouser.compile.tables import FLOAT, INT, make_table
from grouser.families.ancf_beam.layout import SHAPE_SIZE
from grouser.families.ancf_beam.step import calc_beam_frequencies, find_longest_delay
from grouser.families.ancf_beam.stress import VALUES, calc_beam_values
from grouser.families.ancf_beam.table import LINE, VOLUME, AncfBeamTable, make_ancf_beams, take_beams
from grouser.families.ancf_beam.tangent import TANGENT_WORK_SIZE
from grouser.families.brick.layout import MATERIAL_COLUMNS
from grouser.families.brick.rows import make_material
from grouser.families.family import Family, Output, Shared, Source, list_cells
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data
from grouser.model.mesh import LineMesh, RingMesh
from grouser.model.section import SectionValues, calc_section

AncfBeamCellTable = make_table(
    "AncfBeamCellTable",
    ("reference", "(n,8,3)", FLOAT, "m, -", "coordinates of each beam without stress"),
    ("length", "(n,)", FLOAT, "m", "length without stress"),
    ("group", "(n,)", INT, "-", "mesh of each, counted from the first one that has beams"),
    ("section", "(g,6)", FLOAT, "m^2, m^4, -", "section of each mesh: area, second moments, torsion, shear factors"),
)


def make_rows(source: Source) -> tuple[tuple, ...]:
    """The table of beams, and what their stress is calculated from."""
    tables, cells = [_make_empty()], []
    sections: list[SectionValues] = []
    for name, mesh in source.model.meshes.items():
        data = make_mesh_data(mesh)
        beam = data.ancf_beam
        if not len(beam.node):
            continue
        assert isinstance(mesh, LineMesh | RingMesh)
        count, section = len(beam.node), calc_section(mesh.section)
        table = make_ancf_beams(
            8 * np.arange(count)[:, None] + [0, 4],
            beam.reference.reshape(-1, 3),
            beam.length,
            section,
            [make_material(mesh.material)],
            integration=LINE if mesh.integration == "axis" else VOLUME,
        )
        turn = np.where(beam.turn < 0, -1, beam.turn + sum(len(one.turns) for one in tables))
        row = np.ascontiguousarray(source.layout.find_mesh_rows(name)[beam.row], dtype=np.uint32)
        tables.append(table._replace(row=row, turn=turn, turns=beam.turns, kind=np.full(count, len(tables) - 1)))
        cells.append((beam.reference, beam.length, np.full(count, len(sections))))
        sections.append(section)
    joined = AncfBeamTable(*(np.ascontiguousarray(np.concatenate(columns)) for columns in zip(*tables, strict=True)))
    if not cells:
        nothing = np.zeros(0)
        return joined, AncfBeamCellTable(np.zeros((0, 8, 3)), nothing, np.zeros(0, dtype=INT), np.zeros((0, 6)))
    reference, length, group = (np.concatenate(columns) for columns in zip(*cells, strict=True))
    return joined, AncfBeamCellTable(reference, length, group, np.array(sections))


def _make_empty() -> AncfBeamTable:
    whole = np.zeros(0, dtype=np.int64)
    return AncfBeamTable(
        row=np.zeros((0, 8), dtype=np.uint32),
        turn=whole,
        turns=np.zeros((0, 2, 3, 3)),
        is_line=whole,
        shape=np.zeros((0, SHAPE_SIZE)),
        kind=whole,
        material=np.zeros((0, MATERIAL_COLUMNS)),
    )


def add_springs(springs: Springs) -> None:
    """Highest frequency of all beams, each by itself, as a bound on all rows."""
    table = springs.tables.ancf_beam
    if not len(table.row):
        return
    mass = springs.join_cells("ancf_beam", "mass")
    omega = calc_beam_frequencies(table, springs.state.x, mass)
    delay = np.array([find_longest_delay(material) for material in table.material])[table.kind]
    springs.add_mesh_bounds(table.row.astype(int), omega**2, delay * omega**2)


def show_stress(tables: Any, state: Any, work: Any) -> None:
    """Strain, stress and section forces of all beams into their values."""
    calc_beam_values(tables.ancf_beam, tables.ancf_beam_cell, state.x, work.ancf_beam_value)


FAMILY = Family(
    "ancf_beam",
    {"ancf_beam": AncfBeamTable, "ancf_beam_cell": AncfBeamCellTable},
    lambda model: list_cells(model, "ancf_beam"),
    make_rows,
    ends={"ancf_beam": ("row",)},
    values=VALUES,
    outputs=(
        Output("force", "N", "pull along the beam, in the middle, without damping"),
        Output("shear_y", "N", "shear force along y of the section"),
        Output("shear_z", "N", "shear force along z of the section"),
        Output("torque", "N m", "torsion"),
        Output("moment_y", "N m", "moment of the pull over z of the section"),
        Output("moment_z", "N m", "moment of the pull over y of the section"),
        Output("stretch", "-", "length of the axis in the middle over that without stress"),
        Output("von_mises", "Pa", "von Mises stress in the middle of the axis"),
        Output("strain", "-", "largest principal Green strain in the middle of the axis"),
        Output("surface_von_mises", "Pa", "von Mises stress at the corner of the section where it is largest"),
        Output("surface_strain", "-", "largest principal Green strain at the corner where it is largest"),
    ),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    show=show_stress,
    shared={"ancf_beam": Shared(280.0, by="kind", take=take_beams)},
    scratch={"matrix": (2, 24, 24), "sums": (2,), "row": (TANGENT_WORK_SIZE,)},
)
