"""What compiled code knows of surfaces in contact: one record for each surface, one for each pair that may meet.

A *sheet* is a surface as it is now. That of a rigid body is kept in its frame, about its centre of mass, and never
changes; that of a mesh lies in the world, and goes with the nodes. An *encounter* is the contact points of one sheet
beside the polygons of another, or of the same: a `Meeting` of `search.tables`, with its list of candidates, and all
that is known of its contact. Row 0 of both lists is a pattern without a meaning, so that there always is one.

What points remember lies in the friction memory of the state (`anchor`, `anchor_stamp`), so many rows a point:

    0            guide: direction out of the surface
    1            guide: gap                                                                  [m]
    2 + 2 j      anchor of place j: in the frame of a rigid surface [m], or three weights of the nodes of a polygon
    3 + 2 j      the polygon, by its first number, and the height above it [m]

The stamp of row 0 is that of the evaluation in which the point was near, that of row 2 + 2 j the one in which it
touched.
"""

from __future__ import annotations

from collections import namedtuple

from grouser.kernels.contact.search.tables import Meeting

GUIDE_ROWS, ANCHOR_ROWS = 2, 2
"""Rows of memory for the guide of a point, and for each place in which it touches at a time."""
SIDE = 4
"""Most rows of nodes that carry one side of a contact."""

Sheet = namedtuple(
    "Sheet",
    [
        "body",
        "is_deforming",
        "x",
        "node_row",
        "points",
        "corner",
        "weight",
        "area",
        "surface",
        "first_node",
        "cloud",
        "cost",
        "centre",
        "index",
    ],
)
"""body: row of the rigid body, the world for a deforming one; is_deforming: 1 or 0; x (n, 3) vertices [m] and node_row
(n,) the rows of nodes that they are; points (k, 3) contact points [m], corner (k, 4) vertices and weight (k, 4) that
carry them; area (k,) [m^2]; surface, cloud: with their trees; first_node (m, 4) nodes of polygons by their first
numbers; cost (2,) of a descent of the tree as it was built, zero where it is to be built anew, and as it is; centre
(m or k, 3) and index (m,): scratch for building. Without rows where it is rigid: node_row, corner, weight, index."""

Encounter = namedtuple(  # type: ignore[misc]
    "Encounter",
    [
        *Meeting._fields,
        "a",
        "b",
        "group",
        "is_ground",
        "is_own",
        "sign",
        "share",
        "bound",
        "first",
        "items",
        "is_material",
        "pair",
        "touch",
        "search",
        "guide",
        "base",
        "is_listed",
        "needed",
        "moved",
        "seen_origin",
        "seen_R",
        "seen_points",
        "seen_x",
    ],
)
"""a, b: sheets with the points and with the polygons; group: of contacts; is_ground: 1 where b is the terrain; is_own:
1 where a and b are the same; sign: 1 where the points are side a of the contact, else -1; share: of the stiffness;
bound [m]: radius of a ball about the origin of the points' frame that holds them; first: row of memory of the first
point; items: places in which a point touches at most; is_material: 1 where points are such of a body, 0 where what
touches is wherever a ball touches; pair, touch, search: lists and scratch; guide (k, 4) of this evaluation; base
(touches, 2) distance of the point along the normal when touches were found [m], and depth; is_listed (1,): whether the
list is one; needed (1,): capacity that was missing; moved (4,) [m]: way since the list was made, way up to which it is
valid, and how far all may have moved since guides were noted; seen_...: where all was then."""
