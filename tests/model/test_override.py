"""Overrides: paths with dots in keys, list indices, near names, and where later faults are said to be."""

from __future__ import annotations

import pytest

from grouser.errors import ModelError
from grouser.model.model import Model
from grouser.model.override import with_overrides
from grouser.model.schema import load_document, validate_document


@pytest.mark.parametrize(
    ("assignment", "path", "value"),
    [
        ("bodies.chassis.mass=9000", ("bodies", "chassis", "mass"), 9000),
        ("bodies.left.link1.mass=9", ("bodies", "left.link1", "mass"), 9),
        ("gravity=[0, 0, -1.62]", ("gravity",), [0, 0, -1.62]),
        ("gravity.2=-1.62", ("gravity", 2), -1.62),
        ("gravity[2]=-1.62", ("gravity", 2), -1.62),
        ("forces.shock.damping[0].1=-400", ("forces", "shock", "damping", 0, 1), -400),
        ("contacts.ground.friction={mu: 0.5}", ("contacts", "ground", "friction"), {"mu": 0.5}),
        ("contacts.rolling.damping=1e3", ("contacts", "rolling", "damping"), 1000.0),
        ("forces.motor.target=5*sin(t)", ("forces", "motor", "target"), "5*sin(t)"),
        (" name = a=b", ("name",), "a=b"),
        ("terrain=null", ("terrain",), None),
        ("description=", ("description",), None),
    ],
)
def test_value_is_replaced(assignment, path, value, whole):
    document = load_document(whole)
    changed = with_overrides(document, [assignment])
    here = changed
    for key in path:
        here = here[key]
    assert here == value
    assert document == load_document(whole)


def test_longest_key_wins_and_shorter_ones_still_serve():
    data = {"a": {"b.c": 1, "d": 2}, "a.b": {"c": 3}}
    assert with_overrides(data, ["a.b.c=9"])["a.b"]["c"] == 9
    assert with_overrides(data, ["a.d=9"])["a"]["d"] == 9


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("bodies.chasis.mass=1", "bodies has no 'chasis': did you mean 'chassis'?"),
        ("bodies.left.link9.mass=1", "did you mean 'left.link"),
        ("chassis.mass=1", "the document has no 'chassis'; there are: bodies, contacts"),
        ("gravity[7]=1", "gravity is a list; '7' is not an index from 0 to 2"),
        ("gravity.z=1", "gravity is a list; 'z' is not an index"),
        ("bodies.chassis.mass.x=1", "bodies.chassis.mass is a single value"),
        ("bodies.chassis.mass", "is not of the form path=value"),
        ("=3", "is not of the form path=value"),
        ("bodies..mass=3", "is not of the form path=value"),
        ("gravity=[0, 0", "the value is not valid YAML"),
        ("name=!!python/object:os.system {}", "tag !!python/object:os.system is not allowed"),
    ],
)
def test_fault_names_the_assignment(assignment, words, whole):
    with pytest.raises(ModelError) as caught:
        with_overrides(load_document(whole), [assignment])
    assert caught.value.faults[0].startswith(f"--set {assignment}: ")
    assert words in str(caught.value)


def test_all_bad_assignments_are_listed(whole):
    with pytest.raises(ModelError) as caught:
        with_overrides(load_document(whole), ["a.b=1", "name=x", "gravity[9]=0"])
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    ("assignment", "words"),
    [
        ("bodies.chassis.mass=-5", "bodies.chassis.mass: is -5 [kg]"),
        ("bodies.chassis.mass=5 kg", "is the text '5 kg'"),
        ("bodies.chassis.mas=5", "unknown key 'mas': did you mean 'mass'?"),
        ("forces.shock.damping=[[0, 0]]", "table of 1 points"),
    ],
)
def test_later_fault_points_at_the_assignment(assignment, words, whole):
    with pytest.raises(ModelError) as caught:
        validate_document(Model, with_overrides(load_document(whole), [assignment]))
    assert caught.value.faults[0].startswith(f"--set {assignment}: ")
    assert words in str(caught.value)
    assert len(caught.value.faults) == 1
