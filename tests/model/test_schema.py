"""Model files: reading, extending, writing, and the round trip without loss."""

from __future__ import annotations

import json
import pickle
import pkgutil
from importlib import import_module

import numpy as np
import pytest

import grouser.model
from grouser.errors import ModelError
from grouser.model import document as document_module
from grouser.model import text as text_module
from grouser.model.base import Part
from grouser.model.document import parse_document
from grouser.model.model import Model
from grouser.model.schema import (
    dump_model,
    find_kind,
    load_document,
    load_model,
    save_model,
    validate_document,
)


def find_parts(cls=Part):
    for module in pkgutil.iter_modules(grouser.model.__path__):
        import_module(f"grouser.model.{module.name}")
    return {part for sub in cls.__subclasses__() for part in (sub, *find_parts(sub))}


def find_numbers(schema):
    """All float, int and bool nodes of a core schema."""
    if isinstance(schema, dict):
        if schema.get("type") in ("float", "int", "bool"):
            yield schema
        for key, value in schema.items():
            if key != "metadata":
                yield from find_numbers(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from find_numbers(value)


@pytest.mark.parametrize("part", sorted(find_parts(), key=lambda part: part.__name__))
def test_text_and_truth_values_are_never_taken_for_numbers(part):
    assert all(node.get("strict") for node in find_numbers(part.__pydantic_core_schema__)), (
        "use Number, Positive, NonNegative, Count or Flag of grouser.model.base"
    )


# --- round trip -----------------------------------------------------------------------------------------


def make_random_model(seed: int) -> Model:
    """One of everything with random numbers of all magnitudes."""
    rng = np.random.default_rng(seed)

    def number():
        return float(rng.normal() * 10.0 ** rng.integers(-12, 12))

    def vector(count=3):
        return [number() for _ in range(count)]

    def positive():
        return abs(number()) + 1e-12

    def table(count=5):
        return [[float(x), number()] for x in np.cumsum(rng.uniform(0.01, 3, size=count))]

    def frame(body):
        return {"body": body, "position": vector(), "orientation": vector(4)}

    bodies = {}
    for i in range(5):
        a, b, c = rng.uniform(0.1, 5, size=3)
        bodies[f"body-{i}.x"] = {
            "mass": float(rng.uniform(0.1, 10)),
            "inertia": [b + c, a + c, a + b] if i % 2 else [b + c, a + c, a + b, 0.001, -0.002, 0.0],
            "com": vector(),
            "position": vector(),
            "orientation": vector(4),
            "velocity": [-0.0, 0.0, 1.0],
            "angular_velocity": vector(),
        }
    a, b = "body-0.x", "body-1.x"
    pair = {"frame_a": frame(a), "frame_b": frame(b)}
    half = rng.normal(size=(6, 6))
    law = {
        "stiffness": table(),
        "damping": positive(),
        "free": number(),
        "stops": {"lower": -1.0, "upper": 1e-300, "stiffness": positive()},
    }
    return Model.model_validate(
        {
            "name": str(rng.choice(["plain", "1", "true", "a: b", "é 😀 \"quoted\" 'too'", "- x", "#", "~"])),
            "description": "several\nlines\t\x07\n",
            "gravity": vector(),
            "bodies": bodies,
            "joints": {"j": {"type": "cylindrical", "group": "1e5", **pair}, "on": {"type": "free", **pair}},
            "forces": {
                "spring": {"type": "spring", **pair, **law},
                "bar": {"type": "joint_spring", "joint": "j", "coordinate": "translation", **law},
                "bushing": {
                    "type": "bushing",
                    **pair,
                    "stiffness": (half @ half.T).tolist(),
                    "damping": [positive() for _ in range(6)],
                    "preload": vector(6),
                },
                "push": {"type": "applied", "frame": frame(a), "force": [number(), "sin(2*pi*t)", table()]},
                "motor": {
                    "type": "actuator",
                    "joint": "on",
                    "coordinate": "rotation",
                    "control": "speed",
                    "target": "12",
                    "limit": positive(),
                },
            },
            "motions": {"m": {"joint": "j", "coordinate": "rotation", "quantity": "speed", "value": table(40)}},
            "shapes": {
                "pad": {
                    "type": "points",
                    "body": a,
                    "group": "pads",
                    "positions": [vector() for _ in range(9)],
                },
                "roller": {
                    "type": "wheel",
                    "body": b,
                    "group": "w",
                    "radius": positive(),
                    "planes": vector(30),
                },
            },
            "contacts": {
                "ground": {"a": "pads", "b": "terrain", "stiffness": positive(), "sticking": True},
                "wheel": {
                    "a": "w",
                    "b": "terrain",
                    "stiffness": 1.0,
                    "friction": {"model": "asperity", "mu": 0.0},
                },
            },
            "terrain": {
                "type": "grid",
                "origin": vector(2),
                "spacing": [1, 0.5],
                "heights": [vector(20), vector(20)],
            },
            "sensors": {"s": {"frame": {}, "quantity": "position"}},
        }
    )


@pytest.mark.parametrize("seed", range(8))
def test_round_trip_loses_nothing(seed, tmp_path):
    model = make_random_model(seed)
    save_model(model, tmp_path / "model.yaml")
    again = load_model(tmp_path / "model.yaml")
    # repr tells -0.0 from 0.0 and every last digit
    assert repr(again) == repr(model)
    assert again == model
    assert dump_model(again) == dump_model(model)
    assert Model.model_validate(json.loads(model.model_dump_json())) == model


def test_round_trip_of_the_whole_model(whole):
    model = validate_document(Model, load_document(whole))
    assert validate_document(Model, load_document(dump_model(model))) == model


def test_written_file_is_pleasant(whole):
    text = dump_model(validate_document(Model, load_document(whole)))
    assert text.startswith("grouser: 1\nkind: model\nname: rig\n")
    assert "    inertia: [10, 20, 25]\n" in text
    assert "frame_b: {body: arm, position: [0, 0, 0.5]}" in text
    assert "velocity" not in text
    assert max(len(line) for line in text.splitlines()) <= 120


def test_save_into_a_missing_folder(whole, tmp_path):
    model = validate_document(Model, load_document(whole))
    with pytest.raises(ModelError, match="cannot be written"):
        save_model(model, tmp_path / "none" / "model.yaml")


# --- files that cannot be read --------------------------------------------------------------------------

UNREADABLE = {
    "empty": (b"", "is empty"),
    "comments only": (b"# nothing\n", "is empty"),
    "not UTF-8": ("name: Fahrzeug \xe4".encode("latin-1"), "is not UTF-8 text (byte 0xe4 at 15)"),
    "binary": (b"\x89HDF\r\n\x1a\n\x00\x00", "is not UTF-8"),
    "control characters": (b"name: \x00\x01", "is not valid YAML"),
    "list at the top": (b"- 1\n- 2\n", ":1: holds a list"),
    "text at the top": (b"hello", ":1: holds a single value"),
    "syntax": (b"grouser: 1\nbodies: {a: [1, 2\n", "is not valid YAML"),
    "tabs": (b"grouser: 1\nbodies:\n\ta: 1\n", ":3: is not valid YAML"),
    "two documents": (b"grouser: 1\n---\ngrouser: 1\n", "single document"),
    "duplicate key": (
        b"grouser: 1\nname: a\nname: b\n",
        ":3: the key 'name' is given twice (first in line 2)",
    ),
    "recursive list": (b"grouser: 1\ngravity: &x [1, *x]\n", ":2: gravity[1]: an anchor contains itself"),
    "recursive mapping": (b"bodies: &x\n  a: *x\n", "bodies.a: an anchor contains itself"),
    "recursive merge": (b"bodies: &x\n  <<: *x\n", "an anchor contains itself"),
    "merge of a number": (b"bodies:\n  <<: 3\n", "'<<' must name a mapping"),
    "unknown alias": (b"name: *x\n", "undefined alias"),
    "foreign tag": (b"name: !!python/object/apply:os.system [ls]\n", "tag !!python/object/apply:os.system"),
    "own tag": (b"name: !secret 3\n", "tag !secret is not allowed"),
    "tag that does not fit": (b"name: !!int hello\n", "'hello' cannot be read as a number"),
    "list as key": (b"? [1, 2]\n: 3\n", "a key must be text"),
    "nested": (b"a: " + b"[" * 1500, "nested too deeply"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable_file(case, tmp_path):
    content, words = UNREADABLE[case]
    path = tmp_path / "model.yaml"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(ModelError, match="there is no such file"):
        load_model(tmp_path / "none.yaml")
    with pytest.raises(ModelError, match="cannot be read"):
        load_model(tmp_path)


def test_size_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "MAX_SIZE", 1000)
    (tmp_path / "big.yaml").write_text("#" * 1001)
    with pytest.raises(ModelError, match="MB are read"):
        load_model(tmp_path / "big.yaml")


def test_aliases_cannot_explode(monkeypatch):
    monkeypatch.setattr(document_module, "MAX_VALUES", 10_000)
    text = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    with pytest.raises(ModelError, match="more than 10000 values"):
        parse_document(text)


def test_values_are_plain_data():
    text = "a: [0x1F, 0o17, 012, 1_000, 1e3, -.5, yes, ~, true, 2024-01-01, '1', -.inf]\n1: {on: x}\n"
    data = parse_document(text)
    assert data["a"] == [31, 15, 12, 1000, 1000.0, -0.5, "yes", None, True, "2024-01-01", "1", -np.inf]
    assert data["1"] == {"on": "x"}


def test_byte_order_mark_is_skipped(whole, tmp_path):
    (tmp_path / "model.yaml").write_bytes(b"\xef\xbb\xbf" + whole.encode())
    assert load_model(tmp_path / "model.yaml").name == "rig"


def test_anchors_and_merge_keys_serve():
    text = "base: &b {mass: 1, com: [0, 0, 0]}\none: {<<: *b, mass: 2}\ntwo: *b\n"
    data = parse_document(text)
    assert data["one"] == {"mass": 2, "com": [0, 0, 0]}
    assert data["two"] == data["base"]
    assert data.lines["one", "mass"] == "<text>:2"


def test_faults_survive_pickling(whole):
    with pytest.raises(ModelError) as caught:
        validate_document(Model, load_document(whole.replace("mass: 100", "mass: 0")))
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults
    with pytest.raises(ModelError) as caught:
        Model(name="x", bodies={})
    assert pickle.loads(pickle.dumps(caught.value)).faults == caught.value.faults


# --- extends --------------------------------------------------------------------------------------------


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)


def test_extends_merges_deeply(whole, tmp_path):
    write(
        tmp_path,
        base=whole,
        middle="extends: base.yaml\nbodies: {chassis: {mass: 120}}\n",
        top="extends: middle.yaml\nname: heavy\nforces: {push: null}\nterrain: {type: plane}\n",
    )
    model = load_model(tmp_path / "top.yaml")
    assert model.name == "heavy"
    assert model.bodies["chassis"].mass == 120
    assert model.bodies["chassis"].inertia == (10, 20, 25)
    assert "push" not in model.forces
    assert model.terrain.type == "plane"


def test_fault_points_at_the_file_it_comes_from(whole, tmp_path):
    write(
        tmp_path,
        base=whole.replace("mass: 5,", "mass: -5,"),
        top="extends: base.yaml\nbodies:\n  chassis:\n    mass: -1\n",
    )
    with pytest.raises(ModelError) as caught:
        load_model(tmp_path / "top.yaml")
    first, second = caught.value.faults
    assert first.startswith(f"{tmp_path / 'top.yaml'}:4: bodies.chassis.mass")
    assert second.startswith(f"{tmp_path / 'base.yaml'}:8: bodies.arm.mass")


def test_lines_of_a_replaced_list_are_those_of_the_new_one(whole, tmp_path):
    table = "forces:\n  shock:\n    damping: [[0, 0], [1, 1], [1, 2]]\n"
    write(tmp_path, base=whole, top="extends: base.yaml\n" + table)
    with pytest.raises(ModelError, match=rf"{tmp_path / 'top.yaml'}:4: forces.shock.damping\[2\]"):
        load_model(tmp_path / "top.yaml")


def test_circle_of_extends(tmp_path):
    write(tmp_path, a="extends: b.yaml\n", b="extends: c.yaml\n", c="extends: a.yaml\n", d="extends: d.yaml\n")
    with pytest.raises(ModelError, match=r"circle: a.yaml -> b.yaml -> c.yaml -> a.yaml"):
        load_model(tmp_path / "a.yaml")
    with pytest.raises(ModelError, match=r"d.yaml:1: extends: .*circle: d.yaml -> d.yaml"):
        load_model(tmp_path / "d.yaml")


def test_extends_of_nothing(tmp_path):
    write(tmp_path, a="grouser: 1\nextends: none.yaml\n", b="extends: [a, b]\n")
    with pytest.raises(ModelError, match=r"a.yaml:2: extends: .*none.yaml: there is no such file"):
        load_model(tmp_path / "a.yaml")
    with pytest.raises(ModelError, match="must be the name of one other document"):
        load_model(tmp_path / "b.yaml")


def test_resolver_is_asked(whole, tmp_path):
    write(tmp_path, base=whole)
    asked = []

    def resolve(name, relative_to):
        asked.append((name, relative_to.name))
        return tmp_path / "base.yaml"

    (tmp_path / "mine.yaml").write_text("extends: rig\nname: mine\n")
    assert load_model(tmp_path / "mine.yaml", resolve=resolve).name == "mine"
    assert asked == [("rig", "mine.yaml")]
    assert load_document("extends: rig\nname: text\n", resolve=resolve)["name"] == "text"


# --- kinds ---------------------------------------------------------------------------------


def test_kind_selects_the_class():
    class Other(Part):
        """Another kind of document."""

    kinds = {"model": Model, "other": Other}
    assert find_kind({"grouser": 1, "kind": "other"}, kinds) is Other
    with pytest.raises(ModelError, match=r"kind: unknown kind 'othr': did you mean 'other'\?"):
        find_kind({"grouser": 1, "kind": "othr"}, kinds)
    with pytest.raises(ModelError, match="missing key 'kind'; one of: model, other"):
        find_kind({"grouser": 1}, kinds)
    with pytest.raises(ModelError, match="reads version 1"):
        find_kind({"grouser": True, "kind": "other"}, kinds)
