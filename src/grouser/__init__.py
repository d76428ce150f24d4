"""Tracked and wheeled vehicles as multibody systems: one declarative model, many ways to solve it.

>>> import grouser as gr
>>> builder = gr.ModelBuilder("pendulum")
>>> rod = builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0, 0))
>>> hinge = builder.add_joint("hinge", "revolute", "world", rod, axis=(0, 1, 0))
>>> model = builder.build()

``gr.simulate(model, duration=1.0)`` runs it, ``gr.vehicles.m113()`` is a vehicle of the catalog.

Names are imported when they are first used, so that ``import grouser`` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grouser._version import __version__
from grouser.notebook_page import set_page_maker

if TYPE_CHECKING:
    from grouser import presets
    from grouser.calibration.drive import calibrate
    from grouser.calibration.spec import Calibration, load_calibration
    from grouser.catalog import scenarios, vehicles
    from grouser.compile.realization import Bushing, ElasticLinks, Ideal, Penalty, PenaltyScaled
    from grouser.errors import GrouserError
    from grouser.model.builder import ModelBuilder
    from grouser.model.model import Model
    from grouser.model.schema import load_model, save_model
    from grouser.presets import Preset
    from grouser.result.result import Result, load_result
    from grouser.resume import resume
    from grouser.session import Session
    from grouser.simulate import simulate
    from grouser.start import settle
    from grouser.study.drive import run_study
    from grouser.study.limits.drive import seek_limits
    from grouser.study.optimisation import Optimisation, load_optimisation
    from grouser.study.optimise import optimise
    from grouser.study.spec import Study, load_study

__all__ = [
    "Bushing",
    "Calibration",
    "ElasticLinks",
    "GrouserError",
    "Ideal",
    "Model",
    "ModelBuilder",
    "Optimisation",
    "Penalty",
    "PenaltyScaled",
    "Preset",
    "Result",
    "Session",
    "Study",
    "__version__",
    "calibrate",
    "load_calibration",
    "load_model",
    "load_optimisation",
    "load_result",
    "load_study",
    "optimise",
    "presets",
    "resume",
    "run_study",
    "save_model",
    "scenarios",
    "seek_limits",
    "settle",
    "simulate",
    "vehicles",
]

_PLACES = {
    "Bushing": "grouser.compile.realization",
    "Calibration": "grouser.calibration.spec",
    "ElasticLinks": "grouser.compile.realization",
    "GrouserError": "grouser.errors",
    "Ideal": "grouser.compile.realization",
    "Model": "grouser.model.model",
    "ModelBuilder": "grouser.model.builder",
    "Optimisation": "grouser.study.optimisation",
    "Penalty": "grouser.compile.realization",
    "PenaltyScaled": "grouser.compile.realization",
    "Preset": "grouser.presets",
    "Result": "grouser.result.result",
    "Session": "grouser.session",
    "Study": "grouser.study.spec",
    "calibrate": "grouser.calibration.drive",
    "load_calibration": "grouser.calibration.spec",
    "load_model": "grouser.model.schema",
    "load_optimisation": "grouser.study.optimisation",
    "load_result": "grouser.result.result",
    "load_study": "grouser.study.spec",
    "optimise": "grouser.study.optimise",
    "presets": "grouser",
    "resume": "grouser.resume",
    "run_study": "grouser.study.drive",
    "seek_limits": "grouser.study.limits.drive",
    "save_model": "grouser.model.schema",
    "scenarios": "grouser.catalog",
    "settle": "grouser.start",
    "simulate": "grouser.simulate",
    "vehicles": "grouser.catalog",
}
"""The module of each public name; a name that the module lacks is a module inside of it."""


class _Package(ModuleType):
    """The package itself. `grouser.simulate` and `grouser.resume` are modules and public functions: the
    names belong to the functions."""

    def __setattr__(self, name: str, value: Any) -> None:
        # the import system binds each module that it has loaded to its package
        if name in ("simulate", "resume") and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'grouser' has no attribute {name!r}")
    module = import_module(_PLACES[name])
    value = getattr(module, name, None) or import_module(f"{_PLACES[name]}.{name}")
    globals()[name] = value
    return value


def _make_page(shown: Any) -> str:
    """The page of a model or a result in a notebook."""
    from grouser.output.notebook import make_page

    return make_page(shown)


def __dir__() -> list[str]:
    return sorted(__all__)


set_page_maker(_make_page)
sys.modules[__name__].__class__ = _Package
