"""Bricks of meshes become rows of their tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.compile.springs import Springs
from grouser.compile.tables import INDEX, make_table
from grouser.families.brick.geometry import calc_geometry
from grouser.families.brick.layout import (
    BULK,
    LANES,
    MATERIAL_COLUMNS,
    SHAPE_ROWS,
    SHEAR,
    STRESS_COLUMNS,
    TANGENT_WORK_SIZE,
    VISCOUS_BULK,
    VISCOUS_SHEAR,
)
from grouser.families.brick.material import make_linear, make_mooney_rivlin, make_neo_hookean
from grouser.families.brick.step import find_mesh_frequency
from grouser.families.brick.table import BrickTable, make_brick_table, take_batches
from grouser.families.family import Family, Output, Shared, Source, list_cells
from grouser.kernels.kinds import LEDGER_ELEMENTS
from grouser.mesh.make import make_mesh_data
from grouser.model.material import LinearMaterial, Material, NeoHookeanMaterial

BrickCellTable = make_table("BrickCellTable", ("node", "(n,8)", INDEX, "-", "rows of the nodes of each brick"))


def make_rows(source: Source) -> tuple[tuple, ...]:
    """The table of bricks, by batches, and that of their nodes."""
    nodes, places, kinds, strains = [], [], [], []
    materials: list[np.ndarray] = []
    for name, mesh in source.model.meshes.items():
        data = make_mesh_data(mesh)
        if len(data.brick.node):
            nodes.append(source.layout.find_mesh_rows(name)[data.brick.node])
            places.append(data.relaxed[data.brick.node])
            kinds.append(data.brick.material + len(materials))
            strains.append(data.brick.pre_strain)
            materials += [make_material(material) for material in data.materials]
    if not nodes:
        empty = BrickTable(
            *(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)),
            np.zeros((0, 8 * LANES), dtype=np.uint32),
            np.zeros((0, SHAPE_ROWS * LANES)),
            np.zeros(0, dtype=np.int64),
            np.zeros((0, MATERIAL_COLUMNS)),
        )
        return empty, BrickCellTable(np.zeros((0, 8), dtype=INDEX))
    node = np.concatenate(nodes)
    bricks = make_brick_table(
        node, calc_geometry(np.concatenate(places)), materials, np.concatenate(kinds), np.concatenate(strains)
    )
    return bricks, BrickCellTable(np.ascontiguousarray(node, dtype=INDEX))


def make_material(material: Material) -> np.ndarray:
    """Row of a material."""
    damping = {"dilatational": material.dilatational, "deviatoric": material.deviatoric}
    if isinstance(material, LinearMaterial):
        return make_linear(material.young, material.poisson, by_volume=material.by_volume, **damping)
    if isinstance(material, NeoHookeanMaterial):
        return make_neo_hookean(material.shear, material.bulk, **damping)
    return make_mooney_rivlin(material.c1, material.c2, material.bulk, **damping)


def add_springs(springs: Springs) -> None:
    """Highest frequency of all bricks together, as a bound on all their nodes."""
    bricks, cell = springs.tables.brick, springs.tables.brick_cell
    if len(cell.node):
        mass = np.full(len(springs.state.x), np.inf)
        mass[: len(springs.tables.node.mass)] = springs.tables.node.mass
        mass[mass == 0.0] = np.inf
        omega = find_mesh_frequency(bricks, springs.state.x, mass)
        shear, bulk, viscous_bulk, viscous_shear = bricks.material[:, [SHEAR, BULK, VISCOUS_BULK, VISCOUS_SHEAR]].T
        time = float(np.max(np.maximum(viscous_bulk / bulk, viscous_shear / shear)))
        nodes = np.unique(cell.node)[:, None]
        springs.add_bounds(nodes, np.full(len(nodes), omega**2), np.full(len(nodes), time * omega**2))


def show_stress(tables: Any, state: Any, work: Any) -> None:
    """Stress and strain of all bricks into their values."""
    from grouser.families.brick.stress import calc_brick_stress
    from grouser.kernels._packed import Packed

    calc_brick_stress(Packed(tables.brick), state.x, work.brick_value, work.brick_row)


FAMILY = Family(
    "brick",
    {"brick": BrickTable, "brick_cell": BrickCellTable},
    lambda model: list_cells(model, "brick"),
    make_rows,
    ends={"brick_cell": ("node",)},
    values=STRESS_COLUMNS,
    outputs=(
        Output("stress_xx", "Pa", "Cauchy stress at the centre, world axes"),
        Output("stress_yy", "Pa", "Cauchy stress at the centre, world axes"),
        Output("stress_zz", "Pa", "Cauchy stress at the centre, world axes"),
        Output("stress_xy", "Pa", "Cauchy stress at the centre, world axes"),
        Output("stress_yz", "Pa", "Cauchy stress at the centre, world axes"),
        Output("stress_zx", "Pa", "Cauchy stress at the centre, world axes"),
        Output("von_mises", "Pa", "von Mises stress at the centre"),
        Output("strain", "-", "largest principal Green strain at the centre"),
        Output("surface_von_mises", "Pa", "von Mises stress at the corner where it is largest"),
        Output("surface_strain", "-", "largest principal Green strain at the corner where it is largest"),
    ),
    ledger=LEDGER_ELEMENTS,
    add_springs=add_springs,
    show=show_stress,
    shared={"brick": Shared(65.0 * LANES, by="kind", take=take_batches)},
    scratch={"matrix": (2, 24, 24), "sums": (2,), "row": (TANGENT_WORK_SIZE,)},
)
