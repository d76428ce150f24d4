"""compile: a model by name becomes tables by index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.compile.connect import make_connections
from grouser.compile.constrain import make_constraints, refuse_ideal
from grouser.compile.contact import make_contacts, make_shapes, make_terrain
from grouser.compile.driver import make_drivers
from grouser.compile.effective import make_bodies
from grouser.compile.forces import make_applied, make_scalars
from grouser.compile.layout import Layout, make_layout
from grouser.compile.realization import MotionRealization, Realization
from grouser.compile.signals import InputRows, SignalCollector
from grouser.compile.state import State, make_state
from grouser.compile.tables import Tables
from grouser.compile.wheels import make_brakes, make_powertrains, make_tyres
from grouser.model.model import Model


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
    inputs : by name, the points of `tables.signal` that each input has at the places where it stands
    """

    model: Model
    layout: Layout
    tables: Tables
    initial: State
    candidate_count: int
    touch_count: int
    contact_sign: np.ndarray
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
    layout = make_layout(model)
    signals = SignalCollector()
    point, frame = make_connections(model, layout, realizations)
    scalar = make_scalars(model, layout, signals, motion)
    applied = make_applied(model, layout, signals)
    powertrain, driven = make_powertrains(model, layout, signals)
    brake = make_brakes(model, layout, signals)
    driver = make_drivers(model, layout, signals)
    shape = make_shapes(model, layout)
    contact, candidate_count, touch_count, memory_count, signs = make_contacts(model, shape)
    tables = Tables(
        body=make_bodies(model),
        point=point,
        frame=frame,
        constraint=make_constraints(model, layout, realizations, motion),
        scalar=scalar,
        applied=applied,
        tyre=make_tyres(model, layout),
        powertrain=powertrain,
        driven=driven,
        brake=brake,
        driver=driver,
        signal=signals.make_table(),
        shape=shape,
        contact=contact,
        terrain=make_terrain(model.terrain),
    )
    return Compiled(
        model,
        layout,
        tables,
        make_state(model, layout, memory_count),
        candidate_count,
        touch_count,
        np.array(signs),
        signals.inputs,
    )
