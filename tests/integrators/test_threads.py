"""Threads that share explicit steps: the motion of one thread, the same bits each time, and no thread left behind."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import grouser as gr
from grouser import sharing
from grouser.cli.app import main
from grouser.compile.state import copy_state
from grouser.errors import IncompatibleError, ModelError, SolveError, UnsupportedError
from grouser.formulations.costs import Cost, calc_cost, choose_threads
from grouser.formulations.shares import cut_elements, cut_nodes
from grouser.formulations.status import DIVERGED, DONE
from grouser.integrators import team
from grouser.integrators.declarations import INTEGRATORS
from grouser.prepare import make_solver, prepare
from grouser.presets import find_preset
from grouser.settings import Settings

RUBBER = {"type": "linear", "young": 2e6, "poisson": 0.3, "density": 1000.0, "dilatational": 1e-3}
WOOD = {"type": "linear", "young": 1e8, "poisson": 0.3, "density": 500.0}
SCHEMES = [name for name, one in INTEGRATORS.items() if one.scheme is not None and not one.is_implicit]
STEP, COUNT = 2e-5, 50
RUN = {"preset": "penalty", "step": STEP, "output_interval": 1e-3, "duration": 3e-3, "settle": False}


def make_mixed() -> gr.Model:
    """Elements of all kinds that are shared, and some that are not, beside carried frames: a mat of bricks on feet with
    friction that remembers, two bodies on it with a driven joint, a whip of thick beams, a string of thin ones, and a
    net of trusses."""
    builder = gr.ModelBuilder("mixed")
    builder.set_terrain({"type": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)})
    builder.add_mesh(
        "mat", "block", sides=(0.6, 0.3, 0.1), counts=(12, 6, 2), material=RUBBER, position=(0.0, 0.0, 0.035),
        velocity=(0.3, 0.1, -0.5),
    )  # fmt: skip
    for i in range(0, 70, 7):
        builder.add_shape(f"foot{i}", "sphere", f"mat.{i}", group="feet", radius=0.04)
    friction = {"model": "asperity", "mu": 0.6, "velocity": 0.01, "stiffness": 1e4}
    builder.add_contact("grip", "feet", "terrain", stiffness=2e4, damping=20.0, friction=friction)
    builder.add_body("hub", 3.0, (0.02, 0.02, 0.02), position=(0.3, 0.15, 0.4))
    builder.add_body("wheel", 1.0, (0.01, 0.02, 0.01), position=(0.5, 0.15, 0.4))
    builder.add_joint("foot", "spherical", "hub", "mat", point=(0.3, 0.15, 0.13))
    builder.add_joint("axle", "revolute", "hub", "wheel", axis=(0, 1, 0), point=(0.5, 0.15, 0.4))
    builder.add_motion("drive", "axle", speed="20*t")
    builder.add_bushing("mount", "hub", "world", point=(0.3, 0.15, 0.5), stiffness=[1e4] * 6, damping=[10.0] * 6)
    section = {"rectangle": (0.02, 0.02)}
    builder.add_mesh(
        "whip", "line", start=(0.0, 1.0, 1.0), end=(1.0, 1.0, 1.0), count=9, element="beam_thick", material=WOOD,
        section=section, fixed=["start"],
    )  # fmt: skip
    builder.add_mesh(
        "string", "line", start=(0.0, 2.0, 1.0), end=(1.0, 2.0, 1.0), count=9, element="beam_thin", material=WOOD,
        section={"area": 4e-4, "iy": 1.3e-8}, fixed=["start_edge"],
    )  # fmt: skip
    lines = {"ancf_beam": ({"rectangle": (0.03, 0.05)}, RUBBER), "ancf_cable": ({"circle": 0.03}, WOOD)}
    for i, (element, (section, material)) in enumerate(lines.items()):
        builder.add_mesh(
            element, "line", start=(0.0, 4.0 + i, 1.0), end=(0.6, 4.0 + i, 1.0), count=6, element=element,
            material=material, section=section, fixed=["start"], velocity=(0.0, 0.1, 0.2),
        )  # fmt: skip
    builder.add_point("p0", (0.0, 3.0, 1.0))
    for i in range(1, 6):
        builder.add_point(f"p{i}", (0.1 * i, 3.0, 1.0), mass=0.2)
        builder.add_truss(f"bar{i}", f"p{i - 1}", f"p{i}", modulus=1e8, area=1e-5)
    return builder.build()


class Case:
    """A model prepared for an integrator."""

    def __init__(self, model: gr.Model, integrator: str) -> None:
        self.preset = find_preset("penalty").with_integrator(integrator)
        self.compiled, self.stable = prepare(model, self.preset)

    def run(self, threads: int, count: int = COUNT, step: float = STEP):
        """State after so many steps in two calls, what is shown, and how it ended."""
        solver, state = make_solver(self.compiled, self.preset, has_step=True), copy_state(self.compiled.initial)
        solver.share(threads)
        try:
            for _ in range(2):
                end = solver.advance(state, count, step)
            return state, solver.work.shown.copy(), end
        finally:
            solver.close()


@pytest.fixture(scope="module", params=SCHEMES)
def case(request):
    return Case(make_mixed(), request.param)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_motion_and_energies(case, threads):
    """Sums of forces in another order, and nothing else: also energies, friction memory and what observers see."""
    one, shown, end = case.run(1)
    other, also_shown, also = case.run(threads)
    assert end == also == (DONE, "")
    for name, array in one._asdict().items():
        scale = np.abs(array).max() if array.size else 0.0
        assert_allclose(getattr(other, name), array, rtol=1e-9, atol=1e-9 * scale, err_msg=name)
    assert_allclose(also_shown, shown, rtol=1e-6, atol=1e-8 * np.abs(shown).max())
    assert np.abs(one.ledger).sum(axis=1).min() > 0.0
    assert (one.anchor_stamp >= one.stamp - 4).sum() > 2  # feet stand on the ground


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_number_of_threads_gives_the_same_bits(case, threads, monkeypatch):
    """Whoever does a share, also where there are fewer threads than shares."""
    first, shown, _ = case.run(threads)
    for cores in (8, 2, 1):
        monkeypatch.setattr(team, "count_cores", lambda cores=cores: cores)
        other, also_shown, _ = case.run(threads)
        for one, two in zip((*first, shown), (*other, also_shown), strict=True):
            assert_array_equal(one, two)


def test_a_run_that_diverges_fails_at_the_same_node(case):
    one, _, end = case.run(1, 4000, 40.0 * case.stable.step)
    other, _, also = case.run(3, 4000, 40.0 * case.stable.step)
    assert end == also and end[0] == DIVERGED and end[1]
    assert other.time[0] == one.time[0]


def test_shares_hold_every_row_once():
    compiled = Case(make_mixed(), "leapfrog").compiled
    for count in (2, 3, 7, 40):
        cuts, rows = cut_elements(compiled, count), cut_nodes(compiled, count)
        for name in cuts[0]:
            ends = [cut[name] for cut in cuts]
            assert ends[0][0] == 0
            assert all(a[1] == b[0] for a, b in pairwise(ends))
        assert rows[0][0] == 1 and rows[-1][1] == len(compiled.layout.nodes)
        assert all(a[1] == b[0] for a, b in pairwise(rows))


def make_pendulum() -> gr.Model:
    builder = gr.ModelBuilder("pendulum")
    builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0.0, 0.0))
    builder.add_joint("hinge", "revolute", "world", "rod", axis=(0, 1, 0), point=(0, 0, 0))
    return builder.build()


def make_block(count: int) -> gr.Model:
    builder = gr.ModelBuilder("block")
    builder.add_mesh("block", "block", sides=(1.0, 1.0, 1.0), counts=(count,) * 3, material=RUBBER,
                     angular_velocity=(0.0, 1.0, 5.0))  # fmt: skip
    return builder.build()


def test_small_models_stay_with_one_thread(monkeypatch):
    monkeypatch.setattr(sharing, "find_most_threads", lambda: 16)
    result = gr.simulate(make_pendulum(), preset="penalty", duration=0.01)
    assert result.summary["threads"] == result.header["threads"] == 1


def test_large_models_take_what_pays_by_the_costs():
    compiled = Case(make_block(12), "leapfrog").compiled
    cost = calc_cost(compiled, np.zeros(0))
    assert choose_threads(cost, 1) == 1
    assert choose_threads(cost, 2) == 2
    assert 1.7 < cost.calc_gain(2) < 2.0
    # meeting costs more than it gains from some number on
    assert choose_threads(Cost(5e4, 0.0), 1000) < 100


def test_preset_that_cannot_share_is_refused_by_name():
    with pytest.raises(UnsupportedError, match=r"'implicit' runs on one thread.*'penalty'"):
        gr.simulate(make_pendulum(), preset="implicit", threads=2)
    with pytest.raises(UnsupportedError, match="'rk4'"):
        gr.simulate(make_pendulum(), preset="penalty", integrator="rk4", threads=2)
    assert gr.simulate(make_pendulum(), preset="implicit", threads=1, duration=0.01).summary["threads"] == 1


@pytest.mark.parametrize("threads", [0, -1, 2.5, True, "two", 10**6])
def test_strange_numbers_are_refused(threads):
    with pytest.raises((ModelError, TypeError), match="threads"):
        Settings(threads=threads)


def test_a_run_ends_its_threads_and_counts_their_time(tmp_path):
    before = threading.active_count()
    result = gr.simulate(make_block(4), **RUN, threads=2, out=tmp_path / "block.h5")
    assert threading.active_count() == before
    assert result.summary["threads"] == 2
    assert result.header["threads_gain"] > 0.0
    assert result.summary["cpu_time"] > 0.0


def test_ctrl_c_keeps_frames_and_ends_threads(tmp_path):
    before, path = threading.active_count(), tmp_path / "block.h5"

    def stop(phase, time, end):
        if phase.startswith("running") and time > 1.5e-3:
            assert phase == "running, 2 threads"
            raise KeyboardInterrupt

    result = gr.simulate(make_block(4), **RUN, threads=2, out=path, progress=stop)
    assert result.status == "interrupted" and len(result.time) == 3
    assert threading.active_count() == before
    # it goes on with the number that it had, and refuses another one
    with pytest.raises(IncompatibleError, match="threads 2, not 3"):
        gr.resume(path, threads=3)
    whole = gr.simulate(make_block(4), **RUN, threads=2)
    resumed = gr.resume(path)
    assert resumed.summary["threads"] == 2
    for name in whole.channels:
        assert_array_equal(resumed[name], whole[name], err_msg=name)


def test_a_failing_run_ends_its_threads():
    before = threading.active_count()
    with pytest.raises(SolveError, match="diverged") as failure:
        gr.simulate(make_block(4), **{**RUN, "step": 0.02, "output_interval": 0.02, "duration": 0.5}, threads=2)
    assert failure.value.element.startswith("block.")
    assert threading.active_count() == before


def test_sessions_share_too_and_end_their_threads():
    before = threading.active_count()
    with gr.Session(make_block(4), preset="penalty", step=STEP, output_interval=1e-3, threads=2) as session:
        session.step(2e-3)
        snapshot = session.snapshot()
        session.step(1e-3)
        first = session.state
        session.restore(snapshot)
        session.step(1e-3)
        for one, other in zip(first, session.state, strict=True):
            assert_array_equal(one, other)
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    with (
        gr.Session(make_block(4), preset="penalty", step=STEP, output_interval=1e-3, threads=1) as other,
        pytest.raises(IncompatibleError, match="threads"),
    ):
        other.restore(snapshot)


def test_the_command_takes_the_number_and_tells_it(tmp_path, capsys):
    model, out = tmp_path / "block.yaml", tmp_path / "block.h5"
    gr.save_model(make_block(3), model)
    options = ["--preset", "penalty", "--step", "1e-4", "--duration", "0.002", "--output-interval", "1e-3"]
    assert main(["run", str(model), *options, "--threads", "2", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "running, 2 threads" in printed.err
    assert "times as fast" in printed.out
    assert main(["run", str(model), *options, "--threads", "0", "--out", str(out)]) == 2
    assert "threads = 0 must be a whole number" in capsys.readouterr().err
