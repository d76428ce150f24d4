"""An angle out of the squared tangent of its half, without loss of digits near zero.

With z = tan(p/2)^2 of an angle p in [0, pi), all that elements with finite turns need of p follows from one smooth
function of z,

    psi(z) = (p/sin(p) - 1)/z = 2/3 - 2/15 z + 2/35 z^2 - ... = sum of 2 (-z)^k/(4 (k + 1)^2 - 1)         (1)

    p/sin(p) = 1 + z psi,   sin(p)^2 = 4 z/(1 + z)^2,   p^2 = 4 z ((1 + z psi)/(1 + z))^2                   (2)
    d(p/sin(p))/dz = (1 + z psi)/(1 + z) - psi/2                                                            (3)

(1) is the series of atan(sqrt(z))/sqrt(z) times 1 + z; (3) follows from its derivative.
"""

from __future__ import annotations

from math import atan, sqrt

from grouser.kernels._jit import kernel

SERIES_BELOW = 0.03
"""z below which (1) is summed, which is p < 0.34 rad; the first term left out is then under 2e-16."""


@kernel(inline=True)
def calc_turn_excess(z):
    """psi of (1), for z = tan(p/2)^2."""
    if z < SERIES_BELOW:
        psi = 2.0 / 255.0 - z * (2.0 / 323.0)
        psi = 2.0 / 143.0 - z * (2.0 / 195.0 - z * psi)
        psi = 2.0 / 63.0 - z * (2.0 / 99.0 - z * psi)
        return 2.0 / 3.0 - z * (2.0 / 15.0 - z * (2.0 / 35.0 - z * psi))
    root = sqrt(z)
    return ((1.0 + z) * atan(root) / root - 1.0) / z
