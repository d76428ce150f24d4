"""Fingerprints of a model: whether a state of rest belongs to it, whatever it is made to do and on what ground."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from grouser.model.force import COMMANDS, Applied
from grouser.model.model import Model

POSE = {"position", "orientation", "velocity", "angular_velocity"}
"""Fields of a body that change as it is set down on a terrain."""


def calc_fingerprints(model: Model) -> dict[str, str]:
    """A hash for each family of elements that a state of rest depends on.

    Drives, drivers, applied forces and the terrain do not count, nor do names of the whole and poses of the bodies: a
    vehicle keeps its fingerprints in every scenario.
    """
    forces = {name: force for name, force in model.forces.items() if not isinstance(force, Applied)}
    content = {
        "gravity": model.gravity,
        "bodies": _strip(model.bodies, POSE),
        "points": _strip(model.points, POSE),
        "joints": _strip(model.joints),
        "forces": {name: force.model_dump(exclude={COMMANDS.get(type(force), "")}) for name, force in forces.items()},
        "motions": _strip(model.motions, {"value"}),
        "shapes": _strip(model.shapes),
        "contacts": _strip(model.contacts),
    }
    if model.meshes:
        content["meshes"] = _strip(model.meshes, POSE)
    return {family: _hash(value) for family, value in content.items()}


def _strip(elements: Mapping[str, BaseModel], left_out: set[str] | None = None) -> dict[str, Any]:
    return {name: element.model_dump(exclude=left_out) for name, element in elements.items()}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
