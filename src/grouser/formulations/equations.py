"""The equations of motion of a compiled model by a formulation: what compiled code needs of them, as one argument."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grouser.compile.compile import Compiled
from grouser.compile.implicit_matrix import ImplicitMatrix
from grouser.errors import UnsupportedError
from grouser.formulations.augmented.system import System, make_system
from grouser.formulations.embedded.system import make_embedded_system
from grouser.formulations.recursive.system import TreeSystem, make_tree_system
from grouser.formulations.tree_options import TreeOptions
from grouser.formulations.workspace import Workspace, make_workspace
from grouser.kernels._packed import Packed

Record = namedtuple("Record", ["tables", "implicit", "system", "tree", "work"])
"""What compiled code is given of `Equations`. Kernels take it as `equations`, or as `equations_work` where they write
to its scratch."""


@dataclass(frozen=True, eq=False)
class Equations:
    """What a formulation makes of a compiled model.

    Attributes
    ----------
    compiled : the model
    implicit : of linearly implicit steps, or None
    system : sparse system of the augmented formulation and of linearly implicit steps, or None
    tree : of the recursive or the embedded formulation, or None
    work : scratch; after `Solver.advance` it holds the evaluation of the state
    """

    compiled: Compiled
    implicit: ImplicitMatrix | None
    system: System | None
    tree: TreeSystem | None
    work: Workspace

    @cached_property
    def packed(self) -> Packed:
        """The same for compiled code."""
        return Packed(Record(self.compiled.tables, self.implicit, self.system, self.tree, self.work))

    def set_encounters(self, encounters: list[Any]) -> None:
        """Take surfaces that may meet with longer lists. What stays is not packed again."""
        known = self.packed.list_known()
        object.__setattr__(self, "work", self.work._replace(encounter=encounters))
        record = Record(self.compiled.tables, self.implicit, self.system, self.tree, self.work)
        object.__setattr__(self, "packed", Packed(record, known))


def make_equations(
    compiled: Compiled,
    formulation: str,
    options: TreeOptions | None = None,
    *,
    implicit: bool = False,
) -> Equations:
    """A compiled model as a formulation sees it, by name; with what linearly implicit steps need."""
    system: System | None = None
    matrix: ImplicitMatrix | None = None
    tree: TreeSystem | None = None
    speeds = compiled.layout.speed_count
    if formulation in ("recursive", "embedded"):
        _refuse_points(compiled, formulation)
        if formulation == "embedded":
            tree = make_embedded_system(compiled, options or TreeOptions())
        else:
            tree = make_tree_system(compiled, options or TreeOptions())
        speeds = len(tree.tau)
    elif formulation == "augmented" or implicit:
        if implicit:
            _refuse_carried_balls(compiled)
        system, matrix = make_system(compiled, implicit=implicit)
    return Equations(compiled, matrix, system, tree, make_workspace(compiled, speeds))


def _refuse_carried_balls(compiled: Compiled) -> None:
    """The list of couplings knows nodes and bodies, and no frames on points."""
    for meeting in compiled.surfaces.meetings:
        sheet = compiled.surfaces.sheets[meeting.a]
        if sheet.body > len(compiled.layout.bodies):
            raise UnsupportedError(
                f"implicit steps cannot carry contact {compiled.layout.contacts[meeting.group]!r}: {sheet.name!r} sits "
                "on a point or a mesh and touches polygons; make it a surface on the mesh, or take the preset penalty"
            )


def _refuse_points(compiled: Compiled, formulation: str) -> None:
    """Trees are made of bodies."""
    if compiled.layout.points:
        raise UnsupportedError(
            f"the formulation {formulation!r} knows bodies on joints alone, and {compiled.layout.points[0]!r} is a "
            "point: take a preset with the formulation explicit or augmented, as penalty, implicit or constrained"
        )
