"""Places in elements by gradients, and what their rows have to do with them.

A point of a beam is r(x, y, z) = sum s_k e_k with the shape functions s of `grouser.families.ancf_beam.kernel`, (1),
and the coordinates e_k made of rows, e = T rows. So the weights of the rows are s T, and with the gradients of s by
the place at the start, those of rows are

    g = T^T ds/d(x, y, z) J^-1,   J = [r_x r_y r_z] at the start                                          (1)

Weights of gradients are lengths, and do not add up to one. A cable has points on its axis alone, which do not turn.
"""

from __future__ import annotations

import numpy as np

from grouser.families.ancf_beam.table import calc_shape_functions, calc_vector_shapes
from grouser.families.ancf_cable.mass import calc_cable_shapes
from grouser.mesh.data import AncfCells, MeshData

TURNS = 30
"""Most turns of Newton's method for a place."""


def calc_ancf_weights(data: MeshData, family: str, cell: int, natural: np.ndarray) -> np.ndarray:
    """Weights (k,) of the rows of a cell at a place."""
    cells: AncfCells = getattr(data, family)
    xi, y, z = natural[:, None]
    length = cells.length[[cell]]
    own = (
        calc_cable_shapes(length, xi)[0, 0] if family == "ancf_cable" else calc_shape_functions(length, xi, y, z)[0, 0]
    )
    return np.asarray(own @ cells.make[cell])


def calc_ancf_gradients(data: MeshData, family: str, cell: int, natural: np.ndarray) -> np.ndarray:
    """Gradients (k, 3) of the weights in the shape at the start (1), world axes [1/m]; zero for cables."""
    cells: AncfCells = getattr(data, family)
    if family == "ancf_cable":
        return np.zeros((4, 3))
    slopes, J = _calc_jacobian(data, cells, cell, natural)
    return np.asarray(cells.make[cell].T @ slopes @ np.linalg.inv(J))


def _calc_jacobian(data: MeshData, cells: AncfCells, cell: int, natural: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes (8, 3) of the shape functions by x, y, z, and J of (1)."""
    xi, y, z = natural
    a, b, c, b_rate, c_rate = calc_vector_shapes(cells.length[[cell]], np.array([xi]))[0, 0]
    slopes = np.stack([a + y * b_rate + z * c_rate, b, c], axis=1)
    return slopes, _take_coordinates(data, cells, cell).T @ slopes


def _take_coordinates(data: MeshData, cells: AncfCells, cell: int) -> np.ndarray:
    """Own coordinates (k, 3) of a cell at the start."""
    rows = np.concatenate([data.nodes, data.gradients])
    return np.asarray(cells.make[cell] @ rows[cells.row[cell]])


def find_ancf_place(data: MeshData, family: str, point: np.ndarray, tolerance: float) -> tuple[int, np.ndarray] | None:
    """The cell that holds a point, and the place in it; of several that whose middle is nearest."""
    cells: AncfCells = getattr(data, family)
    if not len(cells.node):
        return None
    ends = data.nodes[cells.node]
    away = np.linalg.norm(ends.mean(axis=1) - point, axis=1)
    near = away <= 0.75 * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) + np.linalg.norm(cells.half) + tolerance
    for cell in np.flatnonzero(near)[np.argsort(away[near], kind="stable")].tolist():
        natural = _find_natural(data, family, cell, point)
        if natural is None:
            continue
        inside = np.clip(natural, [0.0, *-cells.half], [1.0, *cells.half])
        there = (
            calc_ancf_weights(data, family, cell, inside)
            @ np.concatenate([data.nodes, data.gradients])[cells.row[cell]]
        )
        if np.linalg.norm(there - point) <= tolerance:
            return cell, inside
    return None


def _find_natural(data: MeshData, family: str, cell: int, point: np.ndarray) -> np.ndarray | None:
    """Place of a point in a cell, or of the point of a cable next to it, by Newton's method."""
    cells: AncfCells = getattr(data, family)
    e, length = _take_coordinates(data, cells, cell), cells.length[cell]
    natural = np.array([0.5, 0.0, 0.0])
    for _ in range(TURNS):
        if family == "ancf_cable":
            step = 1e-6
            here, ahead = (calc_cable_shapes(length, np.array([natural[0] + s]))[0, 0] @ e for s in (0.0, step))
            way = (ahead - here) / step
            change = np.array([(point - here) @ way / (way @ way), 0.0, 0.0])
        else:
            xi, y, z = natural[:, None]
            here = calc_shape_functions(np.array([length]), xi, y, z)[0, 0] @ e
            _, J = _calc_jacobian(data, cells, cell, natural)
            if abs(np.linalg.det(J)) < 1e-9:
                return None
            change = np.linalg.solve(J, point - here) / [length, 1.0, 1.0]
        natural = natural + np.clip(change, -0.5, 0.5)
        if np.abs(change).max() < 1e-14:
            break
    return natural if np.abs(natural).max() < 10.0 else None


def find_row_mobility(data: MeshData, rows: np.ndarray) -> tuple[int, np.ndarray] | None:
    """The element that has all of these rows, and how they move by pushes at them if it were alone; zero for rows that
    are held. Of several the one that moves least; None where there is none."""
    best: tuple[int, np.ndarray] | None = None
    for cells in (data.ancf_beam, data.ancf_cable):
        for cell in np.flatnonzero([np.isin(rows, own).all() for own in cells.row]).tolist():
            moving = ~np.isin(cells.row[cell], data.fixed)
            inverse = np.zeros_like(cells.mass[cell])
            inverse[np.ix_(moving, moving)] = np.linalg.inv(cells.mass[cell][np.ix_(moving, moving)])
            place = [int(np.flatnonzero(cells.row[cell] == row)[0]) for row in rows]
            found = inverse[np.ix_(place, place)]
            if best is None or np.trace(found) < np.trace(best[1]):
                best = cell, found
    return best


def calc_row_mobility(data: MeshData, rows: np.ndarray) -> np.ndarray:
    """The same (k, k) for any rows: those of several elements move each by itself."""
    found = find_row_mobility(data, rows)
    if found is not None:
        return found[1]
    alone = (find_row_mobility(data, rows[[i]]) for i in range(len(rows)))
    return np.diag([0.0 if one is None else float(one[1][0, 0]) for one in alone])
