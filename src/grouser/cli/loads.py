"""``grouser loads``: what the parts of a vehicle have to bear."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli.options import Channels, Json, ResultFile, split_channels
from grouser.cli.outputs import Force, check_outputs
from grouser.cli.report import print_json, print_table, say_note
from grouser.errors import ModelError, ResultError
from grouser.result.target import TABLE

if TYPE_CHECKING:
    import numpy as np

    from grouser.result.part_loads import PartLoads
    from grouser.result.result import Result

NOISE = 1e-12
"""Loads below this share of the largest one of the same unit are rounding, and not shown."""

Part = Annotated[str | None, typer.Option("--part", metavar="BODY", help="All loads on a body, in its frame.")]
At = Annotated[
    float | None, typer.Option("--at", metavar="T", help="Cards of the frame at this time alone [s]; default all.")
]
To = Annotated[
    Path | None,
    typer.Option("--to", metavar="FILE", help="Cards for CalculiX (.inp) or Nastran (.bdf), or a table (.csv)."),
]
Exponent = Annotated[float, typer.Option("--exponent", metavar="M", help="Of the fatigue line of the material.")]
Cycles = Annotated[
    float, typer.Option("--cycles", metavar="N", help="Cycles of the equivalent amplitude, for the whole run.")
]


def loads(
    path: ResultFile,
    part: Part = None,
    channels: Channels = None,
    to: To = None,
    at: At = None,
    exponent: Exponent = 5.0,
    cycles: Cycles = 1.0e6,
    force: Force = False,
    json: Json = False,
) -> int:
    """Show the loads on a body, or courses of channels: extremes, rainflow cycles, damage-equivalent amplitudes.

    The equivalent amplitude does the damage of the whole run when it is repeated for N cycles. Forces of joints,
    springs and drives are always there. What contacts do to a body needs its accelerations: run with --loads BODY.
    """
    if (part is None) == (channels is None):
        raise ModelError("give either --part BODY or --channels NAMES: whose loads they are")
    _check_numbers(exponent, cycles)
    if part is None and (to is not None or at is not None):
        raise ModelError("--to and --at belong to --part; channels are written by 'grouser export'")
    if at is not None and to is None:
        raise ModelError("--at belongs to --to FILE")
    check_outputs({"--to": (to, TABLE)}, [path], force=force)
    from grouser.result.result import load_result

    with load_result(path) as result:
        if len(result.time) == 0:
            raise ResultError(f"{path} holds no frame, and so no loads")
        if part is None:
            title, columns = "loads by channels", dict(_read_channels(result, channels))
        else:
            from grouser.result.part_loads import calc_part_loads

            found = calc_part_loads(result, part)
            title, columns = f"loads on {part}, in its frame", dict(_list_columns(found))
            if to is not None:
                say_note(f"wrote {_save(found, to, at)}")
    import numpy as np

    from grouser.result.rainflow import calc_equivalent, count_cycles

    largest: dict[str, float] = {}
    for unit, values in columns.values():
        largest[unit] = max(largest.get(unit, 0.0), float(np.abs(values).max()))
    rows: dict[str, dict[str, Any]] = {
        name: {
            "unit": unit,
            "least": float(values.min()),
            "largest": float(values.max()),
            "cycles": float(count_cycles(values)[1].sum()),
            "equivalent": calc_equivalent(values, exponent, cycles),
        }
        for name, (unit, values) in columns.items()
        if np.abs(values).max() > NOISE * largest[unit]
    }
    if json:
        balance = {} if part is None else _say_balance(found)
        print_json({"exponent": exponent, "reference_cycles": cycles, "loads": rows, **balance})
        return 0
    head = ("load", "unit", "least", "largest", "cycles", f"equivalent at {cycles:g}")
    numbers = ("least", "largest", "cycles", "equivalent")
    print_table(
        title, head, [(name, row["unit"], *(f"{row[key]:.4g}" for key in numbers)) for name, row in rows.items()]
    )
    if part is not None:
        say_note(_say_balance(found)["balance"])
    return 0


def _check_numbers(exponent: float, cycles: float) -> None:
    if not 1.0 <= exponent <= 50.0:
        raise ModelError(f"--exponent {exponent:g}: must lie between 1 and 50; welds have 3, machined steel 5 to 10")
    if not 1e-9 <= cycles <= 1e15:
        raise ModelError(f"--cycles {cycles:g}: must be a positive number of cycles, such as 1e6")


def _read_channels(result: Result, channels: str | None) -> dict[str, tuple[str, np.ndarray]]:
    names = split_channels(channels)
    if names == []:
        raise ResultError("--channels names no channel: give at least one, as in 'left.arm*.pivot.force'")
    return result.read_columns(names)


def _list_columns(found: PartLoads) -> dict[str, tuple[str, np.ndarray]]:
    """Unit and course of every component of every load."""
    columns = {}
    for load in found.loads:
        for what, unit, values in (("force", "N", load.force), ("torque", "N m", load.torque)):
            for axis, course in zip("xyz", values.T, strict=True):
                columns[f"{load.source}.{what}.{axis}"] = (unit, course)
    return columns


def _save(found: PartLoads, to: Path, at: float | None) -> Path:
    """Write cards, or a table with the course of all loads."""
    import numpy as np

    from grouser.result.load_cards import save_cards
    from grouser.whole_file import save_whole

    if at is not None and not found.time[0] <= at <= found.time[-1]:
        raise ResultError(f"--at {at:g} s: the result has frames from {found.time[0]:g} to {found.time[-1]:g} s")
    frames = [int(np.argmin(np.abs(found.time - at)))] if at is not None else list(range(len(found.time)))
    if to.suffix.lower() != ".csv":
        return save_cards(found, to, frames)
    import pandas

    columns = {"time [s]": found.time} | {f"{n} [{unit}]": values for n, (unit, values) in _list_columns(found).items()}
    with save_whole(to, "table") as unfinished:
        pandas.DataFrame(columns).iloc[frames].to_csv(unfinished, index=False)
    return to


def _say_balance(found: PartLoads) -> dict[str, Any]:
    """What is left over of the balance of forces and moments, and what the loads are."""
    force, torque = found.calc_imbalance()
    others = f"; 'others' are {', '.join(found.others)}" if found.others else ""
    if found.others or not found.is_checked:
        how = "moments of others" if found.others else "inertia"
        text = f"{how} found from the balance of forces{others}"
    else:
        text = f"forces balance the recorded inertia within {force.max():.2g} N and {torque.max():.2g} N m"
    return {"balance": text, "imbalance_force": float(force.max()), "imbalance_torque": float(torque.max())}
