"""Panels of a ride: the signal as it is and weighted, its spectrum and its spectral density."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.output.panel import Line, Panel
from grouser.result.ride import calc_psd, calc_spectrum

if TYPE_CHECKING:
    from grouser.result.ride import Ride

SHOWN = 80.0
"""Highest frequency of the plots [Hz], that of ISO 2631-1."""
FREQUENCY = "frequency [Hz]"


def make_ride_panels(ride: Ride) -> list[Panel]:
    """Signal, amplitudes and spectral density, each as recorded and weighted."""
    signals = {"recorded": ride.acceleration, f"weighted by {ride.weighting}": ride.weighted}
    over_time = [Line(name, ride.time, y, color=i) for i, (name, y) in enumerate(signals.items())]
    panels = [Panel("ride", ride.channel, "acceleration [m/s^2]", tuple(over_time))]
    for key, title, label, calc in (
        ("spectrum", "amplitudes", "acceleration [m/s^2]", calc_spectrum),
        ("density", "power spectral density", "density [(m/s^2)^2/Hz]", calc_psd),
    ):
        lines = []
        for i, (name, y) in enumerate(signals.items()):
            frequency, value = calc(ride.time, y)
            shown = (frequency <= SHOWN) & (frequency > 0.0)
            lines.append(Line(name, frequency[shown], np.maximum(value[shown], np.finfo(float).tiny), color=i))
        panels.append(Panel(key, title, label, tuple(lines), x_label=FREQUENCY, is_log=key == "density"))
    return panels
