"""A study from its first run to its last: what is missing goes to workers, and rows come back."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser.errors import ModelError, check_path, check_type
from grouser.study.cluster import begin_imports, check_extra, open_client
from grouser.study.crew import LOOK_EVERY, Crew
from grouser.study.experiment import Experiment
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
    if scheduler is None and not StudyFolder(out).table.is_file():
        begin_imports()
    cases = make_cases(study)
    check_paths(study, cases[0])
    fingerprint = calc_fingerprint(study, cases)
    with open_drive(
        study,
        out,
        fingerprint,
        scheduler=scheduler,
        workers=workers,
        again=again,
        force=force,
        progress=progress,
        say=say,
    ) as drive:
        before = len(drive.rows)
        status = drive.make_missing(cases, len(cases))
    return StudyOutcome(drive.folder.path, status, drive.rows, len(cases), len(drive.rows) - before)


@contextmanager
def open_drive(
    wanted: Experiment,
    out: str | Path,
    fingerprint: str,
    *,
    scheduler: str | None,
    workers: int | None,
    again: bool,
    force: bool,
    progress: Progress | None,
    say: Callable[[str], None] | None,
) -> Iterator[Drive]:
    """What makes runs into a folder, which nobody else writes to meanwhile; at the end the table is whole."""
    folder = StudyFolder(out)
    lock = folder.open(wanted, fingerprint, force=force)
    try:
        rows = folder.load_rows()
        for run in [run for run, row in rows.items() if again and row["status"] != "done"]:
            folder.drop_row(run)
            del rows[run]
        with ExitStack() as stack:
            drive = Drive(
                wanted,
                folder,
                rows,
                lambda: stack.enter_context(open_client(scheduler, workers, folder.path)),
                progress or _say_nothing,
                say or _tell_nobody,
            )
            stack.callback(drive.close, is_local=scheduler is None)
            yield drive
    finally:
        if lock is not None:
            lock.close()


class Drive(Crew[Case]):
    """Hands runs to workers and takes their rows. Workers are there from the first run on that is missing."""

    def __init__(
        self,
        wanted: Experiment,
        folder: StudyFolder,
        rows: dict[int, Row],
        open_client: Callable[[], distributed.Client],
        progress: Progress,
        say: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.wanted, self.folder, self.rows, self.progress = wanted, folder, rows, progress
        self._open_client, self._say = open_client, say
        self._client: distributed.Client | None = None
        self._count = 0
        self._table_due = 0.0

    def make_missing(self, cases: Sequence[Case], count: int) -> str:
        """Make those of some runs that are missing; gives ``done``, or ``interrupted`` by the user.

        Parameters
        ----------
        count : number of all runs, for those who watch
        """
        self._count = count
        missing = [case for case in cases if case.run not in self.rows]
        if not missing:
            return "done"
        try:
            self.make(self._find_client(missing[0]), missing)
        except KeyboardInterrupt:
            return "interrupted"
        return "done"

    def close(self, *, is_local: bool) -> None:
        """Take the rows that came last, and write the table; `is_local` says that no worker goes on."""
        self.rows.update(self.folder.load_rows())
        self.folder.save_table(self.wanted, self.rows)
        if is_local and self._client is not None:
            self.folder.sweep()

    def _find_client(self, case: Case) -> distributed.Client:
        """The client, which is asked for once, and makes the first frame of a run."""
        if self._client is None:
            self._client = self._open_client()
            if self._client.dashboard_link:
                self._say(self._client.dashboard_link)
            self._try_first(self._client, case)
        return self._client

    def _try_first(self, client: distributed.Client, case: Case) -> None:
        """Have one worker compile and settle what all need, and see that the responses can be had."""
        trial = client.submit(try_case, self.wanted, case, str(self.folder.path), pure=False)
        self.folder.save_table(self.wanted, self.rows)  # what writes it takes a second to import
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
        return calc_row, self.wanted, job, str(self.folder.path)

    def take(self, job: Case) -> bool:
        """Take the row of a run."""
        row = self.folder.load_row(job.run)
        if row is not None:
            self._add(row)
        return row is not None

    def fail(self, job: Case, reason: str) -> None:
        """A run that failed is a row."""
        row = make_row(self.wanted, job, "failed", reason, {}, None)
        self.folder.save_row(row)
        self._add(row)

    def show(self) -> None:
        """Runs that have ended, of all."""
        self.progress("runs", float(len(self.rows)), float(self._count))

    def say_kept(self) -> str:
        """Rows that are there."""
        return f"{len(self.rows)} of {self._count} runs"

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
        self.folder.save_table(self.wanted, self.rows)
        ended = clock.monotonic()
        self._table_due = ended + max(TABLE_EVERY, 20.0 * (ended - began))


def _tell_nobody(text: str) -> None:
    """Nobody listens."""


def _say_nothing(phase: str, done: float, count: float) -> None:
    """Nobody wants to know."""
