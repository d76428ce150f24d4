"""Tree of boxes on the polygons of a surface: built once, refitted in place when nodes move.

A tree of boxes finds what is near as fast as its boxes are small. A point meets a box with a probability in proportion
to the area of the box, so that a descent costs about

    C = sum of A_i / A_root,   A_i half the area of box i                                       (1)

boxes (the surface area heuristic, MacDonald and Booth 1990). A refitted tree is loosened by C / C_built: build it anew
from about 2 on.

A descent waits for memory, so boxes are float32, rounded outwards: half of the bytes, and they hold what they held.
Distances to polygons are float64.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.split import find_order

ROUNDED = 2.0**-23
"""Numbers that are moved by this share of the largest of them are still beyond it when they are rounded to float32."""
LEAST = 1e-37
"""The same for numbers that are nearly zero [m]."""


@kernel(inline=True)
def find_corner_count(surface, k):
    """3 or 4."""
    return 3 if surface.node[k, 3] == surface.node[k, 2] else 4


@kernel(inline=True)
def calc_half_area(box, i):
    """Half the area of a box."""
    dx, dy, dz = box[i, 3] - box[i, 0], box[i, 4] - box[i, 1], box[i, 5] - box[i, 2]
    return dx * dy + dy * dz + dz * dx


@kernel
def calc_leaf_box(node, x, first, stop, i, box_out):
    """Box i: that of the nodes of polygons first to stop, which are some."""
    n = node[first, 0]
    ax = bx = x[n, 0]
    ay = by = x[n, 1]
    az = bz = x[n, 2]
    for k in range(first, stop):
        for c in range(3 if node[k, 3] == node[k, 2] else 4):
            n = node[k, c]
            px, py, pz = x[n, 0], x[n, 1], x[n, 2]
            ax, bx = min(ax, px), max(bx, px)
            ay, by = min(ay, py), max(by, py)
            az, bz = min(az, pz), max(bz, pz)
    slack = ROUNDED * max(abs(ax), abs(bx), abs(ay), abs(by), abs(az), abs(bz)) + LEAST
    box_out[i, 0], box_out[i, 1], box_out[i, 2] = ax - slack, ay - slack, az - slack
    box_out[i, 3], box_out[i, 4], box_out[i, 5] = bx + slack, by + slack, bz + slack


@kernel
def fit_boxes(surface_work, x):
    """Fit all boxes to the positions x of the nodes. Returns C of (1)."""
    box = surface_work.box
    count, leaves = surface_work.node.shape[0], box.shape[0] // 2
    cost = 0.0
    for leaf in range(leaves):
        i = leaves + leaf
        calc_leaf_box(surface_work.node, x, leaf * count // leaves, (leaf + 1) * count // leaves, i, box)
        cost += calc_half_area(box, i)
    for i in range(leaves - 1, 0, -1):
        for c in range(3):
            box[i, c] = min(box[2 * i, c], box[2 * i + 1, c])
            box[i, c + 3] = max(box[2 * i, c + 3], box[2 * i + 1, c + 3])
        cost += calc_half_area(box, i)
    root = calc_half_area(box, 1)
    return cost / root if root > 0.0 else 1.0


@kernel(entry=True)
def refit_boxes(surface_work, x):
    """`fit_boxes` for Python."""
    return fit_boxes(surface_work, x)


@kernel(inline=True)
def calc_centres(node, x, centre_work):
    """Twice the middle of the box of each polygon."""
    for k in range(node.shape[0]):
        a, b, c, d = node[k, 0], node[k, 1], node[k, 2], node[k, 3]
        for axis in range(3):
            xa, xb, xc, xd = x[a, axis], x[b, axis], x[c, axis], x[d, axis]
            centre_work[k, axis] = min(xa, xb, xc, xd) + max(xa, xb, xc, xd)


@kernel(inline=True)
def reorder(order, index_work, node_out):
    """Bring the rows of polygons into an order of their present places, column by column."""
    for c in range(4):
        for k in range(order.shape[0]):
            index_work[k] = node_out[order[k], c]
        for k in range(order.shape[0]):
            node_out[k, c] = index_work[k]


@kernel
def fill_rings(surface_work):
    """Polygons about each node."""
    start, ring = surface_work.ring_start, surface_work.ring
    for i in range(start.shape[0]):
        start[i] = 0
    for k in range(surface_work.node.shape[0]):
        for c in range(find_corner_count(surface_work, k)):
            start[surface_work.node[k, c]] += 1
    stop = 0
    for i in range(start.shape[0]):
        stop += start[i]
        start[i] = stop
    for k in range(surface_work.node.shape[0] - 1, -1, -1):
        for c in range(find_corner_count(surface_work, k)):
            i = surface_work.node[k, c]
            start[i] -= 1
            ring[start[i]] = k


@kernel
def order_boxes(surface_work, x, centre_work, index_work):
    """Order the polygons, fill the rings, fit the boxes. Returns C of (1).

    Parameters
    ----------
    surface_work : the surface; its polygons are numbered anew, `order` says what they were called
    x : (nodes, 3) positions of its nodes, in the frame of the tree
    centre_work : (n, 3) float64
    index_work : (n,) uint32
    """
    node, order = surface_work.node, surface_work.order
    calc_centres(node, x, centre_work)
    for k in range(order.shape[0]):
        index_work[k] = k
    find_order(surface_work.box.shape[0] // 2, index_work, centre_work)
    # `order` of a surface that is built anew leads back to the first names
    for k in range(order.shape[0]):
        centre_work[k, 0] = order[index_work[k]]
    for k in range(order.shape[0]):
        order[k] = index_work[k]
    reorder(order, index_work, node)
    for k in range(order.shape[0]):
        order[k] = int(centre_work[k, 0])
    fill_rings(surface_work)
    return fit_boxes(surface_work, x)


@kernel(entry=True)
def build_boxes(surface_work, x, centre_work, index_work):
    """`order_boxes` for Python."""
    return order_boxes(surface_work, x, centre_work, index_work)
