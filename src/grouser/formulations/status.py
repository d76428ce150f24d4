"""How an advance ended: a status, and where it failed the row of a node or the entry of a constraint."""

from __future__ import annotations

DONE, DIVERGED, SINGULAR, STALLED, OPEN, UNDETERMINED = 0, 1, 2, 3, 4, 5
"""Done; a node left the range of numbers; the equations are singular; steps become too short; a linkage cannot be
closed; its chosen speeds do not determine it."""
