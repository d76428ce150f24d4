"""The shares of threads: a model cut into as many models as there are threads, on the same nodes.

Elements of all families that may be shared (`Family.shared`) stand in one list, by table and row, which is cut where
the cost so far reaches that of the next share. A share has tables with its own rows alone, and its own sums: forces,
torques, energies, powers, touching points. So kernels do not know of threads: for them a share is a model like any
other. Elements with states z or signals, and surfaces in contact, are all in the first share, which has that much less
of the others.

Nodes are cut likewise, by their rows. What is done for each node by itself sees arrays that begin and end with the rows
of its share. There are two kinds of them. In those called `led` a row leads that belongs to another share: kernels that
leave out row 0, the world, leave it out. In those called `own` all rows are of the share. Rows whose masses are coupled
are solved for by the first thread.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from grouser.compile.compile import Compiled, Tables
from grouser.compile.state import State
from grouser.families.registry import FAMILIES
from grouser.formulations.costs import calc_serial_cost, list_element_costs, list_node_costs
from grouser.formulations.workspace import SCRATCH, VALUED, Workspace
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE

Share = namedtuple("Share", ["tables", "work", "node", "led", "led_state", "reach", "own", "own_state", "row", "found"])
"""What compiled code is given of a share: tables and work, its elements with their sums; node, led, led_state, reach
(that of the search), own, own_state: tables, workspace and state with the rows of its nodes; row (3,) first row, one
past the last, and one past the last with a frame; found (2,) speed and row of the fastest of its nodes, or of one that
has left the range of numbers."""

BY_NODE = ("x_new", "v_new", "v_ahead", "f")
BY_FRAME = ("R_new", "w_new", "w_ahead", "torque", "w_world")
SPEEDS = ("u", "u_new", "u_rate_old", "u_rate", "d")
SUMS = ("f", "torque", "w_world", "contact_force", "ground_force", "contact_sum", "contact_energy")
POWERS = ("stored", "dissipated", "supplied")
LISTS = ("pair_count", "touch", "touch_owner", "touch_start")
SMALL = ("pedal", "q", "rate", "effort", "stack")


Cuts = Mapping[str, tuple[int, int]]
"""First and last row (one past it) of each table that may be shared."""


def cut_elements(compiled: Compiled, count: int) -> list[dict[str, tuple[int, int]]]:
    """The cuts of each share."""
    costs, serial = list_element_costs(compiled), calc_serial_cost(compiled)
    total = sum(rows * cost for rows, cost in costs.values())
    each = min((total + serial) / count, total / max(1, count - 1))
    ends = [total - each * (count - 1 - i) for i in range(count)]
    shares: list[dict[str, tuple[int, int]]] = [{} for _ in range(count)]
    passed = 0.0
    for name, (rows, cost) in costs.items():
        places = [0, *(min(max(round((end - passed) / cost), 0), rows) for end in ends[:-1]), rows]
        for share, cut in zip(shares, pairwise(places), strict=True):
            share[name] = cut
        passed += rows * cost
    return shares


def cut_nodes(compiled: Compiled, count: int) -> list[tuple[int, int]]:
    """First and last row (one past it) of the nodes of each share."""
    costs = list_node_costs(compiled)
    costs[0] = 0.0
    passed = np.cumsum(costs)
    inner = [1 + int(np.searchsorted(passed, passed[-1] * k / count, side="right")) for k in range(1, count)]
    rows = len(costs)
    places = [1, *(min(max(place, 1), rows) for place in inner), rows]
    return list(pairwise(places))


def make_shares(compiled: Compiled, work: Workspace, state: State, count: int) -> list[Share]:
    """The shares of a model: of a workspace and of a state."""
    elements, nodes = cut_elements(compiled, count), cut_nodes(compiled, count)
    return [_make_share(compiled, work, state, k, count, elements[k], nodes[k]) for k in range(count)]


def _make_share(
    compiled: Compiled, work: Workspace, state: State, number: int, count: int, cuts: Cuts, rows: tuple[int, int]
) -> Share:
    (first, last), frames = rows, compiled.layout.frame_count
    is_first, is_last = number == 0, last == len(compiled.layout.nodes)
    node, start, stop = compiled.tables.node, _find_speed(first, frames), _find_speed(last, frames)
    own_first, own_start = (0, 0) if is_first else (first, start)  # the first one has the world, too
    own_stop = len(work.u) if is_last else stop
    led, own = Rows(first - 1, last, 1), Rows(own_first, last, 0)
    memory = slice(*(len(state.anchor) * (number + k) // count for k in (0, 1)))
    turning = {name: led.take_frames(getattr(node, name)) for name in ("inertia", "inertia_inverse", "across")}
    return Share(
        tables=_take_tables(compiled.tables, cuts, is_first=is_first),
        work=_make_work(work, cuts, is_first=is_first),
        node=node._replace(mass=led.take(node.mass), coupled=node.coupled[:0], **turning),
        led=_take_work(work, led, slice(start - FRAME_SIZE, stop)),
        led_state=_take_state(state, led),
        reach=led.take_frames(compiled.tables.contact.search_reach),
        own=_take_memory(_take_work(work, own, slice(own_start, own_stop)), memory),
        own_state=_take_memory(_take_state(state, own), memory),
        row=np.array([first, last, max(first, min(last, frames))]),
        found=np.zeros(2),
    )


class Rows(NamedTuple):
    """Rows of nodes from one to another; of arrays by frame there are at least so many."""

    first: int
    last: int
    least: int

    def take(self, array: np.ndarray) -> np.ndarray:
        """These rows of an array by node."""
        return array[self.first : self.last]

    def take_frames(self, array: np.ndarray) -> np.ndarray:
        """Those with frames; where there are too few, others stand for them."""
        taken = array[self.first : self.last]
        return taken if len(taken) >= self.least else array[: self.least]


def _find_speed(row: int, frames: int) -> int:
    """Where the numbers of a row begin in vectors of velocities, of so many frames."""
    return FRAME_SIZE * min(row, frames) + POINT_SIZE * max(row - frames, 0)


def _take_work(work: Workspace, rows: Rows, speeds: slice) -> Any:
    """A workspace with the rows of some nodes, and no states z."""
    taken = {name: rows.take(getattr(work, name)) for name in BY_NODE}
    taken |= {name: rows.take_frames(getattr(work, name)) for name in BY_FRAME}
    taken |= {name: getattr(work, name)[speeds] for name in SPEEDS}
    return work._replace(**taken, z_new=work.z_new[:0])


def _take_state(state: State, rows: Rows) -> Any:
    """A state with the rows of some nodes, and no states z."""
    return state._replace(
        x=rows.take(state.x),
        v=rows.take(state.v),
        R=rows.take_frames(state.R),
        w=rows.take_frames(state.w),
        z=state.z[:0],
    )


def _take_memory(table: Any, rows: slice) -> Any:
    """A workspace or a state with some places of the friction memory."""
    return table._replace(anchor=table.anchor[rows], anchor_stamp=table.anchor_stamp[rows])


def _take_tables(tables: Tables, cuts: Cuts, *, is_first: bool) -> Any:
    """The tables of a share: its rows of those that are shared; of the others all in the first share, else none.

    Carried rows pass on their forces when those of all shares have been added. Which pairs of shapes are near each
    other is told anew after each search (`tasks.py`), so where those of a group begin is of each share.
    """
    taken: dict[str, Any] = {"carried": _take_none(tables.carried)}
    for family in FAMILIES:
        for name in family.tables:
            table = getattr(tables, name)
            if name in family.shared:
                taken[name] = family.shared[name].take(table, *cuts[name])
            elif not is_first and not family.shared:
                taken[name] = _take_none(table)
    if not is_first:
        taken["encounter"] = _take_none(tables.encounter)
    contact = tables.contact._replace(candidate_start=tables.contact.candidate_start.copy())
    return tables._replace(**taken, contact=contact)


def _take_none(table: Any) -> Any:
    """A table without rows."""
    return type(table)(*(array[:0] for array in table))


def _make_work(work: Workspace, cuts: Cuts, *, is_first: bool) -> Any:
    """The workspace of the elements of a share: that of the model with sums, lists of contacts and scratch of its own,
    which the first share has from the model, and the values of its elements."""
    made: dict[str, Any] = {}
    if not is_first:
        made = {name: np.zeros_like(getattr(work, name)) for name in (*SUMS, *POWERS, *LISTS, *SMALL, *SCRATCH)}
    for family in VALUED:
        name = f"{family.name}_value"
        for table in list(family.shared)[:1]:
            made[name] = getattr(work, name)[slice(*cuts[table])]
    return work._replace(**made)
