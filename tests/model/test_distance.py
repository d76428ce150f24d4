"""The distance joint: its length, and what is wrong with it."""

import numpy as np
import pytest

from grouser.compile.compile import compile_model
from grouser.compile.freedoms import find_freedom_count
from grouser.compile.realization import Bushing, Ideal
from grouser.errors import ModelError, UnsupportedError
from grouser.model.builder import ModelBuilder
from grouser.model.start import calc_joint_gap, calc_rod_length, find_start_faults


def make_rod(**fields):
    builder = ModelBuilder("rod")
    builder.add_body("ball", 1.0, (1.0, 1.0, 1.0), position=(0.3, 0.0, 0.4))
    builder.add_distance("rod", "world", "ball", point_a=(0, 0, 0), point_b=(0.3, 0.0, 0.4), **fields)
    return builder.build()


def test_the_length_is_that_of_the_start_unless_given():
    model = make_rod()
    assert calc_rod_length(model, model.joints["rod"]) == pytest.approx(0.5)
    assert find_start_faults(model, 1.0) == ([], [])
    longer = make_rod(length=0.6)
    assert calc_rod_length(longer, longer.joints["rod"]) == 0.6
    assert calc_joint_gap(longer, longer.joints["rod"]) == pytest.approx((0.1, 0.0))
    faults, _ = find_start_faults(longer, 1.0)
    assert "apart by 0.1 m in what a distance joint holds" in str(faults[0])


def test_it_takes_one_freedom():
    assert find_freedom_count(make_rod()) == 5


def test_a_rod_without_length_is_refused():
    builder = ModelBuilder("rod")
    builder.add_body("ball", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("rod", "distance", "world", "ball")
    with pytest.raises(ModelError, match=r"joints.rod: is a rod of length 0 m.*use a spherical joint"):
        builder.build()
    with pytest.raises(ModelError, match="length"):
        make_rod(length=-1.0)


def test_other_joints_have_no_length():
    data = make_rod().model_dump()
    data["joints"]["rod"] |= {"type": "revolute", "length": 1.0}
    with pytest.raises(ModelError, match="a revolute joint has no length"):
        type(make_rod()).model_validate(data)


def test_it_has_no_bushing_rows():
    with pytest.raises(UnsupportedError, match="a distance joint has no bushing rows"):
        compile_model(make_rod(), {"*": Bushing()}, Ideal(), ideal=True)


def test_redundant_rows_are_counted_once():
    """Two rods in one place hold what one holds."""
    builder = ModelBuilder("rods")
    builder.add_body("ball", 1.0, (1.0, 1.0, 1.0))
    for name in ("one", "two"):
        builder.add_distance(name, "world", "ball", point_a=np.ones(3), point_b=np.zeros(3))
    assert find_freedom_count(builder.build()) == 5
