"""Identities of contacts of surfaces: third law, momenta, energy, agreement of formulations and integrators."""

from __future__ import annotations

import numpy as np
import pytest
from surface_models import (
    calc_momenta,
    calc_net_force,
    make_rigid_pair,
    make_run,
    make_soft_blocks,
    make_soft_pair,
)

import grouser as gr
from grouser.errors import UnsupportedError

TANH = {"model": "tanh", "mu": 0.5}
TRILINEAR = {"model": "trilinear", "mu": 0.5}
ASPERITY = {"model": "asperity", "mu": 0.5, "stiffness": 1e7}
ROUNDING = 1e-12
MAKERS = [make_rigid_pair, make_soft_pair, make_soft_blocks]


@pytest.mark.parametrize("friction", [TANH, TRILINEAR, ASPERITY], ids=lambda f: f["model"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_forces_of_both_sides_cancel_with_their_moments(make, friction):
    """To rounding, at any depth, with friction: also where polygons deform."""
    compiled, solver, state, step = make_run(make(friction))
    before, met = calc_momenta(compiled, state)[0], 0
    for _ in range(30):
        assert solver.advance(state, 2, 0.5 * step)[0] == 0
        if solver.work.contact_sum[0, 0] > 0:
            net, moment = calc_net_force(compiled, state, solver.work)
            met += 1
            assert net < ROUNDING
            assert moment < ROUNDING
    assert met > 3
    np.testing.assert_allclose(calc_momenta(compiled, state)[0], before, atol=1e-12)


@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_angular_momentum_is_kept_up_to_the_order_of_the_steps(make):
    """Its error is that of the trapezoidal rule, of second order."""
    errors = []
    for part in (1, 2):
        compiled, solver, state, step = make_run(make(TANH))
        begun = calc_momenta(compiled, state)[1]
        span = 0.02
        count = part * int(np.ceil(span / (0.25 * step)))
        assert solver.advance(state, count, span / count)[0] == 0
        errors.append(np.abs(calc_momenta(compiled, state)[1] - begun).max())
    assert errors[0] < 1e-4
    assert errors[1] < 0.35 * errors[0]


@pytest.mark.slow
def test_formulations_and_integrators_agree():
    """On rigid bodies: what strikes another leaves it alike."""
    found = []
    ways = [("penalty", None), ("penalty", "leapfrog"), ("penalty", "rk4")]
    for preset, integrator in [*ways, ("constrained", None), ("recursive", None), ("embedded", None)]:
        options = {"duration": 0.02, "output_interval": 1e-3}
        result = gr.simulate(make_rigid_pair(ASPERITY), preset=preset, integrator=integrator, **options)
        found.append(np.hstack([result["upper.velocity"][-1], result["upper.angular_velocity"][-1]]))
    np.testing.assert_allclose(found, [found[0]] * len(found), atol=0.01)


def test_what_is_not_carried_is_refused_by_name():
    """Integrators without memory, and balls on points in implicit steps."""
    with pytest.raises(UnsupportedError, match="integrator 'cvode-bdf' cannot carry contact 'between'"):
        gr.simulate(make_rigid_pair(), preset="penalty", integrator="cvode-bdf", duration=0.01)
    builder = gr.ModelBuilder("ball on a point")
    builder.add_point("bead", (0, 0, 1), mass=1.0)
    builder.add_shape("ball", "sphere", "bead", group="ball", radius=0.1)
    builder.add_body("floor", 5.0, (1, 1, 1))
    builder.add_surface("top", "floor", group="floor", geometry={"type": "box", "sides": [1, 1, 0.1]})
    builder.add_contact("between", "ball", "floor", stiffness=1e5)
    with pytest.raises(UnsupportedError, match="'ball' sits on a point or a mesh and touches polygons"):
        gr.simulate(builder.build(), preset="implicit", duration=0.01, settle=False)


def test_implicit_steps_agree_with_explicit_ones():
    """On bodies and on nodes that deform: a plate that strikes a block leaves it as fast."""
    found = []
    for preset in ("penalty", "implicit"):
        result = gr.simulate(make_soft_pair(ASPERITY), preset=preset, duration=0.05, output_interval=1e-3)
        found.append(np.hstack([result["plate.velocity"][-1], result["plate.angular_velocity"][-1]]))
        assert abs(result["energy.residual"]).max() < 2e-2 * result["energy.kinetic"][0].item()
    np.testing.assert_allclose(found[1], found[0], atol=0.06)


@pytest.mark.parametrize("friction", [TANH, ASPERITY], ids=lambda f: f["model"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_energy_is_accounted_for(make, friction):
    result = gr.simulate(make(friction), duration=0.03, preset="penalty", output_interval=1e-3)
    begun = result["energy.kinetic"][0].item()
    assert abs(result["energy.residual"]).max() < 5e-3 * begun
    assert result["energy.dissipated_contacts"][-1] > 0.0
    assert result["energy.dissipated_friction"][-1] > 0.0
