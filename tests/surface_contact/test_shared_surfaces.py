"""Surfaces in contact belong to the first of the threads that share a run, and find the others' nodes in place."""

from __future__ import annotations

import numpy as np
import pytest
from surface_models import make_run, make_soft_blocks, make_soft_pair


@pytest.mark.parametrize("make", [make_soft_pair, make_soft_blocks], ids=lambda m: m.__name__)
def test_threads_give_the_motion_of_one(make):
    """Friction by the velocity alone: where anchors let go, rounding decides, with one thread too."""
    _, one, state, step = make_run(make({"model": "tanh", "mu": 0.5}))
    _, two, other, _ = make_run(make({"model": "tanh", "mu": 0.5}))
    two.share(2)
    try:
        for _ in range(16):
            assert one.advance(state, 2, 0.5 * step) == two.advance(other, 2, 0.5 * step)
    finally:
        two.close()
    assert one.work.contact_sum[0, 0] > 10.0
    for name in ("x", "v", "ledger"):
        np.testing.assert_allclose(getattr(other, name), getattr(state, name), rtol=1e-9, atol=1e-11, err_msg=name)
