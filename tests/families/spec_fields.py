"""Numbers in the specs of elements: where they stand in a model, and what bounds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import Ge, Le

from grouser.model.base import Input, Part
from grouser.model.fault import Path


@dataclass(frozen=True)
class Place:
    """A number of a spec.

    Attributes
    ----------
    owner, field : class and attribute that it belongs to
    path : keys and indices from the top of the model
    least, most : its bounds
    """

    owner: type[Part]
    field: str
    path: Path
    least: float
    most: float


def list_places(cls: type[Part], value: Any, path: Path) -> Iterator[Place]:
    """Numbers of an element of a class whose dumped fields are `value`: one of every field, those of its parts."""
    for name, field in cls.model_fields.items():
        annotation = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        yield from _list_in(annotation, value[name], (*path, name), cls, name, ())


def _list_in(annotation: Any, value: Any, path: Path, owner: type[Part], field: str, bounds: tuple) -> Iterator[Place]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    is_list = isinstance(value, list | tuple)
    if origin is Annotated:
        yield from _list_in(arguments[0], value, path, owner, field, (*bounds, *annotation.__metadata__))
    elif origin in (Union, UnionType):
        for argument in arguments:
            yield from _list_in(argument, value, path, owner, field, bounds)
    elif origin in (list, tuple) and is_list and value:
        inner = arguments[0] if origin is list else arguments[-1]
        last = len(value) - 1
        yield from _list_in(inner, value[last], (*path, last), owner, field, ())
    elif annotation in (float, int):
        # a list stands for another form of the same field; one that is its own form has been followed above
        if not (is_list and isinstance(path[-1], int)):
            yield Place(owner, field, path, *_find_bounds(bounds))
    elif _is_part(annotation) and _is_dump(annotation, value):
        yield from list_places(annotation, value, path)


def _is_dump(part: type[Part], value: Any) -> bool:
    """Whether these are the fields of a part, and not of another class of a union."""
    return isinstance(value, dict) and value.keys() == part.model_fields.keys()


def _find_bounds(metadata: tuple) -> tuple[float, float]:
    """Bounds of a number; pydantic keeps some of them inside its field descriptions."""
    flat = [item for entry in metadata for item in (getattr(entry, "metadata", None) or [entry])]
    least = [float(item.ge) for item in flat if isinstance(item, Ge)]
    most = [float(item.le) for item in flat if isinstance(item, Le)]
    return max(least, default=-float("inf")), min(most, default=float("inf"))


def list_parts(cls: type[Part], value: Any, path: Path) -> Iterator[tuple[type[Part], Path]]:
    """The parts of an element, itself first."""
    yield cls, path
    for name, field in cls.model_fields.items():
        for part in _find_parts(field.annotation):
            found = value[name]
            entries = enumerate(found) if isinstance(found, list | tuple) else [(None, found)]
            for i, entry in entries:
                if _is_dump(part, entry):
                    yield from list_parts(part, entry, (*path, name) if i is None else (*path, name, i))


def list_wanted(cls: type[Part]) -> set[tuple[type[Part], str]]:
    """All attributes with numbers of a class and of its parts."""
    found = set()
    for name, field in cls.model_fields.items():
        if _has_number(field.annotation):
            found.add((cls, name))
        for part in _find_parts(field.annotation):
            found |= list_wanted(part)
    return found


def _has_number(annotation: Any) -> bool:
    return annotation in (float, int) or any(_has_number(argument) for argument in _find_types(annotation))


def _find_parts(annotation: Any) -> list[type[Part]]:
    """Classes of parts in an annotation; inputs are signals, not parts of an element."""
    if _is_part(annotation):
        return [] if annotation is Input else [annotation]
    return [part for argument in _find_types(annotation) for part in _find_parts(argument)]


def _find_types(annotation: Any) -> tuple:
    if get_origin(annotation) is Annotated:
        return get_args(annotation)[:1]
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType, list, tuple) else ()


def _is_part(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Part)
