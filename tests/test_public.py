"""The public names: no more than they are, and a clear word where they are given something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grouser as gr


def make_model() -> gr.Model:
    builder = gr.ModelBuilder("stone")
    builder.add_body("stone", 1.0, (0.1, 0.1, 0.1))
    return builder.build()


def test_dir_lists_public_names_only() -> None:
    assert dir(gr) == sorted(gr.__all__)
    assert all(hasattr(gr, name) for name in gr.__all__)


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "result by number": (lambda: gr.load_result(3), r"result file is 3 \(int\): give the path"),
    "model of nothing": (lambda: gr.load_model(None), r"document is None \(NoneType\): give the path"),
    "model by name": (lambda: gr.save_model("m113", "m.yaml"), r"model is 'm113' \(str\): give a gr.Model"),
    "place by number": (lambda: gr.save_model(make_model(), 3), r"file to write is 3 \(int\)"),
    "vehicle by number": (lambda: gr.vehicles.load_vehicle(3), r"vehicle is 3 \(int\)"),
    "scenario of nothing": (lambda: gr.scenarios.load_scenario(None), r"scenario is None"),
    "vehicle not loaded": (lambda: gr.scenarios.apply_scenario("m113", "turn"), r"load it first with gr.vehicles"),
    "scenario not loaded": (lambda: gr.scenarios.apply_scenario(make_model(), "turn"), r"gr.scenarios.load_scenario"),
    "terrain by name": (lambda: gr.vehicles.m113(terrain="plane"), r"terrain: is 'plane' where a block"),
    "drives as a list": (lambda: gr.vehicles.m113(drives={"left": [1]}), r"drives.left: value\[0\]: is 1"),
    "links as text": (lambda: gr.vehicles.m113(links="63"), r"links is '63' \(str\)"),
    "three tracks": (lambda: gr.vehicles.m113(links=(1, 2, 3)), r"links is \(1, 2, 3\)"),
    "suspension as text": (lambda: gr.vehicles.m113(suspension="no"), r"suspension is 'no' \(str\)"),
    "stiffness as text": (lambda: gr.Penalty(k="stiff"), r"penalty: k = stiff N/m must be positive"),
    "bushing of one value": (lambda: gr.Bushing(stiffness=1e9), r"bushing stiffness: expected 6 values"),
    "channel by number": (lambda: gr.simulate(make_model(), duration=0.01)[3], r"named by text, not by 3"),
    "table of a number": (lambda: gr.simulate(make_model(), duration=0.01).to_pandas(3), r"named by text, not by 3"),
    "block by number": (lambda: gr.simulate(make_model(), duration=0.01).block(3), r"unknown block 3; there are"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_told_in_one_line(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, words = MISTAKES[case]
    with pytest.raises(gr.GrouserError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_terrain_and_override_may_be_given_as_in_a_file() -> None:
    terrain = {"type": "profile", "points": [[-20, 0.5], [20, 0.5]]}
    lifted = gr.vehicles.m113(terrain=terrain, links=[63, 64])
    assert lifted.bodies["chassis"].position[2] == pytest.approx(gr.vehicles.m113().bodies["chassis"].position[2] + 0.5)
    assert gr.vehicles.load_vehicle("m113", "chassis.mass=9000").chassis.mass == 9000.0


def test_result_of_python_has_its_components() -> None:
    result = gr.simulate(make_model(), duration=0.1)
    np.testing.assert_allclose(result["stone.position.z"][-1], -0.5 * 9.81 * 0.1**2, rtol=1e-6)
