"""Generators of what users should never give: mutated files, strange command lines, damaged results.

Each case is a command line together with the file that it needs. What is drawn is drawn by Hypothesis, so that a case
that fails is made smaller before it is shown.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from command_case import PENDULUM
from hypothesis import note
from hypothesis import strategies as st
from typer.main import get_command

from grouser.catalog import scenarios, vehicles
from grouser.cli.app import app
from grouser.model.document import parse_document

Case = tuple[list[str], Callable[[Path], None]]
"""Words of a command line, and what makes its files in a folder."""

SWINGING = """\
forces:
  push: {type: applied, frame: {body: rod}, force: ["sin(t)", 0, 0]}
  spring: {type: spring, frame_a: {body: world, position: [0, 0, 2]}, frame_b: {body: rod}, stiffness: 10, damping: 1}
sensors: {tip: {frame: {body: rod}, quantity: acceleration}}
shapes: {ball: {type: sphere, body: rod, group: balls, radius: 0.1}}
contacts: {ground: {a: balls, b: terrain, stiffness: 1000, damping: 10}}
terrain: {type: profile, points: [[-5, -3], [0, -3], [5, -2]]}
"""

FLEXIBLE = """\
grouser: 1
kind: model
name: flexible
bodies:
  hub: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
points:
  pin: {position: [0, 0, 1], fixed: true}
  bead: {mass: 0.1, position: [0.5, 0, 1]}
meshes:
  bar:
    type: block
    sides: [1, 0.1, 0.1]
    origin: [0, -0.05, -0.05]
    counts: [3, 1, 1]
    material: {type: linear, young: 1.0e+6, poisson: 0.3, density: 1000, deviatoric: 0.001}
    fixed: [x0]
  rope:
    type: line
    element: truss
    start: [0.5, 1, 1]
    end: [0.5, 0, 1]
    count: 4
    is_rope: true
    section: {circle: 0.01}
    material: {type: linear, young: 1.0e+7, poisson: 0.3, density: 500, damping: 1.0e-4}
    fixed: [start]
    pre_strain: -0.01
  beam:
    type: line
    element: beam_thick
    points: [[0, 2, 0], [1, 2, 0], [1, 2, 1]]
    count: 2
    section: {rectangle: [0.02, 0.03]}
    material: {type: neo_hookean, shear: 1.0e+6, bulk: 1.0e+8, density: 1200}
    bonded: {start: hub}
joints:
  end: {type: revolute, frame_a: {body: hub, position: [0, 0, 0]}, frame_b: {body: bar, nodes: x1}}
  hang: {type: spherical, frame_a: {body: rope.4}, frame_b: {body: bead}}
  hold: {type: distance, frame_a: {body: pin}, frame_b: {body: bead}}
forces:
  wire: {type: truss, point_a: pin, point_b: bead, modulus: 1.0e+6, area: 1.0e-4}
  rub: {type: joint_friction, joint: end, coordinate: rotation, constant: 0.1, mu: 0.2, radius: 0.01}
  push: {type: applied, frame: {body: bar, position: [0.5, 0, 0]}, force: [0, 0, "10*t"]}
sensors: {middle: {frame: {body: bar, position: [0.5, 0, 0]}, quantity: velocity}}
shapes:
  ball: {type: sphere, body: bead, group: balls, radius: 0.02}
contacts: {ground: {a: balls, b: terrain, stiffness: 1000, damping: 10}}
terrain: {type: plane, point: [0, 0, -1]}
"""


def load_base(path: Path) -> dict[str, Any]:
    return dict(parse_document(path.read_text(encoding="utf-8"), path.name))


MODEL, SOFT = dict(parse_document(PENDULUM + SWINGING)), dict(parse_document(FLEXIBLE))
VEHICLES = {name: load_base(vehicles.FOLDER / f"{name}.yaml") for name in ("crawler", "hmmwv", "m113")}
SCENARIOS = [load_base(scenarios.FOLDER / f"{name}.yaml") for name in ("turn", "bump", "constant-radius", "ride")]
BASES = {"model": [MODEL, SOFT], "scenario": SCENARIOS, **{name: [base] for name, base in VEHICLES.items()}}

numbers = st.one_of(
    st.sampled_from([0, -1, 1, 1e-300, 1e-12, 1e-6, 1e6, 1e9, 1e15, 1e300, -1e9, 10**40, 2**63]),
    st.floats(width=32),
    st.integers(-(10**9), 10**9),
)
texts = st.one_of(
    st.sampled_from(
        ["", " ", "rod", "world", "terrain", "left", "nan", "1 kg", "sin(t", "1/t", "t^t^t", "if(1,2,3)", "{{facts}}"]
    ),
    st.sampled_from(
        ["$\\foo$", "=cmd", "a\0b", "\x1b[31m", "../..", "/dev/zero", "/dev/null", "note.txt", "folder", "~"]
    ),
    st.sampled_from(["x" * 300, "9" * 5000, "(" * 500, "1+" * 900 + "1", "circle", "auto", "static"]),
    st.text(max_size=8),
)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(texts, inner, max_size=3),
        st.lists(numbers, min_size=2, max_size=7),
    ),
    max_leaves=6,
)


CHANGES = ("replace", "scale", "scale", "scale", "swap", "swap", "remove", "add", "move", "repeat")
FACTORS = (0, -1, 1e-6, 1e-3, 0.5, 0.9, 1.1, 2, 10, 1e3, 1e6, 1e200)


def list_places(data: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values of a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in items for place in ((*above, key), *list_places(value, (*above, key)))]


@st.composite
def mutated(draw: st.DrawFn, base: dict[str, Any]) -> dict[str, Any]:
    """A document with some values replaced, scaled, removed, added, or put somewhere else."""
    data = copy.deepcopy(base)
    # evenly among all places: by itself Hypothesis would go for the first ones
    choose = random.Random(draw(st.integers(0, 2**64 - 1))).choice
    for _ in range(choose([1, 1, 2, 3])):
        places = list_places(data)
        if not places:
            break
        *above, key = choose(places)
        here: Any = data
        for step in above:
            here = here[step]
        match choose(CHANGES):
            case "scale" if isinstance(here[key], int | float):
                here[key] = here[key] * choose(FACTORS)
            case "swap" if isinstance(here[key], str):
                here[key] = draw(texts)
            case "swap" if isinstance(here[key], int | float):
                here[key] = draw(numbers)
            case "remove":
                del here[key]
            case "add" if isinstance(here, dict):
                here[draw(texts)] = draw(values)
            case "move":
                other = choose(places)
                found: Any = data
                for step in other:
                    found = found[step] if not isinstance(found, dict) or step in found else None
                    if not isinstance(found, dict | list):
                        break
                here[key] = copy.deepcopy(found)
            case "repeat" if isinstance(here[key], list):
                here[key] = here[key] * choose([0, 2, 100])
            case _:
                here[key] = draw(values)
    return data


@st.composite
def torn(draw: st.DrawFn, text: str) -> bytes:
    """Text of which pieces are cut out, doubled or overwritten."""
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(len(content) - 1, 0)))
        stop = start + draw(st.integers(0, 20))
        piece = draw(
            st.one_of(st.just(b""), st.binary(max_size=6), st.sampled_from([b"[", b"{", b": ", b"\n- ", b"*a"]))
        )
        content[start:stop] = piece if draw(st.booleans()) else piece + content[start:stop] * 2
    return bytes(content)


@st.composite
def model_cases(draw: st.DrawFn) -> Case:
    """A command on a file that is wrong somewhere. Files are written as JSON, which is YAML."""
    kind = draw(st.sampled_from(["model"] * 6 + ["scenario"] * 2 + ["crawler", "hmmwv", "m113"]))
    base = draw(st.sampled_from(BASES[kind]))
    content: bytes | None = None
    if draw(st.integers(0, 4)) == 0:
        content = draw(torn(PENDULUM + SWINGING))
    text = json.dumps(draw(mutated(base)), indent=1, ensure_ascii=False)
    commands = ["check FILE", "check FILE --json", "check FILE"]
    commands += {"model": [RUN], "scenario": ["show m113-paper --scenario FILE"]}.get(kind, ["show FILE"])
    words = draw(st.sampled_from(commands)).replace("FILE", "case.yaml").split()

    def write(folder: Path) -> None:
        note(text if content is None else repr(content))
        (folder / "case.yaml").write_bytes(text.encode("utf-8", "surrogatepass") if content is None else content)

    return words, write


RUN = "run FILE --preset penalty --duration 0.005 --step 1e-4 --output-interval 1e-3 --out case.h5 --quiet"

COMMANDS = {
    "check": ["pendulum.yaml", "crawler", "note.txt"],
    "show": ["pendulum.yaml", "crawler"],
    "info": ["result.h5", "pendulum.yaml", "folder"],
    "export": ["result.h5 --to case.csv", "result.h5 --to case.mat", "result.h5 --to case.pvd", "result.h5"],
    "plot": ["result.h5 --out case.png", "result.h5 --out case.svg"],
    "run": [
        RUN.replace("FILE", "pendulum.yaml").removeprefix("run "),
        "pendulum.yaml --duration 0.01 --quiet --preset penalty",
    ],
    "list": [""],
    "render": ["result.h5 --out case.png --size 64x36"],
    "report": ["result.h5 --out case.html"],
    "ride": ["result.h5"],
    "loads": ["result.h5 --part rod", "result.h5 --channels rod.*", "result.h5 --part rod --to case.bdf"],
    "schema": ["model", "scenario", "nothing"],
    "npost": ["pendulum.yaml --runs note.txt", "crawler --workers 0", "npost-12 --show roll"],
    "limits": ["pendulum.yaml", "crawler --workers 0", "crawler --only roll", "hmmwv --range step=1"],
    "study": ["pendulum.yaml", "note.txt", "study.yaml --workers 0", "study.yaml --out note.txt"],
    "optimise": ["pendulum.yaml", "note.txt", "optimise.yaml --workers 0", "optimise.yaml --out note.txt"],
    "calibrate": ["pendulum.yaml", "note.txt", "calibration.yaml --workers 0", "calibration.yaml --out note.txt"],
    "new": ["case-new.yaml --force"],
}
PARAMETERS = {name: command.params for name, command in get_command(app).commands.items()}  # type: ignore[attr-defined]
OPTIONS = {name: [p.opts[0] for p in params if p.opts[0].startswith("--")] for name, params in PARAMETERS.items()}
"""Options of each command."""
FLAGS = {"--json", "--quiet", "--strict", "--settle", "--suspension", "--force", "--help"}
WORDS = st.one_of(
    numbers.map(str),
    texts,
    st.sampled_from(
        ["bodies.rod.mass=1e9", "bodies.rod=1", "bodies.rod.inertia.0=-1", "a.b.c=[1", "gravity=[0,0,1e15]"]
    ),
    st.sampled_from(["rod.position", "rod.*", "energy.*", "time", "turn", "straight", "implicit", "state.npz", "csv"]),
)


@st.composite
def command_cases(draw: st.DrawFn) -> Case:
    """A command line with options that it may have or not, and values that they may have or not."""
    command = draw(st.sampled_from(list(COMMANDS)))
    words = [command, *draw(st.sampled_from(COMMANDS[command])).split()]
    for _ in range(draw(st.integers(0, 3))):
        mine = draw(st.integers(0, 9)) > 0
        words.append(draw(st.sampled_from(OPTIONS[command if mine else "run"])))
        if words[-1] not in FLAGS or draw(st.integers(0, 5)) == 0:
            words.append(draw(WORDS))
    if draw(st.integers(0, 9)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(WORDS))
    return words, lambda folder: None


def set_value(data: Any, place: tuple[Any, ...], value: Any) -> None:
    for key in place[:-1]:
        data = data[key]
    data[place[-1]] = value


@st.composite
def result_cases(draw: st.DrawFn) -> Case:
    """A command on a result that was damaged or forged."""
    commands = ["info FILE", "info FILE --json", "export FILE --to case.csv", "plot FILE --out case.svg", "ride FILE"]
    commands += ["plot FILE --out case.svg --channels rod.*", "report FILE --out case.html"]
    commands += ["run --resume FILE --duration 0.21 --quiet"]
    words = draw(st.sampled_from(commands)).replace("FILE", "case.h5").split()
    kind = draw(st.sampled_from(["bytes", "cut", "json", "json", "data", "data", "attribute", "remove"]))
    share, name_share = draw(st.floats(0, 1)), draw(st.floats(0, 1, exclude_max=True))
    noise, value = draw(st.binary(min_size=1, max_size=40)), draw(values)
    shape = draw(st.lists(st.sampled_from([0, 1, 3, 21]), max_size=3)) + draw(st.sampled_from([[], [10**9]]))
    shape = shape[::-1] if draw(st.booleans()) else shape
    part = draw(st.sampled_from(["header", "end", "model"]))

    def damage(folder: Path) -> None:
        note(f"{kind}, {share=}, {name_share=}, {noise=}, {value=}, {shape=}, {part=}")
        path = folder / "case.h5"
        content = bytearray((folder / "result.h5").read_bytes())
        start = int(share * (len(content) - 1))
        if kind == "bytes":
            content[start : start + len(noise)] = noise
        path.write_bytes(content[:start] if kind == "cut" else content)
        if kind in ("bytes", "cut"):
            return
        with h5py.File(path, "r+") as file:
            names: list[str] = []
            file.visit(names.append)
            name = names[int(name_share * len(names))]
            if kind == "json":
                forge_json(file, part, name_share, value)
            elif kind == "remove":
                del file[name]
            elif kind == "attribute" and len(file[name].attrs):
                keys = list(file[name].attrs)
                file[name].attrs[keys[int(name_share * len(keys))]] = json.dumps(value)
            elif isinstance(file[name], h5py.Dataset):
                attributes = dict(file[name].attrs)
                del file[name]
                kind_of_data: Any = [float, np.int8, h5py.string_dtype()][len(noise) % 3]
                chunks = None if not shape or 0 in shape else tuple(min(n, 100) for n in shape)
                file.create_dataset(name, shape=tuple(shape), dtype=kind_of_data, chunks=chunks)
                file[name].attrs.update(attributes)

    return words, damage


def forge_json(file: h5py.File, part: str, share: float, value: Any) -> None:
    """Put a value in the place of one of the JSON of a result."""
    stored = file[f"run/{part}"]
    is_stream = stored.dtype == np.uint8
    content = json.loads(stored[:].tobytes() if is_stream else stored.asstr()[()])
    places = list_places(content)
    set_value(content, places[int(share * len(places))], value)
    text = json.dumps(content)
    del file[f"run/{part}"]
    file[f"run/{part}"] = np.frombuffer(f"{text}\n".encode(), dtype=np.uint8) if is_stream else text
