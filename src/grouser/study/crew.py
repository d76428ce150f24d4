"""Jobs for workers: handed out a few at a time, taken when they have ended, made again where a worker died.

A worker keeps what it has made in a file before it answers. So what is kept is looked for first: an answer may have
died with its worker.
"""

from __future__ import annotations

import time as clock
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from grouser.errors import GrouserError, ResultError
from grouser.study.cluster import TRIES

if TYPE_CHECKING:
    import distributed

COUNT_EVERY = 2.0
"""Wall time between two looks at how many workers there are [s]."""
LOOK_EVERY = 0.1
"""Wall time between two looks at progress, and at signals [s]."""
AHEAD = 4
"""Jobs that wait for each worker: so none is idle, and the scheduler is not told of all at once."""

Job = TypeVar("Job")


class Crew(ABC, Generic[Job]):
    """Hands jobs to workers and takes what they have kept. `kind` is what a job is called in messages."""

    kind = "run"

    def __init__(self) -> None:
        self._ended: SimpleQueue[tuple[Job, Any]] = SimpleQueue()  # with what dask calls a future
        self._going: dict[Hashable, Any] = {}
        self._tried: dict[Hashable, int] = {}
        self._count_due = 0.0
        self._workers = 1

    @abstractmethod
    def name(self, job: Job) -> Hashable:
        """What a job is known by."""

    @abstractmethod
    def call(self, job: Job) -> tuple[Any, ...]:
        """The function that makes a job, and its arguments."""

    @abstractmethod
    def take(self, job: Job) -> bool:
        """Take what a worker has kept of a job; whether it was there."""

    @abstractmethod
    def fail(self, job: Job, reason: str) -> None:
        """Take that a job cannot be made."""

    @abstractmethod
    def show(self) -> None:
        """Show how far it is; called often, and may raise to stop."""

    @abstractmethod
    def say_kept(self) -> str:
        """What is kept if it stops now, as a part of a sentence."""

    @abstractmethod
    def say_place(self) -> str:
        """The folder in which things are kept."""

    def make(self, client: distributed.Client, jobs: Sequence[Job]) -> None:
        """Make all jobs."""
        waiting = list(reversed(jobs))
        try:
            while waiting or self._going:
                for _ in range(min(self._find_room(client), len(waiting))):
                    self._submit(client, waiting.pop())
                self._take_ended(client)
        finally:
            client.cancel(list(self._going.values()))
            self._going.clear()

    def _find_room(self, client: distributed.Client) -> int:
        """How many jobs more the workers should be told of; workers are counted now and then."""
        if clock.monotonic() > self._count_due:
            self._workers = max(1, len(client.nthreads()))
            self._count_due = clock.monotonic() + COUNT_EVERY
        return AHEAD * self._workers - len(self._going)

    def _submit(self, client: distributed.Client, job: Job) -> None:
        key = f"{self.kind}-{self.name(job)}-{clock.time_ns()}"
        future = client.submit(*self.call(job), pure=False, key=key)
        self._going[self.name(job)] = future
        future.add_done_callback(lambda done: self._ended.put((job, done)))

    def _take_ended(self, client: distributed.Client) -> None:
        """Take what has ended, or wait a moment for it."""
        self.show()
        try:
            job, future = self._ended.get(timeout=LOOK_EVERY)
        except Empty:
            if client.status not in ("running", "connecting"):
                self._refuse_loss()
            return
        if future is not self._going.get(self.name(job), self):  # of an earlier call, which was stopped
            return
        del self._going[self.name(job)]
        if self.take(job):
            return
        if future.status == "error":
            self._take_failure(client, job, future.exception())
        elif client.status == "running":
            error = ConnectionError(f"nothing came back, the {self.kind} is {future.status}")
            self._take_failure(client, job, error)
        else:
            self._refuse_loss()

    def _take_failure(self, client: distributed.Client, job: Job, error: BaseException) -> None:
        """A job whose worker died, or that could not be made for a reason that lies outside of it."""
        from distributed.scheduler import KilledWorker

        if isinstance(error, GrouserError):
            raise error
        if isinstance(error, KilledWorker):
            self.fail(job, f"its worker died each of {TRIES} times; it may lack memory, or crash")
            return
        self._tried[self.name(job)] = self._tried.get(self.name(job), 0) + 1
        if self._tried[self.name(job)] < TRIES:
            self._submit(client, job)
            return
        if isinstance(error, OSError):  # of the connection, or of a disk: no fault of the job
            raise ResultError(
                f"{self.kind} {self.name(job)} could not be made in {TRIES} tries ({error}): see that workers reach "
                f"the scheduler and the folder {self.say_place()}, and give the same command to go on"
            ) from error
        self.fail(job, f"internal error ({type(error).__name__}: {error})")

    def _refuse_loss(self) -> None:
        raise ResultError(
            f"the scheduler went away after {self.say_kept()}, kept in {self.say_place()}: give the same command to go "
            "on"
        )
