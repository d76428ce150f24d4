"""What a calibration has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grouser.calibration.bands import Band
from grouser.calibration.folder import CalibrationFolder
from grouser.calibration.judge import Error, calc_mean


@dataclass(frozen=True)
class CalibrationOutcome:
    """What a calibration has found.

    Attributes
    ----------
    folder : where it is
    status : ``done``, ``unfinished`` after the last linearisation, or ``interrupted`` by the user
    values : of the unknowns, by path, as a vehicle file has them
    bands : curves and numbers with their bands, by the names of the unknowns; none if it was interrupted
    before, after : errors of all columns of all runs at the start and at the end; none if it was interrupted
    shifts : shifts in time that were found, by run [s]
    notes : what was put right in the files, and what is doubtful about them
    steps : number of steps that made it better
    made : number of runs that were made this time
    """

    folder: Path
    status: str
    values: dict[str, Any]
    bands: dict[str, Band] = field(default_factory=dict)
    before: list[Error] = field(default_factory=list)
    after: list[Error] = field(default_factory=list)
    shifts: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    steps: int = 0
    made: int = 0

    @property
    def vehicle(self) -> Path:
        """The vehicle file with what was found."""
        return CalibrationFolder(self.folder).vehicle

    @property
    def report(self) -> Path:
        """The report."""
        return CalibrationFolder(self.folder).report

    def find_error(self, *, held_out: bool, key: str = "difference", is_after: bool = True) -> float:
        """Mean difference of magnitude of fitted or of held-out runs, a share; NaN without any. `key` is ``form`` for
        that of the courses."""
        errors = self.after if is_after else self.before
        return calc_mean([one for one in errors if one.held_out == held_out], key)
