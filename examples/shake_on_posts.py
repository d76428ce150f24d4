"""A vehicle on posts under its twelve wheels, shaken in pitch: posts keep to a line, and the arms answer alike.

Run with:  python examples/shake_on_posts.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from grouser.cli.app import main as grouser

RUNS = "pitch 30 mm 2 Hz\n"
DURATION = 3.6
"""The amplitude grows for 3 s; then a period is measured [s]."""
ALIKE = 0.3
"""Gains of all arms from their posts are within this share of their mean: the vehicle is staggered, and not in trim."""


def main() -> None:
    """Make one short run and read its numbers."""
    Path("runs.txt").write_text(RUNS, encoding="utf-8")
    words = ["--runs", "runs.txt", "--scenario-set", f"duration={DURATION}", "--workers", "1", "--out", "posts.npost"]
    assert grouser(["npost", "npost-12", *words]) == 0
    with Path("posts.npost/matrix.csv").open(encoding="utf-8") as file:
        rows = {row["post"]: row for row in csv.DictReader(file)}
    heights = [float(rows[f"left.post{number}"]["post_amplitude"]) for number in range(1, 7)]
    # posts stand at equal distances: on a line through the middle their ways are as 5 : 3 : 1 : 1 : 3 : 5
    for height, share in zip(heights, (5, 3, 1, 1, 3, 5), strict=True):
        assert abs(height / heights[0] - share / 5) < 1e-9, heights
    gains = [float(row["gain"]) for row in rows.values()]
    mean = sum(gains) / len(gains)
    print(f"{mean:.3f} deg of an arm for a mm of its post, from {min(gains):.3f} to {max(gains):.3f}")
    assert max(abs(gain / mean - 1.0) for gain in gains) < ALIKE, gains
    assert all(int(row["lift_offs"]) == 0 for row in rows.values())


if __name__ == "__main__":
    main()
