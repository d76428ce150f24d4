"""How a model is solved, as plain values that a file can hold, and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from grouser.compile.realization import Bushing, ElasticLinks, Ideal, Penalty, PenaltyScaled, Realization
from grouser.formulations.tree_options import TreeOptions
from grouser.presets import Preset

REALIZATIONS = {kind.__name__: kind for kind in (Ideal, Penalty, PenaltyScaled, Bushing, ElasticLinks)}


def make_method(preset: Preset) -> dict[str, Any]:
    """A preset as plain values.

    >>> from grouser.presets import PRESETS
    >>> all(load_method(make_method(preset)) == preset for preset in PRESETS.values())
    True
    """
    plain = {field.name: getattr(preset, field.name) for field in fields(preset)}
    return {
        **plain,
        "realizations": {group: _dump(one) for group, one in preset.realizations.items()},
        "motion": _dump(preset.motion),
        "tree": asdict(preset.tree),
    }


def load_method(plain: dict[str, Any]) -> Preset:
    """The preset of plain values."""
    return Preset(
        **{
            **plain,
            "realizations": {group: _load(one) for group, one in plain["realizations"].items()},
            "motion": _load(plain["motion"]),
            "tree": TreeOptions(**plain["tree"]),
        }
    )


def _dump(realization: Realization) -> dict[str, Any]:
    return {"kind": type(realization).__name__, **asdict(realization)}


def _load(plain: dict[str, Any]) -> Any:
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in plain.items()}
    kind: Any = REALIZATIONS[values.pop("kind")]
    return kind(**values)
