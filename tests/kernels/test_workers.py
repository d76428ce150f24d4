"""Several processes that compile for one: the same units and results as by itself, whatever becomes of the others."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grouser.kernels import _workers

CALLED = """
from grouser.kernels._jit import kernel

@kernel(stage="float64", rows="spring.k")
def calc_inner(spring, values):
    \"\"\"Called by another stage.\"\"\"
    return 2.0 * spring.k[0] * values[0]

@kernel(stage=True, rows="spring.k")
def add_springs(spring, values_out):
    \"\"\"Add to the first value.\"\"\"
    values_out[0] += calc_inner(spring, values_out)

@kernel(stage=True, rows="tree.cut.row")
def add_cuts(values_out):
    \"\"\"Does not compile, and nobody needs it.\"\"\"
    values_out.nothing()

@kernel(stage=True, rows="tree.loop.row")
def add_loops(values_out):
    \"\"\"Does not compile, and nobody needs it.\"\"\"
    values_out.nothing()

@kernel(stage=True, rows="tree.joint.row")
def add_number(number, values_out):
    \"\"\"Add to the second value.\"\"\"
    values_out[1] += number

@kernel(stage=True, rows="wheel.radius")
def add_wheels(wheel, values_out):
    \"\"\"Does not compile, and nobody needs it.\"\"\"
    values_out.nothing()

@kernel(stage=True, rows="spring.kind", kinds=(7, 8))
def add_others(spring, values_out):
    \"\"\"Does not compile, and nobody needs it.\"\"\"
    values_out.nothing()
"""
CALLER = """
import sys
from collections import namedtuple
import numpy as np
from called import add_cuts, add_loops, add_number, add_others, add_springs, add_wheels, calc_inner
from grouser.kernels import _workers
from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed

@kernel(entry=True)
def run(equations, is_cut, values_out):
    \"\"\"Calls by the rows of tables; a number that is whole at first.\"\"\"
    tables = equations.tables
    number = 0
    for i in range(3):
        add_number(number, values_out)
        number += 0.5
    if is_cut:
        add_cuts(values_out)
        add_loops(values_out)
    if tables.spring.k.shape[0] > 0:
        add_springs(tables.spring, values_out)
    for i in range(tables.spring.kind.shape[0]):
        if tables.spring.kind[i] > 6:
            add_others(tables.spring, values_out)
    if tables.wheel.radius.shape[0] > 0:
        add_wheels(tables.wheel, values_out)

Equations = namedtuple("Equations", ["tables", "tree"])
Tables = namedtuple("Tables", ["spring", "wheel"])
Tree = namedtuple("Tree", ["joint", "cut", "loop"])
Joint = namedtuple("Joint", ["row"])
Spring = namedtuple("Spring", ["k", "kind"])
Wheel = namedtuple("Wheel", ["radius"])

def start():
    spring = Spring(np.array([3.0]), np.array([1, 2], dtype=np.int32))
    tree = Tree(Joint(np.zeros(1)), Joint(np.zeros(0)), None)
    values, told = np.array([1.0, 5.0]), []
    with _workers.report_compiling(lambda made, total: told.append((made, total))):
        run(Packed(Equations(Tables(spring, Wheel(np.zeros(0))), tree)), False, values)
    stages = (add_number, add_springs, calc_inner)
    hits = [sum(stage.dispatcher.stats.cache_hits.values()) for stage in stages]
    print(*values, *hits, *(told[-1] if told else ()))

def leave_to_others(self):
    with self._change:
        while self._missing or self._under_way:
            self._change.wait(0.01)
    self.report()

MORE

if __name__ == "__main__":
    start()
"""
UNITS = {"caller.run", "called.calc_inner", "called.add_springs", "called.add_number"}
HERE, LOADED = ["7.0", "6.5", "0", "0", "0", "4", "4"], ["7.0", "6.5", "1", "1", "1"]
OTHERS = ["7.0", "6.5", "1", "1", "1", "4", "4"]
"""Both values, whether stages were loaded from disk, and how many units of how many were compiled at last."""


@pytest.fixture
def start(tmp_path: Path):
    """Starts a program whose entry calls stages of another file, with a cache of its own."""

    def run(more: str = "", processes: int = 2) -> subprocess.Popen[str]:
        (tmp_path / "called.py").write_text(CALLED)
        (tmp_path / "caller.py").write_text(CALLER.replace("MORE", more))
        # Python does not see an edit of the same length within a second if it has kept what it compiled
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        own = {"GROUSER_CACHE_DIR": str(tmp_path / "cache"), "GROUSER_COMPILE_PROCESSES": str(processes)}
        words = [sys.executable, str(tmp_path / "caller.py")]
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env=os.environ | own)

    return run


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and err == "", err
    return out.split()


def list_units(folder: Path) -> list[str]:
    return sorted(path.name.split("-")[0] for path in folder.rglob("*.nbc"))


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_units_and_results_are_the_same_by_any_number_of_processes(start, tmp_path: Path, processes: int) -> None:
    """Whoever is first compiles a stage. What the model does not call is compiled by nobody, and nothing twice."""
    done = finish(start("", processes))
    assert done[:2] + done[-2:] == ["7.0", "6.5", "4", "4"]
    assert list_units(tmp_path) == sorted(UNITS)
    assert finish(start("", processes)) == LOADED
    assert list_units(tmp_path) == sorted(UNITS)


def test_one_process_compiles_by_itself(start) -> None:
    assert finish(start("_workers.start_process = None", 1)) == HERE


def test_others_compile_every_stage(start, tmp_path: Path) -> None:
    assert finish(start("_workers.Workers.finish = leave_to_others")) == OTHERS
    assert list_units(tmp_path) == sorted(UNITS)


@pytest.mark.parametrize("processes", [1, 2])
def test_what_is_edited_is_compiled_alone(
    start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    """The entry lies on disk with the names of what it calls, and so do the stages between."""
    finish(start())
    monkeypatch.setitem(globals(), "CALLED", CALLED.replace("2.0 * spring", "3.0 * spring"))
    assert finish(start("", processes))[:2] == ["10.0", "6.5"]


KILLED_AT_WORK = """
hand_over = _workers.Workers._hand_over
def kill(self, call, process):
    process.kill()
    hand_over(self, call, process)
_workers.Workers._hand_over = kill
"""
KILLED_AT_THE_START = """
start_process = _workers.start_process
def kill():
    process = start_process()
    process.kill()
    return process
_workers.start_process = kill
"""
LOST = {
    "killed at work": KILLED_AT_WORK,
    "killed at the start": KILLED_AT_THE_START,
    "no Python": "_workers.PROGRAM = 'raise SystemExit(1)'",
    "not found": "sys.executable = '/nowhere/python'",
    "silent": "_workers.PROGRAM = 'import time; time.sleep(600)'",
    "chatting": "_workers.PROGRAM = 'print(\"dear diary\")'",
}


SLOW = """
import time
make = _workers.Workers._make
def wait(self, call):
    time.sleep(0.5)
    make(self, call)
_workers.Workers._make = wait
"""
"""Gives others the time to be lost."""


@pytest.mark.parametrize("loss", LOST)
def test_processes_that_are_lost_cost_only_time(start, tmp_path: Path, loss: str) -> None:
    assert finish(start(f"{LOST[loss]}\n{SLOW}", 3)) == HERE
    assert list_units(tmp_path) == sorted(UNITS)


INTERRUPTED = """
import os, signal, time
hand_over = _workers.Workers._hand_over
def interrupt(self, call, process):
    print(process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGNAL)
    hand_over(self, call, process)
_workers.Workers._hand_over = interrupt
_workers.Workers.finish = leave_to_others
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_others_end_with_the_first_and_leave_the_cache_whole(start, tmp_path: Path, name: str) -> None:
    process = start(INTERRUPTED.replace("SIGNAL", name))
    out, err = process.communicate(timeout=120)
    if name == "SIGINT":
        assert process.returncode != 0 and err.rstrip().endswith("KeyboardInterrupt")
    else:
        assert process.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 20.0
    while is_alive(int(out.split()[0])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(int(out.split()[0]))
    done = finish(start())
    assert done[:2] == ["7.0", "6.5"]
    assert set(list_units(tmp_path)) == UNITS


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended but of which nobody has taken note does not."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], check=False, capture_output=True, text=True)
    return done.stdout.strip()[:1] not in ("", "Z")


def test_count_of_processes_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUSER_COMPILE_PROCESSES", "7")
    assert _workers.find_process_count() == 7
    monkeypatch.delenv("GROUSER_COMPILE_PROCESSES")
    assert 1 <= _workers.find_process_count() <= _workers.MOST_PROCESSES
    monkeypatch.setattr(sys, "executable", "")
    assert _workers.find_process_count() == 1


PREDICTED = """
import gc, sys
import grouser as gr
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.kernels import _workers
from grouser.kernels._stage import Stage

if sys.argv[1] == "lazy":
    _workers.compile_together = lambda dispatcher, compile_entry, arguments: compile_entry(*arguments)
vehicle, preset = sys.argv[2:]
if vehicle == "pendulum":
    builder = gr.ModelBuilder("pendulum")
    rod = builder.add_body("rod", 2.0, (0.17, 0.17, 0.001), position=(0.5, 0, 0))
    builder.add_joint("hinge", "revolute", "world", rod, axis=(0, 1, 0))
    model = builder.build()
else:
    model = apply_scenario(load_vehicle(vehicle), load_scenario("straight"))
gr.simulate(model, preset=preset, duration=0.02, settle=False).close()
stages = [one for one in gc.get_objects() if isinstance(one, Stage)]
for name in sorted(stage.__name__ + str(types) for stage in stages for types in stage.dispatcher.overloads):
    print(name)
"""


@pytest.mark.parametrize(
    ("vehicle", "preset"),
    [
        ("m113", "implicit"),
        ("m113", "penalty"),
        ("m113", "recursive"),
        ("m113", "constrained"),
        ("hmmwv", "embedded"),
        ("hmmwv", "implicit"),
        ("hmmwv", "recursive"),
        ("crawler", "implicit"),
        ("pendulum", "recursive"),
    ],
)
def test_nothing_is_compiled_that_a_run_does_not_call(vehicle: str, preset: str) -> None:
    """`rows` of stages say the same as the conditions under which they are called."""
    environment = os.environ | {"GROUSER_COMPILE_PROCESSES": "2"}
    found = [
        subprocess.run(
            [sys.executable, "-c", PREDICTED, mode, vehicle, preset],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        ).stdout.splitlines()
        for mode in ("together", "lazy")
    ]
    assert len(found[0]) > 2
    assert found[0] == found[1]
