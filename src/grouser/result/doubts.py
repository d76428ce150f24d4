"""Doubts: whatever makes a run not to be trusted, in sentences.

A run whose numbers are wrong can end as quietly as any other. What tells it are the events below, an energy balance
that stays open, and a run that did not come to its end.

With the residual of the energy balance as a share s(t) of the energy put in (`calc_residual_shares`), the balance is
open if

    max s(t) > LIMIT                                                                      (1)

The scale is that of the whole run, so that the small energies of its beginning raise no alarm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grouser.result.metrics import calc_residual_shares
from grouser.result.slots import load_newest

if TYPE_CHECKING:
    from grouser.result.result import Result

LIMIT = 0.01
"""Share of the energy that moves about by which the balance of a run may be wrong."""
BALANCE_OPEN = "energy balance open"
TOO_COARSE = "step too coarse"
JOINT_OPEN = "joint open"
TYRE_CRUSHED = "tyre crushed"
ENERGY_GAINED = "energy gained"
DOUBTFUL = (BALANCE_OPEN, TOO_COARSE, JOINT_OPEN, TYRE_CRUSHED, ENERGY_GAINED)
"""Kinds of the events that make a run not to be trusted, the gravest first."""


@dataclass(frozen=True)
class OpenBalance:
    """An energy balance that does not close.

    Attributes
    ----------
    time : when it first did not [s]
    share : largest error over the run as a share of the energy that moves about [-]; infinite where the energies are
        no numbers, None at rest
    body : whose velocity changes most in that frame: where to look first; empty if velocities were not stored
    """

    time: float
    share: float | None
    body: str = ""

    def say(self) -> str:
        """What has happened, as a sentence without its remedy."""
        if self.share is None:
            return f"the energies of the frame at {self.time:.6g} s do not add up"
        if math.isinf(self.share):
            return f"the energies are no numbers any more since {self.time:.6g} s"
        frame = f"the energies of the frame at {self.time:.6g} s do not add up, and over the run"
        since = f"since {self.time:.6g} s the energies do not add up, and"
        return (
            f"{since if self.share > LIMIT else frame} up to {100.0 * self.share:.3g} % of the energy that moves about "
            "is not accounted for"
        )


def find_open_balance(result: Result, suspect: float | None = None) -> OpenBalance | None:
    """By how much the energy balance of a result is open, and since when (1); None if it closes.

    Parameters
    ----------
    result : a run, also one that goes on
    suspect : time of the first frame that did not add up by itself [s]: the balance is open then, however small the
        error over the whole run
    """
    if len(result.time) == 0 or "energy.residual" not in result:
        return None
    broken = ~np.isfinite(result["energy.residual"])
    if broken.any():
        return _make_balance(result, float(result.time[broken][0]), math.inf)
    shares = calc_residual_shares(result)
    times = [] if suspect is None else [suspect]
    if shares is not None:
        times += [float(time) for time in result.time[shares > LIMIT][:1]]  # (1)
    return _make_balance(result, min(times), None if shares is None else float(shares.max())) if times else None


def _make_balance(result: Result, time: float, share: float | None) -> OpenBalance:
    """The balance that is open since a time [s], with the body whose velocity changes most in that frame."""
    if not result.has_block("body/velocity"):
        return OpenBalance(time, share)
    last = int(np.argmin(np.abs(result.time - time)))
    velocity, names = result.with_frames(slice(max(last - 1, 0), last + 1)).block("body/velocity")
    change = np.linalg.norm(velocity[-1] - velocity[0], axis=-1)
    return OpenBalance(time, share, names[int(np.argmax(np.where(np.isnan(change), math.inf, change)))])


def find_doubts(result: Result) -> list[str]:
    """Whatever makes a run not to be trusted, a sentence for each kind of doubt; none for a run that can be.

    They are those of the summary, or for a run that never ended and for results of earlier versions what can be told
    from its end, its events and its energies.
    """
    if "doubts" in result.summary:
        return [str(doubt) for doubt in result.summary["doubts"]]
    return make_doubts(result, result.status, result.message)


def make_doubts(result: Result, status: str, message: str) -> list[str]:
    """Doubts of a result whose run ended with a status and a message, or goes on."""
    told: dict[str, list[str]] = {kind: [] for kind in DOUBTFUL}
    for event in sorted(result.events, key=lambda event: event.time):
        if event.kind in told:
            told[event.kind].append(event.message)
    balance = None if told[BALANCE_OPEN] else find_open_balance(result)
    if balance is not None:
        told[BALANCE_OPEN].append(balance.say())
    return [*_say_end(result, status, message), *(_say_doubt(kind, said) for kind, said in told.items() if said)]


def _say_doubt(kind: str, messages: list[str]) -> str:
    """The first of the messages of a kind, and how many more there are."""
    more = f" (and {len(messages) - 1} more: see the events)" if len(messages) > 1 else ""
    return f"{kind.capitalize()}: {messages[0]}{more}."


def _say_end(result: Result, status: str, message: str) -> list[str]:
    """What must be known of a run that did not come to its end."""
    end = f"shown is what there is until {result.time[-1] if len(result.time) else 0.0:g} s"
    if result.header.get("duration"):
        end += f" of {result.header['duration']:g} s"
    reason = f" ({message})" if message else ""
    more = "" if status == "failed" or load_newest(result) is None else "; 'grouser run --resume' goes on with it"
    if status == "partial":
        return [f"This result is partial: the run was killed, or is still going on; {end}{more}."]
    if status == "interrupted":
        return [f"The run was stopped by the user{reason}; {end}{more}."]
    return [f"The run has failed{reason}; {end}."] if status != "done" else []
