"""JSON Schema of the file formats, with which editors complete and check keys.

A file stands by itself, or says with ``extends`` on which other file it builds. In the second case it holds only what
differs: no key of a block is required, and ``null`` removes an inherited one. So the schema has every definition
twice, as it is and as `Partial...`, and the key ``extends`` decides which holds. Lists are replaced as a whole, so what
is in them is never partial.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from grouser.model.attribute import find_attributes
from grouser.model.model import Model

REFERENCE = "#/$defs/"
PARTIAL = "Partial"
EXTENDS = {
    "type": "string",
    "description": "name of another document: this one has all its values, and its own on top",
}
BASIC = "x-basic-keys"
"""Marks a block that may hold the named keys of the top of the document, each in part."""


def model_json_schema(cls: type[BaseModel] = Model) -> dict[str, Any]:
    """JSON Schema of a kind of document, with the meaning of every key."""
    root = cls.model_json_schema()
    definitions: dict[str, Any] = root.pop("$defs", {})
    definitions[cls.__name__] = root
    _add_meanings(definitions)
    for definition in definitions.values():
        # a default is known to this program; in a file the key tells kinds of elements apart
        if "const" in definition.get("properties", {}).get("type", {}):
            definition["required"] = ["type", *definition.get("required", ())]
    root["properties"]["extends"] = EXTENDS
    root["required"] = ["grouser", "kind", *root["required"]]
    partial = {f"{PARTIAL}{name}": _make_partial(definition) for name, definition in definitions.items()}
    for name, block in root["properties"].items():
        if BASIC in block:
            keys = {key: partial[f"{PARTIAL}{cls.__name__}"]["properties"][key] for key in block.pop(BASIC)}
            content = {"type": "object", "properties": keys, "additionalProperties": False}
            block.update(content)
            partial[f"{PARTIAL}{cls.__name__}"]["properties"][name] = _add_null({**block, **content})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": cls.__name__,
        "description": root["description"],
        "type": "object",
        "properties": {name: {"description": entry["description"]} for name, entry in root["properties"].items()},
        "additionalProperties": False,
        "if": {"required": ["extends"]},
        "then": {"$ref": f"{REFERENCE}{PARTIAL}{cls.__name__}"},
        "else": {"$ref": f"{REFERENCE}{cls.__name__}"},
        "$defs": {**definitions, **partial},
    }


def _add_meanings(definitions: dict[str, Any]) -> None:
    """Write what docstrings say of attributes into the definitions."""
    for part in _find_subclasses(BaseModel):
        properties = definitions.get(part.__name__, {}).get("properties", {})
        for name, attribute in find_attributes(part).items():
            if name in properties:
                properties[name]["description"] = attribute.meaning


def _find_subclasses(cls: type[BaseModel]) -> list[type[BaseModel]]:
    return [found for part in cls.__subclasses__() for found in (part, *_find_subclasses(part))]


def _make_partial(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a block of which any key may be left out or null."""
    partial = {key: value for key, value in schema.items() if key not in ("required", "minProperties", "discriminator")}
    if "$ref" in partial:
        partial["$ref"] = partial["$ref"].replace(REFERENCE, f"{REFERENCE}{PARTIAL}")
    if "properties" in partial:
        partial["properties"] = {name: _add_null(_make_partial(entry)) for name, entry in partial["properties"].items()}
    if isinstance(partial.get("additionalProperties"), dict):
        partial["additionalProperties"] = _add_null(_make_partial(partial["additionalProperties"]))
    choices = [*partial.pop("oneOf", ()), *partial.pop("anyOf", ())]
    if choices:  # without the key `type` several may fit
        partial["anyOf"] = [_make_partial(choice) for choice in choices]
    return partial


def _add_null(schema: dict[str, Any]) -> dict[str, Any]:
    description = {"description": schema["description"]} if "description" in schema else {}
    return {**description, "anyOf": [schema, {"type": "null"}]}
