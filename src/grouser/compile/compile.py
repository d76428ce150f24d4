"""compile: a model by name becomes tables by index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.compile.carried import make_carried
from grouser.compile.contact import make_contacts, make_shapes, make_terrain
from grouser.compile.effective import make_nodes
from grouser.compile.layout import Layout
from grouser.compile.markers import make_markers
from grouser.compile.mesh_bodies import with_mesh_bodies
from grouser.compile.points import collect_points
from grouser.compile.realization import MotionRealization, Realization
from grouser.compile.signals import InputRows, SignalCollector
from grouser.compile.state import State, make_state
from grouser.compile.surface import Surfaces, make_surfaces
from grouser.compile.tables import make_record
from grouser.families.family import Source
from grouser.families.joint.constraint_rows import refuse_ideal, refuse_ideal_points
from grouser.families.registry import FAMILIES
from grouser.kernels.kinds import LEDGER_COUNT
from grouser.model.model import Model

_TABLES: Any = make_record(
    "Tables",
    [
        "node",
        "carried",
        *(table for family in FAMILIES for table in family.tables),
        "signal",
        "shape",
        "contact",
        "encounter",
        "terrain",
    ],
)


class Tables(_TABLES):
    """All tables of a model."""

    __slots__ = ()


@dataclass(frozen=True)
class Compiled:
    """A model ready to be solved by a formulation.

    Attributes
    ----------
    model : what was compiled
    layout : names in table order
    tables : the flat arrays
    initial : initial state
    candidate_count, touch_count : places for candidate contact pairs, and for touching points
    contact_sign : for each contact 1, or -1 where the model names side a what is side b of the kernel
    surfaces : those in contact, with their trees
    inputs : by name, the points of `tables.signal` that each input has at the places where it stands
    """

    model: Model
    layout: Layout
    tables: Tables
    initial: State
    candidate_count: int
    touch_count: int
    contact_sign: np.ndarray
    surfaces: Surfaces
    inputs: dict[str, list[InputRows]]


def compile_model(
    model: Model, realizations: Mapping[str, Realization], motion: MotionRealization, *, ideal: bool = False
) -> Compiled:
    """Compile a model.

    Parameters
    ----------
    model : the system
    realizations : by joint group; ``*`` serves all groups without an entry
    motion : how prescribed motions are held
    ideal : whether the formulation has constraint rows; else ideal joints and motions are refused

    Raises
    ------
    UnsupportedError : the formulation or a realization does not support an element; it is named with the alternative
    """
    if not ideal:
        refuse_ideal(model, realizations, motion)
    model = with_mesh_bodies(model)
    refuse_ideal_points(model, realizations)
    layout = make_layout(model)
    signals = SignalCollector()
    source = Source(model, layout, signals, realizations, motion)
    rows: dict[str, tuple] = {}
    for family in FAMILIES:
        rows |= dict(zip(family.tables, family.make_rows(source), strict=True))
    shape = make_shapes(model, layout)
    contact, candidate_count, touch_count, memory_count, signs = make_contacts(model, layout, shape)
    surfaces = make_surfaces(model, layout, memory_count)
    tables = Tables(
        node=make_nodes(model, layout),
        carried=make_carried(model, layout),
        **rows,
        signal=signals.make_table(),
        shape=shape,
        contact=contact,
        encounter=surfaces.table,
        terrain=make_terrain(model.terrain),
    )
    initial = make_state(
        model,
        layout,
        _find_start(layout),
        ledger_count=_count_ledger(layout),
        memory_count=memory_count + surfaces.memory_count,
    )
    sign = np.array(signs)
    return Compiled(model, layout, tables, initial, candidate_count, touch_count, sign, surfaces, signals.inputs)


def make_layout(model: Model) -> Layout:
    """Number the elements of a model."""
    points = collect_points(model)
    markers = make_markers(model, points)
    origin = (0.0, 0.0, 0.0)
    return Layout(
        bodies=tuple(model.bodies),
        point_data=points,
        markers=markers,
        names={family.name: tuple(family.list_elements(model)) for family in FAMILIES},
        counts={family.name: family.states for family in FAMILIES},
        contacts=tuple(model.contacts),
        com=np.array([origin, *(body.com for body in model.bodies.values()), *[origin] * len(markers)]),
        model=model,
    )


def _find_start(layout: Layout) -> np.ndarray:
    """States z of all elements at the start of a run."""
    values: list[float] = []
    for family in FAMILIES:
        for name in layout.names[family.name]:
            found = [0.0] * family.states if family.find_start is None else family.find_start(layout.model, name)
            values.extend(found)
    return np.array(values, dtype=float)


def _count_ledger(layout: Layout) -> int:
    """Energies in the ledger: those that every model has, and those of families that it has elements of."""
    further = (family.ledger for family in FAMILIES if family.ledger is not None and layout.names[family.name])
    return max((1 + place for place in further), default=LEDGER_COUNT)
