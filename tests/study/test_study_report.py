"""Reports, figures and tables of studies: what they show is what the rows say."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas
import pytest
from study_folder import FAILED, REASON, calc_bounce, make_optimisation_folder, make_study_folder

from grouser.cli.app import main
from grouser.output.study_tables import Column
from grouser.study.effects import make_effects
from grouser.study.report import make_study_tables
from grouser.study.surfaces import make_surfaces

sys.path.append(str(Path(__file__).resolve().parents[1] / "output" / "report"))
from browser import Browser, find_chromium, open_browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many") / "roads.study"
    make_study_folder(path)
    assert main(["report", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def read_facts(text: str) -> dict:
    return json.loads(re.search(r'id="facts">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]


def test_the_page_holds_all_runs_and_asks_for_nothing(text: str) -> None:
    facts = read_facts(text)
    assert [run["run"] for run in facts["runs"]] == list(range(48))
    assert [run["run"] for run in facts["runs"] if run["status"] != "done"] == list(FAILED)
    columns = {column["name"]: column for column in facts["columns"]}
    assert list(columns) == ["mass", "speed", "road", "bounce", "still"]
    assert columns["speed"]["isLog"] and not columns["mass"]["isLog"]
    assert columns["bounce"]["values"][FAILED[0]] is None
    run = 5
    values = {name: columns[name]["values"][run] for name in ("mass", "speed", "road")}
    assert columns["bounce"]["values"][run] == calc_bounce(**values)
    assert facts["runs"][run]["result"] == "runs/000005.h5" and facts["runs"][FAILED[0]]["result"] is None
    assert "default-src 'none'" in text
    head = text[: text.index('id="facts"')]
    assert re.findall(r'(?:src|href)="([^"]*)"', head) == ["data:,"]
    assert "<title>roads &amp; &lt;speeds&gt; - grouser</title>" in text


def test_failed_runs_come_first_with_their_reason(text: str) -> None:
    box = text[text.index('class="doubts"') : text.index("<main>")]
    assert "2 runs failed" in box
    assert "run 3: body &#x27;chassis&#x27; &lt;b&gt;burst&lt;/b&gt; at 1.2 s&lt;/script&gt;" in box
    assert REASON not in text


def test_effects_are_means_and_shares_of_the_variance(folder: Path) -> None:
    facts = read_facts((folder / "report.html").read_text(encoding="utf-8"))
    table = pandas.read_parquet(folder / "table.parquet").dropna(subset="bounce")
    effects = {effect["factor"]: effect for effect in facts["effects"]}
    assert {effect["response"] for effect in facts["effects"]} == {"bounce"}  # the other one never changes
    road = effects["road"]
    means = table.groupby("road")["bounce"].agg(["mean", "sem", "count"])
    for at, mean, error, count in zip(road["at"], road["mean"], road["error"], road["count"], strict=True):
        assert (mean, error) == pytest.approx((means["mean"][at], means["sem"][at]))
        assert count == means["count"][at]
    assert effects["mass"]["share"] < effects["speed"]["share"] < road["share"]
    assert sum(effects["speed"]["count"]) == len(table)


def test_the_share_of_what_does_nothing_is_nought_and_of_what_does_all_is_one() -> None:
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(200):
        factor = Column("a", "factor", rng.permutation(np.repeat([1.0, 2.0, 3.0, 4.0], 10)).tolist())
        shares.append(make_effects([factor], [Column("y", "response", rng.standard_normal(40).tolist())])[0].share)
    assert np.mean(shares) < 0.05
    level = [float(i % 4) for i in range(40)]
    whole = make_effects([Column("a", "factor", level)], [Column("y", "response", [v**2 for v in level])])[0]
    assert whole.share == 1.0 and list(whole.mean) == [0.0, 1.0, 4.0, 9.0]


def test_the_better_surface_is_shown_with_its_error() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random(40), 10.0 ** rng.uniform(0, 2, 40)
    factors = [Column("x", "factor", x.tolist()), Column("y", "factor", y.tolist(), is_log=True)]
    square = Column("square", "response", (x**2 + np.log10(y)).tolist())
    wave = Column("wave", "response", np.sin(9.0 * x).tolist())
    noise = Column("noise", "response", rng.standard_normal(40).tolist())
    surfaces = {one.response: one for one in make_surfaces(factors, [square, wave, noise])}
    assert surfaces["wave"].content["kind"] == "process"
    assert "Gaussian process through 40 runs: cross-validated error" in surfaces["wave"].words
    assert "foretells little" in surfaces["noise"].words and "foretells little" not in surfaces["wave"].words
    for one in (surfaces["square"], surfaces["wave"]):
        np.testing.assert_allclose(one.foretold, one.given, atol=0.02)
    assert make_surfaces(factors, [Column("few", "response", [1.0, 2.0] + [None] * 38)]) == []


def test_figures_and_tables(folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", str(folder), "--out", str(tmp_path / "a.svg")]) == 0
    figure = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "bounce over road" in figure and "% of the variance" in figure
    assert main(["export", str(folder), "--to", str(tmp_path / "a.csv")]) == 0
    table = pandas.read_csv(tmp_path / "a.csv")
    stored = pandas.read_parquet(folder / "table.parquet")
    assert table["bounce"].to_list() == pytest.approx(stored["bounce"].to_list(), nan_ok=True, rel=1e-15)
    assert table["reason"][FAILED[0]] == REASON
    capfd.readouterr()


WRONG = {
    "no study": (["report", "."], "holds no study"),
    "two folders": (["report", "FOLDER", "FOLDER"], "give it alone"),
    "labels": (["report", "FOLDER", "--labels", "a"], "give it alone"),
    "each of a result": (["report", "a.h5", "--each"], "--each belongs to the folder"),
    "channels of a study": (["plot", "FOLDER", "--channels", "a"], "are of one run"),
    "matlab": (["export", "FOLDER", "--to", "mat"], "csv or parquet"),
    "another suffix": (["report", "FOLDER", "--out", "a.pdf"], "is not one of .html"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_a_folder_cannot_give(
    case: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words, told = WRONG[case]
    assert main([word.replace("FOLDER", str(folder)) for word in words]) == 2
    assert told in capfd.readouterr().err


def test_the_history_of_an_optimisation(tmp_path: Path) -> None:
    _, rows = make_optimisation_folder(tmp_path / "dampers.study")
    tables = make_study_tables(tmp_path / "dampers.study", tmp_path / "report.html")
    assert dict(tables.cards) | {"best run": "4", "keeps constraints": "yes", "damping": "6"} == dict(tables.cards)
    power = tables.panels[0]
    lines = {line.label: line for line in power.lines}
    assert lines["beyond a constraint"].x.tolist() == [2.0, 8.0]
    assert len(lines["keeps all"].x) == len(rows) - 2
    best = [math.log(damping) ** 2 for damping in (10, 10, 10, 10, 6, 6, 6, 6, 6, 6)]
    assert lines["best so far"].y.tolist() == pytest.approx(best)
    travel = {line.label: line for line in tables.panels[1].lines}
    assert set(travel["at most 0.2"].y) == {0.2}
    assert tables.runs[0].result is None
    assert tables.tables[0].rows[0] == ("damping", "10", "6", "")
    assert tables.tables[0].rows[2] == ("travel", "0.12", "0.2", "at most 0.2")


@pytest.fixture(scope="module")
def browser(folder: Path) -> Iterator[Browser]:
    if find_chromium() is None:
        pytest.skip("there is no Chromium")
    with open_browser() as one:
        one.resize(1280, 820)
        one.open(folder / "report.html")
        yield one


def show(browser: Browser, tab: str) -> None:
    browser.run(f"[...document.querySelectorAll('#tabs button')].find((tab) => tab.textContent === '{tab}').click()")


def test_filters_are_those_of_all_tabs(browser: Browser) -> None:
    numbers = "[...document.querySelectorAll('.rows tbody th')].map((cell) => Number(cell.textContent))"
    assert browser.run(numbers)[:3] == [*FAILED, 0]
    browser.run(
        "(() => { const input = document.querySelector('input[aria-label=\"filter speed\"]');"
        "input.value = '4..8'; input.dispatchEvent(new Event('input')); })()"
    )
    speeds = browser.run("report.rows.get('speed').values")
    assert sorted(browser.run(numbers)) == [i for i, speed in enumerate(speeds) if speed <= 8.0]
    show(browser, "Scatter")
    browser.wait("document.querySelectorAll('.scatterlayer .point').length > 0")
    shown = sum(speed <= 8.0 and i not in FAILED for i, speed in enumerate(speeds))
    browser.wait(f"document.querySelectorAll('#pane-scatter .scatterlayer .point').length === {shown}")
    browser.run("report.rows.clear()")
    assert browser.run("document.querySelector('#sieve').textContent") == "48 of 48 runs"
    browser.run("report.rows.choose(5)")
    assert browser.run("document.querySelector('#chosen a').getAttribute('href')") == "runs/000005.h5"


def test_a_drag_along_an_axis_is_a_filter(browser: Browser) -> None:
    show(browser, "Parallel")
    browser.wait("document.querySelector('.parallel .axis').getBoundingClientRect().height > 100")
    x, y, width, height = browser.find_box(".parallel .axis")
    browser.drag((x + width / 2, y + height * 0.5), (x + width / 2, y + height * 0.98))
    browser.wait("report.rows.filters.get('mass')")
    low, high = browser.run("[report.rows.get('mass').low, report.rows.get('mass').high]")
    kept = browser.run("report.rows.filters.get('mass')")
    assert kept["high"] == pytest.approx(0.5 * (low + high), abs=0.02 * (high - low))
    browser.run("report.rows.clear()")


def test_the_page_foretells_as_the_process_does(browser: Browser, folder: Path) -> None:
    show(browser, "Surfaces")
    facts = read_facts((folder / "report.html").read_text(encoding="utf-8"))
    surface = facts["surfaces"][0]
    assert surface["kind"] == "process"
    place = (0.3, 0.6, 0.0, 1.0, 0.0)
    labels = [one.get("level", one["factor"]) for one in surface["inputs"]]
    point = [dict(zip(["mass", "speed", "B", "C", "D"], place, strict=True))[label] for label in labels]
    low, high = (facts["columns"][1]["values"] for _ in range(2))
    mass = facts["columns"][0]["values"]
    speed = min(low) * (max(high) / min(low)) ** 0.6
    true = calc_bounce(min(mass) + 0.3 * (max(mass) - min(mass)), speed, "C")
    browser.run(
        "report.surfaces.at.set('road', 'C'); report.surfaces.at.set('mass', 0.3); report.surfaces.at.set('speed', 0.6)"
    )
    assert browser.run("report.surfaces.encode(new Map())") == pytest.approx(point)
    assert browser.run("report.surfaces.foretell(new Map())") == pytest.approx(true, rel=0.05)
    browser.wait("document.querySelectorAll('#pane-surfaces image').length === 1")
    assert browser.faults == []
    assert {Path(address).name for address in browser.requests} == {"report.html"}


def test_on_a_phone_nothing_is_wider_than_the_page(browser: Browser, folder: Path) -> None:
    browser.resize(390, 800, is_phone=True, is_dark=True)
    browser.open(folder / "report.html")
    for tab in ("Runs", "Effects", "Parallel", "Scatter", "Surfaces", "Setting"):
        show(browser, tab)
        assert browser.run("document.documentElement.scrollWidth") <= 390, tab
    assert browser.faults == []
