"""The start of a run: a state off its constraints is brought onto them before the books are opened."""

import pytest

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.solvers import make_integrator
from grouser.kernels.kinds import LEDGER_MOTIONS
from grouser.model.builder import ModelBuilder

STEP, DURATION = 1e-4, 0.02
CASES = [
    (formulation, name)
    for formulation in ("augmented", "recursive")
    for name, one in INTEGRATORS.items()
    if formulation in one.formulations
]
WORK = -0.62166
"""Of the drive in `DURATION` [J], by `rk4` and `adams` in both formulations: the forearm pulls the arm on."""


def make_driven():
    """Two arms at rest, the first of which a motion drives with 3 rad/s: an impulse at the start would do 8 J."""
    builder = ModelBuilder("driven")
    builder.add_body("arm", 2.0, (0.1, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    builder.add_body("forearm", 1.0, (0.05, 0.06, 0.1), position=(1.5, 0.0, 0.0))
    builder.add_joint("shoulder", "revolute", "world", "arm", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_joint("elbow", "revolute", "arm", "forearm", point=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_motion("drive", "shoulder", speed=3.0)
    return builder.build()


@pytest.mark.parametrize(("formulation", "integrator"), CASES)
def test_work_of_motions_counts_from_the_assembled_start(formulation, integrator):
    compiled = compile_model(make_driven(), {"*": Ideal()}, Ideal(), ideal=True)
    solver, state = make_integrator(compiled, formulation, integrator, 1e-8), copy_state(compiled.initial)
    assert solver.advance(state, 0, STEP)[0] == DONE
    assert state.w[1, 1] == pytest.approx(3.0)
    assert (state.ledger == 0.0).all()
    assert solver.advance(state, round(DURATION / STEP), STEP)[0] == DONE
    # steps of first order are wrong by some 3e-3 of it
    assert state.ledger[1, LEDGER_MOTIONS] == pytest.approx(WORK, rel=1e-2)
