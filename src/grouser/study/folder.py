"""The folder of a study: a result file and a row for each run, and the table of all rows.

Rows are small files of their own, ``rows/000012.json``, which appear whole or not at all: so a row is there once or
not, whatever is killed when. The table, ``table.parquet``, is made of them again and again while the study goes on.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from grouser.errors import ResultError, shorten
from grouser.result.claim import take_lock
from grouser.study.experiment import Experiment
from grouser.study.plan import Case
from grouser.whole_file import make_write_error, save_whole

if TYPE_CHECKING:
    import pyarrow

Row = dict[str, Any]
ROWS, RUNS, REST = "rows", "runs", "rest"
STUDY, TABLE = "study.json", "table.parquet"


class StudyFolder:
    """Where a study keeps what it has made."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()

    @property
    def table(self) -> Path:
        """The Parquet file of all rows."""
        return self.path / TABLE

    def find_result(self, run: int) -> Path:
        """The result file of a run."""
        return self.path / RUNS / f"{run:06d}.h5"

    def find_row(self, run: int) -> Path:
        """The row of a run."""
        return self.path / ROWS / f"{run:06d}.json"

    def make_draft(self, run: int) -> Path:
        """A place for a result that is not whole yet, which no other process writes to."""
        return self.path / RUNS / f".{run:06d}-{uuid.uuid4().hex[:8]}.h5"

    def open(self, study: Experiment, fingerprint: str, *, force: bool) -> IO[str] | None:
        """Make the folder, or go on in one of the same study; gives the lock by which it is this process's own."""
        told = self.path / STUDY
        try:
            if self.path.exists() and not self.path.is_dir():
                raise ResultError(f"--out {self.path} is a file: give the name of a folder")
            if self.path.is_dir() and not told.is_file() and any(self.path.iterdir()):
                raise ResultError(f"folder {self.path} is not empty and holds no study: choose another --out")
            for name in (ROWS, RUNS, REST):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            lock = take_lock(self.path, self.path / ".lock", "study folder")
        except OSError as error:
            raise make_write_error(self.path, "study folder", error) from error
        if told.is_file() and _read_json(told).get("fingerprint") != fingerprint:
            if not force:
                raise ResultError(
                    f"folder {self.path} holds runs of another study, or of this one before it or a file that it names "
                    "was changed: choose another --out, or begin anew by --force"
                )
            self._clear()
        content = {"fingerprint": fingerprint, "study": study.model_dump(mode="json")}
        with save_whole(told, "study") as draft:
            draft.write_text(json.dumps(content, indent=1), encoding="utf-8")
        self.sweep()
        return lock

    def load_told(self) -> dict[str, Any]:
        """The study or the optimisation whose runs are here, as plain data."""
        told = _read_json(self.path / STUDY).get("study")
        if not isinstance(told, dict):
            raise ResultError(f"folder {self.path} holds no study: give the folder that 'grouser study' has made")
        return told

    def sweep(self) -> None:
        """Remove what runs that were killed have left."""
        for place in (self.path / RUNS).glob(".*"):
            place.unlink(missing_ok=True)

    def _clear(self) -> None:
        for pattern in (f"{ROWS}/*.json", f"{RUNS}/*.h5", f"{REST}/*.npz", TABLE):
            for place in self.path.glob(pattern):
                place.unlink(missing_ok=True)

    def save_row(self, row: Row) -> None:
        """Keep the row of a run."""
        with save_whole(self.find_row(row["run"]), "row") as draft:
            draft.write_text(json.dumps(row), encoding="utf-8")

    def load_rows(self) -> dict[int, Row]:
        """All rows by the number of their run."""
        runs = [int(place.stem) for place in (self.path / ROWS).glob("*.json") if place.stem.isdecimal()]
        rows = {run: self.load_row(run) for run in sorted(runs)}
        return {run: row for run, row in rows.items() if row is not None}

    def load_row(self, run: int) -> Row | None:
        """The row of a run, if it is there."""
        row = _read_json(self.find_row(run))
        return row if row.get("run") == run else None

    def drop_row(self, run: int) -> None:
        """Forget a run, so that it is made again."""
        self.find_row(run).unlink(missing_ok=True)
        self.find_result(run).unlink(missing_ok=True)

    def save_table(self, study: Experiment, rows: Mapping[int, Row]) -> None:
        """Write the table of all rows, in the order of the runs."""
        import pyarrow.parquet

        table = make_table(study, [rows[run] for run in sorted(rows)])
        with save_whole(self.table, "table") as draft:
            pyarrow.parquet.write_table(table, draft)


def make_row(
    study: Experiment, case: Case, status: str, reason: str, responses: Mapping[str, float], result: str | None
) -> Row:
    """The row of a run. `status` is ``done`` or ``failed``; a failed run has a reason, and no responses."""
    return {
        "run": case.run,
        "point": case.point,
        "replicate": case.replicate,
        "seed": case.seed,
        **case.values,
        **{name: responses.get(name) for name in study.responses},
        "status": status,
        "reason": shorten(reason),
        "result": result,
    }


def make_table(study: Experiment, rows: Sequence[Row]) -> pyarrow.Table:
    """Rows as a table: responses are numbers, factors numbers if all their values are, else text."""
    import pyarrow

    columns = {name: pyarrow.array([row[name] for row in rows], pyarrow.int64()) for name in ("run", "point")}
    columns |= {name: pyarrow.array([row[name] for row in rows], pyarrow.int64()) for name in ("replicate", "seed")}
    for name in study.factors:
        values = [row[name] for row in rows]
        is_number = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        kind = pyarrow.float64() if is_number else pyarrow.string()
        columns[name] = pyarrow.array([float(v) if is_number else str(v) for v in values], kind)
    for name in study.responses:
        columns[name] = pyarrow.array([row[name] for row in rows], pyarrow.float64())
    for name in ("status", "reason", "result"):
        columns[name] = pyarrow.array([row[name] for row in rows], pyarrow.string())
    return pyarrow.table(columns)


def _read_json(place: Path) -> dict[str, Any]:
    """Content of a file of this folder; nothing where it is damaged, so that its run is made again."""
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
