"""Saved states: what belongs to a model, and what does not."""

import numpy as np
import pytest

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal, Penalty
from grouser.compile.state import load_state, save_state
from grouser.errors import IncompatibleError
from grouser.model.builder import ModelBuilder


@pytest.fixture
def compiled():
    builder = ModelBuilder("pendulum")
    builder.add_body("rod", 2.0, (0.1, 0.2, 0.3), position=(0.5, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0.0, 1.0, 0.0))
    return compile_model(builder.build(), {"*": Penalty()}, Ideal(), ideal=True)


def test_a_state_comes_back_as_it_was_saved(compiled, tmp_path):
    path = tmp_path / "state.npz"
    save_state(path, compiled.initial, compiled.layout)
    for found, saved in zip(load_state(path, compiled.initial, compiled.layout), compiled.initial, strict=True):
        np.testing.assert_array_equal(found, saved)


def test_a_state_with_the_world_in_another_row_is_refused(compiled, tmp_path):
    """Files of earlier versions have the world last, and do not name it."""
    path = tmp_path / "state.npz"
    save_state(path, compiled.initial, compiled.layout)
    with np.load(path) as archive:
        fields = dict(archive)
    fields["names"] = fields["names"][fields["names"] != "world"]
    for name in ("x", "R", "v", "w"):
        fields[name] = np.roll(fields[name], -1, axis=0)
    np.savez(path, **fields)
    with pytest.raises(IncompatibleError, match="settle this model anew"):
        load_state(path, compiled.initial, compiled.layout)
