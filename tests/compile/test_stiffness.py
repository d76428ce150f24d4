"""The stable step: exact for single modes, and on the motions that ideal joints leave."""

import numpy as np
import pytest

from grouser.compile.stiffness import SAFETY
from grouser.model.builder import ModelBuilder
from grouser.simulate import prepare, simulate

BOX = (1.0, 1.0, 1.0)


def make_carrier(damping, mass=0.1, load=9.9):
    """A light carrier on a slide with a damper, and a load that turns on it."""
    builder = ModelBuilder("carrier", gravity=(0.0, 0.0, 0.0))
    builder.add_body("carrier", mass, BOX, velocity=(1.0, 0.0, 0.0))
    builder.add_body("load", load, BOX, velocity=(1.0, 0.0, 0.0))
    builder.add_joint("slide", "prismatic", "world", "carrier", axis=(1.0, 0.0, 0.0))
    builder.add_joint("axle", "revolute", "carrier", "load", axis=(0.0, 1.0, 0.0))
    builder.add_joint_spring("damper", "slide", damping=damping)
    return builder.build()


@pytest.mark.parametrize("preset", ["constrained", "recursive"])
def test_a_damper_acts_on_all_that_moves_with_its_body(preset):
    damping = 4.0e4
    _, stable = prepare(make_carrier(damping), preset)
    assert stable.step == pytest.approx(SAFETY * 2.0 * 10.0 / damping, rel=1e-3)
    assert stable.damping_rate == pytest.approx(damping / 10.0, rel=1e-3)


@pytest.mark.parametrize("preset", ["constrained", "recursive"])
def test_the_step_on_the_motions_that_are_left_is_stable(preset):
    result = simulate(make_carrier(4.0e4), preset=preset, duration=0.05, output_interval=0.001)
    speed = np.abs(result["load.velocity"][:, 0])
    assert speed[-1] < 1e-3


def test_large_models_take_the_same_way():
    """More than ten bodies: the sparse solver of modes instead of the dense one."""
    builder = ModelBuilder("row", gravity=(0.0, 0.0, 0.0))
    for i in range(12):
        builder.add_body(f"b{i}", 1.0, BOX, position=(0.0, float(i), 0.0))
        builder.add_joint(f"slide{i}", "prismatic", "world", f"b{i}", axis=(1.0, 0.0, 0.0))
        builder.add_joint_spring(f"spring{i}", f"slide{i}", stiffness=100.0 * (i + 1))
    _, stable = prepare(builder.build(), "constrained")
    assert stable.frequency == pytest.approx(np.sqrt(1200.0), rel=1e-3)
    assert stable.step == pytest.approx(SAFETY * 2.0 / np.sqrt(1200.0), rel=1e-3)
