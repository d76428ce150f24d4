"""One run of a study, as workers make it, or anybody by themselves."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from grouser.errors import GrouserError, ModelError, ResultError, SolveError
from grouser.model.start import find_start_faults
from grouser.result.result import Result
from grouser.simulate import simulate
from grouser.study.experiment import Experiment
from grouser.study.folder import Row, StudyFolder, make_row
from grouser.study.plan import Case
from grouser.study.respond import calc_responses, check_responses
from grouser.study.rest import find_rest
from grouser.study.setup import Setup, make_setup


def simulate_case(study: Experiment, case: Case, *, out: Path | None = None, folder: Path | None = None) -> Result:
    """The run of a case; states of rest are shared in the folder of a study if one is given."""
    setup = make_setup(study, case)
    return _simulate(setup, find_initial(setup, folder), out)


def calc_row(study: Experiment, case: Case, folder: str) -> Row:
    """Make a run, and keep its result and its row in the folder of its study."""
    place = StudyFolder(folder)
    draft, told = place.make_draft(case.run), place.find_result(case.run)
    try:
        try:
            with simulate_case(study, case, out=draft, folder=place.path) as result:
                if result.status == "interrupted":
                    raise KeyboardInterrupt
                responses = calc_responses(study.responses, result)
            status, reason = "done", ""
        except SolveError as error:
            status, reason, responses = "failed", str(error), {}
            if error.result is not None:
                error.result.close()
        except GrouserError as error:
            if not place.path.is_dir() or (isinstance(error, ResultError) and isinstance(error.__cause__, OSError)):
                raise  # the folder is full, or has gone: no fault of the run
            status, reason, responses = "failed", str(error), {}
        if draft.exists():
            os.replace(draft, told)
    finally:
        draft.unlink(missing_ok=True)
    row = make_row(study, case, status, reason, responses, f"{told.parent.name}/{told.name}" if told.exists() else None)
    place.save_row(row)
    return row


def try_case(study: Experiment, case: Case, folder: str) -> str:
    """Make the first frame of a case, so that all is compiled and settled once; gives why its responses cannot be
    had, or nothing. A run that fails will say so in its row."""
    try:
        setup = make_setup(study, case)
        setup = replace(setup, settings=replace(setup.settings, duration=setup.settings.output_interval))
        result = _simulate(setup, find_initial(setup, Path(folder)), None)
    except GrouserError:
        return ""
    with result:
        try:
            check_responses(study.responses, result)
        except GrouserError as error:
            return str(error)
    return ""


def find_initial(setup: Setup, folder: Path | None) -> str | None:
    """File of the state from which a run starts, or None if it finds it by itself."""
    return setup.initial if folder is None else find_rest(setup, folder)


def _simulate(setup: Setup, initial: str | None, out: Path | None) -> Result:
    settings = setup.settings
    faults, _ = find_start_faults(setup.model, settings.duration)
    if faults:
        raise ModelError(faults)
    return simulate(
        setup.model,
        preset=setup.preset,
        duration=settings.duration,
        step=settings.step,
        output_interval=settings.output_interval,
        out=out,
        settle=settings.settle if initial is None else None,
        initial=initial,
        threads=1,  # a worker has one core
        about=setup.about,
    )
