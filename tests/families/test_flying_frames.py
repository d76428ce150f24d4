"""Flexible frames that fly freely for 1e5 steps: energy, momentum and angular momentum; and the stable step of meshes
by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from probe import Probe
from scipy.spatial.transform import Rotation

import grouser as gr
from grouser.compile.stiffness import SAFETY
from grouser.integrators.solvers import make_integrator
from grouser.prepare import prepare
from grouser.presets import find_preset

MATERIAL = {"type": "linear", "young": 2.0e7, "poisson": 0.3, "density": 1200.0}
STEPS, LOOKS = 100_000, 20


def make_frame(element: str, count: int = 3, **motion: tuple[float, float, float]) -> gr.Model:
    """A bent frame with four corners, of lines; of bricks a piece of a ring."""
    builder = gr.ModelBuilder("flying", gravity=(0.0, 0.0, 0.0))
    if element == "brick":
        builder.add_mesh(
            "frame", "block", sides=(0.4, 0.05, 0.05), counts=(6, 1, 1), bend=0.3, material=MATERIAL, **motion
        )
    else:
        builder.add_mesh(
            "frame", "ring", points=[(0, 0, 0), (0.4, 0, 0), (0.4, 0.3, 0), (0, 0.3, 0.1)], count=count,
            element=element, material=MATERIAL, section={"circle": 0.03}, **motion,
        )  # fmt: skip
    return builder.build()


def measure(probe: Probe) -> tuple[float, np.ndarray, np.ndarray]:
    """Energy, momentum, and angular momentum about the origin."""
    state, node = probe.state, probe.tables.node
    count = len(node.mass)
    momenta = node.mass[:, None] * state.v[:count]
    spins = np.einsum("nij,nj->ni", node.inertia, state.w)
    energy = 0.5 * (np.sum(momenta * state.v[:count]) + np.sum(spins * state.w)) + probe.calc_stored()
    turning = np.cross(state.x[:count], momenta).sum(axis=0) + np.einsum("nij,nj->i", state.R, spins)
    return float(energy), momenta.sum(axis=0), turning


@pytest.mark.parametrize("element", ["truss", "beam_thin", "beam_thick", "brick"])
def test_a_rigid_motion_makes_no_force(element):
    """Turned, moved and spinning, with damping: what is left is rounding."""
    model = make_frame(element, velocity=(0.5, 0.2, -0.1), angular_velocity=(3.0, 5.0, -8.0))
    damped = dict.fromkeys(("dilatational", "deviatoric") if element == "brick" else ("damping",), 1e-3)
    material = model.meshes["frame"].material.model_copy(update=damped)
    mesh = model.meshes["frame"].model_copy(update={"material": material})
    probe = Probe(model.model_copy(update={"meshes": {"frame": mesh}}), find_preset("penalty"))
    probe.turn(Rotation.from_rotvec((0.7, -1.1, 0.4)).as_matrix(), np.array([3.0, -2.0, 1.0]))
    stiffness, damping = probe.calc_slopes()
    assert np.abs(damping).max() > 0.0
    assert np.abs(probe.calc_force()).max() < 1e-13 * np.abs(stiffness).max()


WAYS = {
    # share of the stable step, and what is lost at most of energy and angular momentum: the trapezoidal rule takes
    # from vibrations, which hold some parts in 1e3; leapfrog has no loss, and an error that stays
    "trapezoidal": (1.0, 1e-3, 5e-5),
    "leapfrog": (0.5, 2e-6, 1e-6),
}


@pytest.mark.parametrize("integrator", WAYS)
@pytest.mark.parametrize("element", ["beam_thin", "beam_thick", "brick"])
def test_a_flying_frame_keeps_energy_and_momenta(element, integrator):
    share, lost, turned = WAYS[integrator]
    preset = find_preset("penalty").with_integrator(integrator)
    model = make_frame(element, velocity=(0.5, 0.2, -0.1), angular_velocity=(3.0, 5.0, -8.0))
    probe, step = Probe(model, preset), share * prepare(model, preset)[1].step
    solver = make_integrator(probe.compiled, preset.formulation, preset.integrator)
    energy, momentum, turning = measure(probe)
    for _ in range(LOOKS):
        solver.advance(probe.state, STEPS // LOOKS, step)
        found = measure(probe)
        assert found[0] == pytest.approx(energy, rel=lost)
        assert np.abs(found[1] - momentum).max() < 1e-12 * np.linalg.norm(momentum)
        assert np.abs(found[2] - turning).max() < turned * np.linalg.norm(turning)
    assert probe.state.time[0] == pytest.approx(STEPS * step)


@pytest.mark.parametrize("element", ["truss", "beam_thin", "beam_thick", "brick"])
def test_the_stable_step_of_a_mesh_is_within_ten_percent_of_the_true_one(element):
    """2/omega with the largest eigenvalue of all stiffness over all masses, less the reserve of every model. Elements
    are twice as long as thick; longer thick beams are governed by shear, where the bound is wider."""
    model, preset = make_frame(element, count=6), find_preset("penalty")
    probe = Probe(model, preset)
    stiffness, _ = probe.calc_slopes()
    omega = np.sqrt(np.linalg.eigvalsh(probe.normalise(stiffness))[-1])
    ratio = prepare(model, preset)[1].step / (SAFETY * 2.0 / omega)
    assert 0.9 < ratio < 1.0 + 1e-3
