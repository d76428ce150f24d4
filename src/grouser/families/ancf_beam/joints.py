"""Linear joints of elements by gradient coordinates: conditions on rows, eliminated once and for all.

Places and gradients are coordinates, so that joints between elements are linear conditions on rows of coordinates e,
the same for all three components. With the first node i and the second one j,

    pin along the line alpha:   r_i = r_j,   r_i,alpha = r_j,alpha                                   S2-7, 8 (1)
    gradients by u, v, w:       [r_u r_v r_w] = [r_x r_y r_z] A                                         S2-9 (2)
    r_alpha = [r_x r_y r_z] t   with the direction t of the line in x, y, z: a column of A                   (3)
    rigid (C1):                 r_i = r_j,   [r_x r_y r_z]_j = [r_x r_y r_z]_i A                             (4)
    rigid body (X, R):          r = X + R p,   [r_x r_y r_z] = R F                                           (5)

In (5) the body is four rows: its place X and the three columns of R. All rows follow from independent ones,

    e = B q + e_0,   M_q = B^T M B,   Q_q = B^T Q                                                            (6)

with a constant matrix B, so there are neither multipliers nor drift, and M_q is constant. e_0 is zero without clamps. A
pin takes six of 24 coordinates of the two nodes: 18 are left, with a turn and five ways to deform about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse

_NOTHING = 1e-12
"""Coefficient of a condition that counts as zero, over its largest one."""
_APART = 1e-9
"""What a condition without unknowns may miss, over the largest coordinate in it."""


@dataclass(frozen=True)
class ReducedCoordinates:
    """e = B q + e_0 by rows.

    Attributes
    ----------
    B : (rows, independent) constant matrix, the same for the three components
    start : (rows, 3) e_0
    independent : (independent,) rows that are q
    redundant : names of conditions that follow from others
    """

    B: scipy.sparse.csr_array
    start: np.ndarray
    independent: np.ndarray
    redundant: tuple[str, ...]

    @property
    def freedom_count(self) -> int:
        """Number of independent coordinates, three a row."""
        return 3 * len(self.independent)

    def expand(self, q: np.ndarray) -> np.ndarray:
        """All coordinates (rows, 3) of independent ones (independent, 3)."""
        return np.asarray(self.B @ q) + self.start

    def collect(self, f: np.ndarray) -> np.ndarray:
        """Forces (independent, 3) of forces (rows, 3)."""
        return np.asarray(self.B.T @ f)

    def reduce(self, matrix: scipy.sparse.csc_array) -> scipy.sparse.csc_array:
        """B^T M B of a matrix by rows."""
        return scipy.sparse.csc_array(self.B.T @ matrix @ self.B)


@dataclass
class LinearJoints:
    """Collects conditions on rows of coordinates, and eliminates them.

    Nodes are given by the first of their rows. Those of beams have four rows, r, r_x, r_y, r_z.

    >>> joints = LinearJoints(16)  # two beams
    >>> joints.add_pin(4, 8, line=(0.0, 1.0, 0.0))
    >>> joints.reduce().freedom_count
    42
    """

    row_count: int
    _conditions: list[tuple[str, dict[int, float], np.ndarray]] = field(default_factory=list)
    _of_bodies: set[int] = field(default_factory=set)

    def add_condition(self, name: str, terms: Mapping[int, float], value: np.ndarray | None = None) -> None:
        """Sum of factors times rows = value (3,), zero if not given."""
        for row in terms:
            if not 0 <= row < self.row_count:
                raise ValueError(f"{name}: there is no row {row}; rows are 0 to {self.row_count - 1}")
        value = np.zeros(3) if value is None else np.asarray(value, dtype=float)
        if not (np.isfinite(list(terms.values())).all() and np.isfinite(value).all()):
            raise ValueError(f"{name}: factors and value must be finite numbers")
        self._conditions.append((name, {row: float(factor) for row, factor in terms.items() if factor != 0.0}, value))

    def add_ball(self, first: int, second: int) -> None:
        """Two nodes at one place, free to turn."""
        self.add_condition(f"joint of the nodes {first} and {second}", {second: 1.0, first: -1.0})

    def add_pin(
        self, first: int, second: int, *, line: np.ndarray | tuple, second_line: np.ndarray | tuple | None = None
    ) -> None:
        """(1): a pin along a coordinate line.

        Parameters
        ----------
        first, second : the nodes
        line : direction t of (3) in x, y, z of the first node; also in those of the second if `second_line` is not
            given
        """
        name = f"pin of the nodes {first} and {second}"
        lines = [np.asarray(line if given is None else given, dtype=float) for given in (line, second_line)]
        for t in lines:
            if t.shape != (3,) or not np.isfinite(t).all() or not t.any():
                raise ValueError(f"{name}: its line is {t.tolist()}: give a direction in x, y, z that is not zero")
        self.add_ball(first, second)
        terms = {second + 1 + k: lines[1][k] for k in range(3)} | {first + 1 + k: -lines[0][k] for k in range(3)}
        self.add_condition(name, terms)

    def add_rigid(self, first: int, second: int, transformation: np.ndarray | None = None) -> None:
        """(4): the second node follows the first one, with the gradients A of (2); the same gradients if not given."""
        name = f"rigid joint of the nodes {first} and {second}"
        A = np.eye(3) if transformation is None else np.asarray(transformation, dtype=float)
        _check_regular(name, A)
        self.add_ball(first, second)
        for k in range(3):
            self.add_condition(name, {second + 1 + k: 1.0} | {first + 1 + m: -A[m, k] for m in range(3)})

    def add_clamp(self, node: int, coordinates: np.ndarray) -> None:
        """Rows of a node held where they are: (k, 3), as many as are held."""
        for k, value in enumerate(np.asarray(coordinates, dtype=float)):
            self.add_condition(f"clamp of the node {node}", {node + k: 1.0}, value)

    def add_body(self, node: int, body: int, place: np.ndarray, gradients: np.ndarray) -> None:
        """(5): a node on a rigid body.

        Parameters
        ----------
        node : its first row
        body : first of the four rows of the body: its place and the three columns of its rotation matrix
        place : (3,) p, in the axes of the body [m]
        gradients : (3, 3) F, r_x, r_y, r_z in columns, in the axes of the body; (3, 1) for a cable
        """
        name = f"joint of the node {node} with the body at the row {body}"
        self._of_bodies.update(range(body, body + 4))
        F = np.asarray(gradients, dtype=float)
        if F.shape[1] == 3:
            _check_regular(name, F)
        self.add_condition(name, {node: 1.0, body: -1.0} | {body + 1 + m: -place[m] for m in range(3)})
        for k in range(F.shape[1]):
            self.add_condition(name, {node + 1 + k: 1.0} | {body + 1 + m: -F[m, k] for m in range(3)})

    def reduce(self) -> ReducedCoordinates:
        """Eliminate all conditions, each by its row with the largest factor, the last of several. Rows of bodies stay,
        since a body has six freedoms only, and not the twelve of its rows."""
        known: dict[int, tuple[dict[int, float], np.ndarray]] = {}
        redundant = []
        for name, given, target in self._conditions:
            reach = max([1.0, *np.abs(target)])
            terms, value = _substitute(given, target, known)
            largest = max(map(abs, terms.values()), default=0.0)
            if largest <= _NOTHING * max(map(abs, given.values()), default=1.0):
                if np.abs(value).max() > _APART * reach:
                    raise ValueError(
                        f"{name} contradicts the conditions before it, by {np.abs(value).max():g}: "
                        "a chain that does not close, or a row that is held twice"
                    )
                redundant.append(name)
                continue
            candidates = {row: abs(factor) for row, factor in terms.items() if row not in self._of_bodies}
            if not candidates:
                raise ValueError(f"{name} holds rigid bodies to each other: connect them by a joint")
            most = (1.0 - _NOTHING) * max(candidates.values())
            pivot = max(row for row, size in candidates.items() if size >= most)
            factor = terms.pop(pivot)
            known[pivot] = {row: -other / factor for row, other in terms.items()}, value / factor
        for row in reversed(list(known)):
            terms, value = known[row]
            free, held = _substitute(terms, -value, known)
            known[row] = free, -held
        independent = np.array([row for row in range(self.row_count) if row not in known], dtype=int)
        return self._make(known, independent, tuple(redundant))

    def _make(
        self, known: dict[int, tuple[dict[int, float], np.ndarray]], independent: np.ndarray, redundant: tuple[str, ...]
    ) -> ReducedCoordinates:
        column = {int(row): k for k, row in enumerate(independent)}
        rows, columns, values = list(column), list(column.values()), [1.0] * len(column)
        start = np.zeros((self.row_count, 3))
        for row, (terms, value) in known.items():
            start[row] = value
            for other, factor in terms.items():
                rows.append(row)
                columns.append(column[other])
                values.append(factor)
        shape = (self.row_count, len(independent))
        return ReducedCoordinates(
            scipy.sparse.csr_array((values, (rows, columns)), shape=shape), start, independent, redundant
        )


def _check_regular(name: str, A: np.ndarray) -> None:
    """Refuse gradients that are not three directions."""
    if A.shape != (3, 3) or not np.isfinite(A).all() or abs(np.linalg.det(A)) < _NOTHING:
        raise ValueError(f"{name}: its gradients are {A.tolist()}: give three directions that span the space")


def _substitute(
    terms: Mapping[int, float], value: np.ndarray, known: Mapping[int, tuple[dict[int, float], np.ndarray]]
) -> tuple[dict[int, float], np.ndarray]:
    """A condition, terms = value, without the rows that are known by others."""
    largest = max(map(abs, terms.values()), default=0.0)
    left, free, value = dict(terms), dict[int, float](), value.copy()
    while left:
        row, factor = left.popitem()
        if row not in known:
            free[row] = free.get(row, 0.0) + factor
            continue
        others, constant = known[row]
        value -= factor * constant
        for other, share in others.items():
            left[other] = left.get(other, 0.0) + factor * share
    return {row: factor for row, factor in free.items() if abs(factor) > _NOTHING * largest}, value
