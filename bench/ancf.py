"""Elements by gradient coordinates (ANCF) on one core: time of an evaluation per element, beside Exudyn's.

    python bench/ancf.py                with Exudyn where it is installed, half a minute
    python bench/ancf.py --ours         without
    python bench/ancf.py --quick        a trial: a short chain, two turns

Forces of a chain that is deformed and moves, gather and scatter included, and tangents. All take turns, and the least
CPU time of each counts, after compiling, as in `elements.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from contender import Contender, measure_in_turns
from rows import Row, make_entries, print_entries, say_missing

from grouser._version import __version__
from grouser.families.ancf_beam.kernel import calc_ancf_beam_forces
from grouser.families.ancf_beam.layout import WORK_SIZE
from grouser.families.ancf_beam.table import LINE, VOLUME, make_ancf_beams
from grouser.families.ancf_beam.tangent import TANGENT_WORK_SIZE, calc_ancf_beam_tangents
from grouser.families.ancf_cable.kernel import calc_ancf_cable_forces
from grouser.families.ancf_cable.table import make_ancf_cables
from grouser.families.ancf_cable.tangent import TANGENT_WORK_SIZE as CABLE_WORK_SIZE
from grouser.families.ancf_cable.tangent import calc_ancf_cable_tangents
from grouser.families.brick.material import make_linear, make_neo_hookean
from grouser.model.section import Section, calc_section

OURS = f"grouser {__version__}"
DAMPING = {"dilatational": 1e-4, "deviatoric": 5e-5}
MATERIALS = {
    "linear": make_linear(2e8, 0.3),
    "linear, damped": make_linear(2e8, 0.3, **DAMPING),
    "Neo-Hookean": make_neo_hookean(2e8, 1e9),
    "Neo-Hookean, damped": make_neo_hookean(2e8, 1e9, **DAMPING),
}
INTEGRATIONS = {VOLUME: "beams, 12 points", LINE: "beams along the axis"}
BOUND, DAMPED_BOUND = 0.35, 0.50
"""Largest cost of the forces of a beam with 12 points [us]."""
LENGTH, CHAIN, QUICK_CHAIN = 0.1, 1000, 50
"""Of an element [m]; elements."""
SECTION = calc_section(Section(rectangle=(0.02, 0.4)))


def make_chain(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a straight chain of nodes of four rows, and pairs of nodes."""
    place = LENGTH * np.arange(count + 1)[:, None] * [1.0, 0.0, 0.0]
    rows = np.concatenate([place[:, None], np.tile(np.eye(3), (count + 1, 1, 1))], axis=1)
    return rows.reshape(-1, 3), np.array(list(pairwise(range(count + 1))))


def make_works(count: int) -> dict[str, tuple[Callable[[], object], int]]:
    """What is measured, and how many evaluations it is, by case."""
    x, pairs = make_chain(count)
    rng, calls, few = np.random.default_rng(0), max(1, 20_000 // count), max(1, 1000 // count)
    moved, v = x + 0.003 * rng.normal(size=x.shape), rng.normal(size=x.shape)
    f, sums, work = np.zeros_like(x), np.zeros(2), np.zeros(TANGENT_WORK_SIZE)
    stiffness, damping = np.zeros((2, count, 24, 24))
    works: dict[str, tuple[Callable[[], object], int]] = {}
    for integration, name in INTEGRATIONS.items():
        for law, material in MATERIALS.items():
            table = make_ancf_beams(4 * pairs, x, LENGTH, SECTION, [material], integration=integration)

            def run(table: object = table) -> None:
                for _ in range(calls):
                    calc_ancf_beam_forces(table, moved, v, f, sums, work[:WORK_SIZE])

            works[f"{name}, {law}"] = run, calls * count

        def run_tangents(table: object = table) -> None:
            for _ in range(few):
                calc_ancf_beam_tangents(table, 0, moved, v, stiffness, damping, work)

        works[f"{name}, tangents"] = run_tangents, few * count
    axis, axis_v = (np.ascontiguousarray(a.reshape(-1, 4, 3)[:, :2].reshape(-1, 3)) for a in (moved, v))
    start = x.reshape(-1, 4, 3)[:, :2].reshape(-1, 3)
    cables = make_ancf_cables(2 * pairs, start, LENGTH, axial=5.0, bending=2.0, axial_delay=1e-4, bending_delay=1e-4)
    values, cable_work = np.zeros((count, 4)), np.zeros(CABLE_WORK_SIZE)
    small, small_damping = np.zeros((2, count, 12, 12))

    def run_cables() -> None:
        for _ in range(calls):
            calc_ancf_cable_forces(cables, axis, axis_v, f[: len(axis)], sums, values)

    def run_cable_tangents() -> None:
        for _ in range(few):
            calc_ancf_cable_tangents(cables, 0, axis, axis_v, small, small_damping, cable_work)

    works["cables, damped"] = run_cables, calls * count
    works["cables, tangents"] = run_cable_tangents, few * count
    return works


def make_contenders(count: int) -> list[Contender]:
    """All of ours."""
    contenders = []
    for case, (work, evaluations) in make_works(count).items():

        def run(work: Callable[[], object] = work) -> tuple[float]:
            began = time.process_time()
            work()
            return (time.process_time() - began,)

        contenders.append(Contender(case, OURS, run, evaluations))
    return contenders


def list_bounds(rows: list[Row]) -> list[str]:
    """What is asked of our elements, and whether it holds."""
    said = []
    for law in MATERIALS:
        bound = DAMPED_BOUND if "damped" in law else BOUND
        case = f"{INTEGRATIONS[VOLUME]}, {law}"
        cost = next(row.cost for row in rows if row.program == OURS and row.case == case)
        said.append(f"{case}: {cost:.3f} us, at most {bound:g} us: {'holds' if cost <= bound else 'DOES NOT HOLD'}")
    return said


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a short chain, two turns: a trial, not a measurement")
    parser.add_argument("--ours", action="store_true", help="without Exudyn")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    count = QUICK_CHAIN if options.quick else CHAIN
    contenders = make_contenders(count)
    if not options.ours and importlib.util.find_spec("exudyn") is None:
        print(say_missing("exudyn"), file=sys.stderr)
    elif not options.ours:
        import peer_exudyn

        names = {"thin beams": "cables, damped", "thick beams": f"{INTEGRATIONS[LINE]}, linear, damped"}
        contenders += peer_exudyn.make_contenders(names, count, 2 if options.quick else 5)
    rows = measure_in_turns(contenders, 2 if options.quick else 10)
    rows.sort(key=lambda row: list(dict.fromkeys(c.case for c in contenders)).index(row.case))
    said = list_bounds(rows)
    if options.json:
        print(json.dumps({"rows": make_entries(rows), "bounds": said}, indent=2))
    else:
        print_entries(make_entries(rows))
        print("\n".join(["", *said]))


if __name__ == "__main__":
    main()
