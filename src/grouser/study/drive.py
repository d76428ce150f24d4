"""A study from its first run to its last: what is missing goes to workers, and rows come back."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.errors import ModelError, check_path, check_type
from grouser.study.cluster import check_extra, open_client
from grouser.study.crew import LOOK_EVERY, Crew
from grouser.study.folder import Row, StudyFolder, make_row
from grouser.study.plan import Case, make_cases
from grouser.study.setup import calc_fingerprint, check_paths
from grouser.study.single import calc_row, try_case
from grouser.study.spec import Study

if TYPE_CHECKING:
    import distributed
    import pandas

TABLE_EVERY = 2.0
"""Wall time between two writings of the table [s]; longer where it takes more than a twentieth of that."""
Progress = Callable[[str, float, float], None]
"""Called with the phase, ``compiling`` or ``runs``, the number of runs that have ended, and of all."""


@dataclass(frozen=True)
class StudyOutcome:
    """What a study has made.

    Attributes
    ----------
    folder : where it is
    status : ``done``, or ``interrupted`` by the user
    rows : rows by the number of their run
    count : number of all runs
    made : number of runs that were made this time
    """

    folder: Path
    status: str
    rows: dict[int, Row]
    count: int
    made: int

    @property
    def table(self) -> Path:
        """The Parquet file of all rows."""
        return StudyFolder(self.folder).table

    @property
    def failed(self) -> list[Row]:
        """Rows of runs that failed."""
        return [row for row in self.rows.values() if row["status"] != "done"]

    def to_pandas(self) -> pandas.DataFrame:
        """The table."""
        import pandas

        return pandas.read_parquet(self.table)


def run_study(
    study: Study,
    out: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    again: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> StudyOutcome:
    """Make all runs of a study that its folder lacks.

    Parameters
    ----------
    out : folder for results, rows and the table
    scheduler : address of a Dask scheduler; by default a cluster is started on this machine
    workers : processes of that cluster, by default one a core
    again : whether runs that failed are made again
    force : whether runs of another study in the folder are thrown away
    progress : called while it goes on
    say : told the address of Dask's dashboard
    """
    check_type(study, Study, "study", "load it first with gr.load_study")
    check_path(out, "out")
    check_extra()
    cases = make_cases(study)
    check_paths(study, cases[0])
    folder = StudyFolder(out)
    lock = folder.open(study, calc_fingerprint(study, cases), force=force)
    try:
        rows = folder.load_rows()
        for run in [run for run, row in rows.items() if again and row["status"] != "done"]:
            folder.drop_row(run)
            del rows[run]
        missing = [case for case in cases if case.run not in rows]
        status = "done"
        if missing:
            drive = _Drive(study, folder, rows, len(cases), progress or _say_nothing)
            try:
                with open_client(scheduler, workers, folder.path) as client:
                    if say is not None and client.dashboard_link:
                        say(client.dashboard_link)
                    drive.go(client, missing)
            except KeyboardInterrupt:
                status = "interrupted"
            finally:
                rows.update({run: row for run, row in folder.load_rows().items() if run < len(cases)})
                folder.save_table(study, rows)
                if scheduler is None:
                    folder.sweep()
        else:
            folder.save_table(study, rows)
        return StudyOutcome(folder.path, status, rows, len(cases), len(rows) - (len(cases) - len(missing)))
    finally:
        if lock is not None:
            lock.close()


class _Drive(Crew[Case]):
    """Hands runs to workers and takes their rows."""

    def __init__(self, study: Study, folder: StudyFolder, rows: dict[int, Row], count: int, progress: Progress) -> None:
        super().__init__()
        self.study, self.folder, self.rows, self.count, self.progress = study, folder, rows, count, progress
        self._table_due = 0.0

    def go(self, client: distributed.Client, missing: list[Case]) -> None:
        """Make the runs that are missing."""
        self._try_first(client, missing[0])
        self.make(client, missing)

    def _try_first(self, client: distributed.Client, case: Case) -> None:
        """Have one worker compile and settle what all need, and see that the responses can be had."""
        trial = client.submit(try_case, self.study, case, str(self.folder.path), pure=False)
        while not trial.done():
            self.progress("compiling", 0.0, math.nan)
            clock.sleep(LOOK_EVERY / 5)
        if trial.status == "finished" and (fault := trial.result()):
            raise ModelError(fault)

    def name(self, job: Case) -> int:
        """Number of the run."""
        return job.run

    def call(self, job: Case) -> tuple[Any, ...]:
        """The run in a worker."""
        return calc_row, self.study, job, str(self.folder.path)

    def take(self, job: Case) -> bool:
        """Take the row of a run."""
        row = self.folder.load_row(job.run)
        if row is not None:
            self._add(row)
        return row is not None

    def fail(self, job: Case, reason: str) -> None:
        """A run that failed is a row."""
        row = make_row(self.study, job, "failed", reason, {}, None)
        self.folder.save_row(row)
        self._add(row)

    def show(self) -> None:
        """Runs that have ended, of all."""
        self.progress("runs", float(len(self.rows)), float(self.count))

    def say_kept(self) -> str:
        """Rows that are there."""
        return f"{len(self.rows)} of {self.count} runs"

    def say_place(self) -> str:
        """The folder of the study."""
        return str(self.folder.path)

    def _add(self, row: Row) -> None:
        self.rows[row["run"]] = row
        self._save_table()

    def _save_table(self) -> None:
        began = clock.monotonic()
        if began < self._table_due:
            return
        self.folder.save_table(self.study, self.rows)
        ended = clock.monotonic()
        self._table_due = ended + max(TABLE_EVERY, 20.0 * (ended - began))


def _say_nothing(phase: str, done: float, count: float) -> None:
    """Nobody wants to know."""
