"""The cost of elements by gradient coordinates: it is measured, and judged."""

import importlib.util
import json
import sys

import ancf
import numpy as np
from rows import Row


def test_a_quick_run_has_all_cases(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ancf.py", "--quick", "--json"])
    ancf.main()
    out = capsys.readouterr().out
    found = json.loads(out[out.index("{") :])  # Exudyn may warn in front of it
    assert all(np.isfinite(row["cost"]) and row["cost"] > 0.0 for row in found["rows"])
    ours = [row["case"] for row in found["rows"] if row["program"] == ancf.OURS]
    assert len(ours) == len(set(ours)) == len(ancf.INTEGRATIONS) * (len(ancf.MATERIALS) + 1) + 2
    assert len(found["bounds"]) == len(ancf.MATERIALS)
    theirs = len(found["rows"]) - len(ours)
    assert theirs == (0 if importlib.util.find_spec("exudyn") is None else 3)


def test_bounds_are_those_of_undamped_and_damped_beams():
    rows = [Row(f"beams, 12 points, {law}", ancf.OURS, 0.4, "us") for law in ancf.MATERIALS]
    said = ancf.list_bounds(rows)
    assert [line.endswith("holds") for line in said] == ["damped" in law for law in ancf.MATERIALS]
