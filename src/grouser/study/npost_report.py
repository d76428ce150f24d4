"""The matrix report of an N-post rig: one HTML file, and the numbers as CSV."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from matplotlib.figure import Figure

from grouser.catalog.rig.spec import Harmonic
from grouser.output.npost import group_harmonic, make_arm_figure, make_input_figure, make_transfer_figure
from grouser.output.report.template import read_web
from grouser.result.posts import PostMeasure
from grouser.result.result import load_result
from grouser.study.drive import StudyOutcome
from grouser.study.npost import find_run, read_excitation
from grouser.whole_file import save_whole

Measured = Mapping[str, Sequence[PostMeasure]]
LARGE = 6.0
"""Amplitude of an arm beyond which the wheels of the experiment met their stops [deg]."""
OWN_STYLE = """
html, body { height: auto; } body { display: block; padding-bottom: 30px; }
section { margin: 0 18px 16px; padding: 12px 14px; background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; overflow-x: auto; }
section h2 { font-size: 15px; margin-bottom: 6px; } section p { color: var(--ink-soft); margin-bottom: 8px; }
section table { border-collapse: collapse; font-size: 12.5px; }
section th, section td { padding: 2px 7px; text-align: right; border-bottom: 1px solid var(--line); }
section th, section td { white-space: nowrap; }
section th { color: var(--ink-soft); font-weight: 500; } section th:first-child { text-align: left; }
td.large { font-weight: 700; } figure { margin: 0; background: #fff; border-radius: 8px; } figure svg { width: 100%;
  height: auto; display: block; }
"""


def save_numbers(path: Path, measured: Measured) -> None:
    """A row for each run and wheel."""
    heads = ["excitation", *(field.name for field in fields(PostMeasure))]
    with save_whole(path, "table") as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, heads)
        writer.writeheader()
        for excitation, posts in measured.items():
            writer.writerows({"excitation": excitation, **asdict(post)} for post in posts)


def save_matrix_report(path: Path, outcome: StudyOutcome, measured: Measured, shown: Sequence[str]) -> None:
    """The report; of the runs `shown` it has the histories of all arms."""
    vehicle = html.escape(_say_vehicle(outcome))
    parts = [_make_header(vehicle, outcome, measured)]
    parts += [_make_matrix(*one, measured) for one in _TABLES]
    facts = _list_harmonic(measured)
    if facts:
        figure = _draw(make_transfer_figure(group_harmonic(measured, facts)))
        text = "From the height of a post to its arm, at the frequency of the run, between its ramps."
        parts.append(f"<section><h2>Transfer functions</h2><p>{text}</p>{figure}</section>")
    for excitation in shown:
        place = find_run(outcome, excitation)
        if place is None:
            continue
        with load_result(place) as result:
            figures = _draw(make_input_figure(result, excitation)) + _draw(make_arm_figure(result, excitation))
        parts.append(f"<section><h2>{html.escape(excitation)}</h2>{figures}</section>")
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{vehicle} on an N-post rig</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>'
        f"{read_web('style.css')}{OWN_STYLE}</style>"
    )
    with save_whole(path, "report") as draft:
        draft.write_text(f"{head}</head><body>{''.join(parts)}</body></html>\n", encoding="utf-8")


def _say_vehicle(outcome: StudyOutcome) -> str:
    for row in outcome.rows.values():
        place = find_run(outcome, str(row["excitation"]))
        if place is not None:
            with load_result(place) as result:
                return result.model.name
    return "vehicle"


def _make_header(vehicle: str, outcome: StudyOutcome, measured: Measured) -> str:
    said = f"{len(measured)} of {outcome.count} runs"
    failed = "".join(
        f'<p class="banner">{html.escape(str(row["excitation"]))}: {html.escape(str(row["reason"]))}</p>'
        for row in outcome.failed
    )
    box = f'<div class="doubts"><h2>Runs that failed</h2>{failed}</div>' if failed else ""
    return f"<header><h1>{vehicle} on an N-post rig</h1><p>{said}</p></header>{box}"


def _say_amplitude(post: PostMeasure) -> str:
    return f"{post.amplitude:.2f}"


def _say_transfer(post: PostMeasure) -> str:
    return "" if post.gain != post.gain else f"{post.gain:.4f} / {post.phase:.0f}"


def _say_lift(post: PostMeasure) -> str:
    return f"{post.lift_offs} / {1000.0 * post.longest_lift_off:.0f}" if post.lift_offs else ""


def _say_hits(post: PostMeasure) -> str:
    return f"{post.stop_hits} / {0.001 * post.stop_force:.1f}" if post.stop_hits else ""


_TABLES = (
    (
        "Amplitudes of the arms [deg]",
        f"Half of the way between the ends of the motion, between the ramps; bold beyond {LARGE:g} degrees.",
        _say_amplitude,
    ),
    ("Gain [deg/mm] and phase [deg]", "Of the arm against its own post.", _say_transfer),
    ("Stop hits", "How often a wheel met its stops, and the largest force [kN].", _say_hits),
    ("Lift-off", "How often a wheel was off its pan and its stops, and the longest time of it [ms].", _say_lift),
)


def _make_matrix(title: str, text: str, say: object, measured: Measured) -> str:
    assert callable(say)
    names = [post.post for post in next(iter(measured.values()), ())]
    heads = "".join(f"<th>{html.escape(name.replace('.post', ' '))}</th>" for name in names)
    rows = []
    for excitation, posts in measured.items():
        cells = "".join(
            f"<td{_shade(post) if say is _say_amplitude else ''}>{html.escape(say(post))}</td>" for post in posts
        )
        rows.append(f"<tr><th>{html.escape(excitation)}</th>{cells}</tr>")
    return f"<section><h2>{title}</h2><p>{text}</p><table><tr><th>run</th>{heads}</tr>{''.join(rows)}</table></section>"


def _shade(post: PostMeasure) -> str:
    """The colour of a cell grows with the amplitude."""
    share = min(post.amplitude / 10.0, 1.0)
    colour = f"color-mix(in srgb, var(--accent) {55.0 * share:.0f}%, transparent)"
    name = ' class="large"' if post.amplitude > LARGE else ""
    return f'{name} style="background: {colour}"'


def _list_harmonic(measured: Measured) -> dict[str, tuple[str, float, float]]:
    facts: dict[str, tuple[str, float, float]] = {}
    for name in measured:
        found = read_excitation(name)
        if isinstance(found, Harmonic):
            facts[name] = (found.motion, round(1000.0 * found.amplitude, 6), found.frequency)
    return facts


def _draw(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return f"<figure>{text.getvalue().partition('?>')[2].partition('>')[2]}</figure>"
