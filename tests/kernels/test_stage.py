"""Stages: calls by address, code on disk, and which sources decide what a unit does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grouser.kernels import _sources

CALLED = """
from grouser.kernels._jit import kernel

@kernel(stage="float64")
def calc_scaled(number, values):
    \"\"\"The number times the first value.\"\"\"
    return 2.0 * number * values[0]

@kernel(stage=True)
def add_scaled(number, values_out):
    \"\"\"Add to the first value.\"\"\"
    values_out[0] += calc_scaled(number, values_out)

@kernel(stage=True)
def never_called(values_out):
    \"\"\"Does not compile.\"\"\"
    values_out.nothing()
"""
CALLER = """
import numpy as np
from called import add_scaled, calc_scaled, never_called
from grouser.kernels._jit import kernel

@kernel(entry=True)
def run(is_wanted, values_out):
    \"\"\"Two calls, and one that never comes.\"\"\"
    add_scaled(3.0, values_out)
    if is_wanted:
        never_called(values_out)
    return calc_scaled(1.0, values_out)

if __name__ == "__main__":
    values = np.array([1.0, 5.0])
    print(run(False, values), values[0], sum(run.stats.cache_hits.values()))
"""


@pytest.fixture
def start(tmp_path: Path):
    """Runs a program whose entry calls stages of another file, with a cache of its own."""
    (tmp_path / "called.py").write_text(CALLED)
    (tmp_path / "caller.py").write_text(CALLER)
    # Python does not see an edit of the same length within a second if it has kept what it compiled
    environment = os.environ | {"GROUSER_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def run() -> list[str]:
        words = [sys.executable, str(tmp_path / "caller.py")]
        done = subprocess.run(words, check=True, capture_output=True, text=True, env=environment)
        return done.stdout.split()

    return run


def test_stages_are_called_and_lie_on_disk(start, tmp_path: Path) -> None:
    assert start() == ["14.0", "7.0", "0"]
    assert start() == ["14.0", "7.0", "1"]
    names = {path.name.split("-")[0] for path in (tmp_path / "cache").rglob("*.nbc")}
    assert names == {"caller.run", "called.calc_scaled", "called.add_scaled"}


def test_an_edit_of_a_stage_is_seen_by_code_on_disk(start, tmp_path: Path) -> None:
    start()
    (tmp_path / "called.py").write_text(CALLED.replace("2.0 * number", "3.0 * number"))
    assert start() == ["30.0", "10.0", "1"]


INTERRUPTED = """
import sys, time
import numpy as np
from caller import run
from grouser.kernels import _stage

left = [MOMENT]

def trace(frame, event, argument):
    if frame.f_code is not _stage._resolve.__code__:
        return None
    if left and event == left[0]:
        left.clear()
        raise KeyboardInterrupt
    return trace

values = np.array([1.0, 5.0])
run.compile(tuple(map(run.typeof_pyval, (False, values))))
sys.settrace(trace)
try:
    found = run(False, values)
    sys.settrace(None)
    time.sleep(5.0)
except KeyboardInterrupt:
    print(found, values[0], "interrupted", len(left))
"""


@pytest.mark.parametrize("moment", ["call", "return"])
def test_an_interrupt_at_the_edge_of_compiling_comes_later(start, tmp_path: Path, moment: str) -> None:
    """Before the first line of what loads a stage and after its last nothing can catch it."""
    (tmp_path / "caller.py").write_text(CALLER.replace("__main__", "never"))
    (tmp_path / "interrupted.py").write_text(INTERRUPTED.replace("MOMENT", repr(moment)))
    words = [sys.executable, str(tmp_path / "interrupted.py")]
    environment = os.environ | {"GROUSER_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["14.0", "7.0", "interrupted", "0"], done.stderr
    assert done.stderr == ""


FORCES, LAW = (_sources.PACKAGE / name for name in ("formulations/forces.py", "kernels/contact/law.py"))
DISPATCH, SDIRK = (_sources.PACKAGE / name for name in ("kernels/contact/dispatch.py", "integrators/sdirk.py"))


def test_units_depend_on_what_they_import_except_stages() -> None:
    assert LAW in _sources.find_unit_sources(DISPATCH)
    spatial = _sources.PACKAGE / "kernels" / "spatial.py"
    for unit in (FORCES, SDIRK):
        found = _sources.find_unit_sources(unit)
        assert unit in found and spatial in found
        assert LAW not in found and DISPATCH not in found


def test_an_edit_starts_a_new_folder_for_what_it_concerns_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    units = {unit: _sources.calc_unit_hash(unit) for unit in (FORCES, DISPATCH, SDIRK)}
    everything, read = _sources.calc_source_hash(), _sources.read_source
    monkeypatch.setattr(_sources, "read_source", lambda file: read(file) + ("# edited" if file == LAW else ""))
    assert [unit for unit, before in units.items() if _sources.calc_unit_hash(unit) != before] == [DISPATCH]
    assert _sources.calc_source_hash() != everything


def test_imports_of_compiled_code_can_be_read() -> None:
    """Sources are found by the text of imports: another way of importing would be overlooked."""
    for file in _sources.find_sources():
        text = _sources.read_source(file)
        assert "import grouser" not in text, file
        if "@kernel" in text:
            assert "\n    from grouser" not in text.split("@kernel", 1)[1], file


UNITS = """
import gc
from numba.core.dispatcher import Dispatcher
import grouser as gr

def list_units():
    found = [d for d in gc.get_objects() if isinstance(d, Dispatcher)]
    return {(d.py_func.__name__, str(types)) for d in found for types in d.overloads}

model = gr.vehicles.m113(drives=[(0.0, 0.0), (1.0, 5.0)])
gr.simulate(model, duration=0.02, settle=False).close()
alone = list_units()
gr.simulate(model, duration=0.02).close()
assert len(alone) > 5, alone
print([name for name, _ in list_units() - alone])
"""
"""What settling compiles or loads that a run without it does not."""


def test_settling_needs_no_unit_of_its_own():
    done = subprocess.run([sys.executable, "-c", UNITS], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
