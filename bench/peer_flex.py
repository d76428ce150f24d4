"""MuJoCo's flexible bodies beside our bricks: a cube of as many cells, each of six tetrahedra with linear strains."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from contender import Contender

_CUBE = """<mujoco>
  <option timestep="1e-5" gravity="0 0 0"><flag contact="disable"/></option>
  <size memory="1G"/>
  <worldbody>
    <flexcomp name="cube" type="grid" dim="3" count="{n} {n} {n}" spacing="{h} {h} {h}" mass="{mass}" radius="1e-4">
      <contact selfcollide="none" contype="0" conaffinity="0"/>
      <edge equality="false"/>
      <elasticity young="{young}" poisson="0.3" damping="1e-4"/>
    </flexcomp>
  </worldbody>
</mujoco>"""


def make_contenders(forces: str, step: str, side: int, young: float, density: float, calls: int) -> list[Contender]:
    """Passive forces and whole steps of a cube of 1 m with `side` cells a side, for these two cases."""
    model = mujoco.MjModel.from_xml_string(_CUBE.format(n=side + 1, h=1.0 / side, mass=density, young=young))
    if model.nflexelem != 6 * side**3:
        raise SystemExit(f"MuJoCo made {model.nflexelem} tetrahedra of {side**3} cells; it should be six of each")
    start = mujoco.MjData(model)
    start.qpos[:] += 0.01 / side * np.random.default_rng(0).normal(size=model.nq)
    mujoco.mj_forward(model, start)
    if not np.abs(start.qfrc_passive).max() > 0.0:
        raise SystemExit("MuJoCo's cube has no elastic forces")

    def make_run(call: Callable[[Any, Any], None]) -> Callable[[], tuple[float]]:
        def run() -> tuple[float]:
            data = mujoco.MjData(model)
            data.qpos[:] = start.qpos
            mujoco.mj_forward(model, data)
            began = time.process_time()
            for _ in range(calls):
                call(model, data)
            return (time.process_time() - began,)

        return run

    program, count = f"MuJoCo {mujoco.__version__} flex", calls * side**3
    return [
        Contender(forces, program, make_run(mujoco.mj_passive), count, "six tetrahedra a cell"),
        Contender(step, program, make_run(mujoco.mj_step), count, "six tetrahedra a cell"),
    ]
