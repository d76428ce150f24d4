"""MuJoCo beside our presets: `m113-paper` with its 128 links drives straight ahead, as `mjcf.py` says.

All runs begin with the routed track, not settled: the sprockets stand still for the first second. The cost is CPU time
for a simulated second. Ours holds the writing of all channels every 10 ms; of MuJoCo only the chassis is looked at.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np
from mjcf import DRIVE_LAG, make_mjcf
from rows import Row

from grouser._version import __version__
from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import SolveError
from grouser.model.model import Model
from grouser.model.signal import calc_signal_value
from grouser.result.detect import BROKEN_SHARE
from grouser.simulate import simulate

VEHICLE, SCENARIO = "m113-paper", "straight"
PRESETS = ("implicit", "penalty", "recursive", "constrained")
FRAME = 0.01
"""Time between two looks at a run of MuJoCo [s]."""
COMPILING = 0.02
"""Simulated time of the run that compiles a preset [s]."""


def drive_ours(model: Model, preset: str, duration: float) -> Row:
    """A run with one of our presets."""
    simulate(model, preset=preset, duration=COMPILING, settle=False, threads=1)
    is_stable = True
    try:
        summary = simulate(model, preset=preset, duration=duration, settle=False, threads=1).summary
    except SolveError as error:
        summary, is_stable = error.result.summary, False
    return Row(
        _say_case(duration),
        f"grouser {__version__} {preset}",
        summary["cpu_time"] / summary["simulated_time"],
        "s/s",
        step=summary["step"],
        distance=summary["displacement_forward"],
        real_time_factor=summary["real_time_factor"],
        is_stable=is_stable,
        remark=", ".join(sorted({event["kind"] for event in summary["events"]})),
    )


def drive_mujoco(model: Model, step: float, duration: float) -> Row:
    """A run with MuJoCo; it ends where MuJoCo finds it unstable, or where a track is open."""
    theirs = mujoco.MjModel.from_xml_string(make_mjcf(model, step))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    main, longest_gap = theirs.body(model.main_body).id, BROKEN_SHARE * min(t.pitch for t in model.tracks.values())
    start, rows, iterations = data.xipos[main, 0], [], []
    drives = [(theirs.actuator(name).id, motion.value) for name, motion in model.motions.items()]
    wall = cpu = 0.0
    is_stable, warnings = True, []
    mujoco.set_mju_user_warning(warnings.append)  # else they go to a file
    for _ in range(max(1, round(duration / FRAME))):
        began, began_cpu = time.perf_counter(), time.thread_time()
        for _ in range(round(FRAME / step)):
            for actuator, speed in drives:
                data.ctrl[actuator] = calc_signal_value(speed, data.time + DRIVE_LAG)
            mujoco.mj_step(theirs, data)
        wall, cpu = wall + time.perf_counter() - began, cpu + time.thread_time() - began_cpu
        rows.append(data.nefc)
        iterations.append(data.solver_niter[0])
        # after a failure MuJoCo starts anew by itself; the rows of equality constraints come first
        is_stable = not warnings and bool(np.abs(data.efc_pos[: data.ne]).max() < longest_gap)
        if not is_stable:
            break
    mujoco.set_mju_user_warning(None)
    solver = mujoco.mjtSolver(theirs.opt.solver).name.removeprefix("mjSOL_").capitalize()
    integrator = mujoco.mjtIntegrator(theirs.opt.integrator).name.removeprefix("mjINT_").capitalize()
    simulated = FRAME * len(rows)
    end = "" if is_stable else f"ended at {simulated:.2f} s, "
    return Row(
        _say_case(duration),
        f"MuJoCo {mujoco.__version__}",
        cpu / simulated,
        "s/s",
        step=step,
        distance=float(data.xipos[main, 0] - start) if is_stable else None,
        real_time_factor=wall / simulated,
        is_stable=is_stable,
        remark=f"{end}{integrator}, {solver}: {np.mean(iterations):.0f} iterations with {np.mean(rows):.0f} rows",
    )


def measure(quick: bool, duration: float) -> list[Row]:
    """Rows of our presets, the first of which is the measure of the others, and of MuJoCo with two steps."""
    model = apply_scenario(load_vehicle(VEHICLE), load_scenario(SCENARIO))
    presets, steps = (PRESETS[:1], (2e-3,)) if quick else (PRESETS, (2e-3, 1e-3))
    ours = [drive_ours(model, preset, duration) for preset in presets]
    return ours + [drive_mujoco(model, step, duration) for step in steps]


def _say_case(duration: float) -> str:
    return f"{VEHICLE} {SCENARIO}, {duration:g} s"
