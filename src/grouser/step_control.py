"""Step control by the energy balance: a frame whose energies do not add up is repeated with a smaller step.

A fixed step that is stable where a run begins can become unstable on the way, when bodies change their arrangement.
An unstable mode feeds on energy that comes from nowhere, so the balance of the run shows it at once. With the energies
E_i at the end of a frame (kinetic, potential, stored, dissipated, work) and the residual r of their balance, the frame
is accepted if

    |r - r_before| <= m sum |E_i - E_i,before| + HELD S T_frame/T_run                     (1)

S is the largest sum of kinetic and stored energy so far, and m the `imbalance` of the integrator. Over a whole run the
residual so stays within 0.1 % of the energy that moves about and 0.5 % of the energy that is there, with m = 0.5 %. A
frame that still fails with the smallest step is accepted and told as an event; in leapfrog steps, where m is larger, it
is left to the balance of the whole run.
"""

from __future__ import annotations

import math

from grouser.integrators.declarations import MOVED
from grouser.record.observe import Energies

HELD = 5.0e-3
"""Share of the energies that are there by which the balance of a whole run may be wrong besides."""
NOTCH = 0.85
"""Factor on the step when a frame is repeated."""
MOST_NOTCHES = 24
"""Smallest step: 0.85^24 = 1/50 of the first."""
PATIENCE = 50
"""Accepted frames after which the next larger step is tried again."""
ROUNDING = 1.0e-11
"""Share of the energies themselves that rounding may cost in a frame."""


class StepControl:
    """Chooses the number of steps in each frame.

    Attributes
    ----------
    substeps : steps in the next frame
    is_fixed : whether every frame is accepted
    smallest : smallest step that was used in an accepted frame [s]
    unbalanced : time of the first frame that was accepted though its balance is open [s], or None
    """

    def __init__(
        self,
        step: float,
        interval: float,
        duration: float,
        *,
        fixed: bool,
        imbalance: float | None = MOVED,
        balanced: bool = True,
    ) -> None:
        self.interval, self._duration, self.is_fixed = interval, duration, fixed
        self._imbalance, self._is_told = imbalance, balanced
        self._first, self._notches, self._quiet, self._scale = step, 0, 0, 0.0
        self._longest = math.inf
        self.smallest = math.inf
        self.unbalanced: float | None = None
        self._choose()

    @property
    def step(self) -> float:
        """Step in the next frame [s]."""
        return self.interval / self.substeps

    @property
    def longest(self) -> float:
        """Step [s] that would be used if nothing held it back."""
        return self._first

    def set_interval(self, interval: float) -> None:
        """The next frame is so long [s]."""
        if interval != self.interval:
            self.interval = interval
            self._choose()

    def hold(self, longest: float) -> None:
        """Let no step be longer than this [s]."""
        self._longest = longest
        self._choose()

    def accepts(self, before: Energies, after: Energies | None, time: float) -> bool:
        """Whether a frame can stand; if not, the step has been reduced and the frame is to be repeated.

        `before` and `after` are the energies of the frames at both ends, None if the frame diverged.
        """
        balanced = after is not None and self._is_balanced(before, after)
        if not balanced and not self.is_fixed and self._notches < MOST_NOTCHES:
            self._notches += 1
            self._quiet = 0
            self._choose()
            return False
        if after is not None:
            self.smallest = min(self.smallest, self.step)
            if not balanced and self._is_told and self.unbalanced is None:
                self.unbalanced = time
            self._quiet += 1
            if self._notches > 0 and self._quiet >= PATIENCE:
                self._notches -= 1
                self._quiet = 0
                self._choose()
        return True

    def _choose(self) -> None:
        """A whole number of steps a frame, none longer than wanted."""
        wanted = min(self._first, self._longest) * NOTCH**self._notches
        self.substeps = max(1, math.ceil(self.interval / wanted - 1e-9))

    def _is_balanced(self, before: Energies, after: Energies) -> bool:
        """(1)"""
        if self._imbalance is None:
            return True
        *kinds, residual = (abs(a - b) for a, b in zip(after, before, strict=True))
        moved, size = sum(kinds), sum(map(abs, after[:-1]))
        held = after.kinetic + after.stored_joints + after.stored_forces + after.stored_contacts + after.stored_elements
        self._scale = max(self._scale, held)
        share = self.interval / self._duration
        return residual <= self._imbalance * moved + HELD * self._scale * share + ROUNDING * size
