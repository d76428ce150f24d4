"""Which positions of an aggregate can be found in closed form, and in what order.

Starting from what carries the aggregate, bodies are given a place one after the other (kernels/joints/closed_form.py):

    drive    a hinge or slide whose motion is prescribed
    turn     a hinge whose body holds a rod, or a body with two points, the other end of which has its place
    aim      a hinge whose body has a point that belongs to a known place
    ball     a ball joint whose body has a second point that belongs to a known place, and a rod to a known point

Where no rule applies, the hinge with the heaviest body is taken as given: its speed shall be independent. An aggregate
that cannot be finished like that is left to Newton's method alone, which looks at the result in any case.

A point tells how far a body has turned only at a distance from the axis: one on it, as the centre of a universal joint
between two shafts in bearings, tells nothing but rounding, and no rule applies to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.tables import ClosedFormTable, make_rows
from grouser.kernels.kinds import (
    CLOSED_AIM,
    CLOSED_BALL,
    CLOSED_DRIVE,
    CLOSED_PLACE,
    CLOSED_TURN,
    ROTATION_FREE,
    ROTATION_TURN,
    ROW_DISTANCE,
    ROW_POINT,
)

PARALLEL = 1.0e-9
"""Sine of the angle between two hinges up to which they count as parallel."""
LEVER = 0.01
"""Least distance of a point from the axis about which it turns, as a share of the size of the aggregate."""
NOWHERE = np.zeros(3)


def make_closed_forms(compiled: Compiled, tree: Any, constraint: Any, aggregate: Any) -> tuple:
    """The table of closed forms of all aggregates."""
    columns: dict[str, list] = {field[0]: [] for field in ClosedFormTable.FIELDS}  # type: ignore[attr-defined]
    given = np.zeros(int(tree.v_start[-1]), dtype=int)
    columns["start"] = [0]
    for c in range(len(aggregate.ancestor)):
        finder = _Finder(compiled, tree, constraint, aggregate, c)
        if finder.find_all():
            for step in finder.steps:
                for name, value in step.items():
                    columns[name].append(value)
            for row in finder.given:
                given[tree.v_start[row] : tree.v_start[row + 1]] = 1
        columns["start"].append(len(columns["kind"]))
    columns["given"] = given.tolist()
    return make_rows(ClosedFormTable, columns)


class _Finder:
    """The order of closed forms in one aggregate."""

    def __init__(self, compiled: Compiled, tree: Any, constraint: Any, aggregate: Any, c: int) -> None:
        self.tree, self.constraint, self.aggregate = tree, constraint, aggregate
        self.mass, self.R = compiled.tables.node.mass, compiled.initial.R
        self.left = aggregate.row[aggregate.row_start[c] : aggregate.row_start[c + 1]].tolist()
        self.entries = range(aggregate.entry_start[c], aggregate.entry_start[c + 1])
        self.least = LEVER * float(aggregate.size[c])
        self.steps: list[dict[str, object]] = []
        self.given: list[int] = []

    def find_all(self) -> bool:
        """Whether all bodies of the aggregate get a place; `steps` says how."""
        while self.left:
            if any(self._find_place(row) for row in self.left):
                continue
            ready = [row for row in self.left if self._is_hinge(row) and self._is_ready(row)]
            if not ready:
                return False
            heaviest = max(ready, key=lambda row: self.mass[self.tree.body[row]])
            self.given.append(heaviest)
            self._add(CLOSED_PLACE, heaviest, self.entries[0])
        return any(step["kind"] != CLOSED_PLACE for step in self.steps)

    def _find_place(self, row: int) -> bool:
        """Add a step that gives the body of a row its place, if a rule applies."""
        if not self._is_ready(row):
            return False
        speeds = self.tree.v_start[row + 1] - self.tree.v_start[row]
        if speeds == 0:
            self._add(CLOSED_PLACE, row, self.entries[0])
            return True
        body = int(self.tree.body[row])
        if speeds == 1 and self._find_drive(row):
            return True
        if self._is_hinge(row):
            return self._find_turn(row, body)
        return self._is_ball(row) and self._find_ball(row, body)

    def _find_drive(self, row: int) -> bool:
        starts, branch = self.aggregate.branch_start, self.aggregate.branch
        for entry in self.entries:
            between = branch[starts[2 * entry] : starts[2 * entry + 2]].tolist()
            if self.constraint.scalar[entry] >= 0 and between == [row] and self.tree.joint[row] >= 0:
                sign = -1.0 if self.tree.reversed[row] else 1.0
                self._add(CLOSED_DRIVE, row, entry, body=int(self.constraint.scalar[entry]), length=sign)
                return True
        return False

    def _find_turn(self, row: int, body: int) -> bool:
        for entry, own, other, other_body in self._find_ends(body):
            if not self._is_placed(other_body) or not self._has_lever(row, own):
                continue
            known = {"point": self._see_from_hinge(row, own), "body": other_body, "known": other}
            if self._is_rod(entry):
                self._add(CLOSED_TURN, row, entry, **known, length=float(self.constraint.length[entry]))
                return True
            if self._is_point(entry):
                self._add(CLOSED_AIM, row, entry, **known)
                return True
        return self._find_dyad(row, body) or self._find_chain(row, body)

    def _find_dyad(self, row: int, body: int) -> bool:
        """The body meets another one, which itself hangs on a body with a place: both are rods of a triangle."""
        for entry, own, other, other_body in self._find_ends(body):
            link = int(self.tree.row[other_body])
            if link not in self.left or not self._is_point(entry) or not self._is_ready(link):
                continue
            if not self._has_lever(row, own):
                continue
            if self._is_ball(link) or self._is_parallel(row, link):
                self._add(
                    CLOSED_TURN,
                    row,
                    entry,
                    point=self._see_from_hinge(row, own),
                    body=int(self.tree.parent[link]),
                    known=self.tree.p_parent[link],
                    length=float(np.linalg.norm(other - self.tree.p_child[link])),
                )
                return True
        return False

    def _find_chain(self, row: int, body: int) -> bool:
        """The body carries another one, which itself meets a body with a place."""
        for link in self.left:
            if self.tree.parent[link] != body or not (self._is_ball(link) or self._is_parallel(row, link)):
                continue
            if not self._has_lever(row, self.tree.p_parent[link]):
                continue
            for entry, own, other, other_body in self._find_ends(int(self.tree.body[link])):
                if self._is_point(entry) and self._is_placed(other_body):
                    self._add(
                        CLOSED_TURN,
                        row,
                        entry,
                        point=self._see_from_hinge(row, self.tree.p_parent[link]),
                        body=other_body,
                        known=other,
                        length=float(np.linalg.norm(own - self.tree.p_child[link])),
                    )
                    return True
        return False

    def _find_ball(self, row: int, body: int) -> bool:
        ends = [end for end in self._find_ends(body) if self._is_placed(end[3])]
        points = [end for end in ends if self._is_point(end[0])]
        rods = [end for end in ends if self._is_rod(end[0])]
        if not points or not rods:
            return False
        _, second, second_known, second_body = points[0]
        entry, own, known, other_body = rods[0]
        centre = self.tree.p_child[row]
        if _calc_lever(own - centre, second - centre) < self.least:
            return False
        self._add(
            CLOSED_BALL,
            row,
            entry,
            point=own,
            body=other_body,
            known=known,
            second=second,
            second_body=second_body,
            second_known=second_known,
            length=float(self.constraint.length[entry]),
        )
        return True

    def _find_ends(self, body: int) -> list[tuple[int, np.ndarray, np.ndarray, int]]:
        """Joints at a body that the tree does not hold: entry, point on the body, point on the other, the other."""
        c, ends = self.constraint, []
        for entry in self.entries:
            if c.joint[entry] >= 0 and body == c.body_a[entry]:
                ends.append((entry, c.p_a[entry], c.p_b[entry], int(c.body_b[entry])))
            elif c.joint[entry] >= 0 and body == c.body_b[entry]:
                ends.append((entry, c.p_b[entry], c.p_a[entry], int(c.body_a[entry])))
        return ends

    def _see_from_hinge(self, row: int, point: np.ndarray) -> np.ndarray:
        """A point of the body of a row, from its joint, in the axes of the joint's frame."""
        return self.tree.frame_child[row].T @ (point - self.tree.p_child[row])

    def _has_lever(self, row: int, point: np.ndarray) -> bool:
        """Whether a point of the body of a row tells how far it has turned."""
        return _calc_lever(self._see_from_hinge(row, point), np.array([0.0, 0.0, 1.0])) >= self.least

    def _add(self, kind: int, row: int, entry: int, **more: object) -> None:
        blank: dict[str, object] = {"point": NOWHERE, "known": NOWHERE, "second": NOWHERE, "second_known": NOWHERE}
        blank |= {"body": 0, "second_body": 0, "length": 0.0}
        self.steps.append({**blank, "kind": kind, "row": row, "entry": entry, **more})
        self.left.remove(row)

    def _is_placed(self, body: int) -> bool:
        return int(self.tree.row[body]) not in self.left

    def _is_ready(self, row: int) -> bool:
        return self._is_placed(int(self.tree.parent[row]))

    def _is_hinge(self, row: int) -> bool:
        return bool(self.tree.slide_count[row] == 0 and self.tree.rotation[row] == ROTATION_TURN)

    def _is_ball(self, row: int) -> bool:
        return bool(self.tree.slide_count[row] == 0 and self.tree.rotation[row] == ROTATION_FREE)

    def _is_parallel(self, row: int, other: int) -> bool:
        if not (self._is_hinge(row) and self._is_hinge(other)):
            return False
        one, two = (self.R[self.tree.parent[k]] @ self.tree.frame_parent[k][:, 2] for k in (row, other))
        return float(np.linalg.norm(np.cross(one, two))) < PARALLEL

    def _is_point(self, entry: int) -> bool:
        start = int(self.constraint.row_start[entry])
        return bool((self.constraint.row_kind[start : start + 3] == ROW_POINT).sum() == 3)

    def _is_rod(self, entry: int) -> bool:
        return bool(self.constraint.row_kind[self.constraint.row_start[entry]] == ROW_DISTANCE)


def _calc_lever(point: np.ndarray, axis: np.ndarray) -> float:
    """Distance of a point from an axis through the origin; zero where there is no axis."""
    length = float(np.linalg.norm(axis))
    return float(np.linalg.norm(np.cross(axis, point))) / length if length > 0.0 else 0.0
