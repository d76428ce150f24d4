"""How an advance ended. The status stands beside the row of the node, or the entry of the constraint, that failed."""

from __future__ import annotations

DONE, DIVERGED, SINGULAR, STALLED, OPEN, UNDETERMINED = 0, 1, 2, 3, 4, 5
"""Done; a node left the range of numbers; the equations are singular; steps become too short; a linkage cannot be
closed; its chosen speeds do not determine it."""
