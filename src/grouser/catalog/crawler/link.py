"""The link of a crawler: rail of three segments, sole, tip of the grouser, bushing that it shares with the next one."""

from __future__ import annotations

from grouser.catalog.crawler.parts import CrawlerLinks
from grouser.model.contact import Pin, Points, Rail, Shape, Strip

WIDTH = 0.1
"""Width of rails and wheels across the plane [m]: a contact in the plane asks only that they meet."""


def make_link_shapes(links: CrawlerLinks, body: str, following: str) -> dict[str, Shape]:
    """Shapes of a link by name, in its frame: x along the way, z towards the wheels, origin between the pins."""
    top, end = links.rail_height, links.rail_height - links.rail_drop
    flat, half = 0.5 * links.rail_flat, 0.5 * links.rail_length
    sole = 0.5 * links.sole_length
    return {
        f"{body}.rail": Rail(
            body=body, group="rails", points=[(-half, end), (-flat, top), (flat, top), (half, end)], width=WIDTH
        ),
        f"{body}.bushing": Pin(
            body=body,
            group="bushings",
            positions=[(0.5 * links.pitch, 0.0, 0.0)],
            radius=links.bushing_radius,
            shared=following,
        ),
        f"{body}.grouser": Points(
            body=body,
            group="grousers",
            positions=[(links.grouser_offset, 0.0, -links.sole_depth - links.grouser_height)],
        ),
        f"{body}.sole": Strip(
            body=body,
            group="soles",
            start=(-sole, 0.0, -links.sole_depth),
            end=(sole, 0.0, -links.sole_depth),
            cells=links.cells,
        ),
    }
