"""An optimisation from its first run to its best: a method asks for points, runs answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from grouser.errors import ResultError, check_path, check_type
from grouser.model.emit import dump_part
from grouser.study.cluster import check_extra
from grouser.study.drive import Drive, Progress, open_drive
from grouser.study.folder import Row, StudyFolder
from grouser.study.goal import Trial, make_trial
from grouser.study.optimisation import Optimisation
from grouser.study.plan import Value, find_share, find_value, make_repeats
from grouser.study.search import Array, seek
from grouser.study.setup import calc_fingerprint, check_paths, load_base_scenario, load_base_vehicle
from grouser.whole_file import save_whole

BEST, BEST_SCENARIO = "best.yaml", "best-scenario.yaml"


@dataclass(frozen=True)
class OptimisationOutcome:
    """What an optimisation has found.

    Attributes
    ----------
    folder : where it is
    status : ``done``, ``budget`` where the number of runs ended it, or ``interrupted`` by the user
    rows : rows by the number of their run
    trials : combinations of factors in the order in which they were asked for
    made : number of runs that were made this time
    """

    folder: Path
    status: str
    rows: dict[int, Row]
    trials: list[Trial]
    made: int

    @property
    def best(self) -> Trial | None:
        """The best combination; one that keeps the constraints if there is any, None if all runs failed."""
        return find_best(self.trials)

    @property
    def table(self) -> Path:
        """The Parquet file of all rows."""
        return StudyFolder(self.folder).table


def optimise(
    wanted: Optimisation,
    out: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    again: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
    watch: Callable[[Trial, int], None] | None = None,
) -> OptimisationOutcome:
    """Seek the best factors of an optimisation. Runs that its folder has are not made again.

    Parameters
    ----------
    out : folder for results, rows, the table, and the vehicle with the best factors
    scheduler : address of a Dask scheduler; by default a cluster is started on this machine
    workers : processes of that cluster, by default one a core
    again : whether runs that failed are made again
    force : whether runs of another optimisation in the folder are thrown away
    progress : called while it goes on
    say : told the address of Dask's dashboard
    watch : told of every new best trial, and how many runs there were
    """
    check_type(wanted, Optimisation, "optimisation", "load it first with gr.load_optimisation")
    check_path(out, "out")
    check_extra()
    check_optimisation(wanted)
    start = find_start(wanted)
    with open_drive(
        wanted,
        out,
        calc_fingerprint(wanted, ()),
        scheduler=scheduler,
        workers=workers,
        again=again,
        force=force,
        progress=progress,
        say=say,
    ) as drive:
        before = len(drive.rows)
        answers = _Answers(wanted, drive, watch)
        status = "done"
        try:
            seek(wanted, start, answers.ask)
        except _EndError as end:
            status = end.status
        except KeyboardInterrupt:
            status = "interrupted"
    outcome = OptimisationOutcome(
        drive.folder.path, status, drive.rows, list(answers.trials.values()), len(drive.rows) - before
    )
    if outcome.best is not None:
        save_best(wanted, outcome.best, outcome.folder)
    return outcome


def check_optimisation(wanted: Optimisation) -> None:
    """Refuse files that cannot be read and paths that no value has."""
    check_paths(wanted, make_repeats(wanted, 0, _find_values(wanted, find_start(wanted)))[0])


def find_best(trials: list[Trial]) -> Trial | None:
    """The best of some trials, None where all failed."""
    best = min(trials, key=lambda trial: trial.cost, default=None)
    return None if best is None or best.reason else best


def find_start(wanted: Optimisation) -> Array:
    """The point that is asked for first."""
    given = wanted.method.start
    return np.array(
        [find_share(factor, given[name]) if name in given else 0.5 for name, factor in wanted.factors.items()]
    )


def save_best(wanted: Optimisation, best: Trial, folder: Path) -> list[Path]:
    """Write the vehicle, and the scenario where factors change it, with the best factors applied."""
    single = wanted.model_copy(update={"replicates": None})
    case = make_repeats(single, 0, best.values)[0]
    head = f"# {wanted.name}: run {best.run}, {wanted.goal} = {best.responses[wanted.goal]:.9g}\n"
    parts: dict[str, Any] = {BEST: load_base_vehicle(single, case)}
    if any(factor.type == "scenario" for factor in wanted.factors.values()):
        parts[BEST_SCENARIO] = load_base_scenario(single, case)
    written = []
    for name, part in parts.items():
        with save_whole(folder / name, "file of the best factors") as draft:
            draft.write_text(head + dump_part(part), encoding="utf-8")
        written.append(folder / name)
    return written


class _EndError(Exception):
    """Ends a method from within what it asks."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class _Answers:
    """Answers a method by runs, each combination of factors once."""

    def __init__(self, wanted: Optimisation, drive: Drive, watch: Callable[[Trial, int], None] | None) -> None:
        self.wanted, self.drive, self.watch = wanted, drive, watch
        self.trials: dict[tuple[Value, ...], Trial] = {}
        self._known = _group_rows(wanted, drive.rows)
        self._free = (number for number in count() if number not in set(self._known.values()))
        self._best = np.inf

    def ask(self, points: Array) -> Array:
        """Costs of some points."""
        asked = [_find_values(self.wanted, point) for point in points]
        keys = [tuple(values.values()) for values in asked]
        new = {key: values for key, values in zip(keys, asked, strict=True) if key not in self.trials}
        room = max(0, self.wanted.method.runs // self.wanted.repeats - len(self.trials))
        taken = dict(list(new.items())[:room])
        self._make(taken)
        for key, values in taken.items():
            self._add(key, values)
        if len(taken) < len(new):
            raise _EndError("budget")
        if all(trial.reason for trial in self.trials.values()) and len(self.trials) >= len(self.wanted.factors) + 2:
            first = next(iter(self.trials.values()))
            raise ResultError(
                f"each of the first {len(self.trials)} runs failed, run {first.run}: {first.reason}; choose other "
                "ranges or another start; rows are kept, and --again makes them again"
            )
        return np.array([self.trials[key].cost for key in keys])

    def _make(self, points: Mapping[tuple[Value, ...], dict[str, Value]]) -> None:
        """Make the runs of some points that the folder lacks."""
        cases = []
        for key, values in points.items():
            if key not in self._known:
                self._known[key] = next(self._free)
            cases += make_repeats(self.wanted, self._known[key], values)
        if self.drive.make_missing(cases, self.wanted.method.runs) == "interrupted":
            raise _EndError("interrupted")

    def _add(self, key: tuple[Value, ...], values: dict[str, Value]) -> None:
        cases = make_repeats(self.wanted, self._known[key], values)
        trial = make_trial(self.wanted, values, [self.drive.rows[case.run] for case in cases])
        self.trials[key] = trial
        if trial.cost < self._best and not trial.reason:
            self._best = trial.cost
            if self.watch is not None:
                self.watch(trial, len(self.trials) * self.wanted.repeats)


def _group_rows(wanted: Optimisation, rows: Mapping[int, Row]) -> dict[tuple[Value, ...], int]:
    """Numbers of the combinations of factors of which there are rows."""
    return {tuple(row[name] for name in wanted.factors): row["point"] for row in rows.values()}


def _find_values(wanted: Optimisation, point: Any) -> dict[str, Value]:
    return {
        name: find_value(factor, float(share))
        for (name, factor), share in zip(wanted.factors.items(), point, strict=True)
    }
