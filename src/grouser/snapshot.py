"""Snapshots: copies of all that decides how a run goes on.

Compiled code writes to arrays that never move: state, scratch, history of the integrator, points of inputs. All of them
are copied, without asking which of them a method would need. What Python keeps beside them are plain values: counts,
step control, step watch, record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grouser.errors import IncompatibleError
from grouser.integrators.solver import Solver
from grouser.record.observe import Note

PLAIN = (bool, int, float, str, bytes, type(None))
"""What plain values are, or tuples of them."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """All that decides how a session goes on.

    Attributes
    ----------
    time : simulated time [s]
    arrays : by name
    plain : plain values of each part of the session, by its name
    note : the last frame
    """

    time: float
    arrays: Mapping[str, np.ndarray]
    plain: Mapping[str, Mapping[str, Any]]
    note: Note

    def __repr__(self) -> str:
        size = sum(array.nbytes for array in self.arrays.values())
        return f"<Snapshot at {self.time:g} s, {size / 1e6:.3g} MB>"


def list_arrays(solver: Solver) -> dict[str, np.ndarray]:
    """All arrays to which the compiled code of a solver may write, by name, beside the state."""
    equations = solver.equations
    tables = {name: getattr(equations, name) for name in ("implicit", "system", "tree", "work")}
    tables |= {name: value for name, value in vars(solver).items() if hasattr(value, "_fields")}
    arrays = {name: array for name, table in tables.items() if table is not None for name, array in _walk(name, table)}
    return {"signal.point": equations.compiled.tables.signal.point, **arrays}


def _walk(name: str, table: Any) -> Iterator[tuple[str, np.ndarray]]:
    for field, value in zip(table._fields, table, strict=True):
        if isinstance(value, np.ndarray):
            yield f"{name}.{field}", value
        elif isinstance(value, tuple):
            yield from _walk(f"{name}.{field}", value)


def list_plain(part: Any) -> dict[str, Any]:
    """Plain values among the attributes of an object."""
    return {name: value for name, value in vars(part).items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))


def list_solver_plain(solver: Solver) -> dict[str, Any]:
    """Plain values of a solver with its counts."""
    return {**list_plain(solver), "counts": tuple(asdict(solver.counts).values())}


def copy_arrays(source: Mapping[str, np.ndarray], target: Mapping[str, np.ndarray]) -> None:
    """Copy arrays in place, by name; refused where they do not fit."""
    if {name: (a.shape, a.dtype) for name, a in source.items()} != {n: (a.shape, a.dtype) for n, a in target.items()}:
        raise IncompatibleError(
            "the snapshot does not fit this session: it belongs to another model, preset or integrator"
        )
    for name, array in source.items():
        np.copyto(target[name], array)


def set_plain(part: Any, values: Mapping[str, Any]) -> None:
    """Set attributes of an object."""
    for name, value in values.items():
        setattr(part, name, value)
