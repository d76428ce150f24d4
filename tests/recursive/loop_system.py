"""A tree with cut joints: a `System` whose loops are closed."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import tree_entries as entries
from tree_system import System

from grouser.compile.compile import compile_model
from grouser.compile.cuts import make_cuts
from grouser.compile.realization import Ideal
from grouser.formulations.recursive.workspace import make_cut_work
from grouser.kernels._packed import Packed
from grouser.kernels.kinds import LEDGER_COUNT

Reactions = namedtuple("Reactions", ["joint_force", "joint_moment", "scalar_value", "supplied"])
"""What a workspace has of joints and motions."""


class LoopSystem(System):
    """A model as a tree with cuts."""

    def __init__(self, model, cuts=()):
        super().__init__(model, [list(model.joints).index(name) for name in cuts])
        self.tables = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True).tables
        self.constraint, self.cut = make_cuts(self.tables.constraint, self.tree)
        self.cut_work = make_cut_work(self.tree, self.constraint, self.cut)
        self.time = 0.0
        self.packed = Packed(self.tables)
        self.bind(constraint=self.constraint, cut=self.cut, space=self.cut, cut_work=self.cut_work)

    @property
    def redundant(self):
        """Redundant rows of each cluster."""
        return np.diff(self.cut.cluster_start) - self.cut_work.rank

    def solve(self):
        qdd = np.zeros(self.speeds)
        entries.calc_closed(self.packed, self.time, self.state, self.drag, qdd, self.system, self.moved)
        return qdd

    def close(self, tolerance=1e-12, tolerance_rate=1e-12):
        """Close the loops, positions and velocities; returns the largest violation left."""
        self.cut_work.ready[0] = 0
        worst, _ = entries.solve_closure(
            self.packed, self.time, tolerance, tolerance_rate, self.qd, self.state, self.system
        )
        return worst

    def find_reactions(self):
        force, moment = super().find_reactions()
        joints, scalars = len(self.layout.joints), len(self.layout.scalars)
        self.effort = np.zeros((scalars, 4))
        reactions = Reactions(force, moment, self.effort, np.zeros(LEDGER_COUNT))
        entries.calc_cut_reactions(self.constraint, self.state.R, self.cut_work, np.zeros(joints), reactions)
        return force, moment
