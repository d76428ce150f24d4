"""A solver: the equations of a model bound to an integrator, with all the scratch that it needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grouser.compile.compile import Compiled
from grouser.compile.state import State
from grouser.formulations.augmented.system import System
from grouser.formulations.embedded.system import name_entry
from grouser.formulations.equations import Equations
from grouser.formulations.recursive.system import TreeSystem
from grouser.formulations.status import DONE, OPEN
from grouser.formulations.surface_work import forget_searches, grow_lists
from grouser.formulations.workspace import Workspace
from grouser.integrators.declarations import INTEGRATORS, Integrator
from grouser.integrators.team import Team
from grouser.kernels._packed import Packed
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE


@dataclass
class Counts:
    """What a solver has done so far.

    Attributes
    ----------
    steps : accepted steps
    rejected : steps tried and not accepted; None where the integrator does not tell
    evaluations : of the equations of motion
    orders : sum of the orders of all accepted steps; None where the order is fixed or not told
    """

    steps: int = 0
    rejected: int | None = 0
    evaluations: int = 0
    orders: int | None = None


class Kept:
    """A state, and what a solver keeps from step to step, as they were."""

    def __init__(self, solver: Solver, state: State) -> None:
        self._arrays = [array.copy() for array in _list_changing(solver, state)]
        self._counts, self._left = replace(solver.counts), getattr(solver, "left", None)

    def put_back(self, solver: Solver, state: State) -> None:
        """Undo what has happened since."""
        for array, before in zip(_list_changing(solver, state), self._arrays, strict=True):
            np.copyto(array, before)
        solver.counts = self._counts
        if self._left is not None:
            solver.left = self._left  # type: ignore[attr-defined]
        solver.forget()


def _list_changing(solver: Solver, state: State) -> list[np.ndarray]:
    """Arrays of a state and of the history of a solver."""
    tables = [value for value in vars(solver).values() if hasattr(value, "_fields")]
    arrays = [array for table in (state, *tables) for array in table if isinstance(array, np.ndarray)]
    work = solver.work
    return [*arrays, work.joint_peak, work.anchor, work.anchor_stamp]


@dataclass(eq=False)
class Solver(ABC):
    """Advances states of a compiled model.

    Attributes
    ----------
    equations : of the model, by a formulation
    integrator : name of the integrator
    counts : what has been done so far
    threads : that share the work
    team : these threads, or None where there is one
    """

    equations: Equations
    integrator: str
    counts: Counts = field(default_factory=Counts, kw_only=True)
    threads: int = field(default=1, kw_only=True)
    team: Team | None = field(default=None, kw_only=True)
    _packed: dict[type, Packed] = field(default_factory=dict, init=False, repr=False)

    def advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """Advance a state in place by `step_count` steps; status, and the name of the body at which it failed.

        An integrator that chooses its steps goes as far in time. With no steps the state is brought onto its
        constraints and evaluated. `drag` [1/s] damps all velocities. Where the lists of surfaces in contact turn out
        too short, they are made longer, and all is made again: so nothing depends on how long they were.
        """
        if not self.compiled.surfaces.meetings:
            return self._advance(state, step_count, step, drag)
        while True:
            forget_searches(self.work)
            kept = Kept(self, state)
            found = self._advance(state, step_count, step, drag)
            encounters = grow_lists(self.work.encounter)
            if encounters is None:
                return found
            kept.put_back(self, state)
            self.equations.set_encounters(encounters)
            if self.team is not None:
                self.team.forget()

    @abstractmethod
    def _advance(self, state: State, step_count: int, step: float, drag: float) -> tuple[int, str]:
        """See `advance`; the lists are what they are."""

    def share(self, threads: int) -> None:
        """Have so many threads share the work from now on."""
        self.close()
        self.threads, self.team = threads, None if threads == 1 else Team(self.equations, threads)

    def close(self) -> None:
        """End the threads that help."""
        if self.team is not None:
            self.team.close()

    def forget(self) -> None:
        """What is kept of evaluations before no longer holds: an input has changed."""
        if self.equations.implicit is not None:
            self.equations.implicit.held[0] = np.nan

    @property
    def has_foreign_history(self) -> bool:
        """Whether a library keeps a history that cannot be copied; `forget` drops it."""
        return False

    @property
    def compiled(self) -> Compiled:
        """The compiled model."""
        return self.equations.compiled

    @property
    def system(self) -> System | None:
        """Sparse system, or None."""
        return self.equations.system

    @property
    def tree(self) -> TreeSystem | None:
        """Tree with its cuts or aggregates, or None."""
        return self.equations.tree

    @property
    def work(self) -> Workspace:
        """Scratch; after `advance` it holds the evaluation of the state."""
        return self.equations.work

    @property
    def declared(self) -> Integrator:
        """What the integrator is."""
        return INTEGRATORS[self.integrator]

    def pack(self, table: Any) -> Packed:
        """A state or scratch for compiled code; of each kind the last one is kept, as it mostly is the same again."""
        found = self._packed.get(type(table))
        if found is None or found.table is not table:
            found = self._packed[type(table)] = Packed(table)
        return found

    def find_redundant_count(self) -> int:
        """Constraint rows that other rows imply, in the configuration of the last evaluation."""
        if self.tree is not None:
            return len(self.tree.constraint.row_kind) - self._find_held_count()
        if self.system is None or not len(self.system.phi):
            return 0
        return len(self.system.phi) - _calc_rank(self.compiled, self.system)

    def find_freedom_count(self) -> int:
        """Degrees of freedom, in the configuration of the last evaluation."""
        if self.tree is not None:
            return len(self.tree.tau) - self._find_held_count()
        rows = 0 if self.system is None else len(self.system.phi)
        layout = self.compiled.layout
        freedoms = FRAME_SIZE * len(layout.bodies) + POINT_SIZE * len(layout.free_points)
        return freedoms - rows + self.find_redundant_count()

    def _find_held_count(self) -> int:
        """Independent constraint rows of the tree."""
        assert self.tree is not None
        work = self.tree.cut_work if self.tree.embedding is None else self.tree.embedding.work
        return int(work.rank.sum())

    def _name_node(self, status: int, node: int) -> tuple[int, str]:
        """Status with the name of a node, if it failed at one; of the joint or motion that cannot be closed."""
        if status == OPEN:
            return status, name_entry(self.compiled, self.equations.tree, node)  # type: ignore[arg-type]
        return status, "" if status == DONE or node < 0 else self.compiled.layout.nodes[node]


def _calc_rank(compiled: Compiled, system: Any) -> int:
    """Rank of all constraint rows, scaled by the masses."""
    constraint = compiled.tables.constraint
    body = compiled.tables.node
    count = len(body.inertia)
    dense = np.zeros((len(system.phi), 6 * count))
    scale = np.zeros(6 * count)  # the world does not move
    for i in range(1, count):
        scale[6 * i : 6 * i + 3] = body.mass[i] ** -0.5
        scale[6 * i + 3 : 6 * i + 6] = np.diag(body.inertia[i]) ** -0.5
    for k in range(len(constraint.body_a)):
        rows = slice(constraint.row_start[k], constraint.row_start[k] + constraint.row_count[k])
        for side, b in enumerate((constraint.body_a[k], constraint.body_b[k])):
            dense[rows, 6 * b : 6 * b + 6] += system.G[rows, 6 * side : 6 * side + 6]
    dense *= scale
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(dense, tol=1e-6))
