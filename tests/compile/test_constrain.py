"""Which joints and motions become constraint rows, and who refuses them."""

import dataclasses

import numpy as np
import pytest

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal, Penalty, PenaltyScaled
from grouser.errors import UnsupportedError
from grouser.model.builder import ModelBuilder
from grouser.presets import find_preset
from grouser.simulate import prepare


def make_model():
    """A slider with a driven crank: two joint groups, a place without hold, a bushing, a spring and a motion."""
    builder = ModelBuilder("machine")
    builder.add_body("slider", 1.0, (1.0, 1.0, 1.0))
    builder.add_body("crank", 1.0, (1.0, 1.0, 1.0))
    builder.add_joint("place", "free", "world", "crank")
    builder.add_joint("rail", "prismatic", "world", "slider", group="rails")
    builder.add_joint("pin", "revolute", "slider", "crank", group="pins", axis=(0.0, 1.0, 0.0))
    builder.add_bushing("rubber", "world", "slider", point=(0.0, 0.0, 0.0), stiffness=[1.0] * 6, damping=[1.0] * 6)
    builder.add_spring("spring", "slider", "crank", point_a=(0.0, 0.0, 0.0), point_b=(1.0, 0.0, 0.0), stiffness=1.0)
    builder.add_motion("drive", "pin", speed=2.0)
    return builder.build()


def test_each_joint_goes_to_one_table():
    model = make_model()
    compiled = compile_model(model, {"pins": Ideal(), "*": Penalty()}, Ideal(), ideal=True)
    tables, joints = compiled.tables, compiled.layout.joints
    assert [joints[i] for i in tables.constraint.joint if i >= 0] == ["pin"]
    assert sorted(joints[i] for i in [*tables.point.joint, *tables.frame.joint]) == ["rail", "rubber"]
    assert tables.constraint.joint.tolist() == [2, -1]
    assert tables.constraint.scalar.tolist() == [-1, 1]
    assert tables.constraint.row_start.tolist() == [0, 5]
    assert tables.constraint.row_count.tolist() == [5, 1]
    assert len(tables.constraint.row_kind) == 6
    assert tables.constraint.body_b.tolist() == [2, 2]
    assert np.array_equal(tables.constraint.p_a[0], tables.constraint.p_a[1])


def test_an_ideal_motion_keeps_its_scalar_row_and_loses_its_gains():
    model = make_model()
    ideal = compile_model(model, {"*": Penalty()}, Ideal(), ideal=True).tables.scalar
    stiff = compile_model(model, {"*": Penalty()}, PenaltyScaled()).tables.scalar
    assert ideal.k.tolist() == [1.0, 0.0]
    assert ideal.c.tolist() == [0.0, 0.0]
    assert stiff.k[1] > 0.0
    assert all(np.array_equal(getattr(ideal, f), getattr(stiff, f)) for f in ideal._fields if f not in ("k", "c"))


def test_forces_alone_need_no_rows():
    table = compile_model(make_model(), {"*": Penalty()}, PenaltyScaled()).tables.constraint
    assert all(len(column) == 0 for column in table)
    assert table.frame_a.shape == (0, 3, 3)


def test_explicit_refuses_ideal_joints_and_motions_by_name():
    preset = find_preset("penalty")
    with pytest.raises(UnsupportedError, match=r"joint 'rail' \(group 'rails'\) is ideal: .* Penalty or Bushing"):
        prepare(make_model(), preset.with_realization("rails", Ideal()))
    with pytest.raises(UnsupportedError, match=r"motion 'drive' is ideal: .* hold motions by PenaltyScaled"):
        prepare(make_model(), dataclasses.replace(preset, motion=Ideal()))
