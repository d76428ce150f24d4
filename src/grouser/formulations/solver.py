"""A solver: a compiled model bound to a formulation and a time scheme, with all the scratch they need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.compile.blocks import Blocks, find_edges, make_blocks
from grouser.compile.compile import Compiled
from grouser.compile.state import State
from grouser.formulations.advance import DONE, solve_steps
from grouser.formulations.augmented.system import System, make_system
from grouser.formulations.recursive.system import TreeSystem, make_tree_system
from grouser.formulations.schemes import INTEGRATORS
from grouser.formulations.workspace import Workspace, make_workspace


@dataclass(frozen=True)
class Solver:
    """Advances states of a compiled model.

    Attributes
    ----------
    compiled : the model
    scheme : time scheme
    blocks : of linearly implicit steps, or None
    system : sparse system of the augmented formulation and of linearly implicit steps, or None
    tree : of the recursive formulation, or None
    work : scratch; after `advance` it holds the evaluation of the state
    """

    compiled: Compiled
    scheme: int
    blocks: Blocks | None
    system: System | None
    tree: TreeSystem | None
    work: Workspace

    def advance(self, state: State, step_count: int, step: float, drag: float = 0.0) -> tuple[int, str]:
        """Advance a state in place; status, and the name of the body at which it failed.

        With no steps the state is brought onto its constraints and evaluated.
        """
        status, body = solve_steps(
            self.compiled.tables,
            self.scheme,
            step_count,
            step,
            drag,
            state,
            self.blocks,
            self.system,
            self.tree,
            self.work,
        )
        return status, "" if status == DONE or body < 0 else self.compiled.layout.bodies[body]

    def find_redundant_count(self) -> int:
        """Constraint rows that other rows imply, in the configuration of the last evaluation."""
        if self.tree is not None:
            return len(self.tree.constraint.row_kind) - int(self.tree.cut_work.rank.sum())
        if self.system is None or not len(self.system.phi):
            return 0
        return len(self.system.phi) - _calc_rank(self.compiled, self.system)


def make_solver(compiled: Compiled, formulation: str, integrator: str) -> Solver:
    """Solver of a compiled model by the names of a formulation and of an integrator."""
    scheme, implicit = INTEGRATORS[integrator]
    bodies = len(compiled.tables.body.mass)
    system: System | None = None
    blocks: Blocks | None = None
    tree: TreeSystem | None = None
    speeds = 6 * (bodies + 1)
    if formulation == "recursive":
        extra = None
        if implicit:
            extra = np.zeros((bodies + 1, 6, 6))
            diagonal = np.array([*range(0, 36 * bodies, 36), -1])
            none = np.full(len(find_edges(compiled.tables)), -1)
            blocks = make_blocks(compiled, extra.reshape(-1), diagonal, none, np.zeros_like(none))
        tree = make_tree_system(compiled, blocks=extra)
        speeds = len(tree.tau)
    elif formulation == "augmented" or implicit:
        system, blocks = make_system(compiled, implicit=implicit)
    return Solver(compiled, scheme, blocks, system, tree, make_workspace(compiled, speeds))


def _calc_rank(compiled: Compiled, system: Any) -> int:
    """Rank of all constraint rows, scaled by the masses."""
    constraint = compiled.tables.constraint
    body = compiled.tables.body
    count = len(body.mass)
    dense = np.zeros((len(system.phi), 6 * (count + 1)))
    scale = np.ones(6 * (count + 1))
    for i in range(count):
        scale[6 * i : 6 * i + 3] = body.mass[i] ** -0.5
        scale[6 * i + 3 : 6 * i + 6] = np.diag(body.inertia[i]) ** -0.5
    for k in range(len(constraint.body_a)):
        rows = slice(constraint.row_start[k], constraint.row_start[k] + constraint.row_count[k])
        for side, b in enumerate((constraint.body_a[k], constraint.body_b[k])):
            dense[rows, 6 * b : 6 * b + 6] += system.G[rows, 6 * side : 6 * side + 6]
    dense = dense[:, : 6 * count] * scale[: 6 * count]
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(dense, tol=1e-6))
