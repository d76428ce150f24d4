"""The folder of a calibration: traces of runs while it goes on, and what it has found."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from grouser.calibration.bands import Band
from grouser.calibration.judge import Error
from grouser.calibration.spec import Calibration
from grouser.calibration.trace import TRACES
from grouser.catalog.vehicles import validate_vehicle
from grouser.errors import ResultError
from grouser.model.emit import dump_part
from grouser.model.override import with_overrides, with_values
from grouser.result.claim import take_lock
from grouser.study.rest import FOLDER as REST
from grouser.study.setup import load_base_document
from grouser.whole_file import make_write_error, save_whole

TOLD = "calibration.json"
VEHICLE, CURVES, NUMBERS, ERRORS, REPORT = "vehicle.yaml", "curves.csv", "numbers.csv", "errors.csv", "report.html"
HISTORIES, FIGURES = "histories", "figures"


class CalibrationFolder:
    """Where a calibration keeps what it has made."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()

    @property
    def vehicle(self) -> Path:
        """The vehicle file with the best values so far."""
        return self.path / VEHICLE

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / REPORT

    def open(self, calibration: Calibration) -> IO[str] | None:
        """Make the folder, or go on in it; gives the lock by which it is this process's own."""
        told = self.path / TOLD
        try:
            if self.path.exists() and not self.path.is_dir():
                raise ResultError(f"--out {self.path} is a file: give the name of a folder")
            if self.path.is_dir() and not told.is_file() and any(self.path.iterdir()):
                raise ResultError(f"folder {self.path} is not empty and holds no calibration: choose another --out")
            for name in (TRACES, REST, HISTORIES, FIGURES):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            lock = take_lock(self.path, self.path / ".lock", "folder of a calibration")
        except OSError as error:
            raise make_write_error(self.path, "folder of a calibration", error) from error
        with save_whole(told, "calibration") as draft:
            draft.write_text(json.dumps(calibration.model_dump(mode="json"), indent=1), encoding="utf-8")
        return lock

    def save_vehicle(self, calibration: Calibration, values: Mapping[str, Any], remarks: Iterable[str]) -> None:
        """Write the vehicle of the base with values for the unknowns."""
        base = calibration.base
        document = with_overrides(load_base_document(base), base.set, "value")
        vehicle = validate_vehicle(with_values(document, calibration.pick_values(values, "vehicle")))
        lines = [f"# {line}" for line in (f"Written by grouser calibrate: {calibration.name}.", *remarks)]
        with save_whole(self.vehicle, "vehicle file") as draft:
            draft.write_text("\n".join(lines) + "\n" + dump_part(vehicle), encoding="utf-8")

    def save_bands(self, bands: Sequence[Band], is_curve: Mapping[str, bool]) -> None:
        """Write curves and numbers as tables."""
        heads = ["unknown", "argument", "start", "fitted", "low", "high", "data_share", "excited", "determined"]
        rows = [[*_list_cells(band, i)] for band in bands if is_curve[band.name] for i in range(len(band.x))]
        self._save_table(CURVES, heads, rows)
        rows = [
            [c for k, c in enumerate(_list_cells(band, 0)) if k not in (1, 7)]
            for band in bands
            if not is_curve[band.name]
        ]
        self._save_table(NUMBERS, [head for head in heads if head not in ("argument", "excited")], rows)

    def save_errors(self, before: Sequence[Error], after: Sequence[Error]) -> None:
        """Write the errors of all columns, before and after."""
        heads = ["run", "held_out", "column", "measured", "simulated_before", "simulated_after"]
        heads += ["difference_before", "difference_after", "form_before", "form_after"]
        rows = [
            [
                *(a.run, int(a.held_out), a.column, a.measured, b.simulated, a.simulated),
                *(b.difference, a.difference, b.form, a.form),
            ]
            for b, a in zip(before, after, strict=True)
        ]
        self._save_table(ERRORS, heads, rows)

    def save_history(self, run: str, heads: Sequence[str], columns: Sequence[np.ndarray]) -> None:
        """Write the courses of a run."""
        self._save_table(f"{HISTORIES}/{run}.csv", heads, np.column_stack(columns).tolist())

    def _save_table(self, name: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(heads)
        for row in rows:
            writer.writerow([_say_cell(cell) for cell in row])
        with save_whole(self.path / name, "table") as draft:
            draft.write_text(text.getvalue(), encoding="utf-8")


def _list_cells(band: Band, i: int) -> list[Any]:
    value, half = float(band.value[i]), float(band.half[i])
    return [
        *(band.name, float(band.x[i]), float(band.start[i]), value, value - half, value + half),
        *(float(band.share[i]), int(band.is_excited[i]), int(band.is_determined[i])),
    ]


def _say_cell(cell: Any) -> str:
    """A cell; what is not known is empty."""
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:.9g}"
    return str(cell)
