"""Forces of Exudyn's beams and springs beside ours, over the same chains: its right-hand side, called from Python.

What such a call takes for a chain of two elements is subtracted, in their favour.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import exudyn
import numpy as np
from contender import Contender
from exudyn import itemInterface as items

PROGRAM = f"Exudyn {exudyn.__version__}"
LENGTH, SECTION, DAMPING = 0.1, (5.0, 3.0, 2.0, 1.0, 1.5, 2.0), 1e-4
"""Of an element [m]; EA, GA_y, GA_z, GJ, EI_y, EI_z; damping over stiffness [s]."""


def _make_springs(system: Any, count: int, noise: Callable[[int], list[float]]) -> None:
    place = [
        system.AddNode(items.NodePoint(referenceCoordinates=[LENGTH * i, 0.0, 0.0], initialCoordinates=noise(3)))
        for i in range(count + 1)
    ]
    bodies = [system.AddObject(items.MassPoint(mass=1.0, nodeNumber=node)) for node in place]
    ends = [system.AddMarker(items.MarkerBodyPosition(bodyNumber=body)) for body in bodies]
    for pair in pairwise(ends):
        spring = items.SpringDamper(markerNumbers=list(pair), referenceLength=LENGTH, stiffness=50.0, damping=5e-3)
        system.AddObject(spring)


def _make_cables(system: Any, count: int, noise: Callable[[int], list[float]]) -> None:
    place = [
        system.AddNode(
            items.NodePointSlope1(
                referenceCoordinates=[LENGTH * i, 0.0, 0.0, 1.0, 0.0, 0.0], initialCoordinates=noise(6)
            )
        )
        for i in range(count + 1)
    ]
    for pair in pairwise(place):
        cable = items.ObjectANCFCable(
            length=LENGTH, massPerLength=1.0, axialStiffness=SECTION[0], bendingStiffness=SECTION[5],
            axialDamping=DAMPING * SECTION[0], bendingDamping=DAMPING * SECTION[5], nodeNumbers=list(pair),
        )  # fmt: skip
        system.AddObject(cable)


def _make_section() -> Any:
    section = exudyn.BeamSection()
    section.stiffnessMatrix, section.dampingMatrix = np.diag(SECTION), DAMPING * np.diag(SECTION)
    section.inertia, section.massPerLength = np.diag([2e-3, 1e-3, 1e-3]), 1.0
    return section


def _make_exact_beams(system: Any, count: int, noise: Callable[[int], list[float]]) -> None:
    section = _make_section()
    place = [
        system.AddNode(
            items.NodeRigidBodyRotVecLG(
                referenceCoordinates=[LENGTH * i, 0.0, 0.0, 0.0, 0.0, 0.0], initialCoordinates=noise(6)
            )
        )
        for i in range(count + 1)
    ]
    for pair in pairwise(place):
        beam = items.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=LENGTH, sectionData=section)
        system.AddObject(beam)


def _make_ancf_beams(system: Any, count: int, noise: Callable[[int], list[float]]) -> None:
    section = _make_section()
    place = [
        system.AddNode(
            items.NodePointSlope23(
                referenceCoordinates=[LENGTH * i, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], initialCoordinates=noise(9)
            )
        )
        for i in range(count + 1)
    ]
    for pair in pairwise(place):
        system.AddObject(items.ObjectANCFBeam(nodeNumbers=list(pair), length=LENGTH, sectionData=section))


ELEMENTS = {
    "trusses": {"SpringDamper": _make_springs},
    "thin beams": {"ANCFCable": _make_cables},
    "thick beams": {"BeamGeometricallyExact": _make_exact_beams, "ANCFBeam": _make_ancf_beams},
}
"""Their elements beside ours."""


class _Chain:
    """A chain of elements that is a little deformed, ready to be evaluated."""

    def __init__(self, make: Callable[..., None], count: int) -> None:
        container = exudyn.SystemContainer()
        system = container.AddSystem()
        rng = np.random.default_rng(0)
        make(system, count, lambda size: list(0.003 * rng.normal(size=size)))
        system.Assemble()
        settings = exudyn.SimulationSettings()
        settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
        settings.timeIntegration.generalizedAlpha.computeInitialAccelerations = False
        settings.solution.file.write = False
        self._solver = exudyn.MainSolverImplicitSecondOrder()
        if not self._solver.InitializeSolver(system, settings):
            raise SystemExit(f"Exudyn does not begin: {self._solver.GetErrorString()}")
        self._system, self._container = system, container  # the solver refers to both

    def run(self, calls: int) -> float:
        """CPU time of some evaluations [s]."""
        began = time.process_time()
        for _ in range(calls):
            self._solver.ComputeODE2RHS(self._system)
        return time.process_time() - began


def make_contenders(cases: dict[str, str], count: int, calls: int) -> list[Contender]:
    """Elements beside ours; `cases` are the names of the cases of our elements, and those without one are left out."""
    contenders = []
    for element, kinds in ELEMENTS.items():
        for kind, make in kinds.items() if element in cases else ():
            whole, two = _Chain(make, count), _Chain(make, 2)

            def run(whole: _Chain = whole, two: _Chain = two) -> tuple[float, ...]:
                return whole.run(calls), two.run(calls)

            contenders.append(Contender(cases[element], f"{PROGRAM} {kind}", run, (count - 2) * calls))
    return contenders
