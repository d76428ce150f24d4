"""The documentation: generated pages are up to date, Python in it runs, files in it are valid, links resolve."""

from __future__ import annotations

import doctest
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from grouser.calibration.spec import Calibration
from grouser.catalog.benchmarks import BENCHMARKS
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.scenarios import Scenario
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.cli.app import main
from grouser.model.model import Model
from grouser.study.optimisation import Optimisation
from grouser.study.spec import Study

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])

sys.path[:0] = [str(DOCS), str(ROOT / "bench")]
import accuracy_page  # noqa: E402
import convergence  # noqa: E402
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


NUMBERS = accuracy_page.load_numbers(DOCS)
PARTS = {
    "defaults": convergence.make_default_drives,
    "tolerance": convergence.make_tolerance_drives,
    "steps": convergence.make_step_drives,
}


def test_accuracy_page_has_every_benchmark():
    """That it says what the stored numbers say is part of the test above."""
    page = (DOCS / accuracy_page.PAGE).read_text(encoding="utf-8")
    assert NUMBERS["benchmarks"].keys() >= BENCHMARKS.keys(), "run  make accuracy"
    for name, benchmark in BENCHMARKS.items():
        assert NUMBERS["benchmarks"][name]["ways"].keys() >= benchmark.ways.keys(), "run  make accuracy"
        assert f"### {benchmark.title}" in page


@pytest.mark.parametrize("part", PARTS)
def test_accuracy_page_has_every_run(part):
    if not NUMBERS.get(part):
        pytest.skip(f"the section {part} of docs/accuracy.json holds no runs yet: run  make accuracy")
    page = (DOCS / accuracy_page.PAGE).read_text(encoding="utf-8")
    for drive in PARTS[part]():
        stored = NUMBERS[part].get(drive.name, {"presets": {}})["presets"]
        missing = [way for way in drive.ways if way.label not in stored.get(way.preset, {})]
        assert not missing, "run  make accuracy"
        head = {"defaults": "### Default runs of `{}`\n", "tolerance": "`{}, ", "steps": "### Steps of `{}`\n"}[part]
        assert head.format(drive.vehicle) in page


def find_undeclared(stored, declared) -> dict[str, list[str]]:
    """Default runs that are not accurate and not declared, and those that are declared and accurate."""
    drives = accuracy_page.find_drives({"defaults": stored}, "defaults")
    rows = {name: accuracy_page.find_default_row(drive) for name, drive in drives.items()}
    accurate = {
        name
        for name, row in rows.items()
        if row is not None and accuracy_page.is_accurate(row, accuracy_page.find_reference_row(drives[name]))
    }
    return {
        "inaccurate": [name for name in rows if name not in accurate and name not in declared],
        "declared for nothing": [name for name in declared if name in accurate],
    }


def test_default_runs_are_accurate_but_for_those_that_are_declared():
    if not NUMBERS.get("defaults"):
        pytest.skip("the section defaults of docs/accuracy.json holds no runs yet: run  make accuracy")
    assert find_undeclared(NUMBERS["defaults"], accuracy_page.DECLARED) == {
        "inaccurate": [],
        "declared for nothing": [],
    }


def test_what_is_declared_is_a_default_run_and_has_a_reason():
    assert accuracy_page.DECLARED.keys() <= {drive.name for drive in convergence.make_default_drives()}
    assert all(reason.strip() for reason in accuracy_page.DECLARED.values())


def test_a_default_run_that_is_not_accurate_is_found():
    def make_drive(position):
        row = {"failure": None, "position": position, "speed": 0.0, "load": dict.fromkeys(accuracy_page.LOADS)}
        row |= {"energy_residual": 0.0, "integrator": None, "step": 1e-3, "is_default": True}
        reference = {"preset": "penalty", "label": "step / 2", "series": {}}
        best = {**row, "position": 0.0, "is_default": False}
        return {"reference": reference, "presets": {"penalty": {"step / 2": best}, "implicit": {"as it comes": row}}}

    stored = {"good": make_drive(0.001), "bad": make_drive(0.1)}
    unfinished = make_drive(0.0)
    del unfinished["presets"]["implicit"]
    assert find_undeclared(stored, {}) == {"inaccurate": ["bad"], "declared for nothing": []}
    assert find_undeclared(stored, {"bad": "why"}) == {"inaccurate": [], "declared for nothing": []}
    assert find_undeclared(stored, {"good": "why", "bad": "why"})["declared for nothing"] == ["good"]
    assert find_undeclared({"unfinished": unfinished}, {})["inaccurate"] == ["unfinished"]


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
    "root",
    [Model, TrackedVehicle, WheeledVehicle, Crawler, Scenario, Study, Optimisation, Calibration],
    ids=lambda root: root.__name__,
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


HOUSE = [ROOT / "CONTRIBUTING.md", DOCS / "architecture.md", DOCS / "walk.md"]
"""Pages that say where things stand."""
SOURCE = ROOT / "src" / "grouser"


def test_architecture_names_every_file_of_the_source():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rooms = page[page.index("## Rooms") : page.index("## Doors")]
    files = [path for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]
    assert not [str(path) for path in files if not re.search(rf"(?<!\w){re.escape(path.name)}", rooms)]
    folders = {path.parent.name for path in files} - {"grouser"}
    assert not [name for name in folders if f"{name}/" not in rooms]


@cache
def find_tails() -> set[str]:
    """Ends of the paths of all files of the project; of those beside them, as in `.venv`, there are far more."""
    folders = [path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
    files = [path.relative_to(ROOT) for folder in folders for path in folder.rglob("*.*")]
    return {"/".join(path.parts[i:]) for path in files for i in range(len(path.parts))}


@pytest.mark.parametrize("page", HOUSE, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|md|yaml|bib|toml))`", text)
    assert not [name for name in named if name not in find_tails()]
    for name, file in re.findall(r"`([\w.]+)` \(`([\w/]+\.py)`\)", text):
        assert re.search(rf"\b{name.split('.')[-1]}\b", (SOURCE / file).read_text(encoding="utf-8")), (name, file)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_are_not_longer_than_those_of_the_code(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    long = [number for number, line in enumerate(lines, 1) if len(line) > 120 and not line.startswith("|")]
    assert not long
