"""A tyre on a body so heavy that nothing slows it down: speed, spin, load and camber are what a test asks for."""

import numpy as np

from grouser.model.builder import ModelBuilder
from grouser.simulate import simulate

HEAVY = 1.0e8
LOAD = 8562.8
TYRE = {
    "radius": 0.4699,
    "width": 0.3175,
    "load": LOAD,
    "stiffness": 411121.0,
    "damping": 3931.7,
    "rolling_resistance": 0.0,
    "longitudinal": {
        "slope": (152216.2, 248837.5),
        "peak": (7703.5, 13315.4),
        "peak_slip": (0.10811, 0.12389),
        "sliding": (3954.6, 7252.5),
        "sliding_slip": (0.66667, 0.66667),
        "stiffness": 370000.0,
        "damping": 2000.0,
    },
    "lateral": {
        "slope": (63376.0, 117319.3),
        "peak": (6497.1, 12438.0),
        "peak_slip": (0.33167, 0.33216),
        "sliding": (5846.4, 11186.3),
        "sliding_slip": (1.0296, 1.0296),
        "stiffness": 261065.0,
        "damping": 2000.0,
    },
    "trail": {"share": (0.178, 0.19), "zero_slip": (0.36484, 0.36538), "end_slip": (1.0296, 1.0296)},
}


def make_rig(*, sx=0.0, sy=0.0, load=LOAD, rolling=10.0, camber=0.0, friction=1.0, **changes):
    """A wheel whose tread passes the contact at `rolling` m/s with the slips sx and sy, under a load [N]."""
    tyre = {**TYRE, **changes}
    deflection = load / tyre["stiffness"]
    share = 0.375 + 0.375 * (load / tyre["load"] - 1.0)
    rolling_radius = share * tyre["radius"] + (1.0 - share) * (tyre["radius"] - deflection)
    height = (tyre["radius"] - deflection) * np.cos(camber)
    builder = ModelBuilder("rig", gravity=(0.0, 0.0, -load / HEAVY))
    builder.add_body(
        "wheel",
        HEAVY,
        (HEAVY, HEAVY, HEAVY),
        position=(0.0, 0.0, height),
        orientation=(np.cos(camber / 2), np.sin(camber / 2), 0.0, 0.0),
        velocity=(rolling * (1.0 - sx), -rolling * sy, 0.0),
        angular_velocity=(0.0, rolling / rolling_radius, 0.0),
    )
    builder.add_tyre("tyre", "wheel", **tyre)
    builder.set_terrain({"type": "plane", "friction": friction})
    return builder.build()


def calc_steady(channel, *, duration=1.0, **state):
    """Value of a channel of the tyre after the relaxation has died out."""
    result = simulate(
        make_rig(**state), duration=duration, step=1e-3, output_interval=duration / 10, settle=False, preset="penalty"
    )
    return float(result[f"tyre.{channel}"][-1])
