"""Models that are `planar` stay in their plane, by every formulation and integrator."""

import numpy as np
import pytest
from planar_models import make_cart, make_track

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal, Penalty, PenaltyScaled
from grouser.compile.state import copy_state
from grouser.formulations.status import DONE
from grouser.integrators.declarations import INTEGRATORS
from grouser.integrators.solvers import make_integrator

EXACT = 1e-14
"""What rounding may leave out of the plane [m, m/s, rad/s, -]; it must not grow."""
STEPS = {"implicit-euler": 1e-3, "implicit-extrapolated": 1e-3, "generalised-alpha": 1e-3}
"""Steps [s] of integrators that no stiffness limits; others have 0.2 ms."""
PINS = Penalty(k=1e6, c=1e3)
WAYS = [
    (formulation, name)
    for name, one in INTEGRATORS.items()
    if one.package is None
    for formulation in one.formulations
    if formulation != "recursive"
]


class Way:
    """A model by a formulation and an integrator; joints of `explicit` are springs."""

    def __init__(self, model, formulation, integrator):
        is_ideal = formulation != "explicit"
        pins, drive = (Ideal(), Ideal()) if is_ideal else (PINS, PenaltyScaled(frequency=500.0))
        self.compiled = compile_model(model, {"*": pins}, drive, ideal=is_ideal)
        self.solver = make_integrator(self.compiled, formulation, integrator, 1e-6)
        self.step = STEPS.get(integrator, 2e-4)
        self.state = copy_state(self.compiled.initial)
        self.advance(0.0)

    def advance(self, duration):
        status, name = self.solver.advance(self.state, round(duration / self.step), self.step)
        assert status == DONE, name

    def find_out_of_plane(self):
        """Largest part of places, velocities, angular velocities and rotations out of the plane."""
        state, start = self.state, self.compiled.initial
        turned = state.R @ start.R.transpose(0, 2, 1)
        w = np.einsum("ijk,ik->ij", state.R, state.w)
        sideways = state.x[:, 1] - start.x[:, 1]
        return max(np.abs(part).max() for part in (
            sideways, state.v[:, 1], w[:, [0, 2]], turned[:, 1, [0, 2]], turned[:, [0, 2], 1], turned[:, 1, 1] - 1.0,
        ))  # fmt: skip


@pytest.mark.parametrize(("formulation", "integrator"), WAYS)
def test_nothing_leaves_the_plane(formulation, integrator):
    """A cart that would fall over sideways: whatever rounding leaves would grow by 300 a second."""
    way = Way(make_cart(), formulation, integrator)
    for _ in range(4):
        way.advance(0.25)
        assert way.find_out_of_plane() < EXACT
    assert way.state.x[1, 0] > 0.2


def test_in_space_it_falls_over():
    """The cart is one on which rounding does grow."""
    way = Way(make_cart(planar=False), "explicit", "trapezoidal")
    way.advance(1.0)
    first = way.find_out_of_plane()
    way.advance(1.0)
    assert way.find_out_of_plane() > 20.0 * first > 0.0


@pytest.mark.parametrize("make", [make_cart, make_track])
@pytest.mark.parametrize("formulation", ["augmented", "embedded"])
def test_motion_is_that_of_recursion_in_the_plane(make, formulation):
    """From the same start, which recursion has brought onto its constraints."""
    start = Way(make(), "recursive", "rk4").state
    found = []
    for name in ("recursive", formulation):
        way = Way(make(), name, "rk4")
        way.state = copy_state(start)
        way.advance(0.2)
        found.append(way.state)
    assert found[1].x == pytest.approx(found[0].x, abs=1e-8)
    assert np.abs(found[1].R - found[0].R).max() < 1e-7
    assert found[1].v == pytest.approx(found[0].v, abs=1e-6)


def test_a_start_of_few_digits_is_put_into_the_plane():
    """A velocity and a rotation that are out of the plane by the digits of a file."""
    model = make_cart()
    digits = {"velocity": (0.1, 1e-7, 0.0), "angular_velocity": (1e-7, 0.0, -1e-7)}
    hull = model.bodies["hull"].model_copy(update=digits)
    way = Way(model.with_changes(bodies={**model.bodies, "hull": hull}), "explicit", "trapezoidal")
    way.advance(0.1)
    assert way.find_out_of_plane() < EXACT
