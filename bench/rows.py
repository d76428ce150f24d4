"""Measurements side by side: rows of one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One measurement of one program.

    Attributes
    ----------
    case : what was done; programs are compared with the first row of the same case
    program : who did it, with its version
    cost : in units of `unit`
    unit : of the cost
    step : time step [s]
    difference : largest difference of the accelerations from ours, as a share of the largest
    distance : way of the vehicle [m]
    real_time_factor : wall time of a simulated second [s]; other programs on the machine count too
    is_stable : the run went to its end, with closed tracks
    remark : what else should be known
    """

    case: str
    program: str
    cost: float
    unit: str
    step: float | None = None
    difference: float | None = None
    distance: float | None = None
    real_time_factor: float | None = None
    is_stable: bool | None = None
    remark: str = ""


def make_entries(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows as dicts, with the ratio of their cost to that of the first row of the same case."""
    first: dict[str, Row] = {}
    return [{**asdict(row), "ratio": row.cost / first.setdefault(row.case, row).cost} for row in rows]


def print_entries(entries: Iterable[dict[str, Any]]) -> None:
    """The table; ratios above one cost more than the first row of the case."""
    heads = ("case", "program", "step", "cost", "ratio", "wall", "result")
    cells = [heads, *(_say_cells(entry) for entry in entries)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _say_cells(entry: dict[str, Any]) -> tuple[str, ...]:
    results = []
    if entry["difference"] is not None:
        results.append(f"accelerations differ by {entry['difference']:.0e}")
    if entry["distance"] is not None:
        results.append(f"{entry['distance']:.3f} m")
    if entry["is_stable"] is not None and not entry["is_stable"]:
        results.append("UNSTABLE")
    results += [entry["remark"]] if entry["remark"] else []
    return (
        entry["case"],
        entry["program"],
        "" if entry["step"] is None else f"{1e3 * entry['step']:.3g} ms",
        f"{entry['cost']:.3g} {entry['unit']}",
        f"{entry['ratio']:.2f}",
        "" if entry["real_time_factor"] is None else f"{entry['real_time_factor']:.3g}",
        ", ".join(results),
    )


def say_missing(module: str, package: str | None = None) -> str:
    """What to do about a peer that is not installed."""
    return (
        f"{module} is not installed and is skipped: pip install {package or module}, or all peers by "
        "pip install '.[peers]'"
    )
