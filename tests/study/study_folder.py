"""Folders of studies and of optimisations whose rows nobody has run: responses are functions of the factors."""

from __future__ import annotations

import math
from pathlib import Path

from grouser.study.folder import Row, StudyFolder, make_row
from grouser.study.optimisation import Optimisation
from grouser.study.plan import Case, make_cases
from grouser.study.spec import Study

ROADS = {"B": 1.0, "C": 2.0, "D": 4.0}
FAILED = (3, 17)
REASON = "body 'chassis' <b>burst</b> at 1.2 s</script>"


def calc_bounce(mass: float, speed: float, road: str) -> float:
    """A response that the road decides most, and the speed more than the mass."""
    return 0.01 * ROADS[road] * (speed / 8.0) * (1.0 - 0.1 * (mass - 2200.0) / 400.0)


def make_study_folder(path: Path, count: int = 48) -> Study:
    """A study of three factors with two failed runs."""
    study = Study.model_validate(
        {
            "name": "roads & <speeds>",
            "base": {"vehicle": "hmmwv", "scenario": "ride", "duration": 5},
            "factors": {
                "mass": {"path": "chassis.mass", "low": 1800, "high": 2600},
                "speed": {"type": "scenario", "path": "driver.speed", "low": 4, "high": 16, "logarithmic": True},
                "road": {"type": "scenario", "path": "terrain.road_class", "values": list(ROADS)},
            },
            "plan": {"type": "sobol", "count": count, "seed": 1},
            "responses": {
                "bounce": {"take": "rms", "of": "chassis.velocity.z"},
                "still": {"take": "max", "of": "chassis.velocity.y"},
            },
        }
    )
    folder = StudyFolder(path)
    folder.open(study, "one", force=True).close()  # type: ignore[union-attr]
    rows = {}
    for case in make_cases(study):
        if case.run in FAILED:
            rows[case.run] = make_row(study, case, "failed", REASON, {}, None)
        else:
            folder.find_result(case.run).write_bytes(b"")
            responses = {"bounce": calc_bounce(**case.values), "still": 0.0}  # type: ignore[arg-type]
            rows[case.run] = make_row(study, case, "done", "", responses, f"runs/{case.run:06d}.h5")
        folder.save_row(rows[case.run])
    folder.save_table(study, rows)
    return study


def make_optimisation_folder(path: Path) -> tuple[Optimisation, list[Row]]:
    """An optimisation with runs on both sides of its constraint; the best that keeps it is run 4."""
    wanted = Optimisation.model_validate(
        {
            "name": "dampers",
            "base": {"vehicle": "hmmwv", "scenario": "ride"},
            "factors": {"damping": {"path": "axles.0.damping", "low": 1, "high": 100, "logarithmic": True}},
            "responses": {
                "power": {"take": "mean", "of": "chassis.velocity.z"},
                "travel": {"take": "max", "of": "chassis.position.z"},
            },
            "minimise": "power",
            "constraints": {"travel": {"high": 0.2}},
        }
    )
    folder = StudyFolder(path)
    folder.open(wanted, "one", force=True).close()  # type: ignore[union-attr]
    rows = []
    for run, damping in enumerate((10.0, 50.0, 2.0, 20.0, 6.0, 7.0, 8.0, 90.0, 5.5, 30.0)):
        case = Case(run, run, 0, None, {"damping": damping})
        responses = {"power": math.log(damping) ** 2, "travel": 1.2 / damping}
        rows.append(make_row(wanted, case, "done", "", responses, None))
        folder.save_row(rows[-1])
    return wanted, rows
