"""Prescribed motions of joints."""

from __future__ import annotations

from typing import Literal

from grouser.model.base import Part, Signal
from grouser.model.force import Coordinate


class Motion(Part):
    """Prescribes the free coordinate of a joint, or its rate, as a function of time.

    Attributes
    ----------
    joint : name of the joint
    coordinate : ``rotation`` [rad] or ``translation`` [m] along the joint's z axis
    quantity : ``position`` or ``speed``
    value : the signal
    """

    joint: str
    coordinate: Coordinate
    quantity: Literal["position", "speed"]
    value: Signal
