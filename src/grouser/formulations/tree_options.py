"""The formulations by name, and what can be chosen of those that follow a tree of bodies."""

from __future__ import annotations

from dataclasses import dataclass

FORMULATIONS = ("explicit", "augmented", "recursive", "embedded")


@dataclass(frozen=True)
class TreeOptions:
    """What can be chosen of a tree of bodies.

    Attributes
    ----------
    independent : of the formulation `embedded`: joints whose speeds are the independent ones of their loops; those of
        other loops are chosen, and changed where others suit better
    cuts : of the formulation `recursive`: joints that are cut; loops without one are cut where both branches are
        equally long
    projected : of the formulation `recursive`: whether loops are closed after every step; without they drift
    """

    independent: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()
    projected: bool = True

    def __post_init__(self) -> None:
        """A single name is as good as a tuple of one."""
        for name in ("independent", "cuts"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
