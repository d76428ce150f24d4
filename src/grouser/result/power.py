"""Energy and power of a run: what drove it, where it went, what a metre took.

The work of the drives is W, from the ledger of energies that steps integrate. It is what kinds of losses took, and what
is there more than at the start as kinetic, potential and stored energy,

    W = sum(losses) + change of kinetic, potential and stored energy                      (1)

up to the residual of the balance. Losses of whole kinds (joints, forces, contacts by damping and by friction) come from
the same ledger. Within a kind they are shared by the powers of its channels, integrated over frames with the
trapezoidal rule,

    L_i = L int(P_i) / int(sum(P))                                                        (2)

Work of an engine is what it gives at its shaft, so losses of converter, gears and steering are among the losses. A
powertrain of wheels gives its work at the wheels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grouser.families.brake.spec import Brake
from grouser.families.powertrain.spec import Powertrain
from grouser.families.track_powertrain.spec import TrackPowertrain
from grouser.result.loads import make_number
from grouser.result.result import Array, Result

PEAK = 0.99
"""Share of the frames whose power does not exceed what is given as the largest; single frames are of no account."""
LEAST_WAY = 0.1
"""Way below which nothing is said of energy by metre [m]."""
ENGINE_LOSSES = ("converter", "gear", "steering")
STORED = ("stored_joints", "stored_forces", "stored_contacts", "stored_elements")


def calc_power(result: Result, distance: float | None) -> dict[str, Any] | None:
    """Work and power of a run by what took them [J and W], or None if the result has no energies.

    Keys: `work` of all drives, `engine_work` at the shaft of an engine of tracks (or None), `drive_work` put into
    sprockets or driven wheels, `losses` by kind, `kinetic`, `potential`, `stored` (their changes), `mean_power`,
    `peak_power` (of the engine where there is one of tracks, else of all drives), `work_per_metre` [J/m] and
    `drive_work_per_metre`, `resistance` (the latter over the weight [-], without what became kinetic and potential
    energy).
    """
    names = ("residual", "kinetic", "potential", "work_motions", "work_forces")
    if len(result.time) < 2 or any(f"energy.{name}" not in result for name in names):
        return None
    work = _calc_change(result, "work_motions") + _calc_change(result, "work_forces")
    engines = _list_forces(result, TrackPowertrain)
    wheels = _list_forces(result, Powertrain)
    engine_power = _sum_channels(result, [f"{name}.engine_power" for name in engines])
    drive_power = _sum_channels(result, [f"{name}.power" for name in (*engines, *wheels)])
    if not engines and not wheels:
        drive_power = _sum_channels(result, [f"{name}.power" for name in result.model.motions])
    drive_work = _integrate(result, drive_power) if engines or wheels else work
    shown = engine_power if engines else drive_power
    way = distance if distance is not None and distance > LEAST_WAY else None
    weight = result.model.mass * float(np.linalg.norm(result.model.gravity))
    moved = _calc_change(result, "kinetic") + _calc_change(result, "potential")
    resistance = None if way is None or weight == 0.0 else (drive_work - moved) / way / weight
    return {
        "work": make_number(work),
        "engine_work": make_number(_integrate(result, engine_power)) if engines else None,
        "drive_work": make_number(drive_work),
        "losses": {kind: make_number(value) for kind, value in calc_losses(result).items()},
        "kinetic": make_number(_calc_change(result, "kinetic")),
        "potential": make_number(_calc_change(result, "potential")),
        "stored": make_number(sum(_calc_change(result, name) for name in STORED)),
        "mean_power": make_number(float(np.mean(shown))),
        "peak_power": make_number(float(np.quantile(shown, PEAK))),
        "work_per_metre": None if way is None else make_number(work / way),
        "drive_work_per_metre": None if way is None else make_number(drive_work / way),
        "resistance": None if resistance is None else make_number(resistance),
    }


def calc_losses(result: Result) -> dict[str, float]:
    """Energy lost by kind [J], the largest first: joints, parts of the engine, brakes, dampers, each kind of contact
    (left and right together), elastic elements, what steps damp."""
    powers = _list_powers(result)
    losses: dict[str, float] = {"joints and pins": _calc_change(result, "dissipated_joints")}
    left = _calc_change(result, "dissipated_forces")
    for kind in ("converter", "gears", "steering", "brakes"):
        if kind in powers:
            losses[kind] = _integrate(result, powers[kind])
            left -= losses[kind]
    losses["dampers and springs"] = left
    for quantity, total in (("damping", "dissipated_contacts"), ("friction", "dissipated_friction")):
        for kind, value in _share_contacts(result, quantity, _calc_change(result, total)).items():
            losses[kind] = losses.get(kind, 0.0) + value
    losses["elastic elements"] = _calc_change(result, "dissipated_elements")
    losses["steps of the integrator"] = _calc_change(result, "dissipated_numerically")
    return dict(sorted(((kind, value) for kind, value in losses.items() if value != 0.0), key=lambda item: -item[1]))


def find_contact_kind(name: str) -> str:
    """What a contact is called with both sides together.

    >>> find_contact_kind("left.wheel_track"), find_contact_kind("hull_ground")
    ('wheel and track', 'hull and ground')
    """
    return name.removeprefix("left.").removeprefix("right.").replace("_", " and ")


def _share_contacts(result: Result, quantity: str, total: float) -> dict[str, float]:
    """(2) for contacts; all of it under one name where they were not noted one by one, or tyres alone touch."""
    block = f"contact/{quantity}_loss"
    if not result.has_block(block) or not result.list_items(block):
        return {"tyres" if _has_tyres(result) else "contacts": total}
    shares: dict[str, float] = {}
    for name in result.list_items(block):
        kind = find_contact_kind(name)
        shares[kind] = shares.get(kind, 0.0) + _integrate(result, result[f"{name}.{quantity}_loss"])
    whole = sum(shares.values())
    if _has_tyres(result):
        return {**shares, "tyres": total - whole}
    return {kind: total * share / whole for kind, share in shares.items()} if whole > 0.0 else {}


def _list_powers(result: Result) -> Mapping[str, Array]:
    """Powers lost in parts of powertrains of tracks, and in brakes [W]."""
    engines, brakes = _list_forces(result, TrackPowertrain), _list_forces(result, Brake)
    powers = {}
    for part in ENGINE_LOSSES:
        if engines:
            kind = "gears" if part == "gear" else part
            powers[kind] = _sum_channels(result, [f"{name}.{part}_loss" for name in engines])
    if brakes and f"{brakes[0]}.loss" in result:
        powers["brakes"] = _sum_channels(result, [f"{name}.loss" for name in brakes])
    return powers


def _list_forces(result: Result, kind: type) -> list[str]:
    return [name for name, force in result.model.forces.items() if isinstance(force, kind)]


def _has_tyres(result: Result) -> bool:
    return any(force.type == "tyre" for force in result.model.forces.values())


def _sum_channels(result: Result, names: list[str]) -> Array:
    return sum((result[name] for name in names if name in result), start=np.zeros(len(result.time)))


def _integrate(result: Result, power: Array) -> float:
    return float(np.trapezoid(power, result.time))


def _calc_change(result: Result, name: str) -> float:
    """Change of an energy over the run [J]; none of one that the result does not know."""
    channel = f"energy.{name}"
    if channel not in result:
        return 0.0
    energy = result[channel]
    return float(energy[-1] - energy[0])
