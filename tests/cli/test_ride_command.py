"""``grouser ride``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_case import PENDULUM, Run

SENSORS = """\
sensors:
  tip: {frame: {body: rod, position: [0.5, 0, 0]}, quantity: acceleration}
"""


@pytest.fixture
def swinging(run: Run, place: Path) -> Path:
    (place / "swing.yaml").write_text(PENDULUM + SENSORS)
    assert run("run", "swing.yaml", "--duration", "3", "--out", "swing.h5", "--quiet").code == 0
    return place / "swing.h5"


def test_a_table_a_picture_and_json(run: Run, swinging: Path, place: Path) -> None:
    outcome = run("ride", "swing.h5", "--out", "ride.png")
    assert outcome.code == 0
    for word in ("tip.value.z", "RMS weighted by Wk", "m/s^1.75", "absorbed power", " W\n", "strongest frequency"):
        assert word in outcome.out, word
    assert (place / "ride.png").stat().st_size > 10_000
    along = json.loads(run("ride", "swing.h5", "--axis", "x", "--from", "1", "--json").out)
    assert along["weighting"] == "Wd"
    assert along["absorbed_power"] is None  # of vertical vibration only
    # a swing of about 0.75 Hz is weighted little in the vertical, and hardly at all along
    assert 0.8 < along["weighted_rms"] / along["rms"] < 1.05


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("ride swing.h5 --sensor tap", "unknown sensor of an acceleration 'tap': did you mean 'tip'"),
        ("ride swing.h5 --axis w", "--axis w: is none of x, y, z"),
        ("ride swing.h5 --from 9", "0 frames lie in the chosen time"),
        ("ride swing.h5 --weighting Wq", "unknown weighting 'Wq'"),
        ("ride result.h5", "the model has none: add one under 'sensors'"),
        ("ride swing.h5 --out ride.gif", "the suffix '.gif'"),
    ],
)
def test_broken_command_lines(run: Run, swinging: Path, words: str, told: str) -> None:
    outcome = run(*words.split())
    assert outcome.code == 2
    assert told in outcome.err
    assert "Traceback" not in outcome.err
