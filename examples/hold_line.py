"""An M113 held on a line by ten lines of Python: a controller sets the speeds of both sprockets 50 times a second.

The sprockets follow inputs, which a session sets while it goes on. The vehicle starts 1 m beside the line.

Run with:  python examples/hold_line.py
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

import grouser as gr

LINE = 1.0
"""The line that is to be held: y of all its points [m]."""
SPEED, MOST = 16.0, 6.0
"""Speed of the sprockets straight ahead, and by how much each may differ from it [rad/s]."""
FRAME, DURATION = 0.02, 9.0
"""Between two looks, and of the whole drive [s]."""


def steer(seen: Mapping[str, np.ndarray], time: float) -> tuple[float, float]:
    """Speeds of the left and the right sprocket [rad/s]: head for the line, the more the farther it is."""
    w, _, _, z = seen["chassis.orientation"]
    heading = 2.0 * math.atan2(z, w)
    wanted = np.clip(0.3 * (LINE - seen["chassis.position"][1]), -0.25, 0.25)
    turn = np.clip(20.0 * (wanted - heading), -MOST, MOST)
    speed = min(SPEED, 8.0 * time)
    return speed - turn, speed + turn


def main() -> None:
    """Drive, and look how far off the line the vehicle is."""
    drives = {side: {"input": f"{side}_speed", "min": 0.0, "max": 30.0, "rate": 20.0} for side in ("left", "right")}
    model = gr.vehicles.m113(drives=drives)
    track = []
    with gr.Session(model, output_interval=FRAME, duration=DURATION) as session:
        seen = session.observe()
        while session.time < DURATION - 0.5 * FRAME:
            session.inputs["left_speed"], session.inputs["right_speed"] = steer(seen, session.time)
            session.step()
            seen = session.observe()
            track.append((session.time, *seen["chassis.position"][:2]))
    time, x, y = np.array(track).T
    off = y - LINE
    for t in range(0, int(DURATION) + 1, 3):
        i = np.searchsorted(time, t - 1e-9) if t else 0
        print(f"{time[i]:6.2f} s: {x[i]:6.2f} m along the line, {off[i]:+.3f} m off it")
    held = time > 0.6 * DURATION
    print(f"in the last {0.4 * DURATION:.3g} s it is at most {np.abs(off[held]).max():.3f} m off")
    assert abs(off[0]) > 0.99, off[0]
    assert np.abs(off[held]).max() < 0.1, off[held]
    assert x[-1] > 20.0, x[-1]


if __name__ == "__main__":
    main()
