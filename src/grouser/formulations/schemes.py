"""Time schemes as integers, which compiled code branches on, and the integrators made of them, by name."""

from __future__ import annotations

EULER, TRAPEZOIDAL = 0, 1

INTEGRATORS: dict[str, tuple[int, bool]] = {
    "trapezoidal": (TRAPEZOIDAL, False),
    "euler": (EULER, False),
    "implicit-euler": (EULER, True),
}
"""For each its scheme, and whether its steps are linearly implicit."""
