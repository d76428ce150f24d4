"""The command ``grouser``: its commands, and what becomes of errors.

Exit codes: 0 done, 1 a run failed (its data is kept) or with --strict is not to be trusted, 2 bad input or a file or
stdout that cannot be written, 130 stopped by the user, 143 by SIGTERM, 129 by SIGHUP (its data is kept), 141 nobody
reads what is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from grouser._version import __version__
from grouser.cli.calibrate import calibrate
from grouser.cli.check import check
from grouser.cli.compare import compare
from grouser.cli.export import export
from grouser.cli.html_report import report
from grouser.cli.info import info
from grouser.cli.interrupt import Interrupts, StoppedError, find_stop_code, ignore_signals
from grouser.cli.kinematics import kinematics
from grouser.cli.limits import limits
from grouser.cli.list import list_names
from grouser.cli.loads import loads
from grouser.cli.new import new
from grouser.cli.npost import npost
from grouser.cli.optimise import optimise
from grouser.cli.plot import plot
from grouser.cli.render import render
from grouser.cli.report import print_json, say_error
from grouser.cli.ride import ride
from grouser.cli.run import run
from grouser.cli.schema import schema
from grouser.cli.settle import settle
from grouser.cli.show import show
from grouser.cli.streams import PrintError, drop_streams, steady_streams
from grouser.cli.study import study
from grouser.errors import GrouserError, ModelError, SolveError, shorten

FAILED, BAD_INPUT, UNREAD = 1, 2, 141

app = typer.Typer(
    name="grouser",
    help="Tracked and wheeled vehicles as multibody systems: every link, every joint, every contact.",
    epilog="Start with:  grouser run m113 --scenario straight --out m113.h5",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    run,
    study,
    optimise,
    npost,
    limits,
    calibrate,
    compare,
    settle,
    show,
    check,
    new,
    kinematics,
    report,
    plot,
    render,
    ride,
    loads,
    export,
    info,
    schema,
):
    app.command()(command)
app.command(name="list")(list_names)


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> int:
    if version:
        typer.echo(f"grouser {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; `arguments` are those of the process by default."""
    if arguments is not None:
        with steady_streams():
            return _run_printing(list(arguments))
    try:
        with steady_streams(), Interrupts():
            return _run_printing(sys.argv[1:])
    except KeyboardInterrupt:
        return find_stop_code()
    finally:
        ignore_signals()
        drop_streams()


def _run_printing(words: list[str]) -> int:
    """Run a command line, and see that all it prints is written."""
    try:
        code = _run_words(words)
        sys.stdout.flush()
    except PrintError as error:
        if error.is_unread:
            return UNREAD
        say_error(str(error))
        return BAD_INPUT
    return code


def _run_words(words: list[str]) -> int:
    status = "error"
    try:
        return int(app(words, prog_name="grouser", standalone_mode=False, obj=words) or 0)
    except PrintError:
        raise
    except GrouserError as error:
        faults = error.faults if isinstance(error, ModelError) else (str(error),)
        code = FAILED if isinstance(error, SolveError) else BAD_INPUT
    except typer.Abort:
        return find_stop_code()
    except StoppedError as error:
        faults, code, status = (str(error),), find_stop_code(), "interrupted"
    except Exception as error:
        if os.environ.get("GROUSER_TRACEBACK"):
            raise
        faults, code = _explain(error)
    say_error(*faults)
    if "--json" in words:
        print_json({"status": status, "message": "\n".join(faults), "faults": list(faults)})
    return code


def _explain(error: Any) -> tuple[tuple[str, ...], int]:
    """Sentence and exit code of an error that is not grouser's own."""
    if hasattr(error, "format_message"):  # a wrong command line
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "grouser"
        message = str(error.format_message()).replace("\n", " ").rstrip(". ")
        return (f"{shorten(message, 500)}; see  {path} --help",), BAD_INPUT
    if isinstance(error, OSError) and error.filename:
        return (f"{shorten(str(error.filename), 200)}: {error.strerror}",), BAD_INPUT
    kind = type(error).__name__
    return (
        f"internal error ({kind}: {shorten(str(error), 500)}). This is a fault of grouser, not of your input: please "
        "report it with the command that you gave; GROUSER_TRACEBACK=1 shows where it happened",
    ), FAILED
