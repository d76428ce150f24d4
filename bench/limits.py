"""Limits of the M113 beside those published for it.

    python bench/limits.py [--coarse 1] [--only step,gap] [--out m113.limits] [--workers N]
    python bench/limits.py --monotone      # step and slope with less torque and less friction

Published: 0.61 m vertical step, 1.68 m gap, 60 % slope, 30 % side slope (afvdatabase.com/usa/m113.html).
"""

from __future__ import annotations

import argparse
import time

from grouser.study.limits.bracket import Found
from grouser.study.limits.drive import seek_limits

PUBLISHED = {"step": 0.61, "gap": 1.68, "slope": 0.60, "side-slope": 0.30}
CHANGES = {
    "as it is": [],
    "half of the torque": [
        f"powertrain.engine.torque.{i}.1={torque}"
        for i, torque in enumerate((203, 305, 305, 301, 295, 278, 268, 257))
    ],
    "friction 0.4": ["contact.ground_track.friction.mu=0.4"],
}  # fmt: skip
"""Changes of the vehicle by which its limits should fall."""


def say(found: Found) -> None:
    """A limit beside the published one."""
    reason = "" if found.first_failure is None else found.first_failure.reason
    published = PUBLISHED.get(found.limit.name)
    beside = "" if published is None else f"published {published:g}"
    failure = "" if found.first_failure is None else f"{found.first_failure.value:.4g}"
    print(f"{found.limit.name:14} {found.say():18} fails {failure:8} {beside:16} {reason}", flush=True)


def main() -> None:
    """Find limits and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coarse", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default="m113.limits")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--monotone", action="store_true")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    began = time.monotonic()
    if not options.monotone:
        seek_limits("m113", options.out, only=only, coarse=options.coarse, workers=options.workers, watch=say)
    else:
        for change, overrides in CHANGES.items():
            print(change)
            place = f"{options.out}-{change.replace(' ', '-')}"
            wanted = only or ["step", "slope"]
            seek_limits(
                "m113", place, only=wanted, coarse=options.coarse, workers=options.workers, overrides=overrides,
                watch=say,
            )  # fmt: skip
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
