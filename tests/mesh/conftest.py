"""Fields of faultless meshes, so that a test can change some."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from grouser.model.mesh import Mesh

RUBBER = {"type": "neo_hookean", "shear": 1.0e6, "bulk": 1.0e8, "density": 1100.0}
STEEL = {"type": "linear", "young": 2.0e11, "poisson": 0.3, "density": 7800.0}
LINE = {"type": "line", "material": STEEL, "element": "truss", "section": {"circle": 0.01}}
BLOCK = {"type": "block", "material": RUBBER, "sides": [2.0, 1.0, 0.5], "counts": [4, 3, 2]}
BELT = {
    "type": "belt",
    "material": RUBBER,
    "wheels": [{"centre": [0.0, 0.0], "radius": 0.3}, {"centre": [2.0, 0.1], "radius": 0.2}],
    "width": 0.4,
    "thickness": 0.02,
    "counts": [80, 4, 2],
}
BASES: dict[str, dict[str, Any]] = {
    "line": {**LINE, "start": [0.0, 0.0, 0.0], "end": [1.0, 0.0, 0.0], "count": 4},
    "ring": {**LINE, "type": "ring", "radius": 0.5, "count": 12},
    "block": BLOCK,
    "plate": {"type": "plate", "material": STEEL, "sides": [1.0, 0.5], "thickness": 0.05, "counts": [8, 4]},
    "ball": {"type": "ball", "material": RUBBER, "radius": 0.5, "count": 4},
    "belt": BELT,
}
_ADAPTER: TypeAdapter[Mesh] = TypeAdapter(Mesh)


class Maker:
    """Makes meshes of the fields of a base, some of them changed; None removes one."""

    bases = BASES

    def __call__(self, base: str, **changes: Any) -> Mesh:
        fields = {key: value for key, value in {**BASES[base], **changes}.items() if value is not None}
        return _ADAPTER.validate_python(fields)


@pytest.fixture
def make() -> Maker:
    """A maker of meshes."""
    return Maker()
