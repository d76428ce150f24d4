"""A whole vehicle of the catalog as a tree: two closed tracks that no joint ties to the hull, and two drives."""

import numpy as np
from loop_system import LoopSystem

from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.vehicles import load_vehicle


def test_m113_with_ideal_joints():
    """Three of the five rows that close a track are redundant; the drives are rows of the hull's tree."""
    system = LoopSystem(make_tracked_vehicle(load_vehicle("m113")))
    rng = np.random.default_rng(0)
    system.place(qd=rng.normal(size=system.speeds))
    assert system.close(tolerance=1e-10, tolerance_rate=1e-10) < 1e-10
    system.f[1:] = rng.normal(scale=100.0, size=(system.count, 3))
    system.solve()
    assert np.diff(system.cut.cluster_start).tolist() == [5, 5, 2]
    assert system.redundant.tolist() == [3, 3, 0]
    assert np.count_nonzero(system.tree.joint < 0) == 3
    assert np.isfinite(system.a).all()
    # forces of joints, cuts and drives are internal: the vehicle's centre of mass does not know of them
    mass, a = system.body.mass[1:], system.a[1:]
    total = (mass[:, None] * a).sum(axis=0)
    load = system.f[1:].sum(axis=0) + mass.sum() * system.body.gravity
    assert np.abs(total - load).max() < 1e-7 * np.abs(load).max()
