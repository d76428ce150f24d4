"""Model files: YAML in and out, faults with file and line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from grouser.errors import ModelError, ResultError, check_path, check_type, say_unknown
from grouser.model.document import Document, Lines, find_place, parse_document
from grouser.model.emit import dump_part
from grouser.model.extend import merge_documents
from grouser.model.fault import MOST_FAULTS, Fault, make_fault, say_faults, say_value
from grouser.model.model import Model
from grouser.model.text import check_file, load_text
from grouser.whole_file import save_whole

FORMAT_VERSION = 1
"""Version of the file format, the value of the key ``grouser``."""

Resolve = Callable[[str, FilePath], FilePath]
"""Finds the file that ``extends: name`` means; the second argument is the file in which it is written."""

PartT = TypeVar("PartT", bound=BaseModel)


def resolve_file(name: str, relative_to: FilePath) -> FilePath:
    """The file `name` beside the file that names it."""
    return relative_to.parent / name


def load_document(source: str | os.PathLike[str], *, resolve: Resolve = resolve_file) -> Document:
    """Read a file, or text of several lines, together with what it extends.

    A document with ``extends: other.yaml`` has all values of the other one, and its own on top: blocks
    are merged key by key, lists are replaced, ``key: null`` removes an inherited key, and a block with
    another ``type`` replaces the inherited one.

    Parameters
    ----------
    source : path of a file; a string with a line break is taken as the text itself
    resolve : finds the file that `extends` names
    """
    check_path(source, "document")
    if isinstance(source, str) and "\n" in source:
        return _load_extended(parse_document(source), FilePath("<text>"), resolve, ())
    path = FilePath(source)
    return _load_extended(_parse_file(path), path, resolve, (path.resolve(),))


def validate_document(
    cls: type[PartT], document: Mapping[str, Any], lines: Lines | None = None, source: str = ""
) -> PartT:
    """Make a `cls` from a document; a `ModelError` lists all faults with their places.

    Parameters
    ----------
    cls : the class to make, with fields ``grouser`` and ``kind``
    lines, source : where the values were written; by default what the document itself remembers
    """
    if isinstance(document, Document):
        lines, source = document.lines if lines is None else lines, source or document.source
    _check_version(document, lines or {}, source)
    try:
        return cls.model_validate(dict(document))
    except ValidationError as error:
        faults: list[str] = [*say_faults(error, document, cls)]
    except ModelError as error:
        faults = [*error.faults]
    told = [_say_place(fault, lines or {}, source) for fault in faults[:MOST_FAULTS]]
    if len(faults) >= MOST_FAULTS:
        told.append(f"{source or 'the document'}: has more faults than these {MOST_FAULTS}; put them right first")
    raise ModelError(told)


def find_kind(document: Mapping[str, Any], kinds: Mapping[str, type[PartT]]) -> type[PartT]:
    """The class that the key ``kind`` of a document selects among `kinds`."""
    lines, source = (document.lines, document.source) if isinstance(document, Document) else ({}, "")
    _check_version(document, lines, source)
    kind = document.get("kind")
    if kind is None:
        raise ModelError(_say_place(make_fault((), f"missing key 'kind'; one of: {', '.join(kinds)}"), lines, source))
    if not isinstance(kind, str) or kind not in kinds:
        raise ModelError(_say_place(make_fault(("kind",), say_unknown("kind", str(kind), kinds)), lines, source))
    return kinds[kind]


def load_model(path: str | os.PathLike[str], *, resolve: Resolve = resolve_file) -> Model:
    """Read a model file."""
    document = load_document(path, resolve=resolve)
    return validate_document(find_kind(document, {"model": Model}), document)


def dump_model(model: Model) -> str:
    """YAML text of a model; `load_model` gives back an equal model."""
    return dump_part(model)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model file."""
    check_type(model, Model, "model", "give a gr.Model")
    check_path(path, "file to write")
    try:
        with save_whole(FilePath(path), "model file") as unfinished:
            unfinished.write_text(dump_model(model), encoding="utf-8")
    except ResultError as error:
        raise ModelError(str(error)) from None


def _parse_file(path: FilePath) -> Document:
    """The document of a file. Files that it names, which stand beside it, get names that hold from here."""
    document = parse_document(load_text(path), str(path))
    terrain = document.get("terrain")
    if isinstance(terrain, dict) and isinstance(terrain.get("points"), str):
        terrain["points"] = str(resolve_file(terrain["points"], path))
    named = [terrain, *(part for family in ("meshes", "shapes") for part in _list_blocks(document.get(family)))]
    for part in (*named, *(block.get("geometry") for block in named if isinstance(block, dict))):
        if isinstance(part, dict) and isinstance(part.get("path"), str):
            part["path"] = str(resolve_file(part["path"], path))
    rig = document.get("rig")
    excitation = rig.get("excitation") if isinstance(rig, dict) else None
    if isinstance(excitation, dict) and isinstance(excitation.get("file"), str):
        excitation["file"] = str(resolve_file(excitation["file"], path))
    return document


def _list_blocks(family: Any) -> list[Any]:
    return list(family.values()) if isinstance(family, dict) else []


def _load_extended(document: Document, path: FilePath, resolve: Resolve, chain: tuple[FilePath, ...]) -> Document:
    if "extends" not in document:
        return document
    name = document.pop("extends")
    place = find_place(document.lines, ("extends",), document.source)
    if not isinstance(name, str):
        raise ModelError(f"{place}: extends: must be the name of one other document")
    try:
        found = resolve(name, path)
        check_file(found)
        if found.resolve() in chain:
            loop = " -> ".join(file.name for file in (*chain, found))
            raise ModelError(f"documents extend each other in a circle: {loop}")
        below = _parse_file(found)
        if not {"grouser", "extends"} & below.keys():  # it may be any file: nothing of it is shown
            raise ModelError(f"{found}: is no document of this program: it has neither 'grouser: 1' nor 'extends'")
    except ModelError as error:
        raise ModelError([f"{place}: extends: {fault}" for fault in error.faults]) from None
    below = _load_extended(below, found, resolve, (*chain, found.resolve()))
    return merge_documents(below, document)


def _check_version(document: Mapping[str, Any], lines: Lines, source: str) -> None:
    version = document.get("grouser")
    if version == FORMAT_VERSION and not isinstance(version, bool):
        return
    text = (
        f"missing key 'grouser', the version of the file format; add 'grouser: {FORMAT_VERSION}'"
        if "grouser" not in document
        else f"is {say_value(version)}, but this program reads version {FORMAT_VERSION} of the file format"
    )
    raise ModelError(_say_place(make_fault(("grouser",) if "grouser" in document else (), text), lines, source))


def _say_place(fault: str, lines: Lines, source: str) -> str:
    place = find_place(lines, fault.path if isinstance(fault, Fault) else (), source)
    return f"{place}: {fault}" if place else str(fault)
