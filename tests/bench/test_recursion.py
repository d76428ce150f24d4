"""The passes of the benchmark of the recursion run on a closed ring."""

import numpy as np
import recursion


def test_a_ring_is_closed_and_solved():
    ring = recursion.Passes(recursion.make_track(8))
    ring.run(recursion.CLOSED | recursion.CLOSURE)
    assert np.isfinite(ring.qdd).all()
    assert np.abs(ring.system.cut_work.phi).max() < 1e-10
