"""Other programs side by side with ours, on this machine, in one run: Pinocchio (articulated bodies) and MuJoCo (a
tracked vehicle with 128 links).

    python bench/peers.py                           all that is installed, some minutes
    python bench/peers.py --only mujoco --duration 10
    python bench/peers.py --quick --json            a trial

One core (nothing here uses more), after compiling. A ratio is the cost over that of the first row of the same case,
which is ours. What is alike in both programs and what is not: `peer_pinocchio.py`, `peer_mujoco.py`, `mjcf.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
from typing import Any

from rows import Row, make_entries, print_entries, say_missing

PACKAGES = {"pinocchio": "pin", "mujoco": "mujoco"}
"""Modules of the peers, and the packages that have them."""
DURATION, QUICK_DURATION = 4.0, 0.1
"""Simulated time of the vehicle [s]."""


def _read_duration(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive time in seconds")
    return value


def _measure(peer: str, options: argparse.Namespace) -> list[Row]:
    if peer == "pinocchio":
        import peer_pinocchio

        return peer_pinocchio.measure(options.quick)
    import peer_mujoco

    duration = options.duration or (QUICK_DURATION if options.quick else DURATION)
    return peer_mujoco.measure(options.quick, duration)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short runs: a trial, not a measurement")
    parser.add_argument("--only", choices=PACKAGES, help="one of the peers")
    parser.add_argument("--duration", type=_read_duration, help=f"simulated time of the vehicle [s], {DURATION:g}")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    wanted = [options.only] if options.only else list(PACKAGES)
    installed = [peer for peer in wanted if importlib.util.find_spec(peer) is not None]
    skipped = {peer: say_missing(peer, PACKAGES[peer]) for peer in wanted if peer not in installed}
    for message in skipped.values():
        print(message, file=sys.stderr)
    entries: list[dict[str, Any]] = make_entries(row for peer in installed for row in _measure(peer, options))
    if options.json:
        print(json.dumps({"rows": entries, "skipped": skipped}, indent=2))
    elif entries:
        print_entries(entries)


if __name__ == "__main__":
    main()
