"""The comparison of elements with other programs: it runs, says what is missing, and judges its bounds."""

import importlib.util
import json
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import elements
import numpy as np
import peer_calculix
import pytest
from contender import Contender, measure_in_turns
from rows import Row

NAMES = {"bricks": "b", "steps": "s", "trusses": "t", "thin beams": "n", "thick beams": "k"}


def test_a_quick_run_has_all_that_is_installed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["elements.py", "--quick", "--json"])
    elements.main()
    out, warnings = capsys.readouterr()
    found = json.loads(out[out.index("{") :])  # Exudyn may warn in front of it
    assert all(np.isfinite(row["cost"]) and row["cost"] > 0.0 for row in found["rows"])
    ours = {row["case"] for row in found["rows"] if row["program"].startswith(elements.OURS)}
    assert {row["case"] for row in found["rows"]} == ours
    assert {"bricks, forces, 216", "bricks, forces, 512", "bricks, explicit step, 216"} < ours
    assert {f"{element}, forces, 100" for element in ("trusses", "thin beams", "thick beams")} < ours
    assert len(found["bounds"]) == len(elements.BOUNDS) + 2
    installed = {
        "mujoco": importlib.util.find_spec("mujoco") is not None,
        "exudyn": importlib.util.find_spec("exudyn") is not None,
        "calculix": shutil.which(peer_calculix.PROGRAM) is not None,
    }
    rows = {"mujoco": 2, "exudyn": 4, "calculix": 3}
    for peer, is_there in installed.items():
        count = sum(row["program"].lower().startswith(peer) for row in found["rows"])
        assert count == (rows[peer] if is_there else 0)
        assert (peer in found["skipped"]) is not is_there
        assert is_there or found["skipped"][peer] in warnings


def test_missing_peers_are_named_with_a_remedy(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    contenders, skipped = elements.make_peers(NAMES, 2, 2, 1)
    assert contenders == []
    assert set(skipped) == {"mujoco", "exudyn", "calculix"}
    assert all("install" in message for message in skipped.values())


def test_least_times_count_and_what_is_subtracted():
    times = iter([(9e-6, 9e-6), (5e-6, 1e-6), (4e-6, 2e-6)])  # the first turn compiles
    (row,) = measure_in_turns([Contender("a", "we", lambda: next(times), 2)], 2)
    assert row.cost == pytest.approx((4.0 - 1.0) / 2)


@pytest.mark.parametrize(("cost", "words"), [(1.0, "DOES NOT HOLD"), (0.001, "holds")])
def test_bounds_are_judged(cost, words):
    rows = [
        Row(f"{element}, forces, {n}", elements.OURS, cost / n, "us") for element in elements.BOUNDS for n in (1, 9)
    ]
    assert all(line.endswith(words) for line in elements.list_bounds(rows, {"all": 1e9 * cost}))


def test_calculix_gets_our_mesh():
    positions, nodes = elements.make_straight_cube(2)
    deck = peer_calculix.make_deck("C3D8", positions, nodes, 2e7, 1200.0, 4).splitlines()
    start, end = (deck.index(line) for line in ("*ELEMENT, TYPE=C3D8, ELSET=BRICKS", "*MATERIAL, NAME=M"))
    cells = np.array([[int(word) for word in line.split(",")] for line in deck[start + 1 : end]])
    assert np.array_equal(cells[:, 1:] - 1, nodes) and len(cells) == 8
    places = np.array([[float(word) for word in line.split(",")] for line in deck[1 : deck.index("*NSET, NSET=SEEN")]])
    assert places[:, 1:] == pytest.approx(positions)
    # counter-clockwise around the bottom, then above it: as they want it
    edges = positions[nodes][:, [1, 3, 4]] - positions[nodes][:, [0]]
    assert np.linalg.det(edges) == pytest.approx(np.full(8, 0.125))


@pytest.mark.skipif(not peer_calculix.is_installed(), reason="CalculiX is not installed")
def test_calculix_makes_as_many_increments_as_it_is_asked_for():
    deck = peer_calculix.make_deck("C3D8R", *elements.make_straight_cube(2), 2e7, 1200.0, 8)
    assert peer_calculix.run_deck(deck, 8, 1.0) > 0.0
    with pytest.raises(SystemExit, match="CalculiX fell by"):
        peer_calculix.run_deck(deck, 9, 1.0)


@pytest.mark.skipif(not elements.STATM.exists(), reason="the size of a process is not told here")
def test_memory_is_that_of_the_tables_at_least():
    side = 24
    # in a process of its own: what another has freed before would be taken again
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as fresh:
        grown = fresh.submit(elements.measure_model_memory, side, side, side).result()
    assert grown > elements.Cube(side).memory
