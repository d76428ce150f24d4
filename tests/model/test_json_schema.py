"""JSON Schema: it takes every file that the program takes, and refuses what the program refuses."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from schema_validator import is_valid

from grouser.catalog import scenarios, vehicles
from grouser.catalog.band.spec import BandVehicle
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.scenarios import Scenario
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.trackless.spec import TracklessVehicle
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.model.document import parse_document
from grouser.model.json_schema import model_json_schema
from grouser.model.model import Model
from grouser.study.optimisation import Optimisation
from grouser.study.spec import Study

SCHEMAS = {
    "model": model_json_schema(Model),
    "tracked-vehicle": model_json_schema(TrackedVehicle),
    "trackless-vehicle": model_json_schema(TracklessVehicle),
    "wheeled-vehicle": model_json_schema(WheeledVehicle),
    "crawler": model_json_schema(Crawler),
    "band-vehicle": model_json_schema(BandVehicle),
    "optimisation": model_json_schema(Optimisation),
    "scenario": model_json_schema(Scenario),
    "study": model_json_schema(Study),
}
DOCS = Path(__file__).parents[2] / "docs"
CATALOG = {f.name: f.read_text() for module in (vehicles, scenarios) for f in module.FOLDER.glob("*.yaml")}
EXAMPLES = {
    f"{page.name}-{number}": text
    for page in sorted(DOCS.rglob("*.md"))
    for number, text in enumerate(re.findall(r"```yaml\n(grouser:.*?)```", page.read_text(), re.DOTALL))
}
FILES = {**CATALOG, **EXAMPLES}
FREE = (
    "drives",
    "bodies",
    "joints",
    "forces",
    "motions",
    "shapes",
    "contacts",
    "sensors",
    "tracks",
    "posts",
    "axles",
    "factors",
    "responses",
)
"""Blocks whose keys are names that the user gives."""


def judge(data: dict[str, Any], kind: str = "") -> bool:
    return is_valid(SCHEMAS[kind or data["kind"]], data)


def find_places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all keys but names."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(key, str) and not (len(path) == 1 and path[0] in FREE):
            yield (*path, key)
        yield from find_places(value, (*path, key))


def with_renamed(data: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    changed = copy.deepcopy(data)
    here: Any = changed
    for key in path[:-1]:
        here = here[key]
    here[f"{path[-1]}x"] = here.pop(path[-1])
    return changed


@pytest.mark.parametrize("name", FILES)
def test_every_file_keeps_to_the_schema(name: str) -> None:
    assert judge(dict(parse_document(FILES[name])))


def test_there_are_files_of_every_kind_and_one_that_extends() -> None:
    found = [parse_document(text) for text in FILES.values()]
    assert {document["kind"] for document in found} == set(SCHEMAS)
    assert any("extends" in document for document in found)


@pytest.mark.parametrize("name", CATALOG)
def test_every_misspelt_key_is_refused(name: str) -> None:
    data = dict(parse_document(CATALOG[name]))
    missed = [path for path in find_places(data) if judge(with_renamed(data, path), data["kind"])]
    assert missed == []


def test_a_whole_model_and_its_misspelt_keys(whole: str) -> None:
    data = dict(parse_document(whole))
    assert judge(data)
    assert [path for path in find_places(data) if judge(with_renamed(data, path), "model")] == []


@pytest.mark.parametrize(
    ("change", "is_taken"),
    [
        ({}, True),
        ({"chassis": {"mass": 9000}}, True),
        ({"shocks": None, "right": {"links": {"count": 64}}}, True),
        ({"chassis": {"mas": 9000}}, False),
        ({"chassis": {"mass": "heavy"}}, False),
        ({"chassis": {"mass": -1}}, False),
        ({"right": {"linkz": {"count": 64}}}, False),
        ({"right": {"links": {"count": "many"}}}, False),
        ({"extends": 3}, False),
        ({"road_wheels": {"centres": [[0.0, 0.0], [1.0]]}}, False),
    ],
)
def test_a_file_that_extends_holds_what_differs(change: dict[str, Any], is_taken: bool) -> None:
    assert judge({"extends": "m113", "name": "mine", **change}, "tracked-vehicle") is is_taken


@pytest.mark.parametrize("key", ["grouser", "kind", "name", "chassis", "links"])
def test_a_file_that_extends_nothing_needs_all_keys(key: str) -> None:
    data = dict(parse_document(CATALOG["m113.yaml"]))
    del data[key]
    assert not judge(data, "tracked-vehicle")


def test_schema_says_what_each_key_means() -> None:
    described = SCHEMAS["model"]
    assert json.loads(json.dumps(described)) == described
    assert described["$defs"]["Body"]["properties"]["mass"]["description"] == "[kg]"
    assert described["properties"]["gravity"]["description"].endswith("[m/s^2]")
    assert set(described["$defs"]["Model"]["required"]) == {"grouser", "kind", "name"}
