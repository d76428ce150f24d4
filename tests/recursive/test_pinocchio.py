"""The tree against Pinocchio, where it is installed: another library's numbers for the same model."""

import numpy as np
import pytest
from tree_system import System, make_random_model

from grouser.kernels.kinds import ROTATION_FREE

pinocchio = pytest.importorskip("pinocchio")


@pytest.mark.parametrize("base", ["world", "floating"])
def test_open_chain_agrees_with_pinocchio(base):
    from peer_pinocchio import make_pinocchio

    rng = np.random.default_rng(11)
    system = System(make_random_model(rng, ("revolute", "prismatic", "spherical", "revolute") * 4, base=base))
    system.randomize(rng)
    system.f[:], system.torque[:] = 0.0, 0.0
    tree = system.tree
    q, qd = system.q.copy(), system.qd.copy()
    for k in range(system.count):
        if tree.rotation[k] == ROTATION_FREE:  # Pinocchio has the scalar part of a quaternion last
            stop = tree.q_start[k + 1]
            q[stop - 4 : stop] = np.roll(q[stop - 4 : stop], -1)
    R, w = system.state.R[tree.body[0]], system.state.w[tree.body[0]]
    if base == "floating":  # and the velocity of a free body in its own axes
        system.tau[:6] = 0.0
        qd[:3] = R.T @ qd[:3]
    model = make_pinocchio(system.body, system.tree)
    expected = pinocchio.aba(model, model.createData(), q, qd, system.tau)
    qdd = system.solve()
    if base == "floating":
        qdd[:3] = R.T @ qdd[:3] - np.cross(w, qd[:3])
    assert qdd == pytest.approx(expected, rel=1e-9, abs=1e-9)
