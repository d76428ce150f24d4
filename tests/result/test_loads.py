"""Mean, quantiles and largest of tensions, pin forces and contact forces."""

from __future__ import annotations

import io

import numpy as np
import pandas
import pytest
from synthetic_track import make_result

from grouser.model.model import Model
from grouser.result.comparison import calc_table, find_columns, make_csv, make_markdown
from grouser.result.facts import say_motion
from grouser.result.loads import calc_statistics
from grouser.result.metrics import calc_summary
from grouser.result.result import Result
from grouser.result.writer import Block, ResultWriter

FRAMES = 1001


def add_loads(scale: float = 1.0) -> Result:
    """A track whose pins carry 0 to 1000 N along a slanted direction, frame by frame, and a wheel that once touches."""
    bare = make_result()
    pins = tuple(pin for track in bare.model.tracks.values() for pin in track.pins)
    data = bare.model.model_dump()
    data["shapes"] = {
        "rim": {"type": "wheel", "body": bare.main_body, "group": "rims", "radius": 0.3},
        "tip": {"type": "points", "body": bare.main_body, "group": "tips", "positions": [(0.0, 0.0, 0.0)]},
    }
    data["contacts"] = {
        "roll": {"a": "rims", "b": "terrain", "stiffness": 1e5},
        "scrape": {"a": "tips", "b": "terrain", "stiffness": 1e5},
    }
    data["terrain"] = {"type": "plane"}
    model = Model.model_validate(data)
    bodies = tuple(model.bodies)
    blocks = [
        Block("body", "position", bodies, ("x", "y", "z"), "m"),
        Block("body", "orientation", bodies, ("w", "x", "y", "z"), "-"),
        Block("body", "velocity", bodies, ("x", "y", "z"), "m/s"),
        Block("body", "angular_velocity", bodies, ("x", "y", "z"), "rad/s"),
        Block("joint", "force", tuple(model.joints), ("x", "y", "z"), "N"),
        Block("joint", "deformation", tuple(model.joints), ("value",), "m"),
        Block("contact", "normal", tuple(model.contacts), ("value",), "N"),
    ]
    values = {block.name: np.zeros((FRAMES, *block.shape)) for block in blocks}
    values["body/orientation"][:, :, 0] = 1.0
    ramp = scale * np.arange(FRAMES)
    for index, name in enumerate(model.joints):
        force = 1.0 if name in pins else 100.0  # what is no pin does not count
        values["joint/force"][:, index] = force * ramp[:, np.newaxis] * [0.6, 0.0, -0.8]
    values["contact/normal"][:, 0, 0] = ramp[::-1]
    writer = ResultWriter(None, header={}, blocks=blocks, model=model)
    writer.add_frames(np.linspace(0.0, 1.0, FRAMES), values)
    result = writer.make_view()
    return writer.finish("done", "", {**calc_summary(result), "cpu_time": 1.0})


def test_statistics_of_a_ramp_and_of_nothing():
    values = np.random.default_rng(1).permutation(FRAMES).astype(float)
    assert calc_statistics(values) == {"mean": 500.0, "p99": 990.0, "p999": 999.0, "max": 1000.0}
    assert set(calc_statistics(None).values()) == {None}
    assert calc_statistics(np.array([1.0, np.nan]))["p99"] is None


def test_a_summary_has_quantiles_of_tensions_pin_forces_and_contacts():
    summary = add_loads().summary
    expected = {"mean": 500.0, "p99": 990.0, "p999": 999.0, "max": 1000.0}
    for key, value in expected.items():
        assert summary[f"{key}_pin_force"] == pytest.approx(value)
        assert summary["tracks"]["left"][f"pin_force_{key}"] == pytest.approx(value)
        assert summary["contacts"]["roll"][f"normal_{key}"] == pytest.approx(value)
        assert summary["contacts"]["scrape"][f"normal_{key}"] == 0.0
        assert summary[f"{key}_link_tension"] is None  # not recorded here
    track = calc_summary(make_result())
    # half of the links carry ten tensions of 1 to 10 kN, the others half of them
    assert track["p99_link_tension"] == track["p999_link_tension"] == track["max_link_tension"] == 10_000.0
    assert track["tracks"]["right"]["tension_p999"] == 5_000.0
    assert track["p99_pin_force"] is None and track["contacts"] == {}


def test_tables_show_them():
    shown = say_motion(add_loads().summary)
    assert [shown[f"pin force, {name}"] for name in ("mean", "99 %", "99.9 %", "largest")] == [
        "0.5 kN", "0.99 kN", "0.999 kN", "1 kN",
    ]  # fmt: skip
    assert shown["normal force, roll"] == "mean 0.5, 99 % 0.99, 99.9 % 0.999, largest 1 kN"
    assert "normal force, scrape" not in shown
    tensions = say_motion(calc_summary(make_result()))
    assert (tensions["link tension, 99 %"], tensions["link tension, largest"]) == ("10 kN", "10 kN")


def test_summaries_of_earlier_versions_are_shown_without_them():
    summary = calc_summary(make_result())
    earlier = {k: v for k, v in summary.items() if not k.startswith(("p99", "p999")) and k != "contacts"}
    shown = say_motion(earlier)
    assert shown["link tension, 99 %"] == "" and shown["link tension, largest"] == "10 kN"


def test_a_comparison_shows_them_side_by_side():
    table = calc_table({"one": add_loads(), "two": add_loads(2.0)})
    assert table["two"]["pin_force_p999"] == pytest.approx(1998.0)
    assert table["two"]["roll.normal_p99"] == pytest.approx(1980.0)
    assert find_columns(table)["roll.normal_p99"] == ("normal force of roll, 99 %", "kN", 1e-3)
    assert "scrape.normal_p99" not in table["one"]
    text = make_markdown(table, "side by side")
    assert "| pin force, 99.9 % | kN | 0.999 | 1.998 |" in text
    assert "| normal force of roll, largest | kN | 1 | 2 |" in text
    head, *rows = make_csv(table).strip().split("\n")
    assert len({line.count(",") for line in (head, *rows)}) == 1
    assert "roll.normal_p999 [kN]" in head.split(",")


def test_a_comparison_marks_runs_that_are_not_to_be_trusted_and_says_why():
    table = calc_table({"good": add_loads(), "bad": add_loads()})
    assert [row["doubts"] for row in table.values()] == [[], []]
    assert "(!)" not in make_markdown(table, "t") and "doubts" not in make_markdown(table, "t")
    doubts = ["Joint open: <b>'a', \"b\"</b> | is open.", "Energy gained: much."]
    table["bad"]["doubts"] = doubts
    text = make_markdown(table, "t")
    assert "| | unit | good | bad (!) |" in text and "| doubts |  |  | 2 |" in text
    assert text.index("Not to be trusted") < text.index("| unit |")
    assert "- bad: Joint open: &lt;b&gt;'a'" in text
    read = pandas.read_csv(io.StringIO(make_csv(table)), index_col="run")
    assert read.columns[0] == "doubts" and read["doubts"].isna()["good"]
    assert read["doubts"]["bad"] == " ".join(doubts)
