"""Workers of a study: a cluster on this machine, started and stopped here, or one that runs elsewhere."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grouser._version import __version__
from grouser.errors import ModelError, ResultError

if TYPE_CHECKING:
    import distributed

PATIENCE = 30.0
"""How long to wait for a scheduler to answer, and for its first worker [s]."""
TRIES = 3
"""How many times a run is made whose worker died."""
CONFIG = {
    # a worker that dies takes nothing with it but the run that it makes
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.allowed-failures": TRIES - 1,
    "distributed.worker.daemon": True,
    # a worker makes one long call after the other: it is neither sampled nor asked how it is many times a second
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
}
PRELOADED = ("distributed", "distributed.nanny", "grouser.study.single", "grouser.calibration.trace")
"""What all workers need: imported once, by the process from which they are forked."""
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Variables of the environment by which libraries take one thread: a worker has one core."""


def check_extra() -> None:
    """Refuse to go on without the libraries of studies; they are not imported yet, which takes a second."""
    for name in ("distributed", "pyarrow"):
        if find_spec(name) is None:
            raise ResultError(
                f"studies need {name}, which is not installed: install it with  pip install 'grouser[study]'"
            )


@contextmanager
def open_client(scheduler: str | None, workers: int | None, folder: Path) -> Iterator[distributed.Client]:
    """A client of the scheduler at an address, or of a cluster of so many processes, by default one a core."""
    check_extra()
    if scheduler is None:
        with _start_cluster(workers or count_cores()) as client:
            yield client
        return
    import distributed

    _silence()
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ResultError(
            f"--scheduler {scheduler}: nobody answers ({error}): give the address that 'dask scheduler' prints, as in "
            "tcp://host:8786"
        ) from None
    try:
        _check_workers(client, scheduler, folder)
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _start_cluster(workers: int) -> Iterator[distributed.Client]:
    method = begin_imports()  # while this process imports Dask too
    import dask.config
    import distributed
    import distributed.utils

    distributed.utils._forkserver_preload_set = True  # else Dask imports pandas and more here, to choose what to import
    with dask.config.set({**CONFIG, "distributed.worker.multiprocessing-method": method}):
        with _hold_signals():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
            _silence()
            client = distributed.Client(cluster, set_as_default=False)
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=2)
            _stop_workers(cluster)
            with suppress(Exception):
                cluster.close(timeout=10)


def begin_imports() -> str:
    """Start the process from which workers here are forked, where that is safe; gives how they are started.

    It goes on by itself: importing is half of what a worker costs before its first run. Once it is there, workers of
    further clusters start at once. It has no threads, and ends with this process.
    """
    if not sys.platform.startswith("linux"):  # elsewhere libraries of the system may not survive a fork
        return "spawn"
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload(list(PRELOADED))
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        with _hold_signals():
            forkserver.ensure_running()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return "forkserver"


def _silence() -> None:
    """What Dask tells of lost connections is told by errors of this program, once."""
    for logger in ("distributed", "distributed.client", "distributed.comm", "tornado", "asyncio"):
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)


@contextmanager
def _hold_signals() -> Iterator[None]:
    """Processes and threads that are started within never see Ctrl-C, nor the loss of the terminal: both concern this
    process, which then stops the others."""
    held = {getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)}
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop_workers(cluster: Any) -> None:
    """End worker processes that are still within a run: they would be waited for."""
    for nanny in list(cluster.workers.values()):
        nanny.auto_restart = False
        process = getattr(getattr(nanny, "process", None), "process", None)
        pid = getattr(process, "pid", None)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _check_workers(client: distributed.Client, scheduler: str, folder: Path) -> None:
    """Refuse workers that cannot make the runs: without this version of grouser, or without the folder."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ResultError(
            f"--scheduler {scheduler}: it has no worker: start one with  dask worker {scheduler}"
        ) from None
    told = client.run(describe_worker, str(folder), on_error="return")
    faults = []
    for worker, answer in told.items():
        if isinstance(answer, BaseException):
            faults.append(f"worker {worker} cannot import grouser.study ({answer}): install grouser[study] there")
        elif answer["version"] != __version__:
            faults.append(f"worker {worker} has grouser {answer['version']}, this is {__version__}: install the same")
        elif not answer["sees_folder"]:
            faults.append(f"worker {worker} does not see the folder {folder}: choose --out on a disk that all share")
    if faults:
        raise ModelError(faults)


def describe_worker(folder: str) -> dict[str, Any]:
    """What a worker is, asked of it."""
    return {"version": __version__, "sees_folder": Path(folder).is_dir()}
