"""``grouser report``: one HTML file that shows results to people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import say_note
from grouser.cli.study_outputs import write_study_report
from grouser.errors import ResultError
from grouser.result.target import REPORT

Results = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULT...|FOLDER",
        help="Result files (.h5), all others are laid over the first; or the folder of a study or an optimisation.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE.html", help="The report; default RESULT.html, or FOLDER/report.html."),
]
Labels = Annotated[
    str | None, typer.Option("--labels", metavar="A,B", help="Names of the runs; by default those of their files.")
]

Each = Annotated[bool, typer.Option("--each", help="Of a folder: write a report of each run too, beside its result.")]


def report(paths: Results, out: Out = None, labels: Labels = None, each: Each = False, force: Force = False) -> int:
    """Write a report: moving 3D, plots, numbers and parameters in one file for any browser, without a network.

    Of the folder of a study it shows all runs: table, main effects, parallel coordinates, scatter, response surfaces.
    """
    if any(path.is_dir() for path in paths):
        if len(paths) > 1 or labels is not None:
            raise ResultError(f"{paths[0]}: the report of a folder has one folder, and no --labels: give it alone")
        write_study_report(paths[0], out, each=each, force=force)
        return 0
    if each:
        raise ResultError("--each belongs to the folder of a study: give one")
    target = Path(f"{paths[0].stem}.html") if out is None else out
    names = find_labels(paths) if labels is None else _split_labels(labels, len(paths))

    check_outputs({"--out": (target, REPORT)}, paths, force=force)

    from grouser.output.report.page import save_report
    from grouser.result.result import load_result

    with ExitStack() as stack:
        runs = {name: stack.enter_context(load_result(path)) for name, path in zip(names, paths, strict=True)}
        save_report(runs, target, force=force)
    say_written(target)
    return 0


def say_written(path: Path) -> None:
    """Tell the place and the size of a report."""
    say_note(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")


def find_labels(paths: Sequence[Path]) -> list[str]:
    """A name for each file, no two alike: its stem, or with as many of its folders as it takes.

    >>> find_labels([Path("a/run.h5"), Path("b/run.h5"), Path("c/fast.h5")])
    ['a/run', 'b/run', 'fast']
    """
    whole = [path.absolute().with_suffix("").parts for path in paths]
    twice = [parts for parts, count in Counter(whole).items() if count > 1]
    if twice:
        raise ResultError(f"the result {paths[whole.index(twice[0])]} is named more than once: name each one once")
    depth = [1] * len(paths)
    while True:
        labels = ["/".join(parts[-count:]) for parts, count in zip(whole, depth, strict=True)]
        counts = Counter(labels)
        if max(counts.values()) == 1:
            return labels
        depth = [count + (counts[label] > 1) for label, count in zip(labels, depth, strict=True)]


def _split_labels(text: str, count: int) -> list[str]:
    labels = [label.strip() for label in text.split(",")]
    if len(labels) != count or "" in labels or len(set(labels)) < count:
        raise ResultError(f"--labels {text}: give {count} different names divided by commas, one for each result")
    return labels
