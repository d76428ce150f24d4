"""The documentation: generated pages are up to date, Python in it runs, files in it are valid, links resolve."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

from grouser.catalog.benchmarks import BENCHMARKS
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.scenarios import Scenario
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.cli.app import main
from grouser.formulations.presets import PRESETS
from grouser.model.model import Model

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])

sys.path.insert(0, str(DOCS))
import accuracy_page  # noqa: E402
import file_pages  # noqa: E402
import generate  # noqa: E402


def find_blocks(language: str) -> list[tuple[str, str]]:
    """Blocks of a language, each with a name for the test."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{page.relative_to(ROOT)}:{line}", match.group(1)))
    return found


PYTHON, YAML = find_blocks("python"), [block for block in find_blocks("yaml") if "kind:" in block[1]]
ROAD = "".join(text for _, text in find_blocks("csv"))
"""The one measured road, which a scenario names."""


def test_generator_speaks_as_its_examples_say():
    assert doctest.testmod(file_pages).failed == 0


def test_generated_pages_are_up_to_date():
    assert not generate.find_outdated(), "run  python docs/generate.py"


def test_accuracy_page_has_every_preset_and_every_benchmark():
    """That it says what the stored numbers say is part of the test above."""
    numbers, page = accuracy_page.load_numbers(DOCS), (DOCS / accuracy_page.PAGE).read_text(encoding="utf-8")
    assert numbers["vehicles"].keys() >= {"m113", "m113-paper"}
    for name, vehicle in numbers["vehicles"].items():
        driven = PRESETS.keys() - {"embedded"}  # it is not made for tracks
        assert vehicle["presets"].keys() >= driven, "run  make accuracy"
        table = page.partition(f"### `{name}`")[2].partition("#")[0]
        assert all(f"| `{preset}` |" in table for preset in driven)
    assert numbers["benchmarks"].keys() >= BENCHMARKS.keys(), "run  make accuracy"
    for name, benchmark in BENCHMARKS.items():
        assert numbers["benchmarks"][name]["ways"].keys() >= benchmark.ways.keys(), "run  make accuracy"
        assert f"### {benchmark.title}" in page


def test_presets_are_accurate_up_to_the_coarsest_step_that_they_declare():
    for vehicle in accuracy_page.load_numbers(DOCS)["vehicles"].values():
        reference = accuracy_page.find_reference_row(vehicle)
        for preset, label, row in accuracy_page.list_rows(vehicle):
            coarsest = PRESETS[preset].coarsest_step
            if coarsest is None or row["step"] <= coarsest * (1.0 + 1e-6):
                assert accuracy_page.is_accurate(row, reference), (preset, label)


@pytest.mark.parametrize("text", [b[1] for b in PYTHON], ids=[b[0] for b in PYTHON])
def test_python_runs(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "<documentation>", "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("text", [b[1] for b in YAML], ids=[b[0] for b in YAML])
def test_files_are_valid(text, tmp_path, capfd):
    file = tmp_path / "file.yaml"
    file.write_text(text)
    (tmp_path / "road.csv").write_text(ROAD)
    assert main(["check", str(file)]) == 0, capfd.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in find_anchors(file), f"{page.name} links to {target}"


def find_anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as Markdown viewers make them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize(
    "root", [Model, TrackedVehicle, WheeledVehicle, Crawler, Scenario], ids=lambda root: root.__name__
)
def test_every_field_has_a_description(root):
    missing = [
        f"{part.__name__}.{name}"
        for part in file_pages.find_parts(root)
        for name, field in part.model_fields.items()
        if not file_pages.find_meaning(part, name)[0] and not is_kind(name, field)
    ]
    assert not missing


def is_kind(name, field) -> bool:
    """Whether a field only tells classes apart: it stands in the heading."""
    return name == "type" and not field.is_required()


def test_a_field_without_description_is_found():
    assert file_pages.find_meaning(Model, "mystery") == ("", "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_not_longer_than_those_of_the_code(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    long = [number for number, line in enumerate(lines, 1) if len(line) > 120 and not line.startswith("|")]
    assert not long
