"""Studies on a cluster of this machine: the rows of single runs, whatever is killed when."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas
import pytest
from study_case import PATIENCE, PENDULUM, count_rows, start, wait_until, write_study

from grouser.cli.app import main
from grouser.errors import GrouserError, ResultError
from grouser.result.result import load_result
from grouser.study.cluster import TRIES
from grouser.study.drive import Drive, StudyOutcome, run_study
from grouser.study.folder import StudyFolder
from grouser.study.plan import make_cases
from grouser.study.respond import calc_responses
from grouser.study.setup import calc_fingerprint
from grouser.study.single import calc_row, simulate_case
from grouser.study.spec import Study, load_study


def check_rows(study: Study, folder: Path) -> None:
    """Every run has one row, and each is that of the run made singly, bit by bit."""
    table = pandas.read_parquet(folder / "table.parquet")
    cases = make_cases(study)
    assert table["run"].tolist() == list(range(len(cases)))
    assert count_rows(folder) == len(cases)
    assert len(list((folder / "runs").iterdir())) == len(cases)
    for case in cases:
        row = table.iloc[case.run]
        assert row["status"] == "done"
        assert row["mass"] == case.values["mass"]
        with simulate_case(study, case) as result, load_result(folder / row["result"]) as stored:
            for name, value in calc_responses(study.responses, result).items():
                assert row[name] == value
            assert np.array_equal(stored["rod.position"], result["rod.position"])
            assert stored.header["overrides"] == [f"bodies.rod.mass={case.values['mass']!r}"]


def test_rows_are_those_of_single_runs_and_a_second_time_nothing_is_run(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path, levels=5))
    told: list[tuple[str, float, float]] = []
    said: list[str] = []
    outcome = run_study(study, tmp_path / "out", workers=1, progress=lambda *a: told.append(a), say=said.append)
    assert (outcome.status, outcome.count, outcome.made, outcome.failed) == ("done", 5, 5, [])
    assert said and said[0].startswith("http://127.0.0.1:")
    assert told[-1][0] == "runs" and told[-1][2] == 5.0
    check_rows(study, tmp_path / "out")
    assert run_study(study, tmp_path / "out").made == 0
    (tmp_path / "out" / "rows" / "000003.json").unlink()
    (tmp_path / "out" / "rows" / "000001.json").write_text('{"run": 1')
    (tmp_path / "out" / "table.parquet").unlink()
    assert run_study(study, tmp_path / "out", workers=1).made == 2
    check_rows(study, tmp_path / "out")


def test_another_study_is_not_mixed_in(tmp_path: Path) -> None:
    study, out = load_study(write_study(tmp_path, levels=2)), tmp_path / "out"
    folder = StudyFolder(out)
    folder.open(study, "one", force=False).close()
    folder.save_row({"run": 0})
    folder.open(study, "one", force=False).close()
    with pytest.raises(ResultError, match="another study"):
        folder.open(study, "two", force=False)
    assert 0 in folder.load_rows()
    folder.open(study, "two", force=True).close()
    assert not folder.load_rows()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine")
    with pytest.raises(ResultError, match="not empty and holds no study"):
        run_study(study, tmp_path / "mine")
    with pytest.raises(ResultError, match="is a file"):
        run_study(study, tmp_path / "swings.yaml")


def test_a_change_of_the_vehicle_file_makes_another_study(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path, levels=2))
    for case in make_cases(study):
        lock = StudyFolder(tmp_path / "out").open(study, _print(study), force=False)
        lock.close()
        calc_row(study, case, str(tmp_path / "out"))
    assert run_study(study, tmp_path / "out").made == 0
    (tmp_path / "pendulum.yaml").write_text(PENDULUM.replace("0.17, 0.17", "0.18, 0.18"))
    with pytest.raises(ResultError, match="was changed"):
        run_study(study, tmp_path / "out")


def _print(study: Study) -> str:
    return calc_fingerprint(study, make_cases(study))


def test_two_processes_do_not_write_to_one_folder(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    lock = StudyFolder(tmp_path / "out").open(study, _print(study), force=False)
    with lock, pytest.raises(ResultError, match="is being written by process"):
        run_study(study, tmp_path / "out")


def test_failing_runs_are_rows_with_their_reason(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace("low: 1.0, high: 3.0, levels: 3", "values: [1.0, -1.0, 2.0]"))
    out = tmp_path / "swings.study"
    assert main(["study", str(path), "--workers", "1", "--json"]) == 1
    captured = capfd.readouterr()
    told = json.loads(captured.out)
    assert (told["done"], told["failed"], told["made"]) == (2, 1, 3)
    assert "run 1 failed" in captured.err and "bodies.rod.mass" in captured.err
    table = pandas.read_parquet(out / "table.parquet")
    assert table["status"].tolist() == ["done", "failed", "done"]
    assert "bodies.rod.mass" in table["reason"][1] and "-1" in table["reason"][1]
    assert np.isnan(table["lowest"][1]) and np.isfinite(table["lowest"][2])
    assert main(["study", str(path), "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["made"] == 0
    assert main(["study", str(path), "--workers", "1", "--json", "--again"]) == 1
    assert json.loads(capfd.readouterr().out)["made"] == 1


def test_a_run_that_diverges_keeps_its_result_and_its_reason(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace("preset: penalty,", "preset: penalty, step: 0.01,"))
    study = load_study(path)
    folder = StudyFolder(tmp_path / "out")
    folder.open(study, _print(study), force=False).close()
    row = calc_row(study, make_cases(study)[0], str(tmp_path / "out"))
    assert row["status"] == "failed" and row["reason"]
    assert row["lowest"] is None
    assert row["result"] == "runs/000000.h5"
    with load_result(tmp_path / "out" / row["result"]) as result:
        assert result.status == "failed"


def test_responses_that_no_run_has_end_the_study_at_once(tmp_path: Path) -> None:
    path = write_study(tmp_path, levels=50)
    path.write_text(path.read_text().replace("of: rod.position.z", "of: rud.position.z"))
    with pytest.raises(GrouserError, match=r"response 'lowest': .*did you mean"):
        run_study(load_study(path), tmp_path / "out", workers=1)
    assert count_rows(tmp_path / "out") == 0


@pytest.mark.parametrize("levels", [16, pytest.param(150, marks=pytest.mark.slow)])
def test_a_killed_study_goes_on(tmp_path: Path, levels: int) -> None:
    path, out = write_study(tmp_path, levels=levels), tmp_path / "swings.study"
    chance = random.Random(levels)
    for number in range(levels // 10):
        process = start(path, "--quiet")
        wait_until(lambda least=6 * number + 1: count_rows(out) >= least, process)
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        wait_until(lambda session=process.pid: not _find_processes(session))  # its workers end by themselves
    before = count_rows(out)
    assert before < levels
    process = start(path, "--json")
    told, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(told)["count"] == json.loads(told)["done"] == levels
    assert json.loads(told)["made"] <= levels - before
    check_rows(load_study(path), out)


def test_ctrl_c_keeps_what_is_there(tmp_path: Path) -> None:
    path, out = write_study(tmp_path, levels=4000, duration=0.3), tmp_path / "swings.study"
    process = start(path)
    wait_until(lambda: count_rows(out) >= 3, process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: workers get it too
    began = time.monotonic()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert time.monotonic() - began < 20.0
    assert "Traceback" not in err and "stopped by the user after" in err
    table = pandas.read_parquet(out / "table.parquet")
    assert len(table) == count_rows(out) >= 3
    assert table["run"].is_unique and (table["status"] == "done").all()
    assert not [place for place in (out / "runs").iterdir() if place.name.startswith(".")]
    wait_until(lambda: not _find_processes(process.pid))


def _find_processes(session: int) -> list[str]:
    """Processes of a session."""
    told = subprocess.run(["ps", "-o", "pid=", "-s", str(session)], capture_output=True, text=True, check=False)
    return told.stdout.split()


def test_a_killed_worker_loses_its_run_alone(tmp_path: Path) -> None:
    path, out = write_study(tmp_path, levels=20), tmp_path / "swings.study"
    process = start(path, "--json")
    for least in (3, 8):
        wait_until(lambda least=least: count_rows(out) >= least, process)
        os.kill(_find_worker(process.pid), signal.SIGKILL)
    told, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(told)["done"] == 20
    check_rows(load_study(path), out)


def _find_worker(study: int) -> int:
    """A worker process of a study: a child of the process from which all are forked."""
    server = next(pid for pid, told in _list_children(study).items() if "forkserver" in told)
    wait_until(lambda: bool(_list_children(server)))  # one that was killed is replaced
    return next(iter(_list_children(server)))


def _list_children(parent: int) -> dict[int, str]:
    """Processes that a process has started, and their commands."""
    words = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    return {int(line.split()[0]): line for line in told.stdout.splitlines()}


def test_a_run_that_kills_its_workers_is_a_row(tmp_path: Path) -> None:
    # a run without bound in memory would end so; here a worker ends itself
    study = load_study(write_study(tmp_path))
    program = tmp_path / "deadly.py"
    program.write_text(DEADLY)
    words = [sys.executable, str(program), str(tmp_path / "swings.yaml"), str(tmp_path / "out")]
    told = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert told.returncode == 0, told.stderr
    table = pandas.read_parquet(tmp_path / "out" / "table.parquet")
    assert table["status"].tolist() == ["done", "failed", "done"]
    assert "its worker died each of 3 times" in table["reason"][1]
    assert len(make_cases(study)) == 3


DEADLY = """
import os, sys
from grouser.study import drive, single
from grouser.study.spec import load_study

def calc_row(study, case, folder):
    if case.run == 1:
        os._exit(9)
    return single.calc_row(study, case, folder)

if __name__ == "__main__":
    drive.calc_row = calc_row
    drive.run_study(load_study(sys.argv[1]), sys.argv[2], workers=1)
"""


@pytest.mark.slow
def test_a_cluster_by_address_whose_client_is_killed(tmp_path: Path) -> None:
    path, out = write_study(tmp_path, levels=8), tmp_path / "swings.study"
    told = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = ["--host", "127.0.0.1"]
    scheduler = subprocess.Popen(
        [*dask, "scheduler", *here, "--port", "0", "--no-dashboard", "--scheduler-file", str(told)], **quiet
    )
    workers = []
    try:
        wait_until(told.is_file)
        address = json.loads(told.read_text())["address"]
        workers = [
            subprocess.Popen([*dask, "worker", address, *here, "--nthreads", "1", "--no-dashboard"], **quiet)
            for _ in range(2)
        ]
        words = [sys.executable, "-m", "grouser", "study", str(path), "--scheduler", address]
        client = subprocess.Popen(words, **quiet)
        wait_until(lambda: count_rows(out) >= 2)
        client.kill()
        client.wait(timeout=PATIENCE)
        outcome: StudyOutcome = run_study(load_study(path), out, scheduler=address)
        assert (outcome.status, len(outcome.rows), outcome.failed) == ("done", 8, [])
        assert outcome.made <= 6
        check_rows(load_study(path), out)
        assert scheduler.poll() is None and all(worker.poll() is None for worker in workers)
    finally:
        for process in (*workers, scheduler):
            process.terminate()
        for process in (*workers, scheduler):
            process.wait(timeout=PATIENCE)


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_the_study_and_any_other_goes_on(tmp_path: Path) -> None:
    path, out, told = write_study(tmp_path, levels=16), tmp_path / "swings.study", tmp_path / "scheduler.json"
    dask, here = [sys.executable, "-m", "dask"], ["--host", "127.0.0.1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = [*dask, "scheduler", *here, "--port", "0", "--no-dashboard", "--scheduler-file", str(told)]
    scheduler = subprocess.Popen(words, **quiet)
    try:
        wait_until(told.is_file)
        address = json.loads(told.read_text())["address"]
        worker = subprocess.Popen([*dask, "worker", address, *here, "--nthreads", "1", "--no-dashboard"], **quiet)
        words = [sys.executable, "-m", "grouser", "study", str(path), "--scheduler", address]
        client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: count_rows(out) >= 2, client)
        scheduler.kill()
        _, err = client.communicate(timeout=PATIENCE)
        assert client.returncode == 2
        assert "the same command" in err and "Traceback" not in err, err
    finally:
        scheduler.kill()
        worker.terminate()
        scheduler.wait(timeout=PATIENCE)
        worker.wait(timeout=PATIENCE)
    outcome = run_study(load_study(path), out, workers=1)
    assert outcome.failed == [] and outcome.made <= 14
    check_rows(load_study(path), out)


class _Client:
    """Takes runs and never makes one."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, *what: object, **how: object) -> _Client:
        self.count += 1
        return self

    def add_done_callback(self, call: object) -> None:
        pass


def test_faults_outside_of_a_run_are_no_rows_and_those_inside_are(tmp_path: Path) -> None:
    study = load_study(write_study(tmp_path))
    folder = StudyFolder(tmp_path / "out")
    folder.open(study, _print(study), force=False).close()
    cases = make_cases(study)
    client, drive = _Client(), Drive(study, folder, {}, lambda: client, lambda *told: None, lambda text: None)
    for _ in range(TRIES - 1):
        drive._take_failure(client, cases[0], OSError("no space"))
        drive._take_failure(client, cases[1], ZeroDivisionError("a fault"))
    assert client.count == 2 * (TRIES - 1)
    with pytest.raises(ResultError, match=r"no space.*same command"):
        drive._take_failure(client, cases[0], OSError("no space"))
    drive._take_failure(client, cases[1], ZeroDivisionError("a fault"))
    assert list(folder.load_rows()) == [1]
    assert folder.load_rows()[1]["reason"] == "internal error (ZeroDivisionError: a fault)"


def test_an_address_at_which_nobody_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grouser.study.cluster.PATIENCE", 1.0)
    with pytest.raises(ResultError, match=r"--scheduler tcp://127.0.0.1:1: nobody answers"):
        run_study(load_study(write_study(tmp_path)), tmp_path / "out", scheduler="tcp://127.0.0.1:1")


def test_without_the_extra_a_clear_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ResultError, match=r"studies need distributed.*pip install 'grouser\[study\]'"):
        run_study(load_study(write_study(tmp_path)), tmp_path / "out")


def test_rest_is_shared_and_the_same_to_the_last_bit(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    text = path.read_text().replace("duration:", "settle: true, duration:")
    # what a force does later does not touch rest, the mass does
    (tmp_path / "pendulum.yaml").write_text(PENDULUM + PUSH)
    path.write_text(text.replace("mass: {path: bodies.rod.mass, low: 1.0, high: 3.0, levels: 3}", FORCE_AND_MASS))
    study = load_study(path)
    folder = StudyFolder(tmp_path / "out")
    folder.open(study, _print(study), force=False).close()
    rows = [calc_row(study, case, str(folder.path)) for case in make_cases(study)]
    assert [row["status"] for row in rows] == ["done"] * 4, rows
    assert len(list((folder.path / "rest").glob("*.npz"))) == 2
    assert len({row["speed"] for row in rows}) == 4  # both factors act
    for case, row in zip(make_cases(study), rows, strict=True):
        with simulate_case(study, case) as result:
            assert {name: row[name] for name in study.responses} == calc_responses(study.responses, result)
            assert result.summary["settled"]


PUSH = """\
forces:
  push: {type: applied, frame: {body: rod}, force: ["20*t", 0, 0]}
"""
FORCE_AND_MASS = (
    'mass: {path: bodies.rod.mass, values: [1.0, 2.0]}\n  push: {path: "forces.push.force.0", values: [20*t, 40*t]}'
)


@pytest.mark.slow
def test_hmmwv_runs_share_rest_and_equal_single_runs(tmp_path: Path) -> None:
    study = Study.model_validate(
        {
            "name": "roads",
            "base": {"vehicle": "hmmwv", "scenario": "ride", "duration": 0.5},
            "factors": {
                "start": {"type": "scenario", "path": "start_speed", "values": [5.0, 8.0]},
                "preview": {"type": "scenario", "path": "driver.preview_time", "values": [0.6, 1.0]},
            },
            "responses": {
                "bounce": {"take": "rms", "of": "chassis.velocity.z"},
                "distance": {"summary": "distance"},
            },
        }
    )
    outcome = run_study(study, tmp_path / "out", workers=1)
    assert outcome.failed == []
    assert len(list((tmp_path / "out" / "rest").glob("*.npz"))) == 1
    for case in make_cases(study):
        with simulate_case(study, case) as result:
            expected = calc_responses(study.responses, result)
        assert {name: outcome.rows[case.run][name] for name in expected} == expected
