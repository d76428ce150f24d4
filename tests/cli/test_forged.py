"""Results that somebody else made, and names that mean something to the tools behind: nothing is taken on trust."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from command_case import PENDULUM, Run, within

SOON = 20.0


def replace_json(name: str, change: Callable[[dict[str, Any]], None]) -> Callable[[h5py.File], None]:
    """Forges the JSON of a text or of a stream of bytes of the group of the run."""

    def forge(file: h5py.File) -> None:
        stored = file[f"run/{name}"]
        is_stream = stored.dtype == np.uint8
        content = json.loads(stored[:].tobytes() if is_stream else stored.asstr()[()])
        change(content)
        del file[f"run/{name}"]
        text = json.dumps(content)
        file[f"run/{name}"] = np.frombuffer(f"{text}\n".encode(), dtype=np.uint8) if is_stream else text

    return forge


def replace_data(name: str, data: Any) -> Callable[[h5py.File], None]:
    """Puts something else in the place of a dataset, with its attributes."""

    def forge(file: h5py.File) -> None:
        attributes = dict(file[name].attrs)
        del file[name]
        file[name] = data
        file[name].attrs.update(attributes)

    return forge


def declare_frames(file: h5py.File) -> None:
    for name in ("time", "body/position"):
        shape = (9_000_000, *file[name].shape[1:])
        attributes = dict(file[name].attrs)
        del file[name]
        file.create_dataset(name, shape=shape, chunks=(1024, *shape[1:]), dtype=float, fillvalue=0.0)
        file[name].attrs.update(attributes)


def link_elsewhere(file: h5py.File) -> None:
    del file["body/position"]
    file["body/position"] = h5py.ExternalLink("other.h5", "/x")


def link_softly(file: h5py.File) -> None:
    del file["body/position"]
    file["body/position"] = h5py.SoftLink("/body/velocity")


def map_elsewhere(file: h5py.File) -> None:
    attributes = dict(file["time"].attrs)
    layout = h5py.VirtualLayout(shape=file["time"].shape, dtype=float)
    layout[:] = h5py.VirtualSource("other.h5", "time", shape=file["time"].shape)
    del file["time"]
    file.create_virtual_dataset("time", layout)
    file["time"].attrs.update(attributes)


def store_elsewhere(file: h5py.File) -> None:
    count = len(file["time"])
    del file["time"]
    file.create_dataset("time", shape=(count,), dtype=float, external=[("note.txt", 0, 8 * count)])


def make_circle(file: h5py.File) -> None:
    file["body/again"] = file["/"]


def share_a_text(file: h5py.File) -> None:
    """As many names as there is room for, all at one place: they take 20 GB once they are read."""
    del file["run/items/body/position"]
    long = file.create_dataset("run/items/body/position", shape=(1000,), dtype=h5py.string_dtype())
    long[0] = "x" * 20_000_000
    file.flush()
    with open(file.filename, "r+b") as raw:
        raw.seek(long.id.get_offset())
        place = raw.read(16)
        raw.seek(long.id.get_offset())
        raw.write(place * 1000)


def make_holes(name: str, *shape: int, chunks: tuple[int, ...] | None = None) -> Callable[[h5py.File], None]:
    """A dataset that is large, in a file that is as large but takes hardly any room on disk."""

    def forge(file: h5py.File) -> None:
        attributes = dict(file[name].attrs)
        kind = file[name].dtype
        del file[name]
        most = None if chunks is None else (None, *shape[1:])
        file.create_dataset(name, shape=shape, dtype=kind, chunks=chunks, maxshape=most)
        file[name].attrs.update(attributes)
        file.create_dataset("hole", shape=(10**6, 200), dtype=float)
        file["hole"][-1] = 1.0  # HDF5 extends the file to here, without writing what lies before

    return forge


def repeat_attribute(file: h5py.File) -> None:
    file["body/position"].attrs["components"] = ["x"] * 1000


FORGERIES: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "text as speed": (replace_json("end", lambda e: e["summary"].update(final_speed="fast")), "final_speed is 'fast'"),
    "text as steps": (replace_json("end", lambda e: e["summary"].update(steps="many")), "steps is 'many'"),
    "list as tracks": (replace_json("end", lambda e: e["summary"].update(tracks=["left"])), "tracks is a list"),
    "number as doubts": (replace_json("end", lambda e: e["summary"].update(doubts=[3])), "doubts[0] is 3"),
    "list as summary": (replace_json("end", lambda e: e.update(summary=[1])), "summary is a list"),
    "text as duration": (replace_json("header", lambda h: h.update(duration="long")), "duration is 'long'"),
    "header no block": (replace_data("run/header", "[1, 2]"), "header"),
    "header no JSON": (replace_data("run/header", "{"), "damaged"),
    "numbers as header": (replace_data("run/header", 3.0), "damaged"),
    "event without time": (
        replace_data("run/events", np.frombuffer(b'{"kind": "x"}\n', dtype=np.uint8)),
        "an event of",
    ),
    "text as time": (replace_data("time", ["now"] * 21), "times"),
    "text as positions": (replace_data("body/position", ["here"]), "body/position"),
    "positions without components": (replace_data("body/position", np.zeros((21, 1))), "body/position"),
    "positions of more bodies": (replace_data("body/position", np.zeros((21, 2, 3))), "body/position"),
    "frames that are not stored": (declare_frames, "declares"),
    "link to another file": (link_elsewhere, "/body/position is a link"),
    "soft link": (link_softly, "/body/position is a link"),
    "virtual data": (map_elsewhere, "the data of /time lie in another file"),
    "external data": (store_elsewhere, "the data of /time lie in another file"),
    "names that share a place": (share_a_text, "model, header, events and names have 20,0"),
    "more frames than a run has": (make_holes("time", 100_000_000, chunks=(1024,)), "/time has 100,000,000 frames"),
    "frame that is too large": (make_holes("body/position", 2, 5_000_000, 3), "frames or pieces of 120 MB"),
    "piece that is too large": (
        make_holes("body/position", 21, 1, 3, chunks=(5_000_000, 1, 3)),
        "frames or pieces of 120 MB",
    ),
    "events without end": (make_holes("run/events", 200_000_000, chunks=(4096,)), "events and names have 200 MB"),
    "names without end": (make_holes("run/items/body/position", 200_000), "has 200,000 texts"),
    "names in pieces": (make_holes("run/items/body/position", 10, chunks=(5,)), "not stored in one piece"),
    "names in rows": (replace_data("run/items/body/position", [["rod"]]), "should be a list of texts"),
    "numbers as names": (replace_data("run/items/body/position", [1.0]), "should be a list of texts"),
    "attribute without end": (repeat_attribute, "'components' of /body/position has 1,000 values"),
    "groups in a circle": (make_circle, "group where none is expected"),
}


@pytest.mark.parametrize("line", ["info RESULT", "export RESULT --to csv", "plot RESULT"])
@pytest.mark.parametrize(("forge", "words"), FORGERIES.values(), ids=FORGERIES.keys())
def test_forged_result(run: Run, place: Path, forge: Callable[[h5py.File], None], words: str, line: str) -> None:
    shutil.copy(place / "result.h5", place / "forged.h5")
    with h5py.File(place / "forged.h5", "r+") as file:
        forge(file)
    with within(SOON):
        outcome = run(*line.replace("RESULT", "forged.h5").split())
    assert outcome.code == 2, outcome.err
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1
    assert "forged.h5" in outcome.err
    assert words in outcome.err
    assert "internal error" not in outcome.err


def test_report_of_a_body_that_the_model_does_not_have(run: Run, place: Path) -> None:
    with h5py.File(place / "result.h5", "r+") as file:
        for name in file["run/items/body"]:
            if name not in ("position", "orientation"):
                file[f"run/items/body/{name}"][0] = "stranger"
    outcome = run("report", "result.h5")
    assert outcome.code == 2, outcome.err
    assert "the body 'stranger', which its model does not have" in outcome.err


def test_units_of_other_items(run: Run, place: Path) -> None:
    with h5py.File(place / "result.h5", "r+") as file:
        file["run/units/body/position"] = ["m", "m"]
    outcome = run("info", "result.h5")
    assert outcome.code == 2, outcome.err
    assert "body/position has 1 items and 2 units" in outcome.err


def test_summary_that_lacks_numbers_is_shown_without_them(run: Run, place: Path) -> None:
    def strip(end: dict[str, Any]) -> None:
        end["summary"] = {key: end["summary"][key] for key in ("distance", "wall_time")}

    with h5py.File(place / "result.h5", "r+") as file:
        replace_json("end", strip)(file)
    outcome = run("info", "result.h5")
    assert outcome.code == 0, outcome.err
    assert "0.2 s simulated" in outcome.out


NAMES = ["{{scripts}} {{facts}} {{bytes}}", r"$\foo$", r"costs 5 $ and \$", "<script>alert(1)</script>", "[bold]x[/]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_as_they_are(run: Run, place: Path, name: str) -> None:
    (place / "named.yaml").write_text(PENDULUM.replace("name: pendulum", f"name: {json.dumps(name)}"))
    assert run("run", "named.yaml", "--duration", "0.1", "--out", "named.h5", "--quiet").code == 0
    for line in (
        "report named.h5",
        "plot named.h5",
        "plot named.h5 --side-view 0.1",
        "info named.h5",
        "render named.h5",
    ):
        outcome = run(*line.split())
        assert outcome.code == 0, outcome.err
    page = (place / "named.html").read_text()
    for start in ("<title>", "<h1>"):
        assert page.partition(start)[2].startswith(name.replace("<", "&lt;").replace(">", "&gt;"))
    assert json.loads(page.partition('id="facts">')[2].partition("</script>")[0])["cards"]
    assert page.count("<script>") == 2
    # nothing of the page is left to be filled, but for names that look so
    assert page.count("{{") <= 5 * name.count("{{")


def test_label_of_a_plot_keeps_its_dollars(run: Run, place: Path) -> None:
    from grouser.output.panel import Line, Panel, make_panel_figure

    label = r"$\foo$"
    lines = (Line(label, np.arange(2.0), np.arange(2.0)), Line("b", np.arange(2.0), np.arange(2.0)))
    figure = make_panel_figure([Panel("a", label, label, lines, x_label=label)], title=label, caption=label)
    figure.savefig(place / "plot.svg")
    assert (place / "plot.svg").read_text().count(r"$\foo$") >= 5


def test_formula_does_not_reach_a_spreadsheet(run: Run, place: Path) -> None:
    with h5py.File(place / "result.h5", "r+") as file:
        file["run/items/body/position"][0] = "=cmd|'/C calc'!A0"
    assert run("export", "result.h5", "--to", "csv").code == 0
    heads = (place / "result.csv").read_text().splitlines()[0]
    assert ",=" not in heads
    assert "'=cmd" in heads


def test_error_does_not_steer_the_terminal(run: Run) -> None:
    outcome = run("run", "pendulum.yaml", "--preset", "\x1b[31mred")
    assert outcome.code == 2
    assert "\x1b" not in outcome.err
