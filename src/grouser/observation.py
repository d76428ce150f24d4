"""Channels of one instant, by the names that results have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from grouser.result.channels import ChannelInfo, get_info, list_names, split_name
from grouser.result.writer import Block


def list_channels(blocks: Sequence[Block]) -> dict[str, ChannelInfo]:
    """Every channel of some blocks by name, ``<element>.<quantity>``."""
    found = {}
    for block in blocks:
        units = block.unit if isinstance(block.unit, tuple) else (block.unit,) * len(block.items)
        for index, (item, unit) in enumerate(zip(block.items, units, strict=True)):
            name = f"{item}.{block.quantity}"
            found[name] = ChannelInfo(unit, block.frame, block.components, block.description, block.name, index)
    return found


class Observation(Mapping[str, Any]):
    """Channels of one instant.

    ``seen["chassis.position"]`` is an array of shape (components,), or a number for a scalar;
    ``seen["chassis.position.x"]`` is one component.

    Attributes
    ----------
    time : of the instant [s]
    channels : what each channel holds, by name
    """

    def __init__(self, time: float, channels: Mapping[str, ChannelInfo], values: Mapping[str, np.ndarray]) -> None:
        """`values` (1, items, components) by the names of the blocks."""
        self.time, self.channels, self._values = time, channels, values

    def __getitem__(self, name: str) -> Any:
        """Value of a channel; an unknown name is answered with the nearest ones."""
        channel, component = split_name(self.channels, *list_names([name]))
        info = get_info(self.channels, channel)
        values = self._values[info.block][0, info.index]
        if info.is_scalar or component is not None:
            return float(values[component or 0])
        return values.copy()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and split_name(self.channels, name)[0] in self.channels

    def get(self, name: str, default: Any = None) -> Any:
        """Value of a channel, or `default` where there is none of this name."""
        if name not in self:
            return default
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __len__(self) -> int:
        return len(self.channels)

    def __repr__(self) -> str:
        return f"<Observation at {self.time:g} s, {len(self)} channels>"
