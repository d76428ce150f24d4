"""How narrow a free bar of a material becomes when it is stretched.

With the stretch a along the bar and b across, the stored energy W(a, b, b) is least where no stress acts across:

    linear                 b^2 = 1 - nu (a^2 - 1)                                                         (1)
    split into shape and volume, J = a b^2, I1 = a^2 + 2 b^2, I2 = 2 a^2 b^2 + b^4:
    c1 (J^(-2/3) I1 - 3) + c2 (J^(-4/3) I2 - 3) + K/2 (J - 1)^2, least over b                             (2)
"""

from __future__ import annotations

import math

from grouser.model.material import LinearMaterial, Material, NeoHookeanMaterial, calc_moduli


def find_narrowing(material: Material, stretch: float) -> float:
    """b of (1) and (2); NaN where there is none.

    >>> from grouser.model.material import NeoHookeanMaterial
    >>> round(find_narrowing(NeoHookeanMaterial(shear=1.0, bulk=1e6, density=1.0), 4.0), 4)
    0.5
    """
    if stretch == 1.0:
        return 1.0
    if isinstance(material, LinearMaterial) and not material.by_volume:
        square = 1.0 - material.poisson * (stretch**2 - 1.0)
        return math.sqrt(square) if square > 0.0 else math.nan
    from scipy.optimize import minimize_scalar

    moduli = calc_moduli(material)
    if isinstance(material, NeoHookeanMaterial):
        c1, c2 = 0.5 * material.shear, 0.0
    elif isinstance(material, LinearMaterial):
        c1, c2 = 0.5 * moduli.shear, 0.0
    else:
        c1, c2 = material.c1, material.c2

    def calc_energy(b: float) -> float:
        J = stretch * b**2
        first, second = stretch**2 + 2.0 * b**2, 2.0 * (stretch * b) ** 2 + b**4
        shape = c1 * (J ** (-2.0 / 3.0) * first - 3.0) + c2 * (J ** (-4.0 / 3.0) * second - 3.0)
        return shape + 0.5 * moduli.bulk * (J - 1.0) ** 2

    middle = stretch**-moduli.poisson
    found = minimize_scalar(
        calc_energy, bounds=(0.5 * middle, 2.0 * middle), method="bounded", options={"xatol": 1e-12}
    )
    return float(found.x)
