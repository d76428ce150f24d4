"""What cannot be embedded is said in one sentence; what can be chosen is."""

from dataclasses import replace

import numpy as np
import pytest
from embedded_case import Placed
from linkages import make_driven, make_four_bar, make_suspension

from grouser.catalog.benchmarks.windows import make_windows
from grouser.errors import ModelError, SolveError, UnsupportedError
from grouser.formulations.embedded.system import LARGEST, find_independent, say_large
from grouser.formulations.tree_options import TreeOptions
from grouser.model.builder import ModelBuilder
from grouser.presets import check_preset, find_preset
from grouser.simulate import simulate

PRESET = find_preset("embedded")


def run(model, **ways):
    return simulate(model, preset=replace(PRESET, tree=TreeOptions(**ways)), duration=0.02, output_interval=0.01)


def test_a_run_by_name():
    result = simulate(make_suspension((1, -1), fixed=True), preset="embedded", duration=0.02)
    assert result.status == "done"
    assert result.summary["degrees_of_freedom"] == 4
    assert result.summary["constraint_violation"]["position"] < 1e-12


@pytest.mark.parametrize("joint", ["a", "d", "b"])
def test_the_user_chooses_the_independent_joint(joint):
    case = Placed(make_four_bar(), TreeOptions(independent=(joint,)))
    case.place(0.0)
    assert find_independent(case.compiled, case.system) == [joint]


def test_unknown_joints_are_refused():
    with pytest.raises(UnsupportedError, match="unknown joint 'aa'"):
        run(make_four_bar(), independent=("aa",))


def test_a_single_name_is_as_good_as_a_tuple():
    assert TreeOptions(independent="a", cuts=["b", "c"]) == TreeOptions(independent=("a",), cuts=("b", "c"))


def test_cut_joints_are_refused():
    with pytest.raises(UnsupportedError, match=r"'c' is not ideal, or closes a loop.*choose among a, b, d"):
        run(make_four_bar(), independent=("c",))


@pytest.mark.parametrize("joints", [("a", "d"), ("a", "b", "d")])
def test_joints_that_depend_on_each_other_are_refused(joints):
    with pytest.raises(ModelError, match=r"independent joints 'a'.* do not determine their linkage"):
        run(make_four_bar(), independent=joints)


def test_a_linkage_that_cannot_be_assembled_is_refused():
    """A rod that reaches nowhere near: the start tells which one."""
    builder = ModelBuilder("short")
    builder.add_body("arm", 1.0, (0.1, 0.1, 0.1), position=(0.5, 0, 0))
    builder.add_joint("hinge", "revolute", "world", "arm", axis=(0, 1, 0))
    builder.add_distance("rod", "world", "arm", point_a=(3, 0, 0.05), point_b=(1, 0, 0), length=1.9998)
    with pytest.raises(ModelError, match="cannot be assembled at 0 s: 'rod' cannot be closed"):
        run(builder.build())


def test_a_motion_beyond_the_reach_of_a_linkage_stops_the_run():
    """A lower arm that leaves the upright behind."""
    model = make_driven(make_suspension(fixed=True), **{"lca-hinge-left": "20*t"})
    with pytest.raises(SolveError, match=r"cannot be assembled at 0.* cannot be closed") as error:
        simulate(model, preset="embedded", duration=0.2, output_interval=0.01)
    assert error.value.result is not None
    assert error.value.element


def test_a_linkage_whose_ways_part_stops_the_run():
    """All bars of two four-bars lie in a line after a quarter of a turn: each of them may go on as a parallelogram, or
    crossed."""
    with pytest.raises(SolveError, match=r"a linkage comes to a position .* take the formulation recursive or augm"):
        simulate(make_windows(2), preset="embedded", step=5e-4, duration=2.0)


def test_a_steering_linkage_whose_ways_part_stops_the_run():
    """After a quarter of a turn the Pitman arm, the link and the idler arm lie in a line."""
    model = make_suspension((1, -1), fixed=True, steering=True, angle="20*t")
    with pytest.raises(SolveError, match="a linkage comes to a position") as error:
        simulate(model, preset="embedded", duration=0.2, output_interval=0.01)
    assert error.value.result.time[-1] == pytest.approx(0.5 * np.pi / 20.0, abs=0.01)


def test_options_belong_to_their_formulations():
    with pytest.raises(UnsupportedError, match="no independent joints to choose"):
        check_preset(replace(find_preset("recursive"), tree=TreeOptions(independent=("a",))), set())
    with pytest.raises(UnsupportedError, match="cannot do without projection"):
        check_preset(replace(PRESET, tree=TreeOptions(projected=False)), set())
    with pytest.raises(UnsupportedError, match="no joints to cut"):
        check_preset(replace(PRESET, tree=TreeOptions(cuts=("a",))), set())


def test_long_loops_are_told():
    count = LARGEST + 3
    builder = ModelBuilder("ring")
    angles = 2 * np.pi * np.arange(count) / count
    corners = np.column_stack([np.cos(angles), np.zeros(count), np.sin(angles)])
    for i in range(count):
        builder.add_body(f"link{i}", 1.0, (0.01, 0.01, 0.01), position=0.5 * (corners[i] + corners[(i + 1) % count]))
    builder.add_joint("hook", "revolute", "world", "link0", point=corners[0], axis=(0, 1, 0))
    for i in range(count):
        builder.add_joint(f"pin{i}", "revolute", f"link{i - 1 if i else count - 1}", f"link{i}", point=corners[i],
                          axis=(0, 1, 0))  # fmt: skip
    case = Placed(builder.build())
    ((name, text),) = say_large(case.compiled, case.system)
    assert name.startswith("pin")
    assert f"{count - 1} bodies" in text  # the first one carries the others
    assert "recursive" in text
