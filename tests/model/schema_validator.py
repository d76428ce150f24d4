"""Judges data by a JSON Schema: as much of the standard as the schemas of this program use, and nothing else."""

from __future__ import annotations

from typing import Any

NOTES = {"$schema", "$defs", "title", "description", "default", "discriminator"}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list, tuple),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def is_valid(schema: dict[str, Any], data: Any, root: dict[str, Any] | None = None) -> bool:
    """Whether data keep to a schema; a keyword that is not known is an error of this validator."""
    root = schema if root is None else root
    return all(
        _JUDGES[word](schema, value, data, root)
        for word, value in schema.items()
        if word not in NOTES and word not in ("then", "else")
    )


def _has_type(schema: dict[str, Any], value: str, data: Any, root: dict[str, Any]) -> bool:
    if isinstance(data, bool) and value != "boolean":
        return False
    return isinstance(data, TYPES[value])


def _follow(schema: dict[str, Any], value: str, data: Any, root: dict[str, Any]) -> bool:
    return is_valid(root["$defs"][value.removeprefix("#/$defs/")], data, root)


def _choose(schema: dict[str, Any], value: dict[str, Any], data: Any, root: dict[str, Any]) -> bool:
    return is_valid(schema["then" if is_valid(value, data, root) else "else"], data, root)


def _has_keys(schema: dict[str, Any], value: dict[str, Any], data: Any, root: dict[str, Any]) -> bool:
    return all(is_valid(entry, data[key], root) for key, entry in value.items() if key in data)


def _has_further(schema: dict[str, Any], value: Any, data: Any, root: dict[str, Any]) -> bool:
    further = [item for key, item in data.items() if key not in schema.get("properties", {})]
    return value is True or all(value is not False and is_valid(value, item, root) for item in further)


_JUDGES: dict[str, Any] = {
    "type": _has_type,
    "$ref": _follow,
    "if": _choose,
    "properties": lambda s, v, d, r: not isinstance(d, dict) or _has_keys(s, v, d, r),
    "additionalProperties": lambda s, v, d, r: not isinstance(d, dict) or _has_further(s, v, d, r),
    "required": lambda s, v, d, r: not isinstance(d, dict) or set(v) <= set(d),
    "const": lambda s, v, d, r: d == v,
    "enum": lambda s, v, d, r: d in v,
    "anyOf": lambda s, v, d, r: any(is_valid(choice, d, r) for choice in v),
    "oneOf": lambda s, v, d, r: sum(is_valid(choice, d, r) for choice in v) == 1,
    "items": lambda s, v, d, r: not isinstance(d, list) or all(is_valid(v, item, r) for item in d),
    "prefixItems": lambda s, v, d, r: (
        not isinstance(d, list) or all(is_valid(e, i, r) for e, i in zip(v, d, strict=False))
    ),
    "minItems": lambda s, v, d, r: not isinstance(d, list) or len(d) >= v,
    "maxItems": lambda s, v, d, r: not isinstance(d, list) or len(d) <= v,
    "minProperties": lambda s, v, d, r: not isinstance(d, dict) or len(d) >= v,
    "minimum": lambda s, v, d, r: not isinstance(d, int | float) or d >= v,
    "maximum": lambda s, v, d, r: not isinstance(d, int | float) or d <= v,
}
