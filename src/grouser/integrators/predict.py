"""Velocities and increments of the next trial state, by (1), (2) and (5) of `time_loop.py`."""

from __future__ import annotations

from grouser.integrators.declarations import LEAPFROG, TRAPEZOIDAL
from grouser.kernels._jit import kernel


@kernel(inline=True)
def find_next(scheme, accepted, is_end):
    """Whether the next trial state is the last of its step, and whether its velocities are half a step behind."""
    return scheme != TRAPEZOIDAL or not accepted, scheme == LEAPFROG and not is_end


@kernel
def calc_predicted(scheme, dt, accepted, is_staggered, is_end, work):
    """Velocities and increments of the next trial state by (1), or by (2) and (5); and `find_next`."""
    u, u_new, d, rate, rate_old = work.u, work.u_new, work.d, work.u_rate, work.u_rate_old
    half = 0.5 * dt
    if scheme == TRAPEZOIDAL:
        # after an accepted state the rates equal the old ones: the same update is then the predictor
        for j in range(u.shape[0]):  # (1)
            u_new[j] = u[j] + half * (rate[j] + rate_old[j])
            d[j] = half * (u_new[j] + u[j])
        return find_next(scheme, accepted, is_end)
    # half at the beginning, where both are false, and at the end, where both are true
    kick = half if scheme == LEAPFROG and is_staggered == is_end else dt
    drift = 0.0 if is_end else dt
    for j in range(u.shape[0]):  # (2), (5)
        u_new[j] = u[j] + kick * rate[j]
        d[j] = drift * u_new[j]
    return find_next(scheme, accepted, is_end)
