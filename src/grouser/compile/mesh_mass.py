"""The mass matrix of elements by gradients: one constant sparse matrix M by rows, the same for x, y and z.

    M = L D L^T                                                                                           (1)

with an order that keeps L sparse; it is factored once. A constant field has places alone and no gradients, so M times
ones in the rows of places is what gravity acts on, the rows that are held included. Rows that are held drop out of M.

What one row gains from a push at another, no more than by the mass of one element that has both:

    J M^-1 J^T <= J M_e^-1 J^T                                                                            (2)

since M is that of all elements, and none is negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix, csc_array

from grouser.compile.layout import Layout
from grouser.mesh.ancf import is_ancf
from grouser.mesh.ancf_place import find_row_mobility
from grouser.mesh.data import AncfCells
from grouser.mesh.make import make_mesh_data
from grouser.model.mesh import ANCF

Array = np.ndarray


def list_cells(layout: Layout) -> Iterator[tuple[str, AncfCells, Array]]:
    """Family, elements, and rows (m, k) of nodes of all meshes by gradients."""
    for name, mesh in layout.model.meshes.items():
        data = make_mesh_data(mesh)
        for family in ANCF:
            cells: AncfCells = getattr(data, family)
            if len(cells.node):
                yield family, cells, layout.find_mesh_rows(name)[cells.row]


def make_mesh_mass(layout: Layout) -> tuple[dict[str, Array], dict[int, float]]:
    """Columns of the node table about mass matrices, and the diagonal of M by row."""
    first, count = layout.frame_count, len(layout.nodes)
    free = first + len(layout.free_points)
    i, j, values, weight = [], [], [], np.zeros(count)
    for _, cells, rows in list_cells(layout):
        size = rows.shape[1]
        i.append(np.repeat(rows, size, axis=1).ravel())
        j.append(np.tile(rows, (1, size)).ravel())
        values.append(cells.mass.ravel())
        np.add.at(weight, rows, cells.mass[:, :, :: size // 2].sum(axis=2))
    if not i:
        return _make_empty(), {}
    row, column, value = (np.concatenate(part) for part in (i, j, values))
    kept = (row < free) & (column < free)
    matrix = coo_matrix((value[kept], (row[kept], column[kept])), shape=(count, count)).tocsr()
    coupled = np.unique(row[kept])
    local = csc_array(matrix[coupled][:, coupled])
    order, lower, pivots = _factor(local)
    upper = coo_matrix(matrix)
    above = (upper.row < upper.col) & (upper.data != 0.0)
    pairs = np.column_stack([upper.row[above], upper.col[above]]).astype(np.int64)
    columns = {
        "coupled": coupled[order].astype(np.int64),
        "coupled_weight": weight[coupled[order]],
        "pair": np.ascontiguousarray(pairs),
        "pair_mass": upper.data[above],
        "factor_start": lower.indptr.astype(np.int64),
        "factor_row": lower.indices.astype(np.int64),
        "factor": lower.data.copy(),
        "factor_inverse": 1.0 / pivots,
    }
    return columns, dict(zip(coupled.tolist(), matrix.diagonal()[coupled].tolist(), strict=True))


def _make_empty() -> dict[str, Array]:
    none, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    pairs = np.zeros((0, 2), dtype=np.int64)
    return {
        "coupled": whole,
        "coupled_weight": none,
        "pair": pairs,
        "pair_mass": none,
        "factor_start": np.zeros(1, dtype=np.int64),
        "factor_row": whole,
        "factor": none,
        "factor_inverse": none,
    }


def _factor(matrix: csc_array) -> tuple[Array, Any, Array]:
    """Order, L below its diagonal by columns, and D of (1)."""
    from scipy.sparse.linalg import splu

    found = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    order = np.argsort(found.perm_r)
    lower = found.L.tocoo()
    below = lower.row > lower.col
    shape = matrix.shape
    strict = coo_matrix((lower.data[below], (lower.row[below], lower.col[below])), shape=shape).tocsc()
    return order, strict, found.U.diagonal()


def calc_total_mass(node: Any) -> float:
    """Mass of all nodes [kg]."""
    return float(node.mass.sum() - node.mass[node.coupled].sum() + node.coupled_weight.sum())


def find_inverse(layout: Layout, rows: Array) -> tuple[Array, Array] | None:
    """M_e^-1 of (2), by these rows, of an element that has all of them, and all rows of the element; zero for rows that
    are held. None where no element by gradients has them."""
    for name, mesh in layout.model.meshes.items():
        if not is_ancf(mesh):
            continue
        data, of_mesh = make_mesh_data(mesh), layout.find_mesh_rows(name)
        number = {int(row): i for i, row in enumerate(of_mesh)}
        own = np.array([number.get(int(row), -1) for row in rows])
        found = find_row_mobility(data, own) if (own >= 0).all() else None
        if found is not None:
            cells = data.ancf_beam if len(data.ancf_beam.node) else data.ancf_cable
            return found[1], of_mesh[cells.row[found[0]]]
    return None
