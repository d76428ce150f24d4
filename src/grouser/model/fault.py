"""Faults of a document: sentences that know of which element they speak, also for pydantic's findings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from grouser.errors import find_near, say_unknown, shorten
from grouser.model.attribute import Attribute, find_attributes

Path = tuple[str | int, ...]
"""Keys and list indices from the top of a document to one of its values."""

MOST_FAULTS = 50
"""So many faults of a document are looked for: whoever puts them right finds the others next."""

_ABSENT = object()


class Fault(str):
    """One fault as a sentence, ``bodies.wheel.mass: is -1 [kg]; ...``.

    Attributes
    ----------
    path : where it is, so that a line of a file can be found for it
    """

    path: Path

    def __new__(cls, sentence: str, path: Path = ()) -> Fault:
        fault = super().__new__(cls, sentence)
        fault.path = path
        return fault


def make_fault(path: Path, text: str, *, shown: Path | None = None) -> Fault:
    """The fault `text` of the value at `path`; `shown` is the path to print where it differs."""
    label = say_path(path if shown is None else shown)
    return Fault(shorten(f"{label}: {text}" if label else text), path)


def say_path(path: Path) -> str:
    """A path in words, each key cut short.

    >>> say_path(("shapes", "pad", "positions", 2))
    'shapes.pad.positions[2]'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{shorten(key, 120)}" for key in path).removeprefix(".")


def say_value(value: Any) -> str:
    """A value as it would stand in a file, cut short."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | BaseModel):
        return "a block of keys"
    if isinstance(value, list | tuple):
        return "a list"
    return shorten(repr(value), 50)


def say_faults(error: ValidationError, data: Any, cls: type[BaseModel]) -> list[Fault]:
    """Pydantic's findings in the words of this program.

    Parameters
    ----------
    error : what validation of `data` as a `cls` raised
    data : the document
    """
    found = [_Finding(details, data, cls) for details in error.errors(include_url=False)[:MOST_FAULTS]]
    meant = {(*f.path[:-1], name) for f in found for name in f.find_meant()}
    faults: dict[str, Fault] = {}
    for finding in found:
        # A misspelt key is one fault, not also a missing one.
        if finding.kind == "missing" and finding.path in meant:
            continue
        fault = finding.say()
        faults.setdefault(fault, fault)
    return list(faults.values())


class _Finding:
    """One entry of a pydantic error beside the part of the document that it is about."""

    def __init__(self, details: Any, data: Any, cls: type[BaseModel]):
        self.kind: str = details["type"]
        self.message: str = details["msg"]
        self.context: dict[str, Any] = details.get("ctx") or {}
        self.value = details["input"]
        self.path = _find_path(data, details["loc"], has_last=self.kind != "missing")
        self.owner, self.attribute = _find_owner(cls, data, self.path)

    def find_meant(self) -> list[str]:
        """Keys for which an unknown key was probably mistaken."""
        if self.kind != "extra_forbidden" or self.owner is None:
            return []
        return find_near(str(self.path[-1]), self.owner.model_fields)

    def say(self) -> Fault:
        """The fault as a sentence."""
        last = self.path[-1] if self.path else ""
        if self.kind == "extra_forbidden":
            keys = list(self.owner.model_fields) if self.owner else []
            return make_fault(self.path, say_unknown("key", str(last), keys), shown=self.path[:-1])
        if self.kind == "missing" and isinstance(last, int):
            here, expected = self.path[:-1], last + 1
            return make_fault(here, f"has {len(self.value)} values; {expected} are expected{self._unit()}")
        if self.kind == "missing":
            return make_fault(self.path, f"missing key {last!r}{self._unit()}", shown=self.path[:-1])
        if self.kind == "union_tag_not_found":
            choice = ", ".join(_find_types(self.owner, self.attribute_name()))
            return make_fault(self.path, f"missing key 'type'; one of: {choice}")
        if self.kind == "union_tag_invalid":
            types = re.findall(r"'([^']*)'", self.context["expected_tags"])
            return make_fault((*self.path, "type"), say_unknown("type", self.context["tag"], types))
        return make_fault(self.path, self._say_value())

    def attribute_name(self) -> str:
        """Name of the field of the owner in which the value lies."""
        names = [key for key in self.path if self.owner and key in self.owner.model_fields]
        return str(names[-1]) if names else ""

    def _say_value(self) -> str:
        value, context, unit = say_value(self.value), self.context, self._unit()
        match self.kind:
            case "float_type" | "int_type":
                return self._say_no_number()
            case "finite_number":
                return f"is {value}; a finite number{unit} is expected"
            case "greater_than":
                return f"is {value}{unit}; it must be greater than {context['gt']:g}"
            case "greater_than_equal":
                # the least mass is a matter of range, but a negative one is a mistake of another kind
                has_sign = self.value <= 0 < context["ge"] < 1
                least = "greater than 0" if has_sign else f"at least {context['ge']:g}"
                return f"is {value}{unit}; it must be {least}"
            case "less_than":
                return f"is {value}{unit}; it must be less than {context['lt']:g}"
            case "less_than_equal":
                return f"is {value}{unit}; it must be at most {context['le']:g}"
            case "string_type":
                return f"is {value} where text is expected; put a name in quotes if it looks like a number"
            case "bool_type":
                return f"is {value} where true or false is expected"
            case "literal_error":
                choice = re.findall(r"'([^']*)'", context["expected"])
                return (
                    say_unknown("value", str(self.value), choice)
                    if choice
                    else f"is {value}, not {context['expected']}"
                )
            case "too_long":
                return f"has {context['actual_length']} values; {context['max_length']} are expected{unit}"
            case "too_short":
                return f"has {context['actual_length']} entries; at least {context['min_length']} is needed"
            case "tuple_type" | "list_type":
                return f"is {value} where a list like [1, 2, 3] is expected{unit}"
            case "dict_type" | "model_type" | "model_attributes_type":
                return f"is {value} where a block of keys is expected"
            case "inertia" if isinstance(self.value, list | tuple):
                return f"has {len(self.value)} values; it {self.message}{unit}"
            case "inertia":
                return f"is {value}; it {self.message}{unit}"
            case "value_error" | "assertion_error":
                return str(context.get("error", self.message))
        return f"is {value}: {self.message}{unit}"

    def _say_no_number(self) -> str:
        unit = self._unit()
        whole = "a whole number" if self.kind == "int_type" else "a number"
        if isinstance(self.value, str):
            return (
                f"is the text {say_value(self.value)} where {whole}{unit} is expected; "
                "write the SI value alone, without unit and without quotes"
            )
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return f"is too large for {whole}{unit}"
        return f"is {say_value(self.value)} where {whole}{unit} is expected"

    def _unit(self) -> str:
        return f" [{self.attribute.unit}]" if self.attribute and self.attribute.unit else ""


def _get(here: Any, key: str | int) -> Any:
    if isinstance(here, Mapping):
        return here.get(key, _ABSENT)
    if isinstance(here, BaseModel):
        return getattr(here, str(key)) if key in type(here).model_fields else _ABSENT
    if isinstance(here, list | tuple) and isinstance(key, int) and key < len(here):
        return here[key]
    return _ABSENT


def _find_path(data: Any, location: Sequence[str | int], *, has_last: bool) -> Path:
    """Location without the names of union members, which pydantic mixes in."""
    path: list[str | int] = []
    here = data
    for place, key in enumerate(location):
        is_last = place == len(location) - 1
        if is_last and not has_last:
            path.append(key)
            break
        below = _get(here, key)
        is_type = not is_last and isinstance(here, Mapping) and here.get("type") == key
        if below is not _ABSENT and not is_type:
            path.append(key)
            here = below
    return tuple(path)


def _find_parts(annotation: Any) -> tuple[list[type[BaseModel]], int]:
    """Classes named in an annotation, and the number of containers around them."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _find_parts(arguments[0])
    if origin in (Union, UnionType):
        found = [_find_parts(argument) for argument in arguments]
        return [part for parts, _ in found for part in parts], max(levels for _, levels in found)
    if origin in (dict, list, tuple):
        parts, levels = _find_parts(arguments[-1] if origin is dict else arguments[0])
        return parts, levels + 1
    is_part = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return ([annotation] if is_part else []), 0


def _find_owner(cls: type[BaseModel], data: Any, path: Path) -> tuple[type[BaseModel] | None, Attribute | None]:
    """The class that the last key of a path belongs to, and what it says of that attribute."""
    owner: type[BaseModel] | None = cls
    name, levels, here = "", 0, data
    candidates: list[type[BaseModel]] = [cls]
    for key in path:
        if candidates and levels == 0:
            owner, name = _choose_part(candidates, here), str(key)
            if owner is None or name not in owner.model_fields:
                return owner, None
            candidates, levels = _find_parts(owner.model_fields[name].annotation)
        elif candidates:
            levels -= 1
        here = _get(here, key)
    return owner, find_attributes(owner).get(name) if owner else None


def _choose_part(candidates: list[type[BaseModel]], here: Any) -> type[BaseModel] | None:
    if len(candidates) == 1:
        return candidates[0]
    if not any("type" in part.model_fields for part in candidates):  # told apart by their keys
        keys = here.keys() if isinstance(here, Mapping) else set()
        return max(candidates, key=lambda part: len(keys & part.model_fields.keys()))
    tag = _get(here, "type")
    return next((part for part in candidates if part.model_fields["type"].default == tag), None)


def _find_types(owner: type[BaseModel] | None, name: str) -> list[str]:
    if owner is None or name not in owner.model_fields:
        return []
    parts, _ = _find_parts(owner.model_fields[name].annotation)
    return [str(part.model_fields["type"].default) for part in parts if "type" in part.model_fields]
