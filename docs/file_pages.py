"""Pages that list all fields of a kind of file, from annotations and docstrings; and the Markdown they are made of."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, get_args

import numpy as np
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from grouser.calibration import spec as calibration
from grouser.catalog import grounds
from grouser.catalog.rig import spec as rig
from grouser.families.coordinate_force import spec as coordinate_force
from grouser.families.driver import spec as driver
from grouser.families.joint import spec as joint
from grouser.model import contact, force, material, mesh, surface, terrain
from grouser.model.attribute import find_attributes
from grouser.model.base import HEAVIEST, LARGEST, LIGHTEST, SMALLEST
from grouser.model.expression import CONSTANTS, FUNCTIONS

NOTE = "<!-- written by docs/generate.py; do not edit -->"
WIDTH = 120

SHARED_MEANINGS = {
    "body": "name of the body that carries it",
    "group": "name of the shape group, by which contacts refer to it",
    "frame_a": "frame on the first body",
    "frame_b": "frame on the second body",
    "joint": "name of the joint",
    "coordinate": "``rotation`` [rad] or ``translation`` [m] along the joint's z axis",
}
"""Fields that many classes share and whose docstrings leave them out."""

TYPE_WORDS = {
    "Number": "number",
    "Positive": "number > 0",
    "NonNegative": "number >= 0",
    "Count": "whole number",
    "Divisions": "whole number >= 1",
    "Corner": "whole number >= 0",
    "AboveZero": "number > 0",
    "Strain": "number, -0.5 to 1",
    "Flag": "true or false",
    "Mass": f"number, {LIGHTEST:g} to {HEAVIEST:g}",
    "Title": "text of one line",
    "Description": "text",
    "str": "text",
    "int": "whole number",
    "Any": "anything",
    "None": "`null`",
    "Vec3": "3 numbers",
    "Vec6": "6 numbers",
    "Quaternion": "4 numbers (w, x, y, z)",
    "PlanePoint": "2 numbers (x, z)",
    "Table": "list of pairs of numbers",
    "ProfilePoints": "list of pairs of numbers, or name of a file",
    "Signal": "[signal](#signals)",
    "Curve": "number, or table",
    "Level": "number, truth value or text",
    "Preload": "number, or `static`",
    "Inertia": "3 or 6 numbers",
    "Matrix6": "6 numbers, or 6 rows of 6",
    "Pair": "2 numbers > 0, at the nominal load and at twice that load",
    "Way": "list of points (x, y), or a [Circle](#circle)",
    "PinLine": "`x`, `y`, `z`, `ball`, or a direction of 3 numbers",
}
UNIONS = {
    "Force": force.Force,
    "Shape": contact.Shape,
    "Mesh": mesh.Mesh,
    "AnySteering": driver.AnySteering,
    "Material": material.Material,
    "Terrain": terrain.Terrain,
    "Geometry": surface.Geometry,
    "GivenGeometry": surface.GivenGeometry,
    "Ground": grounds.Ground,
    "Excitation": rig.Excitation,
}
CHOICES = {
    "JointType": joint.JointType,
    "Coordinate": coordinate_force.Coordinate,
    "LineElement": mesh.LineElement,
    "CurveElement": mesh.CurveElement,
    "Unit": calibration.Unit,
}


def make_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def split_doc(part: type) -> list[str]:
    """Paragraphs of a docstring before its sections."""
    text = inspect.cleandoc(part.__doc__ or "").partition("\nAttributes\n---")[0].strip()
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def say_code(text: str) -> str:
    """Double backquotes of docstrings as those of Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", text)


def say_text(*paragraphs: str) -> str:
    """Paragraphs with lines of the house's length."""
    return "\n\n".join(
        textwrap.fill(say_code(paragraph), WIDTH, break_long_words=False, break_on_hyphens=False)
        for paragraph in paragraphs
    )


def find_parts(root: type[BaseModel]) -> list[type[BaseModel]]:
    """The class of a document and of every block in it, in the order in which they are met."""
    found: list[type[BaseModel]] = []

    def visit(part: type[BaseModel]) -> None:
        if part in found:
            return
        found.append(part)
        for field in part.model_fields.values():
            for inner in _find_classes(field.annotation):
                visit(inner)

    visit(root)
    return found


def _find_classes(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _find_classes(inner)


def find_meaning(part: type[BaseModel], name: str) -> tuple[str, str]:
    """Meaning and unit of a field; the meaning is empty where nothing says it."""
    attribute = find_attributes(part).get(name)
    if attribute is None:
        return SHARED_MEANINGS.get(name, ""), ""
    unit = f"[{attribute.unit}]" if attribute.unit else ""
    meaning = attribute.meaning
    if unit:
        meaning = meaning.removesuffix(unit).strip() if meaning.endswith(unit) else meaning.removeprefix(unit).strip()
    return meaning.removeprefix(", ") or name.replace("_", " "), attribute.unit


def make_field_rows(part: type[BaseModel]) -> Iterator[list[str]]:
    """Name, type, unit, default and meaning of every field."""
    texts: dict[str, str] = {}
    for base in reversed(part.__mro__):
        texts |= {name: str(text) for name, text in inspect.get_annotations(base).items()}
    for name, field in part.model_fields.items():
        if name == "type" and field.default is not PydanticUndefined:
            continue  # stands in the heading
        meaning, unit = find_meaning(part, name)
        default = field.default if field.default_factory is None else field.default_factory()  # type: ignore[call-arg]
        yield [f"`{name}`", say_type(texts[name]), unit, _say_default(default), say_code(meaning)]


def say_type(text: str) -> str:
    """An annotation in words.

    >>> say_type("list[Vec3]")
    'list of (3 numbers)'
    """
    return _say_node(ast.parse(text, mode="eval").body)


def _say_node(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp):  # a | b
        return f"{_say_node(node.left)} or {_say_node(node.right)}"
    if isinstance(node, ast.Constant):
        return "`null`" if node.value is None else f"`{node.value!s}`"
    if isinstance(node, ast.Name):
        return _say_name(node.id)
    assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name), ast.dump(node)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    kind = node.value.id
    if kind == "Literal":
        return ", ".join(_say_node(item) for item in inner)
    if kind == "Annotated":
        return _say_node(inner[0]) + _say_bounds(inner[1])
    if kind == "dict":
        return f"{_say_node(inner[1])}, by name"
    if kind == "list":
        return f"list of ({_say_node(inner[0])})"
    return "(" + ", ".join(_say_node(item) for item in inner) + ")"


def _say_name(name: str) -> str:
    if name in TYPE_WORDS:
        return TYPE_WORDS[name]
    if name in CHOICES:
        return ", ".join(f"`{value}`" for value in get_args(CHOICES[name]))
    if name in UNIONS:
        return "one of " + ", ".join(_link(part) for part in find_members(UNIONS[name]))
    return f"[{name}](#{name.lower()})"


def _say_bounds(call: ast.expr) -> str:
    assert isinstance(call, ast.Call)
    bounds = {word.arg: ast.unparse(word.value) for word in call.keywords}
    if "ge" in bounds and "le" in bounds:
        return f", {bounds['ge']} to {bounds['le']}"
    return f" >= {bounds['ge']}"


def _link(part: type) -> str:
    return f"[{part.__name__}](#{part.__name__.lower()})"


def find_members(union: Any) -> list[type[BaseModel]]:
    """Classes of a union that is told apart by `type`."""
    return list(_find_classes(union))


def _say_default(value: Any) -> str:
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "`null`"
    if isinstance(value, BaseModel):
        return f"`{json.dumps(value.model_dump(exclude_unset=True))}`" if value.model_fields_set else "its defaults"
    return "empty" if value in ({}, "") else f"`{json.dumps(value)}`"


def make_file_page(title: str, introduction: str, root: type[BaseModel]) -> str:
    """All fields of a kind of file."""
    text = [NOTE, f"# {title}", introduction]
    for part in find_parts(root):
        kind = part.model_fields.get("type")
        head = f"`type: {kind.default}`. " if kind and kind.default is not PydanticUndefined else ""
        first, *more = split_doc(part)
        text += [f"## {part.__name__}", say_text(head + first, *more)]
        text.append(make_table(["field", "value", "unit", "default", "meaning"], make_field_rows(part)))
    if "#signals" in "".join(text):
        text += ["## Signals", say_text(SIGNALS)]
    return "\n\n".join(text) + "\n"


def list_names(names: Iterable[str]) -> str:
    """Names as code, with commas."""
    return ", ".join(f"`{name}`" for name in names)


def say_realization(realization: Any) -> str:
    """A realization with its values, in short numbers."""
    values = {field.name: getattr(realization, field.name) for field in fields(realization)}
    words = [f"{name}=" + " ".join(f"{v:g}" for v in np.atleast_1d(value)) for name, value in values.items()]
    return f"`{type(realization).__name__}({', '.join(words)})`"


SIGNALS = (
    "A signal is a function of time in one of three forms: a number; a table of `[time, value]` pairs, linear between "
    "them and constant beyond its ends; or an arithmetic expression of `t` in seconds, for example "
    '`"if(t < 1, 0, 3.57*(t - 1))"`. Expressions are parsed, never executed. They know `+ - * / ^`, comparisons '
    f"(1 or 0), the constants {list_names(CONSTANTS)} and the functions {list_names(FUNCTIONS)}. "
    "`step(t, t0, h0, t1, h1)` goes smoothly from h0 at t0 to h1 at t1; `if(condition, a, b)` is a where the "
    "condition is not zero. Other tables (curves of springs and dampers) hold `[argument, force]` pairs and go on with "
    "their last slopes beyond their ends."
)

FILE_HEAD = (
    "The file is YAML. `grouser: 1` is the version of the format, `kind: {kind}` says what it is; a file must have "
    "both. Numbers are SI units and radians, "
    f"at most {LARGEST:g} in magnitude and, where they must be positive, at least {SMALLEST:g}. "
    "Unknown keys are refused, with the nearest known one; all faults are listed at once, with their lines. "
    "`grouser schema {kind}` prints the JSON Schema with which editors complete and "
    "check keys. A file may begin with `extends: other.yaml`: blocks are merged key by key, lists are replaced, "
    "`key: null` removes an inherited key."
)
