"""What a family of elements declares: everything else is made of it.

Tables, names by row, states z, values and channels, the pattern of the sparse system, the stable step and the reference
pages follow from these declarations. A family has a folder with three files:

    spec.py      what it is in files (pydantic), and what can be wrong with it
    rows.py      its table, how its rows are filled, and its `FAMILY`
    kernel.py    compiled code: forces, energies, powers, slopes
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from grouser.compile.layout import Layout
from grouser.compile.realization import MotionRealization, Realization
from grouser.compile.signals import SignalCollector
from grouser.compile.springs import Springs
from grouser.mesh.make import make_mesh_data
from grouser.model.model import Model

Array = np.ndarray


class Source(NamedTuple):
    """What rows are made of: the model, its layout, where signals are collected, and how joints and motions hold."""

    model: Model
    layout: Layout
    signals: SignalCollector
    realizations: Mapping[str, Realization]
    motion: MotionRealization


class Output(NamedTuple):
    """A channel of a family.

    Attributes
    ----------
    quantity, unit, meaning : what it shows
    shown : what is shown of the value that the kernel leaves; None for the value itself
    """

    quantity: str
    unit: str
    meaning: str
    shown: Callable[[Array], Array] | None = None


def take_rows(table: Any, first: int, last: int) -> Any:
    """The rows of a table from one to another, of all its arrays."""
    return type(table)(*(array[first:last] for array in table))


class Shared(NamedTuple):
    """A table whose rows threads may share: the force of each depends on the state alone.

    Attributes
    ----------
    cost : of the forces of a row [ns], as measured on one core
    by : an array of the table that has an entry for each row
    take : gives the table with the rows from one to another
    """

    cost: float
    by: str
    take: Callable[[Any, int, int], Any] = take_rows

    def count(self, table: Any) -> int:
        """Number of rows of a table."""
        return len(getattr(table, self.by))


@dataclass(frozen=True)
class Family:
    """A family of elements.

    Attributes
    ----------
    name : of its values in the workspace (``work.<name>_value``), and of its channels
    tables : fields of `Tables` that it fills, with their types
    list_elements : names of its elements in a model, in the order of its rows
    make_rows : its tables
    ends : by table, the columns with the rows of the nodes of an element; the slopes of its force couple all of them
    noted : tables whose elements keep their slopes, so that the forces of implicit steps can be shown
    states : numbers z of an element
    find_start : their values at the start of a run; zero by default
    find_owners : of all tables: the row of the node that the states of each element belong to
    values : numbers that the kernel leaves of an element
    acted : so many of the first of them are forces, shown as the mean of a step
    outputs : channels, one for each of the first values
    ledger : place of its energies in the ledger, where it is none of those that every model has; else None
    add_springs : its stiffness and damping in the initial state, for the stable step
    show : fills in values that are wanted where a frame is noted alone, from tables, state and workspace
    shared : by table, what threads may share; elements of a family without any are all done by the first thread. Values
        of elements are by the rows of the first of these tables
    scratch : by name, the shapes of scratch arrays that its kernel needs (``work.<family>_<name>``)
    """

    name: str
    tables: Mapping[str, type]
    list_elements: Callable[[Model], Sequence[str]]
    make_rows: Callable[[Source], tuple[tuple, ...]]
    ends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    noted: tuple[str, ...] = ()
    states: int = 0
    find_start: Callable[[Model, str], Sequence[float]] | None = None
    find_owners: Callable[[Any], Array] | None = None
    values: int = 0
    acted: int = 0
    outputs: tuple[Output, ...] = ()
    ledger: int | None = None
    add_springs: Callable[[Springs], None] | None = None
    show: Callable[[Any, Any, Any], None] | None = None
    shared: Mapping[str, Shared] = field(default_factory=dict)
    scratch: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def list_cells(model: Model, family: str) -> tuple[str, ...]:
    """Names of the elements of a family in all meshes of a model: ``mesh.family.number``."""
    return tuple(
        f"{name}.{family}.{i}"
        for name, mesh in model.meshes.items()
        for i in range(len(getattr(make_mesh_data(mesh), family).node))
    )


def list_forces(kind: str) -> Callable[[Model], tuple[str, ...]]:
    """What lists the forces of a type in a model."""
    return lambda model: tuple(name for name, force in model.forces.items() if force.type == kind)
