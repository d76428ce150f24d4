"""What an optimisation finds: torsion bars and shock absorbers of an M113 for the least absorbed power at the seat.

Run with:  python bench/optimise.py            # about ten minutes on two cores
           python bench/optimise.py FOLDER     # keeps all runs there, and goes on where it stopped

Bounds: the best run has at most `SHARE` of the absorbed power of the vehicle as it is, and its road wheels stay between
their stops.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from grouser.study.goal import Trial
from grouser.study.optimisation import load_optimisation
from grouser.study.optimise import optimise

FILE = Path(__file__).resolve().parents[1] / "examples" / "optimise" / "m113-suspension.yaml"
SHARE = 0.4


def main(words: list[str]) -> int:
    """Optimise and print; returns 1 if a bound does not hold."""
    wanted = load_optimisation(FILE)
    with tempfile.TemporaryDirectory() as name:
        outcome = optimise(wanted, Path(words[0] if words else name) / "m113.study", watch=_print)
    if outcome.status == "interrupted":
        print(f"stopped after {len(outcome.rows)} runs")
        return 130
    first, best = outcome.trials[0], outcome.best
    assert best is not None
    share = best.responses["power"] / first.responses["power"]
    failed = sum(bool(trial.reason) for trial in outcome.trials)
    print(f"{len(outcome.rows)} runs, {failed} failed, {sum(bool(t.excess) for t in outcome.trials)} beyond a stop")
    print(f"as it is {first.responses}, best {best.responses} at {best.values}")
    print(f"{share:.3f} of the absorbed power; between the stops: {best.is_good}")
    return 0 if best.is_good and share <= SHARE else 1


def _print(trial: Trial, runs: int) -> None:
    print(f"{runs} runs: {trial.responses}, beyond {trial.excess}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
