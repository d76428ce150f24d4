"""A study from its first run to its last: what is missing goes to workers, and rows come back."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from grouser.errors import GrouserError, ModelError, ResultError, check_path, check_type
from grouser.study.cluster import TRIES, check_extra, open_client
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
COUNT_EVERY = 2.0
"""Wall time between two looks at how many workers there are [s]."""
LOOK_EVERY = 0.1
"""Wall time between two looks at progress, and at signals [s]."""
AHEAD = 4
"""Runs that wait for each worker: so none is idle, and the scheduler is not told of all at once."""

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


class _Drive:
    """Hands runs to workers and takes their rows."""

    def __init__(self, study: Study, folder: StudyFolder, rows: dict[int, Row], count: int, progress: Progress) -> None:
        self.study, self.folder, self.rows, self.count, self.progress = study, folder, rows, count, progress
        self._ended: SimpleQueue[tuple[Case, Any]] = SimpleQueue()
        self._going: dict[int, Any] = {}
        self._tried: dict[int, int] = {}
        self._table_due = self._count_due = 0.0
        self._workers = 1

    def go(self, client: distributed.Client, missing: list[Case]) -> None:
        """Make the runs that are missing."""
        self._try_first(client, missing[0])
        waiting = list(reversed(missing))
        try:
            while waiting or self._going:
                for _ in range(min(self._find_room(client), len(waiting))):
                    self._submit(client, waiting.pop())
                self._take_ended(client)
        finally:
            client.cancel(list(self._going.values()))

    def _find_room(self, client: distributed.Client) -> int:
        """How many runs more the workers should be told of; workers are counted now and then."""
        if clock.monotonic() > self._count_due:
            self._workers = max(1, len(client.nthreads()))
            self._count_due = clock.monotonic() + COUNT_EVERY
        return AHEAD * self._workers - len(self._going)

    def _try_first(self, client: distributed.Client, case: Case) -> None:
        """Have one worker compile and settle what all need, and see that the responses can be had."""
        trial = client.submit(try_case, self.study, case, str(self.folder.path), pure=False)
        while not trial.done():
            self.progress("compiling", 0.0, math.nan)
            clock.sleep(LOOK_EVERY / 5)
        if trial.status == "finished" and (fault := trial.result()):
            raise ModelError(fault)

    def _submit(self, client: distributed.Client, case: Case) -> None:
        future = client.submit(
            calc_row, self.study, case, str(self.folder.path), pure=False, key=f"run-{case.run}-{clock.time_ns()}"
        )
        self._going[case.run] = future
        future.add_done_callback(lambda done: self._ended.put((case, done)))

    def _take_ended(self, client: distributed.Client) -> None:
        """Take the rows of runs that have ended, or wait a moment for one."""
        self.progress("runs", float(len(self.rows)), float(self.count))
        try:
            case, future = self._ended.get(timeout=LOOK_EVERY)
        except Empty:
            if client.status not in ("running", "connecting"):
                self._refuse_loss()
            return
        del self._going[case.run]
        row = self.folder.load_row(case.run)  # the worker has written it; what it returned may have died with it
        if row is not None:
            self.rows[case.run] = row
            self._save_table()
        elif future.status == "error":
            self._take_failure(client, case, future.exception())
        elif client.status == "running":
            self._take_failure(client, case, ConnectionError(f"no row came back, the run is {future.status}"))
        else:
            self._refuse_loss()

    def _take_failure(self, client: distributed.Client, case: Case, error: BaseException) -> None:
        """A run whose worker died, or that could not be made for a reason that lies outside of it."""
        from distributed.scheduler import KilledWorker

        if isinstance(error, GrouserError):
            raise error
        if isinstance(error, KilledWorker):
            reason = f"its worker died each of {TRIES} times; it may lack memory, or crash"
        else:
            self._tried[case.run] = self._tried.get(case.run, 0) + 1
            if self._tried[case.run] < TRIES:
                self._submit(client, case)
                return
            if isinstance(error, OSError):  # of the connection, or of a disk: no fault of the run
                raise ResultError(
                    f"run {case.run} could not be made in {TRIES} tries ({error}): see that workers reach the "
                    f"scheduler and the folder {self.folder.path}, and give the same command to go on"
                ) from error
            reason = f"internal error ({type(error).__name__}: {error})"
        row = make_row(self.study, case, "failed", reason, {}, None)
        self.folder.save_row(row)
        self.rows[case.run] = row
        self._save_table()

    def _refuse_loss(self) -> None:
        raise ResultError(
            f"the scheduler of the study went away after {len(self.rows)} of {self.count} runs; their rows are kept in "
            f"{self.folder.path}: give the same command to go on"
        )

    def _save_table(self) -> None:
        began = clock.monotonic()
        if began < self._table_due:
            return
        self.folder.save_table(self.study, self.rows)
        ended = clock.monotonic()
        self._table_due = ended + max(TABLE_EVERY, 20.0 * (ended - began))


def _say_nothing(phase: str, done: float, count: float) -> None:
    """Nobody wants to know."""
