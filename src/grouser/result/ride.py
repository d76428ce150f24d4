"""Ride: spectra of a signal, and what vibration means to a person who sits in it.

ISO 2631-1:1997 weights accelerations by frequency before they are averaged. Its weightings are transfer functions of
p = i 2 pi f (annex A): band limits, transition from acceleration to velocity, and an upward step,

    H = p^2/(p^2 + p w1 sqrt2 + w1^2)  1/(1 + p sqrt2/w2 + p^2/w2^2)                                   (1)
        (1 + p/w3)/(1 + p/(Q4 w4) + p^2/w4^2)  (1 + p/(Q5 w5) + p^2/w5^2)/(1 + p/(Q6 w6) + p^2/w6^2) (w5/w6)^2

The weighted acceleration a_w gives

    weighted RMS sqrt(mean a_w^2),   VDV (integral a_w^4 dt)^(1/4),   MTVV largest running RMS over 1 s    (2)

Absorbed power (Pradko, Lee, Kaluza 1966) is what a seated body takes up of vertical vibration. At an angular frequency
w a vibration with the RMS acceleration a in ft/s^2 gives

    P = K0 K1 (F1 F4 - F2 F3)/(F3^2 + w^2 F4^2) a^2  [W]                                  (3)

with polynomials F of w; frequencies add up. Signals are weighted in the frequency domain, with silence behind them, so
that nothing is warped and nothing runs over from the end to the start.

The strongest frequency f is that of the wave which fits the signal a(t) best, by least squares under Hann's window h,

    min over f, m, b, c of  sum h (a - m - b cos 2 pi f t - c sin 2 pi f t)^2                 (4)

sought about the peak of the spectrum under the same window. It is exact for a single wave, whether or not its periods
fit into the time; frequencies of a transform by itself lie 1/T apart, with T the time of the signal. Waves that are
closer to each other than 1/T are not told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from grouser.errors import ResultError, say_unknown
from grouser.result.result import Result

Array = NDArray[np.float64]
ROOT_HALF = 0.5**0.5
FEET = 1.0 / 0.3048
"""Feet in a metre."""
PADDING = 10.0
"""Silence behind a signal [s]: the slowest part of (1), at 0.4 Hz, has died away by then."""
RUNNING = 1.0
"""Time of the running mean of the MTVV [s], ISO 2631-1 clause 6.3.1."""
LEAST_FRAMES = 16
"""Fewer frames have no spectrum worth the name."""
FINER = 8
"""Frequencies in 1/T at which the peak of (4) is sought before it is refined."""
STILL = 1.0e-12
"""A signal that varies by less than this share of its magnitude is none."""
POWER_RANGE = (0.1, 80.0)
"""Range in which (3) was fitted to measurements and is used [Hz]."""
POWER_SCALE = 4.3537 * 1.356
POWER_F1 = (1.0, -0.44601e-2, 0.17583e-5, -0.10245e-9)
POWER_F2 = (0.10543, -0.93394e-4, 0.12882e-7)
POWER_F3 = (1.0, -0.56104e-2, 0.37667e-5, -0.45416e-9)
POWER_F4 = (0.10543, -0.17947e-3, 0.51728e-7, -0.21179e-11)
"""K0 K1 and F1 to F4 of (3), by powers of w^2."""


@dataclass(frozen=True)
class Weighting:
    """Corner frequencies [Hz] and quality factors of (1); without a step, f5 is None."""

    f1: float
    f2: float
    f3: float
    f4: float
    q4: float
    f5: float | None = None
    q5: float = 1.0
    f6: float = 1.0
    q6: float = 1.0


WEIGHTINGS = {
    "Wk": Weighting(0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91),
    "Wd": Weighting(0.4, 100.0, 2.0, 2.0, 0.63),
}
"""ISO 2631-1, tables A.1 and A.2: Wk for the vertical direction of a seat, Wd for the horizontal ones."""


@dataclass(frozen=True)
class Ride:
    """Vibration in numbers, and the signals that they are made of.

    Attributes
    ----------
    channel, weighting : what was looked at, and how it was weighted
    rms, weighted_rms, mtvv : [m/s^2]
    peak : largest magnitude [m/s^2]
    vdv : vibration dose value [m/s^1.75]
    crest_factor : largest weighted magnitude over the weighted RMS
    absorbed_power : of vertical vibration, weighted by Wk [W]; None for others
    frequency : of the strongest wave in the signal (4) [Hz]; 0 where nothing vibrates
    frequency_resolution : one over the time of the signal [Hz]; waves that are closer to each other are not told apart
    time, acceleration, weighted : of the signal, (n,)
    """

    channel: str
    weighting: str
    rms: float
    weighted_rms: float
    mtvv: float
    peak: float
    vdv: float
    crest_factor: float
    absorbed_power: float | None
    frequency: float
    frequency_resolution: float
    time: Array
    acceleration: Array
    weighted: Array


def calc_weighting(name: str, frequency: Array) -> NDArray[np.complex128]:
    """Transfer function (1) of a weighting at frequencies [Hz].

    >>> abs(calc_weighting("Wk", np.array([8.0]))).round(3).tolist()
    [1.036]
    """
    if name not in WEIGHTINGS:
        raise ResultError(say_unknown("weighting", name, WEIGHTINGS))
    one = WEIGHTINGS[name]
    p = 2j * np.pi * np.asarray(frequency, dtype=float)
    w1, w2, w3, w4 = (2.0 * np.pi * f for f in (one.f1, one.f2, one.f3, one.f4))
    high = p**2 / (p**2 + p * w1 / ROOT_HALF + w1**2)
    low = 1.0 / _calc_quadratic(p, w2, ROOT_HALF)
    weight = high * low * (1.0 + p / w3) / _calc_quadratic(p, w4, one.q4)
    if one.f5 is not None:
        w5, w6 = 2.0 * np.pi * one.f5, 2.0 * np.pi * one.f6
        weight = weight * _calc_quadratic(p, w5, one.q5) / _calc_quadratic(p, w6, one.q6) * (w5 / w6) ** 2
    return np.asarray(weight)


def calc_weighted(time: Array, acceleration: Array, weighting: str = "Wk") -> Array:
    """Weighted acceleration at the same times; before the first it is taken to be zero."""
    step, count = _find_step(time), len(time)
    padded = count + int(np.ceil(PADDING / step))
    weight = calc_weighting(weighting, _list_frequencies(padded, step))
    return np.asarray(np.fft.irfft(np.fft.rfft(acceleration, padded) * weight, padded)[:count])


def calc_spectrum(time: Array, signal: Array) -> tuple[Array, Array]:
    """Frequencies [Hz] and amplitudes of a signal, its mean left out: a wave that fits into the time shows its own."""
    spectrum = np.abs(np.fft.rfft(signal - np.mean(signal))) * 2.0 / len(signal)
    if len(signal) % 2 == 0:
        spectrum[-1] *= 0.5
    return _list_frequencies(len(signal), _find_step(time)), spectrum


def calc_psd(time: Array, signal: Array, segments: int = 8) -> tuple[Array, Array]:
    """Frequencies [Hz] and one-sided power spectral density, by Welch's means over overlapping parts of the signal.

    Parameters
    ----------
    segments : the time is divided by this; more of them give a smoother curve of fewer frequencies
    """
    from scipy.signal import welch

    length = max(min(LEAST_FRAMES, len(signal)), len(signal) // segments)
    frequency, density = welch(signal, 1.0 / _find_step(time), nperseg=length, detrend="constant")
    return np.asarray(frequency), np.asarray(density)


def find_frequency(time: Array, signal: Array) -> float:
    """Frequency of the strongest wave in a signal (4) [Hz], between one over its time and half of its frame rate; 0
    where nothing vibrates.

    >>> time = np.linspace(0.0, 3.7, 371)
    >>> round(find_frequency(time, 2.0 + np.sin(2 * np.pi * 1.03 * time)), 4)
    1.03
    """
    step, count = _find_step(time), len(signal)
    window = np.hanning(count + 2)[1:-1]
    varying = signal - np.average(signal, weights=window)
    if np.abs(varying).max() <= STILL * np.abs(signal).max():
        return 0.0
    spectrum = np.abs(np.fft.rfft(window * varying, FINER * count))
    peak = FINER + int(np.argmax(spectrum[FINER:]))
    return _find_best_wave(time - time[0], varying, window, peak, FINER * count * step)


def _find_best_wave(time: Array, signal: Array, window: Array, peak: int, length: float) -> float:
    """Minimum of (4) within half of 1/T about a peak of the spectrum, at the frequency ``peak / length``."""
    from scipy.optimize import minimize_scalar

    root = np.sqrt(window)

    def calc_rest(frequency: float) -> float:
        phase = 2.0 * np.pi * frequency * time
        waves = np.stack([np.ones_like(phase), np.cos(phase), np.sin(phase)], axis=1) * root[:, np.newaxis]
        shares = np.linalg.lstsq(waves, root * signal, rcond=None)[0]
        return float(np.sum((root * signal - waves @ shares) ** 2))

    reach = 0.5 * FINER
    bounds = ((peak - reach) / length, (peak + reach) / length)
    found = minimize_scalar(calc_rest, bounds=bounds, method="bounded", options={"xatol": 1e-6 / length})
    return float(found.x)


def calc_absorbed_power(time: Array, acceleration: Array) -> float:
    """Vertical absorbed power (3) [W] of an acceleration [m/s^2]."""
    frequency, amplitude = calc_spectrum(time, acceleration)
    used = (frequency >= POWER_RANGE[0]) & (frequency <= POWER_RANGE[1])
    share = calc_power_share(frequency[used])
    return float(np.sum(share * 0.5 * amplitude[used] ** 2))


def calc_power_share(frequency: Array) -> Array:
    """Absorbed power over the mean square of the acceleration (3) [W s^4/m^2]."""
    w2 = (2.0 * np.pi * frequency) ** 2
    f1, f2, f3, f4 = (polynomial.polyval(w2, c) for c in (POWER_F1, POWER_F2, POWER_F3, POWER_F4))
    return np.asarray(POWER_SCALE * FEET**2 * (f1 * f4 - f2 * f3) / (f3**2 + w2 * f4**2))


def calc_ride(
    result: Result, channel: str, *, weighting: str = "Wk", start: float = -np.inf, end: float = np.inf
) -> Ride:
    """What a recorded acceleration means to a person.

    Parameters
    ----------
    channel : component of an acceleration, as ``seat.value.z`` of a sensor
    start, end : part of the run that counts [s]
    """
    info_name = channel if channel in result.channels else channel.rpartition(".")[0]
    info = result.get_info(info_name)
    if info.unit != "m/s^2":
        raise ResultError(f"{channel} is in {info.unit or 'no unit'}; ride is reckoned from an acceleration [m/s^2]")
    if channel in result.channels and not info.is_scalar:
        raise ResultError(f"{channel} has the components {', '.join(info.components)}; name one, as {channel}.z")
    return calc_signal_ride(result.time, result[channel], channel, weighting=weighting, start=start, end=end)


def calc_signal_ride(
    time: Array,
    acceleration: Array,
    channel: str,
    *,
    weighting: str = "Wk",
    start: float = -np.inf,
    end: float = np.inf,
) -> Ride:
    """The same of any acceleration over time [m/s^2]; `channel` is what messages call it."""
    before = time <= end
    time, values = _make_uniform(time[before], acceleration[before])
    chosen = time >= start
    if chosen.sum() < LEAST_FRAMES:
        raise ResultError(
            f"{channel}: {chosen.sum()} frames lie in the chosen time; a spectrum needs at least {LEAST_FRAMES}"
        )
    if not np.isfinite(values).all():
        raise ResultError(f"{channel} holds values that are no numbers: the run diverged; choose an earlier time")
    # what was before the chosen time still rings in it
    weighted = calc_weighted(time, values, weighting)[chosen]
    time, values = time[chosen], values[chosen]
    rms = float(np.sqrt(np.mean(weighted**2)))
    return Ride(
        channel=channel,
        weighting=weighting,
        rms=float(np.sqrt(np.mean((values - values.mean()) ** 2))),
        weighted_rms=rms,
        mtvv=_calc_mtvv(time, weighted),
        peak=float(np.abs(values).max()),
        vdv=float(np.sum(weighted**4) * _find_step(time)) ** 0.25,
        crest_factor=float(np.abs(weighted).max() / rms) if rms > 0.0 else 0.0,
        absorbed_power=calc_absorbed_power(time, values) if weighting == "Wk" else None,
        frequency=find_frequency(time, values),
        frequency_resolution=1.0 / (len(time) * _find_step(time)),
        time=time,
        acceleration=values,
        weighted=weighted,
    )


def _calc_quadratic(p: NDArray[np.complex128], w: float, q: float) -> NDArray[np.complex128]:
    return np.asarray(1.0 + p / (q * w) + (p / w) ** 2)


def _calc_mtvv(time: Array, weighted: Array) -> float:
    """Largest of the running means; that of all where the signal is shorter."""
    count = min(max(round(RUNNING / _find_step(time)), 1), len(time))
    total = np.concatenate([[0.0], np.cumsum(weighted**2)])
    return float(np.sqrt(np.max(total[count:] - total[:-count]) / count))


def _list_frequencies(count: int, step: float) -> Array:
    return np.asarray(np.fft.rfftfreq(count, step), dtype=np.float64)


def _find_step(time: Array) -> float:
    return float((time[-1] - time[0]) / (len(time) - 1))


def _make_uniform(time: Array, values: Array) -> tuple[Array, Array]:
    """The signal at equal distances; frames of a run may lie apart by rounding, or where it was stopped."""
    if len(time) < LEAST_FRAMES:
        return time, values
    even = np.linspace(time[0], time[-1], len(time))
    if np.abs(even - time).max() <= 1e-6 * _find_step(time):
        return even, values
    return even, np.interp(even, time, values)
