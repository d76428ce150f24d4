"""The passes of the benchmark of the recursion run on a closed ring."""

import runpy
from pathlib import Path

import numpy as np

RECURSION = Path(__file__).parents[2] / "bench" / "recursion.py"


def test_a_ring_is_closed_and_solved():
    bench = runpy.run_path(str(RECURSION))
    ring = bench["Passes"](bench["make_track"](8))
    ring.run(bench["CLOSED"] | bench["CLOSURE"])
    assert np.isfinite(ring.qdd).all()
    assert np.abs(ring._cut_work.phi).max() < 1e-10
