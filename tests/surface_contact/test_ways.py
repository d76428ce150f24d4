"""Surfaces in contact by every integrator, with themselves, and in runs that were stopped and go on."""

from __future__ import annotations

import numpy as np
import pytest
from surface_models import SOFT, make_rigid_pair, make_soft_blocks, make_soft_pair

import grouser as gr
from grouser import checkpoint
from grouser.mesh.make import make_mesh_data

ASPERITY = {"model": "asperity", "mu": 0.5, "stiffness": 1e7}
TANH = {"model": "tanh", "mu": 0.5}
LAW = {"stiffness": 5e7, "per": "area"}
SPAN = 0.01
"""Within it both have met and parted again [s]."""
LENGTH, THICKNESS = 0.5, 0.02
"""Of a strip that is bent to a C [m]."""


def find_end(model, preset, integrator, step=None, tolerance=None):
    """Velocities of all nodes at the end."""
    options = {"integrator": integrator, "step": step, "tolerance": tolerance, "settle": False}
    result = gr.simulate(model, preset=preset, duration=SPAN, output_interval=1e-3, **options)
    return np.hstack([result[name][-1] for name in result.channels if name.endswith("velocity")])


def test_implicit_steps_approach_what_adams_finds():
    """With the step: implicit Euler by the first order, the others beyond what is left of contacts that begin and end
    within a step."""
    model = make_soft_pair(ASPERITY)
    reference = find_end(model, "penalty", "adams", tolerance=1e-7)
    size = np.abs(reference).max()
    for integrator, steps, bound in (
        ("implicit-euler", (4e-5, 1e-5), 1e-2),
        ("implicit-extrapolated", (8e-5, 2e-5), 2e-3),
        ("generalised-alpha", (8e-5, 2e-5), 2e-3),
    ):
        coarse, fine = (np.abs(find_end(model, "implicit", integrator, h) - reference).max() / size for h in steps)
        assert fine < bound, integrator
        assert fine < 0.5 * coarse, integrator
    constrained = find_end(model, "constrained", "adams", tolerance=1e-5)
    np.testing.assert_allclose(constrained, reference, atol=1e-3 * size)


@pytest.mark.parametrize("make", [make_rigid_pair, make_soft_pair, make_soft_blocks], ids=lambda m: m.__name__)
def test_adams_accounts_for_the_energy(make):
    """Though its steps end where contacts begin."""
    for friction in (TANH, ASPERITY):
        model = make(friction)
        result = gr.simulate(model, preset="penalty", integrator="adams", duration=0.03, output_interval=1e-3)
        begun = result["energy.kinetic"][0].item()
        assert abs(result["energy.residual"]).max() < 1e-3 * begun
        assert result["energy.dissipated_friction"][-1] > 0.0


def make_strip(*, pull=40.0):
    """A strip bent to a C, whose ends a spring pulls together; no gravity."""
    builder = gr.ModelBuilder("strip", gravity=(0, 0, 0))
    shape = {"sides": (LENGTH, 0.05, THICKNESS), "counts": (20, 2, 1), "bend": 0.1}
    builder.add_mesh("strip", "block", **shape, origin=(-0.5 * LENGTH, -0.025, -0.5 * THICKNESS), material=SOFT)
    ends = {"point_a": (-0.06, 0, 0.18), "point_b": (0.06, 0, 0.18)}
    if pull:
        builder.add_spring("pull", "strip@x0", "strip@x1", **ends, stiffness=pull / 0.12, free=0.0)
    builder.add_surface("skin", mesh="strip", group="skin", points="faces", spacing=0.008)
    return builder


def calc_gaps(model, result):
    """From one end of the strip to the other, along x, and the largest momentum of any frame."""
    data = make_mesh_data(model.meshes["strip"])
    left, right = (
        np.mean([result[f"strip.{i}.position"][:, 0] for i in data.node_sets[name]], axis=0) for name in ("x0", "x1")
    )
    momentum = sum(mass * result[f"strip.{i}.velocity"] for i, mass in enumerate(data.masses))
    return right - left, np.abs(momentum).max()


@pytest.mark.parametrize("integrator", [None, "adams"])
def test_ends_of_a_strip_clap_and_do_not_pass_each_other(integrator):
    """Without contact they do. Forces cancel, and energy is accounted for."""
    options = {"preset": "penalty", "integrator": integrator, "duration": 0.05, "output_interval": 1e-3}
    gaps = {}
    for touches in (False, True):
        builder = make_strip()
        if touches:
            builder.add_contact("self", "skin", "skin", **LAW, damping=1e3, friction=ASPERITY)
        model = builder.build()
        result = gr.simulate(model, **options, settle=False)
        gaps[touches], momentum = calc_gaps(model, result)
        assert momentum < 1e-12
    assert gaps[False].min() < -0.5 * THICKNESS
    assert gaps[True].min() > -0.15 * THICKNESS
    assert result["self.normal"].max() > 50.0
    stored = result["energy.stored_elements"].max()
    assert abs(result["energy.residual"]).max() < 0.01 * stored


def test_a_strip_does_not_touch_itself_from_within():
    """Its faces are as near to each other as their edges are long, and look away from each other: at rest nothing acts,
    also where the parts of a skin that may touch are surfaces of their own."""
    builder = make_strip(pull=0.0)
    for name in ("x0", "z0", "z1"):
        builder.add_surface(name, mesh="strip", group=name, faces=name)
    for name, a, b in (("self", "skin", "skin"), ("faces", "z0", "z1"), ("end", "x0", "z1")):
        builder.add_contact(name, a, b, **LAW, two_way=True)
    result = gr.simulate(builder.build(), preset="penalty", duration=0.01, settle=False)
    for name in ("self", "faces", "end"):
        assert np.abs(result[f"{name}.normal"]).max() == 0.0
    assert result["energy.kinetic"].max() < 1e-20


@pytest.mark.parametrize(
    ("preset", "integrator"),
    [("penalty", None), ("penalty", "adams"), ("implicit", "implicit-euler"), ("implicit", "sdirk")],
)
def test_a_run_that_was_stopped_goes_on_to_the_last_bit(tmp_path, monkeypatch, preset, integrator):
    """In the midst of a contact, with what points remember."""
    monkeypatch.setattr(checkpoint, "SHARE", float("inf"))
    monkeypatch.setattr(checkpoint, "EVERY", 1e-3)
    model, out = make_soft_blocks(ASPERITY), tmp_path / "stopped.h5"

    def stop(phase, time, _end):
        if phase == "running" and time > 0.0055:
            raise KeyboardInterrupt

    options = {"preset": preset, "integrator": integrator, "duration": SPAN, "output_interval": 5e-4, "settle": False}
    options |= {"step": 5e-5} if integrator == "implicit-euler" else {}
    with gr.simulate(model, out=out, progress=stop, **options) as stopped:
        assert stopped.status == "interrupted"
        assert stopped["between.count"].max() > 0.0
    with gr.resume(out) as resumed, gr.simulate(model, **options) as alone:
        assert 0.0 < resumed.header["resumed"][0] < 0.0065
        for name in alone.channels:
            np.testing.assert_array_equal(resumed[name], alone[name], err_msg=name)
