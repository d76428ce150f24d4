"""Explicit steps of CalculiX (`ccx`, a program of its own) with the bricks of our benchmark.

A cube of bricks falls freely. Two runs of different length are subtracted, so that reading the input and making the
masses do not count. The way that the cube has fallen tells whether all increments were made.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from contender import Contender
from scipy.constants import g

PROGRAM = "ccx"
MISSING = f"CalculiX is not installed and is skipped: apt-get install calculix-ccx, which brings {PROGRAM!r}"
KINDS = {
    "C3D8R": (1.0, "one point"),
    "C3D8": (1.0, "eight points"),
    "C3D8I": (6.4, "incompatible modes; falls 6.4 times too far"),
}
"""Their bricks of eight nodes: way of the fall over the true one (in version 2.20), and what they are."""
STEP = 1e-5
"""Of a cube of 1 m with ten bricks a side the stable step is 26 times as long [s]."""
FALL = 1e-3
"""Largest relative error of the fall: a missing increment makes more."""


def make_deck(kind: str, positions: np.ndarray, nodes: np.ndarray, young: float, density: float, steps: int) -> str:
    """The input file: a mesh of bricks under its weight, for so many increments."""
    lines = ["*NODE, NSET=ALL", *(f"{i},{x:.9g},{y:.9g},{z:.9g}" for i, (x, y, z) in enumerate(positions, 1))]
    lines += ["*NSET, NSET=SEEN", "1", f"*ELEMENT, TYPE={kind}, ELSET=BRICKS"]
    lines += [f"{i},{','.join(str(n + 1) for n in brick)}" for i, brick in enumerate(nodes, 1)]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{young:g},0.3", "*DENSITY", f"{density:g}"]
    lines += ["*SOLID SECTION, ELSET=BRICKS, MATERIAL=M", f"*STEP, NLGEOM, INC={10 * steps}"]
    # without the two bounds behind the end, the increment is chosen by the program
    lines += ["*DYNAMIC, EXPLICIT, DIRECT", f"{STEP:g},{STEP * steps:.9g},{0.01 * STEP:g},{STEP:g}"]
    lines += ["*DLOAD", f"BRICKS,GRAV,{g},0.,0.,-1.", f"*NODE PRINT, NSET=SEEN, FREQUENCY={10 * steps}", "U"]
    return "\n".join([*lines, "*END STEP", ""])


def run_deck(deck: str, steps: int, share: float) -> float:
    """CPU time of a run [s]; `share` is what its fall should be over the true one."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "cube.inp").write_text(deck)
        alone = {**os.environ, "OMP_NUM_THREADS": "1", "CCX_NPROC_RESULTS": "1", "CCX_NPROC_EQUATION_SOLVER": "1"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([PROGRAM, "cube"], cwd=folder, env=alone, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        printed = Path(folder, "cube.dat")
        text = printed.read_text() if printed.exists() else ""
    fall = re.findall(r"^ +1 .* (\S+)$", text, re.MULTILINE)
    expected = -0.5 * share * g * (steps * STEP) ** 2
    if not fall or abs(float(fall[-1]) - expected) > FALL * abs(expected):
        raise SystemExit(f"CalculiX fell by {fall or 'nothing'} instead of {expected:g} m: {done.stdout[-500:]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@cache
def find_version() -> str:
    """What the program says."""
    said = subprocess.run([PROGRAM, "-v"], capture_output=True, text=True, check=False).stdout
    return "CalculiX " + (re.search(r"[Vv]ersion (\S+)", said) or ["", "?"])[1]


def is_installed() -> bool:
    """Whether it can be run."""
    return shutil.which(PROGRAM) is not None


def make_contenders(
    case: str, positions: np.ndarray, nodes: np.ndarray, young: float, density: float, steps: int
) -> list[Contender]:
    """All kinds of bricks."""
    contenders = []
    for kind, (share, remark) in KINDS.items():
        counts = (steps + steps // 4, steps // 4)
        decks = [(make_deck(kind, positions, nodes, young, density, count), count, share) for count in counts]

        def run(decks: list[tuple[str, int, float]] = decks) -> tuple[float, ...]:
            return tuple(run_deck(*deck) for deck in decks)

        contenders.append(Contender(case, f"{find_version()} {kind}", run, steps * len(nodes), remark))
    return contenders
