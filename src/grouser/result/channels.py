"""Channels of a result by name: what each holds, and which of them names and patterns mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grouser.errors import ResultError, say_unknown


@dataclass(frozen=True)
class ChannelInfo:
    """What a channel holds.

    Attributes
    ----------
    unit : of all components, or one for each divided by ", "
    frame : axes of the components; empty for a scalar
    components : names of the components; one for a scalar
    description : a phrase for people
    block : name of the block that holds it, ``family/quantity``
    index : position among the items of the block
    """

    unit: str
    frame: str
    components: tuple[str, ...]
    description: str
    block: str
    index: int

    @property
    def is_scalar(self) -> bool:
        """Whether there is one component only."""
        return len(self.components) == 1

    @property
    def component_units(self) -> tuple[str, ...]:
        """The unit of each component."""
        parts = tuple(self.unit.split(", "))
        return parts if len(parts) == len(self.components) else (self.unit,) * len(self.components)


def list_names(names: str | Iterable[str]) -> list[str]:
    """Names of channels or patterns as a list."""
    listed = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in listed:
        if not isinstance(name, str):
            raise ResultError(f"a channel is named by text, not by {name!r}")
    return listed


def get_info(channels: Mapping[str, ChannelInfo], name: str) -> ChannelInfo:
    """What a channel holds; an unknown name is answered with the nearest ones."""
    if name not in channels:
        raise ResultError(say_unknown("channel", name, channels))
    return channels[name]


def split_name(channels: Mapping[str, ChannelInfo], name: str) -> tuple[str, int | None]:
    """Channel and number of a component from ``chassis.position.x``; None is the number of a whole channel."""
    channel, _, component = name.rpartition(".")
    if name in channels or channel not in channels or channels[channel].is_scalar:
        return name, None
    components = channels[channel].components
    return (channel, components.index(component)) if component in components else (name, None)


def find_names(channels: Mapping[str, ChannelInfo], names: str | Iterable[str] | None) -> list[str]:
    """Names of channels from names and patterns (``left.*.tension``); None gives all of them."""
    if names is None:
        return list(channels)
    found: dict[str, None] = {}
    for name in list_names(names):
        if any(sign in name for sign in "*?["):
            matching = [channel for channel in channels if fnmatchcase(channel, name)]
            if not matching:
                raise ResultError(f"no channel matches the pattern {name!r}")
        else:
            get_info(channels, name)
            matching = [name]
        found.update(dict.fromkeys(matching))
    return list(found)
