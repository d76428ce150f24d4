"""The file of a report: what it holds, how large it is, and what becomes of results that did not end well."""

from __future__ import annotations

import hashlib
import json
import re
import time
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from driving_m113 import make_m113_result
from synthetic_track import Drive, make_pendulum_result, make_result

from grouser.errors import ResultError
from grouser.output.report.packer import read_array, unpack
from grouser.output.report.page import make_panels, make_report, save_report, thin_out
from grouser.output.run_panels import make_run_panels
from grouser.result.writer import Block, ResultWriter

WRITTEN_WITHIN = 10.0
"""Time in which a report of 10 s of an M113 is written [s]."""
LARGEST = 15e6
"""Size of a report [bytes]."""


class Page(HTMLParser):
    """Texts of elements by their id, addresses that a page refers to, and its texts."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.by_id: dict[str, str] = {}
        self.addresses: list[str] = []
        self.scripts = 0
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.addresses += [given[name] for name in ("src", "href") if given.get(name)]
        self.scripts += tag == "script"
        self._open.append(given.get("id") or given.get("class") or "")

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        if self._open and self._open[-1]:
            self.by_id[self._open[-1]] = self.by_id.get(self._open[-1], "") + data


def read_report(text: str):
    """Facts and a function that reads references."""
    page = Page(re.sub(r"<(meta|link|input)[^>]*>", lambda m: m[0][:-1] + "/>", text))
    content = unpack(page.by_id["bytes"].strip())
    return json.loads(page.by_id["facts"]), lambda ref: read_array(content, ref), page


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=0.5, yaw_rate=0.6))


@pytest.fixture(scope="module")
def report(result):
    return read_report(make_report({"turning": result}))


def test_poses_come_back(result, report):
    facts, read, _ = report
    scene = facts["runs"][0]["scene"]
    frames, bodies = len(result.time), len(result.model.bodies)
    assert scene["bodies"] == list(result.model.bodies)
    assert scene["bodies"][scene["main"]] == "chassis"
    np.testing.assert_allclose(read(scene["time"]), result.time, atol=1e-6)
    position = read(scene["position"]).reshape(frames, bodies, 3)
    np.testing.assert_allclose(position, result.block("body/position")[0], atol=1e-5)
    quaternion = read(scene["quaternion"]).reshape(frames, bodies, 4) / 32767
    expected = np.roll(result.block("body/orientation")[0], -1, axis=2)
    cosine = np.abs(np.einsum("fbi,fbi->fb", quaternion, expected))
    assert 2 * np.degrees(np.arccos(np.clip(cosine, 0, 1))).max() < 1.0
    np.testing.assert_allclose(np.abs(quaternion), np.abs(expected), atol=2e-5)


def test_channels_come_back(result, report):
    facts, read, _ = report
    channel = facts["runs"][0]["channels"][0]
    values = read(channel["values"]).reshape(len(result.time), -1)
    names = [facts["runs"][0]["scene"]["bodies"][number] for number in channel["bodies"]]
    assert (channel["key"], channel["unit"]) == ("tension", "kN")
    np.testing.assert_allclose(values, result.block("link/tension", names)[0][:, :, 0] / 1e3, atol=2e-4)


def test_panels_come_back_with_units_and_the_plan_knows_its_times(result, report):
    facts, read, _ = report
    panels = {panel["key"]: panel for panel in facts["panels"]}
    assert list(panels) == [panel.key for panel in make_run_panels(result)]
    assert panels["tension"]["yLabel"] == "tension [kN]"
    speed = panels["speed"]["lines"][0]
    np.testing.assert_allclose(read(speed["x"]), result.time, atol=1e-6)
    plan = panels["plan"]
    assert plan["isEqual"] and not plan["isTime"]
    np.testing.assert_allclose(read(plan["lines"][0]["time"]), result.time, atol=1e-6)


def test_meshes_are_whole(report):
    facts, read, _ = report
    scene = facts["runs"][0]["scene"]
    for fine, coarse in zip(scene["meshes"], scene["coarse"], strict=True):
        for mesh in (fine, coarse):
            count = mesh["vertices"]["count"]
            assert mesh["normals"]["count"] == mesh["colours"]["count"] == count
            assert read(mesh["faces"]).max() < count // 3
        assert coarse["faces"]["count"] <= fine["faces"]["count"]
    assert len(scene["mesh"]) == len(scene["bodies"])


def test_page_refers_to_nothing_outside_and_forbids_it(result):
    text = make_report({"turning": result})
    _, _, page = read_report(text)
    assert page.addresses == ["data:,"]
    assert page.scripts == 4
    assert "default-src 'none'" in text
    assert "{{" not in text.partition('<script type="application/json"')[0]
    # both libraries come with their licences
    assert "three.js authors" in text and "Plotly Technologies Inc." in text


def test_names_cannot_break_the_page(result):
    evil = '</script><b id="x">"&'
    facts, _, page = read_report(make_report({evil: result, "b": result}))
    assert facts["runs"][0]["label"] == evil
    assert "x" not in page.by_id


def test_tables_tell_numbers_energy_settings_and_parameters(report):
    facts, _, _ = report
    tables = {(table["tab"], table["title"]): table for table in facts["tables"]}
    summary = dict(tables["Summary", "numbers of the run"]["rows"])
    assert summary["status"] == "done"
    assert summary["link tension, largest"] == "10 kN"
    energy = dict(tables["Energy", "energy balance"]["rows"])
    assert energy["work motions"] == "50 J" and energy["residual"] == "0.5 J"
    assert next(iter(energy)).startswith("work") and list(energy)[-1] == "residual"
    assert dict(tables["Settings", "how the run was made"]["rows"])["preset"] == "penalty"
    made_of = json.loads((files("grouser.output") / "web" / "bundle" / "made-of.json").read_text())
    assert dict(tables["Settings", "this report"]["rows"])["three.js"] == made_of["three"]
    forces = tables["Model", "forces"]["rows"]
    assert forces[0][0] == "left.shock" and "stiffness 1000 N/m or N m/rad" in forces[0][2]
    assert ("left.link#", "10") in {row[:2] for row in map(tuple, tables["Model", "bodies"]["rows"])}
    labels = {card["label"]: card["values"] for card in facts["cards"]}
    assert labels["slip"] == ["10 %"]


def test_runs_are_laid_over_each_other(result):
    straight = make_result(Drive(duration=0.3))
    facts, _, _ = read_report(make_report({"turning": result, "straight": straight}))
    assert [run["label"] for run in facts["runs"]] == ["turning", "straight"]
    # the model is the same: it is packed once, and shown once
    first, second = (run["scene"]["meshes"] for run in facts["runs"])
    assert first == second
    assert sum(table["title"] == "bodies (turning)" for table in facts["tables"]) == 1
    assert not any("straight" in table["title"] for table in facts["tables"])
    slip = next(panel for panel in facts["panels"] if panel["key"] == "slip")
    labels = ["turning: left", "turning: right", "straight: left", "straight: right"]
    assert [line["label"] for line in slip["lines"]] == labels
    assert [line["color"] for line in slip["lines"]] == [0, 0, 1, 1]
    assert facts["runs"][1]["terrain"] is None
    summary = next(table for table in facts["tables"] if table["title"] == "numbers of the run")
    assert summary["heads"] == ["", "turning", "straight"] and len(summary["rows"][0]) == 3


def test_units_are_those_of_all_runs():
    """Lines of one panel are in one unit, though each run alone would have another."""
    small, large = (make_result(Drive(duration=duration)) for duration in (0.5, 20.0))
    panel = next(panel for panel in make_panels({"a": small, "b": large}) if panel.key == "energy")
    assert panel.y_label == "energy [kJ]"
    work = {line.label: line.y[-1] for line in panel.lines}
    assert work["a: work put in"] == pytest.approx(0.05) and work["b: work put in"] == pytest.approx(2.0)


def test_m113_is_written_quickly_and_stays_small(tmp_path):
    driving = make_m113_result()
    assert len(driving.model.bodies) == 154 and len(driving.time) == 1001
    started = time.process_time()
    path = save_report({"m113": driving}, tmp_path / "m113.html")
    assert time.process_time() - started < WRITTEN_WITHIN
    assert path.stat().st_size < LARGEST


def test_long_runs_are_thinned_out_evenly(result, monkeypatch):
    bodies = len(result.model.bodies)
    monkeypatch.setattr("grouser.output.report.page.MOST_POSES", 20 * bodies)
    facts, read, page = read_report(make_report({"long": result}))
    shown = read(facts["runs"][0]["scene"]["time"])
    np.testing.assert_allclose(shown, result.time[::3], atol=1e-6)
    assert "0.48 s at 33.3 frames a second" in page.by_id["subtitle"]
    channel = facts["runs"][0]["channels"][0]
    values = read(channel["values"]).reshape(len(shown), -1)
    np.testing.assert_allclose(values, result.block("link/tension")[0][::3, :, 0] / 1e3, atol=2e-4)


def test_thinned_lines_keep_their_peaks():
    values = np.sin(np.linspace(0, 50, 100_000))
    values[[123, 98_765]] = 30.0, -40.0
    keep = thin_out(values, 4000)
    assert len(keep) <= 4000 and (np.diff(keep) > 0).all()
    assert values[keep].max() == 30.0 and values[keep].min() == -40.0


def test_a_model_without_tracks_has_a_report():
    facts, _, _ = read_report(make_report({"pendulum": make_pendulum_result()}))
    assert facts["runs"][0]["terrain"] is None
    assert "tension" not in {panel["key"] for panel in facts["panels"]}


def make_ended(result, status: str, message: str = "", last: int = 20):
    """The first 20 frames of a result, as of a run that ended in some way; after `last` of them bodies are lost."""
    blocks = [
        Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m"),
        Block("body", "orientation", tuple(result.model.bodies), ("w", "x", "y", "z"), "-"),
        Block("link", "tension", result.block("link/tension")[1], ("value",), "N"),
    ]
    values = {block.name: result.block(block.name)[0][:20].copy() for block in blocks}
    for value in values.values():
        value[last:] = np.nan
    writer = ResultWriter(None, header={"duration": 10.0}, blocks=blocks, model=result.model)
    writer.add_frames(result.time[:20], values)
    return writer.make_view() if status == "partial" else writer.finish(status, message)


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [
        ("partial", "", "This result is partial: the run was killed, or is still going on; shown is what there is"),
        ("interrupted", "", "The run was stopped by the user; shown is what there is until 0.19 s of 10 s"),
        ("failed", "diverged at 0.5 s", "The run has failed (diverged at 0.5 s); shown is what there is"),
        ("done", "", None),
    ],
)
def test_a_run_that_did_not_end_well_says_so(result, status, message, words):
    text = make_report({"mine": make_ended(result, status, message)})
    assert ('<p class="banner">' in text) == (words is not None)
    assert words is None or words in text


def test_a_run_that_is_not_to_be_trusted_says_so_in_a_box_above_all(result):
    clean = make_result(Drive(duration=1.0))
    assert '<section class="doubts"' not in make_report({"mine": clean})
    evil = "joint '</p><b id=\"x\">' has opened & more"
    blocks = [
        Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m"),
        Block("body", "orientation", tuple(result.model.bodies), ("w", "x", "y", "z"), "-"),
    ]
    writer = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    writer.add_frames(result.time, {block.name: result.block(block.name)[0] for block in blocks})
    writer.add_event(0.1, "joint open", evil, evil)
    doubtful = writer.finish("done")
    text = make_report({"mine": doubtful})
    _, _, page = read_report(text)
    assert page.by_id["banner"] == f"Joint open: {evil}."
    assert "x" not in page.by_id
    box = '<section class="doubts" role="alert"><h2>Not to be trusted</h2>'
    assert text.index("</header>") < text.index(box) < text.index("<main>")
    several = read_report(make_report({"good": clean, "</p>bad": doubtful}))[2]
    assert several.by_id["banner"] == f"</p>bad: Joint open: {evil}."


def test_the_box_is_seen_in_the_dark_and_in_print():
    """It is told by a frame and words too, which a printer keeps, and no part of it is scrolled away on paper."""
    style = (files("grouser.output") / "web" / "style.css").read_text()
    box = re.search(r"^\.doubts \{(.*)\}$", style, re.MULTILINE)
    assert box is not None and "border: 2px solid var(--warn)" in box[1]
    dark = style.partition("prefers-color-scheme: dark")[2].partition("* {")[0]
    assert "--warn:" in dark and "--warn-soft:" in dark
    printed = style.partition("@media print")[2]
    assert "max-height: none" in printed and "color: #000" in printed


def test_a_run_that_diverged_is_shown_as_far_as_it_went(result):
    facts, read, _ = read_report(make_report({"run": make_ended(result, "failed", "diverged", last=15)}))
    assert len(read(facts["runs"][0]["scene"]["time"])) == 15


def test_results_with_nothing_to_show_are_refused(result):
    blocks = [Block("body", "position", tuple(result.model.bodies), ("x", "y", "z"), "m")]
    empty = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    with pytest.raises(ResultError, match="mine: the result holds no frame: the run ended before it began"):
        make_report({"mine": empty.finish("interrupted")})
    blind = ResultWriter(None, header={}, blocks=blocks, model=result.model)
    blind.add_frames([0.0], {"body/position": result.block("body/position")[0][:1]})
    with pytest.raises(ResultError, match="has no block 'body/orientation'"):
        make_report({"mine": blind.finish("done")})
    with pytest.raises(ResultError, match="at least one result"):
        make_report({})


def test_places_that_cannot_be_written_are_refused(result, tmp_path):
    for path, words in (
        (tmp_path / "a.pdf", r"'\.pdf' is not one of \.html, \.htm; call it .*a\.html"),
        (tmp_path / "no" / "a.html", "does not exist"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(ResultError, match=words):
            save_report({"a": result}, path)
    mine = tmp_path / "mine.html"
    mine.write_text("<h1>mine</h1>")
    with pytest.raises(ResultError, match="is not a report of grouser, so it is not overwritten"):
        save_report({"a": result}, mine)
    assert mine.read_text() == "<h1>mine</h1>"
    again = tmp_path / "again.html"
    for _ in range(2):
        assert save_report({"a": result}, again) == again


def test_the_bundle_is_made_of_the_sources():
    web = Path(str(files("grouser.output"))) / "web"
    digest = hashlib.sha256()
    source = web / "source"
    for name in sorted(path.relative_to(source).as_posix() for path in source.rglob("*.js")):
        digest.update(name.encode() + (source / name).read_bytes())
    made_of = json.loads((web / "bundle" / "made-of.json").read_text())
    assert digest.hexdigest() == made_of["source"], "run  make web"
    wanted = json.loads((web / "package.json").read_text())["devDependencies"]
    assert (made_of["three"], made_of["plotly"]) == (wanted["three"], wanted["plotly.js-basic-dist-min"])
    for name in ("viewer", "study", "plotly"):
        assert "</script" not in (web / "bundle" / f"{name}.js").read_text(encoding="utf-8")
