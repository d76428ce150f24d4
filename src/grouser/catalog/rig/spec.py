"""The rig of a scenario: posts with their pans, what moves them, and the harness."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from grouser.catalog.tracked.parts import ContactLaw
from grouser.errors import shorten
from grouser.model.base import Count, Flag, Mass, NonNegative, Number, Part, Positive, Signal, Vec3
from grouser.model.check import find_signal_faults
from grouser.model.contact import Friction
from grouser.model.fault import Fault, Path, make_fault

LARGEST_STROKE = 1.0
"""Largest height of a post [m]: beyond it no wheel could follow."""


class Harmonic(Part):
    """All posts move harmonically: in phase, or so that pans of a side stay on a line that pitches about its middle.

    Attributes
    ----------
    motion : ``shake``: all posts alike; ``pitch``: front up while rear goes down, posts between them on a line
    amplitude : of all posts, or of the front and the rear post of a side in pitch [m]
    frequency : [Hz]
    length : from the first motion to the last [s]
    ramp : time in which the amplitude grows at the start, and dies away at the end [s]
    """

    type: Literal["harmonic"] = "harmonic"
    motion: Literal["shake", "pitch"] = "shake"
    amplitude: Annotated[Number, Field(ge=1e-6, le=1)] = 0.04
    frequency: Annotated[Number, Field(ge=0.001, le=100)] = 1.0
    length: Positive = 15.0
    ramp: NonNegative = 3.0


class Ramp(Part):
    """Posts go to another height, stay there, and come back.

    Attributes
    ----------
    motion : ``shake``: all posts alike; ``pitch``: front up while rear goes down, posts between them on a line
    amplitude : height of all posts, or of the front and the rear post of a side in pitch [m]
    start : time at which it begins [s]
    rise : time from one height to the other, smoothly [s]
    dwell : time between both ramps [s]
    """

    type: Literal["ramp"] = "ramp"
    motion: Literal["shake", "pitch"] = "shake"
    amplitude: Annotated[Number, Field(ge=1e-6, le=1)] = 0.09
    start: NonNegative = 1.0
    rise: Positive = 0.2
    dwell: NonNegative = 5.0


class Signals(Part):
    """Every post has a signal of its own.

    Attributes
    ----------
    posts : height of each post by its name, ``left.post1`` at the front [m]
    """

    type: Literal["signals"] = "signals"
    posts: dict[str, Signal] = Field(min_length=1)


class Measured(Part):
    """Heights of posts that were measured: a CSV file with a column of times and one for each post.

    Attributes
    ----------
    file : name of the file; looked for beside the file that names it
    time : name of the column of times [s]
    columns : names of the columns by the name of their post; by default they are called like the posts
    scale : factor that makes heights of the columns metres, as in 0.001 for mm
    offset : whether the first height of each post is taken off, so that all begin at zero
    """

    type: Literal["measured"] = "measured"
    file: str
    time: str = "time"
    columns: dict[str, str] = Field(default_factory=dict)
    scale: Annotated[Number, Field(ge=-1000, le=1000)] = 1.0
    offset: Flag = True


_SHORT = re.compile(r"(?:(ramp) )?(shake|pitch) ([0-9.]+) mm(?: ([0-9.]+) Hz)?")


def _read_short(value: Any) -> Any:
    """A harmonic excitation or a ramp in short words, as fields."""
    if not isinstance(value, str):
        return value
    found = _SHORT.fullmatch(" ".join(value.split()))
    try:
        if found is None or (found[1] is None) == (found[4] is None):
            raise ValueError
        fields = {"motion": found[2], "amplitude": 0.001 * float(found[3])}
        return {"type": "ramp", **fields} if found[1] else {"type": "harmonic", **fields, "frequency": float(found[4])}
    except ValueError:
        raise ValueError(
            f"{shorten(value, 60)!r} is no excitation; write 'shake 70 mm 1.5 Hz', 'pitch 60 mm 1.2 Hz', 'ramp shake "
            "90 mm', or a block with a type"
        ) from None


def _add_short(schema: dict[str, Any]) -> None:
    """Let the JSON Schema take the short words too."""
    schema["oneOf"] = [*schema["oneOf"], {"type": "string"}]


Excitation = Annotated[
    Harmonic | Ramp | Signals | Measured,
    Field(discriminator="type", json_schema_extra=_add_short),
    BeforeValidator(_read_short),
]
"""What moves the posts."""


class PanStops(Part):
    """Front and back stops of a pan: horizontal cylinders across it, which lie on its floor; and rails at its sides.

    Attributes
    ----------
    clearance : way that a wheel rolls from the middle of the pan until it touches a stop, at no load [m]; a wheel that
        its load presses into the pan touches earlier
    radius : of the cylinders [m]
    side : way of a wheel sideways until its hub touches a side rail [m], or None for a pan without rails
    contact : law of the wheels on the stops, and of their hubs on the rails
    """

    clearance: Positive = 0.03
    radius: Positive = 0.03
    side: Positive | None = 0.05
    contact: ContactLaw = ContactLaw(
        stiffness=1.0e6, damping=4.0e4, damping_depth=0.002, friction=Friction(mu=0.6, velocity=0.2)
    )


class Pans(Part):
    """What wheels stand on.

    Attributes
    ----------
    flat : numbers of the wheels whose pans are flat, from 1 at the front; None makes those of the second and of the
        last but one flat where a side has at least five wheels
    length, width : of the floor along and across [m]; None takes 2.2 times the radius of the wheel, and its width
        and 0.3 m. Of a pan with stops the floor ends under them
    stops : of the other pans, or None where all are flat
    rolling : rolling resistance of the wheels over their load [-]; it acts as friction in their axles
    contact : law of the wheels on the floor. The wheel of a tyre takes stiffness, damping and friction of that instead
    """

    flat: list[Annotated[Count, Field(ge=1)]] | None = None
    length: Positive | None = None
    width: Positive | None = None
    stops: PanStops | None = PanStops()
    rolling: Annotated[Number, Field(ge=0, le=1)] = 0.03
    contact: ContactLaw = ContactLaw(stiffness=2.0e6, damping=1.0e4, friction=Friction(mu=0.6, velocity=0.2))


class Harness(Part):
    """Loose straps from the top of the vehicle to a crane, so that it cannot fall off the rig.

    Attributes
    ----------
    points : where straps hold the main body [m]; None takes four over the outermost wheels, 1 m over their centres
    length : of the straps, straight up [m]
    slack : way that the vehicle may go down, from where it was set down, until a strap is tight [m]
    stiffness : of each strap [N/m]
    """

    points: list[Vec3] | None = None
    length: Positive = 3.0
    slack: NonNegative = 0.12
    stiffness: Positive = 2.0e5


class Rig(Part):
    """A post under every wheel of a vehicle whose tracks are off.

    Attributes
    ----------
    excitation : what moves the posts; or in short ``shake 70 mm 1.5 Hz``, ``pitch 60 mm 1.2 Hz``, ``ramp shake 90 mm``
    pans : what wheels stand on
    harness : straps that hold the vehicle, or None
    post_mass : moving mass of a post and its pan [kg]
    """

    excitation: Excitation
    pans: Pans = Pans()
    harness: Harness | None = None
    post_mass: Mass = 100.0


def find_rig_faults(path: Path, rig: Rig, duration: float) -> Iterator[Fault]:
    """What no field can see by itself; `duration` is that of the run [s]."""
    excitation, path = rig.excitation, (*path, "excitation")
    if isinstance(excitation, Harmonic) and 2.0 * excitation.ramp > excitation.length:
        yield make_fault(
            (*path, "ramp"),
            f"is {excitation.ramp:g} s, more than half of the length of {excitation.length:g} s: shorten it",
        )
    if isinstance(excitation, Ramp) and excitation.start >= duration:
        yield make_fault(
            (*path, "start"), f"is {excitation.start:g} s, but the run ends at {duration:g} s: begin earlier"
        )
    if isinstance(excitation, Signals):
        for name, signal in excitation.posts.items():
            yield from find_signal_faults((*path, "posts", name), signal)
    if isinstance(excitation, Measured) and excitation.scale == 0.0:
        yield make_fault((*path, "scale"), "is 0, so that no post moves; give 1 for m, 0.001 for mm")
