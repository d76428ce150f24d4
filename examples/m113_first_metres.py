"""The first metres of an M113: settle on the ground, then drive off, every link of both tracks included.

The preset is the one in small explicit steps, whose energy balance closes; the default takes a tenth of the time.

Run with:  python examples/m113_first_metres.py  (writes m113_first_metres.h5 and .png to the working folder)
"""

from __future__ import annotations

import numpy as np

import grouser as gr
from grouser.output.plots import save_figure
from grouser.output.side_view import make_side_view

DRIVE = [(0.0, 0.0), (1.0, 8.0)]
"""Speed of both sprockets over time [s, rad/s]; constant after the last point."""
DURATION = 1.5


def main() -> None:
    """Settle, drive, look."""
    model = gr.vehicles.m113(drives=DRIVE)
    with gr.simulate(model, preset="penalty", duration=DURATION, out="m113_first_metres.h5") as result:
        save_figure(make_side_view(result, DURATION), "m113_first_metres.png")
        weight = 9.81 * sum(body.mass for body in model.bodies.values())
        carried = result["left.ground.normal"][0] + result["right.ground.normal"][0]
        turned = float(np.trapezoid(result["left.sprocket_speed"], result.time))
        summary = result.summary
    radius = model.tracks["left"].rolling_radius
    print(f"at rest the ground carries {carried / weight:.4f} of the weight")
    print(f"way {summary['distance']:.3f} m, the sprockets wound up {turned * radius:.3f} m")
    print(f"speed {summary['final_speed']:.3f} m/s, slip {summary['slip']:.4f}")
    print(f"link tension: mean {summary['mean_link_tension']:.0f} N, largest {summary['max_link_tension']:.0f} N")
    print(f"pins open by at most {1e3 * summary['max_pin_deformation']:.3f} mm")
    print(f"energy residual {summary['energy_residual']:.1e} of the work of the drives")
    assert abs(carried / weight - 1.0) < 5e-3, carried / weight
    assert 0.95 < summary["distance"] / (turned * radius) < 1.05, summary["distance"]
    assert summary["max_pin_deformation"] < 0.06e-3, summary["max_pin_deformation"]
    assert summary["energy_residual"] < 0.01, summary["energy_residual"]
    assert not summary["events"], summary["events"]


if __name__ == "__main__":
    main()
