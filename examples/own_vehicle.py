"""A vehicle of one's own: six smaller road wheels a side and a track of another pitch, from the data of the M113.

The same changes in a file:  grouser new --from m113 my.yaml,  edit it,  grouser check my.yaml,  grouser run my.yaml

Run with:  python examples/own_vehicle.py
"""

from __future__ import annotations

import numpy as np

import grouser as gr
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.spec import TrackedVehicle

PITCH, TEETH, LINKS, WHEELS = 0.14, 11, 70, 6
DRIVE = [(0.0, 0.0), (0.8, 6.0)]
"""Speed of both sprockets over time [s, rad/s]."""
DURATION = 1.2


def make_vehicle() -> TrackedVehicle:
    """The template with the changes; the right side becomes the mirror image of the left."""
    m113 = gr.vehicles.load_vehicle("m113")
    assert isinstance(m113, TrackedVehicle)
    return m113.with_changes(
        name="six wheels",
        description="M113 on six smaller road wheels and 70 links of 140 mm",
        # 11 teeth at this pitch carry the pins on nearly the same circle as 10 teeth at 154 mm
        sprocket={"teeth": TEETH, "arc_radius": 0.083},
        road_wheels={"radius": 0.26, "mass": 27.0, "centres": [(-0.62 - 0.54 * i, -0.26) for i in range(WHEELS)]},
        shocks={"stations": [1, 2, WHEELS]},
        links={
            "count": LINKS,
            "pitch": PITCH,
            "mass": 16.4,
            "pad": {"length": 0.10},
            "surface": {"length": 0.09},
            "pins": {"positions": [(0.0487, 0.0), (-0.0555, 0.0)]},
        },
        right=None,
    )


def main() -> None:
    """Route, settle, drive."""
    model = make_tracked_vehicle(make_vehicle(), drives=DRIVE)
    track = model.tracks["left"]
    print(f"{len(track.links)} links of {1e3 * track.pitch:.0f} mm, {len(track.wheels)} road wheels a side")
    assert len(track.links) == LINKS and len(track.wheels) == WHEELS
    result = gr.simulate(model, duration=DURATION)
    weight = 9.81 * sum(body.mass for body in model.bodies.values())
    carried = result["left.ground.normal"][0] + result["right.ground.normal"][0]
    print(f"at rest the ground carries {carried / weight:.4f} of the weight")
    assert abs(carried / weight - 1.0) < 5e-3, carried / weight
    turned = float(np.trapezoid(result["left.sprocket_speed"], result.time))
    way, ideal = result.summary["distance"], turned * track.rolling_radius
    print(f"way {way:.3f} m, {way / ideal:.3f} of what the sprockets wind up; events: {result.summary['events']}")
    assert 0.95 < way / ideal < 1.05, way / ideal
    assert not result.summary["events"], result.summary["events"]


if __name__ == "__main__":
    main()
