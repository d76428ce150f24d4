"""Every integrator tells a run whose energies do not add up; none tells one whose energies do."""

import pytest

import grouser as gr
from grouser.errors import SolveError
from grouser.result.doubts import BALANCE_OPEN, LIMIT
from grouser.result.result import load_result


def make_chain():
    """Two rods that fall from the horizontal."""
    builder = gr.ModelBuilder("chain")
    for name, x in (("upper", 0.5), ("lower", 1.5)):
        builder.add_body(name, 1.0, (0.01, 0.08, 0.08), position=(x, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "upper", point=(0, 0, 0), axis=(0, 1, 0))
    builder.add_joint("elbow", "revolute", "upper", "lower", point=(1, 0, 0), axis=(0, 1, 0))
    return builder.build()


COARSE = {
    "trapezoidal": {"preset": "recursive", "integrator": "trapezoidal", "step": 0.05},
    "rk4": {"preset": "recursive", "integrator": "rk4", "step": 0.05},
    "leapfrog": {"preset": "recursive", "step": 0.05},
    "augmented": {"preset": "constrained", "step": 0.05},
    "implicit-euler": {"integrator": "implicit-euler", "step": 0.01},
    "sdirk with a step": {"preset": "implicit", "step": 0.01},
    "adams": {"preset": "recursive", "integrator": "adams", "tolerance": 0.1},
}
FINE = {
    "penalty": {},
    "recursive": {"preset": "recursive"},
    "constrained": {"preset": "constrained"},
    "embedded": {"preset": "embedded"},
    "implicit": {"preset": "implicit"},
    "adams": {"preset": "recursive", "integrator": "adams"},
}


def simulate(duration=3.0, output_interval=0.1, **settings):
    return gr.simulate(make_chain(), duration=duration, output_interval=output_interval, **settings)


@pytest.mark.parametrize("case", COARSE)
def test_a_balance_that_opens_is_told_once_with_time_size_and_remedy(case):
    result = simulate(**COARSE[case])
    summary = result.summary
    assert result.status == "done" and summary["energy_residual"] > LIMIT
    (event,) = [event for event in summary["events"] if event["kind"] == BALANCE_OPEN]
    assert 0.0 < event["time"] <= result.time[-1]
    assert f"up to {100 * summary['energy_residual']:.3g} %" in event["message"]
    smaller = "tolerance than 0.1" if case == "adams" else f"step than {summary['step']:.3g} s"
    assert f"use a smaller {smaller}" in event["message"]
    other = "recursive" if result.header["formulation"] == "explicit" else "penalty"
    assert f"compare with the preset {other!r}" in event["message"]
    assert next(iter(summary)) == "doubts"
    assert summary["doubts"][0] == f"Energy balance open: {event['message']}."


@pytest.mark.parametrize(("integrator", "other"), [("implicit-euler", "penalty"), ("trapezoidal", "implicit")])
def test_a_model_with_points_is_not_sent_to_a_preset_that_refuses_it(integrator, other):
    builder = gr.ModelBuilder("swing")
    builder.add_point("pivot", (0.0, 0.0, 0.0))
    builder.add_point("bob", (1.0, 0.0, 0.0), mass=1.0)
    builder.add_truss("rod", "pivot", "bob", modulus=1e7, area=1e-4)
    result = gr.simulate(builder.build(), duration=3.0, output_interval=0.1, integrator=integrator, step=0.05)
    (event,) = [event for event in result.summary["events"] if event["kind"] == BALANCE_OPEN]
    assert f"compare with the preset {other!r}" in event["message"]
    assert gr.simulate(builder.build(), duration=0.1, preset=other).status == "done"


@pytest.mark.parametrize("case", FINE)
def test_a_clean_run_has_no_doubts(case):
    result = simulate(output_interval=0.01, strict=True, **FINE[case])
    assert next(iter(result.summary.items())) == ("doubts", [])


def test_strict_is_an_error_that_holds_the_whole_result(tmp_path):
    path = tmp_path / "run.h5"
    with pytest.raises(SolveError, match=r"not to be trusted: Energy balance open: since .* s the energies") as caught:
        simulate(out=path, strict=True, **COARSE["implicit-euler"])
    error = caught.value
    assert error.status == "doubtful" and error.time == pytest.approx(3.0)
    assert error.result is not None and error.result.status == "done"
    error.result.close()
    with load_result(path) as result:
        assert len(result.time) == 31 and result.summary["doubts"]


def test_a_run_that_fails_and_one_that_is_stopped_say_so_first():
    with pytest.raises(SolveError, match="diverged") as caught:
        simulate(preset="penalty", step=5e-3, output_interval=0.005)
    doubts = caught.value.result.summary["doubts"]
    assert doubts[0].startswith("The run has failed (diverged at")
    assert any(doubt.startswith("Step too coarse") for doubt in doubts)

    def stop(phase, time, end):
        if phase == "running" and time > 1.0:
            raise KeyboardInterrupt

    result = simulate(progress=stop, **COARSE["leapfrog"])
    assert result.status == "interrupted"
    first, second, *_ = result.summary["doubts"]
    assert first == "The run was stopped by the user (stopped by the user); shown is what there is until 1.1 s of 3 s."
    assert second.startswith("Energy balance open")
