"""The end of ``grouser run``: a report if it is wanted, what is printed, and the exit code."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.cli.interrupt import find_stop_code
from grouser.cli.report import print_json, say_error, say_note
from grouser.cli.summary import make_summary_json, print_summary
from grouser.errors import SolveError
from grouser.result.facts import find_summary
from grouser.result.slots import load_newest

if TYPE_CHECKING:
    from grouser.result.result import Result


@dataclass(frozen=True)
class Manner:
    """How a command ends: file of the report, whether it may replace any file, and what is printed."""

    report: Path | None
    force: bool
    strict: bool
    json: bool
    quiet: bool


def conclude(
    result: Result, files: dict[str, Path], facts: dict[str, Any], failure: SolveError | None, manner: Manner
) -> int:
    """Write the report of a run, print what came out, and return the exit code.

    `files` are those that the run has written, by what they are; `facts` are further ones for the JSON document.
    """
    with result:
        if manner.report is not None and len(result.time):
            from grouser.output.report.page import save_report

            save_report({str(facts["vehicle"]): result}, manner.report, force=manner.force)
            files = {**files, "report": manner.report}
            facts = {**facts, "report": str(manner.report)}
        if manner.json:
            print_json(make_summary_json(result, **facts))
        elif not manner.quiet:
            print_summary(result, files)
        return _find_code(result, failure, strict=manner.strict)


def _find_code(result: Result, failure: SolveError | None, *, strict: bool) -> int:
    """Exit code of a run; says why it is not 0, and how to go on."""
    if failure is not None:
        say_error(
            f"{failure}; the data until then is in {result.path}, and going on from there by --resume would end the "
            "same way"
        )
        return 1
    if result.status == "interrupted":
        note = f"{result.message} at {result.summary['simulated_time']:.6g} s; the data is in {result.path}"
        if load_newest(result) is not None:
            note += f"; go on with  grouser run --resume {shlex.quote(str(result.path))}"
        say_note(note)
        return find_stop_code()
    doubts = find_summary(result)["doubts"] if strict else []
    if doubts:
        say_error(f"the run is not to be trusted; its data is in {result.path}", *doubts)
    return 1 if doubts else 0
