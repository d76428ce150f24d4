"""Pinocchio's articulated-body algorithm (`aba`) beside ours, over the same chain of revolute links.

Both go from coordinates, speeds and efforts to accelerations, kinematics included. Ours is compiled for this machine
and runs in a compiled loop. Theirs is as its package has it, called from Python; what such a call takes for one link is
subtracted, in their favour.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pinocchio
from recursion import PASS, Passes, make_chain
from rows import Row

from grouser._version import __version__
from grouser.kernels.kinds import ROTATION_FREE, ROTATION_TURN

AGREEMENT = 1.0e-9
"""Largest difference of the accelerations, as a share of the largest one, with which times are compared."""


def make_pinocchio(body: Any, tree: Any) -> pinocchio.Model:
    """The tree of our tables, every joint in the axes of the child's frame."""
    model = pinocchio.Model()
    for k, (child, parent) in enumerate(zip(tree.body, tree.parent, strict=True)):
        before = tree.row[parent]
        on_parent = pinocchio.SE3(tree.frame_parent[k], tree.p_parent[k])
        own = pinocchio.SE3(tree.frame_child[k], tree.p_child[k])
        if before >= 0:
            on_parent = pinocchio.SE3(tree.frame_child[before], tree.p_child[before]).inverse() * on_parent
        if tree.slide_count[k] == 3:
            joint = pinocchio.JointModelFreeFlyer()
        elif tree.rotation[k] == ROTATION_FREE:
            joint = pinocchio.JointModelSpherical()
        elif tree.rotation[k] == ROTATION_TURN:
            joint = pinocchio.JointModelRZ()
        else:
            joint = pinocchio.JointModelPZ()
        index = model.addJoint(int(before) + 1, joint, on_parent, f"joint{k}")
        inertia = pinocchio.Inertia(body.mass[child], np.zeros(3), body.inertia[child])
        model.appendBodyToJoint(index, inertia, own.inverse())
    return model


class _Chain:
    """A chain of ours and of theirs, at the same coordinates and speeds."""

    def __init__(self, count: int) -> None:
        self.ours = Passes(make_chain(count))
        self._model = make_pinocchio(self.ours.body, self.ours.tree)
        self._data, self._tau = self._model.createData(), np.zeros(count)

    def calc_difference(self) -> float:
        """Largest difference of the accelerations, as a share of the largest one."""
        self.ours.run(PASS)
        theirs = pinocchio.aba(self._model, self._data, self.ours.q, self.ours.qd, self._tau)
        return float(np.abs(self.ours.qdd - theirs).max() / np.abs(theirs).max())

    def run_theirs(self, calls: int) -> float:
        """CPU time of one call, as a mean over some [us]."""
        arguments = (self._model, self._data, self.ours.q, self.ours.qd, self._tau)
        began = time.thread_time()
        for _ in range(calls):
            pinocchio.aba(*arguments)
        return 1e6 * (time.thread_time() - began) / calls


def measure(quick: bool) -> list[Row]:
    """Rows for chains of several lengths. All programs and lengths take turns, medians of many turns count."""
    counts, turns, calls = ((16, 64), 3, 50) if quick else ((16, 64, 256), 40, 1000)
    chains = {count: _Chain(count) for count in counts}
    differences = {count: chain.calc_difference() for count, chain in chains.items()}
    for count, difference in differences.items():
        if not difference < AGREEMENT:
            raise SystemExit(f"{count} links: accelerations differ from Pinocchio's by {difference:.1e}: not the same")
    single = _Chain(1)
    times = [
        [
            single.run_theirs(calls),
            *(t for c in chains.values() for t in (c.ours.run(PASS, calls), c.run_theirs(calls))),
        ]
        for _ in range(turns)
    ]
    call, *costs = np.median(times, axis=0).tolist()
    rows = []
    for i, count in enumerate(counts):
        case, remark = f"articulated bodies, {count} links", f"{call:.1f} us of the call subtracted"
        theirs = f"Pinocchio {pinocchio.__version__}"
        rows.append(Row(case, f"grouser {__version__}", costs[2 * i], "us"))
        rows.append(Row(case, theirs, costs[2 * i + 1] - call, "us", difference=differences[count], remark=remark))
    return rows
