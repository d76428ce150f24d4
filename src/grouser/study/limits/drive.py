"""All limits of a vehicle from the first run to the last: each in a folder of its own, by the workers of studies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError, ResultError, check_path
from grouser.model.body import Frame
from grouser.model.sensor import Sensor
from grouser.result.result import load_result
from grouser.study.cluster import check_extra, count_cores, open_client
from grouser.study.drive import Drive, Progress, open_drive
from grouser.study.experiment import Base, Factor
from grouser.study.folder import Row, StudyFolder
from grouser.study.limits.bracket import Found, seek_limit
from grouser.study.limits.judge import SEAT, Verdict, judge
from grouser.study.limits.limit import Limit, Mover, choose_limits, find_mover, list_limits
from grouser.study.plan import make_repeats
from grouser.study.setup import calc_fingerprint, check_paths
from grouser.study.spec import Study
from grouser.whole_file import save_whole

VERDICTS = "verdicts.json"


@dataclass(frozen=True)
class LimitsOutcome:
    """What was found of a vehicle.

    Attributes
    ----------
    vehicle : name of the vehicle
    folder : where runs, pictures and the report are
    status : ``done``, or ``interrupted`` by the user
    found : limits in their order; those that were not come to are missing
    count : number of limits that were sought
    made : number of runs that were made this time
    """

    vehicle: str
    folder: Path
    status: str
    found: list[Found]
    count: int
    made: int

    def find_result(self, found: Found, verdict: Verdict) -> Path:
        """Result file of a run."""
        return StudyFolder(self.folder / found.limit.name).find_result(verdict.run)


def seek_limits(
    vehicle: str,
    out: str | Path,
    *,
    only: Sequence[str] = (),
    ranges: dict[str, tuple[float, float]] | None = None,
    coarse: float = 1.0,
    overrides: Sequence[str] = (),
    scenario_overrides: Sequence[str] = (),
    seat: tuple[float, float, float] | None = None,
    preset: str | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    again: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    watch: Callable[[Found], None] | None = None,
) -> LimitsOutcome:
    """Find limits of a vehicle by bisection. Runs that the folder has are not made again.

    Parameters
    ----------
    vehicle : of the catalog, or a file
    out : folder with a folder for each limit
    only : names of the limits; all that the vehicle can have if none is given
    ranges : where limits are sought, by their names
    coarse : factor on the tolerances
    overrides, scenario_overrides : values of the vehicle and of all scenarios to replace, each ``path=value``, as in
        ``terrain.friction=0.5``
    seat : where the driver sits in the frame of the main body [m]; by default in its centre of mass
    preset : how the motion is solved
    scheduler, workers, again, force : as of `run_study`
    progress : called while it goes on
    watch : told of every limit that has been found
    """
    check_path(out, "out")
    check_extra()
    mover = find_mover(load_vehicle(vehicle, overrides))
    chosen = choose_limits(list_limits(mover), list(only), dict(ranges or {}))
    if not coarse > 0.0:
        raise ModelError(f"coarse is {coarse:g}; it must be positive")
    chosen = [
        replace(limit, tolerance=coarse * limit.tolerance, overrides=(*limit.overrides, *scenario_overrides))
        for limit in chosen
    ]
    folder, found, made = Path(out).resolve(), [], 0
    folder.mkdir(parents=True, exist_ok=True)
    studies = [(limit, make_limit_study(vehicle, limit, mover, overrides, seat, preset)) for limit in chosen]
    for _, study in studies:
        check_paths(study, make_repeats(study, 0, {study_factor(study): 1.0})[0])
    status = "done"
    with ExitStack() as stack:
        address = scheduler
        if address is None:
            client = stack.enter_context(open_client(None, workers, folder))
            address = client.scheduler.address
        for limit, study in studies:
            place = folder / limit.name
            tell = None if progress is None else _name_progress(progress, limit)
            with open_drive(
                study,
                place,
                calc_fingerprint(study, ()),
                scheduler=address,
                workers=None,
                again=again,
                force=force,
                progress=tell,
                say=None,
            ) as drive:
                before = len(drive.rows)
                search = _Search(limit, study, drive)
                try:
                    found.append(seek_limit(limit, search.ask, workers or count_cores(), search.verdicts))
                except KeyboardInterrupt:
                    status = "interrupted"
                made += len(drive.rows) - before
            if status == "interrupted":
                break
            if watch is not None:
                watch(found[-1])
    return LimitsOutcome(mover.model.name, folder, status, found, len(chosen), made)


def study_factor(study: Study) -> str:
    """Name of the only factor."""
    return next(iter(study.factors))


def make_limit_study(
    vehicle: str,
    limit: Limit,
    mover: Mover,
    overrides: Sequence[str],
    seat: tuple[float, float, float] | None,
    preset: str | None,
) -> Study:
    """The study whose runs find a limit."""
    main = mover.model.main_body
    place = tuple(mover.model.bodies[main].com) if seat is None else seat
    sensor = Sensor(frame=Frame(body=main, position=place), quantity="acceleration", axes="body")
    rated = limit.comfort is not None or limit.shock is not None
    return Study(
        name=f"limit {limit.name}",
        description=limit.title,
        base=Base(
            vehicle=vehicle,
            scenario=limit.scenario,
            set=list(overrides),
            scenario_set=[f"name={limit.name}", *limit.overrides],
            preset=preset,
            duration=limit.duration,
            output_interval=limit.interval,
            sensors={SEAT: sensor} if rated else {},
        ),
        factors={
            limit.quantity: Factor(
                type="scenario", path=limit.path, also=list(limit.also), low=limit.low, high=limit.high, levels=2
            )
        },
    )


class _Search:
    """Answers a bisection by runs; of results only those at both sides of the limit are kept."""

    def __init__(self, limit: Limit, study: Study, drive: Drive) -> None:
        self.limit, self.study, self.drive = limit, study, drive
        self.verdicts = self._load()
        self.runs = {float(row[limit.quantity]): run for run, row in drive.rows.items()}

    def ask(self, values: Sequence[float]) -> dict[float, Verdict]:
        """Verdicts on some numbers."""
        for value in values:
            run = self.runs.setdefault(value, max(self.runs.values(), default=-1) + 1)
            if run in self.drive.rows and value not in self.verdicts and not self._has_result(run):
                self.drive.folder.drop_row(run)
                del self.drive.rows[run]
        cases = [make_repeats(self.study, self.runs[value], {self.limit.quantity: value})[0] for value in values]
        if self.drive.make_missing(cases, len(self.runs)) == "interrupted":
            raise KeyboardInterrupt
        for value in values:
            if value not in self.verdicts:
                self.verdicts[value] = self._judge(value, self.drive.rows[self.runs[value]])
        self._save()
        return {value: self.verdicts[value] for value in values}

    def _has_result(self, run: int) -> bool:
        return self.drive.rows[run]["status"] != "done" or self.drive.folder.find_result(run).is_file()

    def _judge(self, value: float, row: Row) -> Verdict:
        if row["status"] != "done":
            if value == self.limit.low:
                raise ResultError(
                    f"limit {self.limit.name!r}: its run at {value:g} fails: {row['reason']}; --again makes it again"
                )
            return Verdict(value, passed=False, reason=f"the run failed: {row['reason']}", run=row["run"])
        with load_result(self.drive.folder.find_result(row["run"])) as result:
            return judge(self.limit, value, result, row["run"])

    def _load(self) -> dict[float, Verdict]:
        """Verdicts of runs that are there."""
        place = self.drive.folder.path / VERDICTS
        try:
            kept: list[dict[str, Any]] = json.loads(place.read_text(encoding="utf-8"))
            verdicts = [Verdict(**one) for one in kept]
        except (OSError, ValueError, TypeError):
            return {}
        return {one.value: one for one in verdicts if one.run in self.drive.rows}

    def _save(self) -> None:
        """Keep the verdicts, and of the results those of the largest pass and the smallest failure."""
        with save_whole(self.drive.folder.path / VERDICTS, "verdicts") as draft:
            draft.write_text(json.dumps([asdict(one) for one in self.verdicts.values()], indent=1), encoding="utf-8")
        failures = [value for value, one in self.verdicts.items() if not one.passed]
        failure = min(failures, default=float("inf"))
        passes = [value for value, one in self.verdicts.items() if one.passed and value < failure]
        needed = {failure, max(passes, default=failure)}
        for value, one in self.verdicts.items():
            if value not in needed:
                self.drive.folder.find_result(one.run).unlink(missing_ok=True)


def _name_progress(progress: Progress, limit: Limit) -> Progress:
    return lambda phase, done, count: progress(f"{phase}: {limit.name}" if phase == "runs" else phase, done, count)
