"""Spectra, weightings of ISO 2631-1, doses and absorbed power."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.errors import ResultError
from grouser.model.model import Model
from grouser.output.ride_panels import make_ride_panels
from grouser.result.result import Result
from grouser.result.ride import (
    calc_absorbed_power,
    calc_psd,
    calc_ride,
    calc_spectrum,
    calc_weighted,
    calc_weighting,
    find_frequency,
)
from grouser.result.writer import Block, ResultWriter

RATE, DURATION = 400.0, 20.0
TIME = np.arange(0.0, DURATION, 1.0 / RATE)


def make_seat_result(acceleration: np.ndarray, quantity: str = "acceleration") -> Result:
    model = Model(
        name="seat",
        bodies={"seat": {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}},
        sensors={"cushion": {"frame": {"body": "seat"}, "quantity": quantity}},
    )
    unit = {"acceleration": "m/s^2", "velocity": "m/s"}[quantity]
    block = Block("sensor", "value", ("cushion",), ("x", "y", "z"), (unit,))
    writer = ResultWriter(None, header={}, blocks=[block], model=model)
    values = np.zeros((len(TIME), 1, 3))
    values[:, 0, 2] = acceleration
    writer.add_frames(TIME, {"sensor/value": values})
    return writer.finish("done")


def test_wk_has_the_values_of_the_standard():
    """ISO 2631-1:1997, table 3, within its 1 %."""
    frequency = np.array([1.0, 4.0, 6.3, 8.0, 16.0])
    assert np.abs(calc_weighting("Wk", frequency)) == pytest.approx([0.4825, 0.9672, 1.0544, 1.0364, 0.7687], rel=0.01)


def test_wd_has_the_values_of_the_standard():
    """ISO 2631-1:1997, table 3: 1.011 at 1 Hz, 0.512 at 4 Hz, 0.253 at 8 Hz."""
    assert np.abs(calc_weighting("Wd", np.array([1.0, 4.0, 8.0]))) == pytest.approx([1.011, 0.512, 0.253], rel=0.01)


@pytest.mark.parametrize("frequency", [1.0, 8.0, 31.5])
def test_a_weighted_wave_has_the_amplitude_of_the_transfer_function(frequency):
    wave = 2.0 * np.sin(2 * np.pi * frequency * TIME)
    weighted = calc_weighted(TIME, wave)[len(TIME) // 2 :]
    gain = np.abs(calc_weighting("Wk", np.array([frequency])))[0]
    assert np.sqrt(2 * np.mean(weighted**2)) == pytest.approx(2.0 * gain, rel=2e-3)


def test_weighting_does_not_look_ahead():
    pulse = np.exp(-(((TIME - 2.5) / 0.01) ** 2))
    weighted = calc_weighted(TIME, pulse)
    assert np.abs(weighted[TIME < 2.45]).max() < 1e-5 * np.abs(weighted).max()
    assert np.abs(weighted[-1000:]).max() < 1e-6 * np.abs(weighted).max()


def test_spectrum_and_density_of_a_wave():
    wave = 5.0 + 1.5 * np.cos(2 * np.pi * 3.0 * TIME)
    frequency, amplitude = calc_spectrum(TIME, wave)
    assert frequency[np.argmax(amplitude)] == pytest.approx(3.0)
    assert amplitude.max() == pytest.approx(1.5)
    # Parseval: the area below the density is the mean square
    frequency, density = calc_psd(TIME, wave)
    assert np.trapezoid(density, frequency) == pytest.approx(1.5**2 / 2, rel=0.01)


def test_absorbed_power_of_a_wave():
    """At 5 Hz and 0.1 g RMS: K = 0.1987 W/(ft/s^2)^2 times (3.217 ft/s^2)^2."""
    wave = 0.1 * 9.80665 * np.sqrt(2) * np.sin(2 * np.pi * 5.0 * TIME)
    assert calc_absorbed_power(TIME, wave) == pytest.approx(0.1987 * 3.2174**2, rel=1e-3)


@pytest.mark.parametrize("duration", [1.1, 2.5, 5.0, 10.0, 33.3])
@pytest.mark.parametrize("frequency", [1.0, 1.03, 2.5, 7.77, 31.4, 49.0])
def test_the_strongest_frequency_is_that_of_the_wave(frequency, duration):
    """Whether or not its periods fit into the time, about any mean, from any phase."""
    time = np.arange(0.0, duration, 0.01)
    for phase in (0.0, 1.0, 2.5):
        wave = -9.81 + 0.2 * np.sin(2 * np.pi * frequency * time + phase)
        assert find_frequency(time, wave) == pytest.approx(frequency, rel=1e-6)


def test_the_strongest_frequency_stands_out_of_weaker_waves_and_noise():
    """Both move it by less than the resolution, 0.05 Hz."""
    noise = 0.5 * np.random.default_rng(1).standard_normal(len(TIME))
    weaker = 0.7 * np.sin(2 * np.pi * 1.4 * TIME) + 0.5 * np.sin(2 * np.pi * 6.0 * TIME)
    assert find_frequency(TIME, np.sin(2 * np.pi * TIME) + weaker + noise) == pytest.approx(1.0, abs=0.01)


def test_what_does_not_vibrate_has_no_frequency():
    assert find_frequency(TIME, np.full_like(TIME, 9.81)) == 0.0
    assert find_frequency(TIME, np.zeros_like(TIME)) == 0.0


def test_a_result_in_numbers():
    frequency, amplitude = 8.0, 1.2
    ride = calc_ride(make_seat_result(amplitude * np.sin(2 * np.pi * frequency * TIME)), "cushion.value.z", start=5.0)
    gain = np.abs(calc_weighting("Wk", np.array([frequency])))[0]
    assert ride.rms == pytest.approx(amplitude / np.sqrt(2), rel=1e-3)
    assert ride.weighted_rms == pytest.approx(gain * amplitude / np.sqrt(2), rel=5e-3)
    assert ride.mtvv == pytest.approx(ride.weighted_rms, rel=0.02)
    # mean of sin^4 is 3/8
    assert ride.vdv == pytest.approx(gain * amplitude * (0.375 * (DURATION - 5.0)) ** 0.25, rel=5e-3)
    assert ride.peak == pytest.approx(amplitude, rel=3e-3)
    assert ride.crest_factor == pytest.approx(np.sqrt(2), rel=0.05)
    assert ride.frequency == pytest.approx(frequency, rel=1e-6)
    assert ride.frequency_resolution == pytest.approx(1.0 / 15.0)
    panels = make_ride_panels(ride)
    assert [panel.key for panel in panels] == ["ride", "spectrum", "density"]
    shown = panels[1].lines[0]
    assert shown.x[np.argmax(shown.y)] == pytest.approx(frequency, abs=0.1)


def test_a_shock_raises_the_dose_more_than_the_mean():
    steady = np.sin(2 * np.pi * 6.0 * TIME)
    shock = steady + 20.0 * np.exp(-(((TIME - 10.0) / 0.02) ** 2))
    before, after = (calc_ride(make_seat_result(a), "cushion.value.z") for a in (steady, shock))
    assert after.vdv / before.vdv > 2.0 * after.weighted_rms / before.weighted_rms


@pytest.mark.parametrize(
    ("channel", "options", "words"),
    [
        ("cushion.value", {}, "name one, as cushion.value.z"),
        ("cushion.value.z", {"weighting": "Wx"}, "unknown weighting 'Wx'"),
        ("cushion.value.z", {"start": 19.99}, "needs at least 16"),
        ("cushion.valeu.z", {}, "unknown channel"),
    ],
)
def test_what_cannot_be_rated(channel, options, words):
    with pytest.raises(ResultError, match=words):
        calc_ride(make_seat_result(np.zeros(len(TIME))), channel, **options)


def test_a_velocity_is_not_rated():
    with pytest.raises(ResultError, match="reckoned from an acceleration"):
        calc_ride(make_seat_result(np.zeros(len(TIME)), "velocity"), "cushion.value.z")
