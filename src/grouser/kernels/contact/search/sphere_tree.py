"""Tree of spheres on the points of a cloud: a rigid motion moves centres and leaves radii as they are."""

from __future__ import annotations

from math import sqrt

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.split import find_order


@kernel(inline=True)
def calc_leaf_ball(order, x, first, stop, i, ball_out):
    """Sphere i: about the middle of the box of points first to stop, which are some."""
    p = order[first]
    ax = bx = x[p, 0]
    ay = by = x[p, 1]
    az = bz = x[p, 2]
    for k in range(first + 1, stop):
        p = order[k]
        ax, bx = min(ax, x[p, 0]), max(bx, x[p, 0])
        ay, by = min(ay, x[p, 1]), max(by, x[p, 1])
        az, bz = min(az, x[p, 2]), max(bz, x[p, 2])
    cx, cy, cz = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    largest = 0.0
    for k in range(first, stop):
        p = order[k]
        dx, dy, dz = x[p, 0] - cx, x[p, 1] - cy, x[p, 2] - cz
        largest = max(largest, dx * dx + dy * dy + dz * dz)
    ball_out[i, 0], ball_out[i, 1], ball_out[i, 2], ball_out[i, 3] = cx, cy, cz, sqrt(largest)


@kernel(inline=True)
def calc_ball_of_two(i, ball_out):
    """Sphere i: the smallest about its two children. With the distance d of their centres and radii r and s,

    R = (r + s + d)/2,   c = c_r + (R - r)/d (c_s - c_r),   or the larger one if it holds the other           (1)
    """
    a, b = 2 * i, 2 * i + 1
    if ball_out[a, 3] < ball_out[b, 3]:
        a, b = b, a
    dx, dy, dz = ball_out[b, 0] - ball_out[a, 0], ball_out[b, 1] - ball_out[a, 1], ball_out[b, 2] - ball_out[a, 2]
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    radius, share = ball_out[a, 3], 0.0
    if distance + ball_out[b, 3] > radius:
        share = 0.5 * (ball_out[b, 3] + distance - radius) / distance
        radius += share * distance
    ball_out[i, 0] = ball_out[a, 0] + share * dx
    ball_out[i, 1] = ball_out[a, 1] + share * dy
    ball_out[i, 2] = ball_out[a, 2] + share * dz
    ball_out[i, 3] = radius


@kernel
def fit_balls(cloud_work, x):
    """Fit all spheres to the points x (n, 3)."""
    order, ball = cloud_work.order, cloud_work.ball
    count, leaves = order.shape[0], ball.shape[0] // 2
    for leaf in range(leaves):
        calc_leaf_ball(order, x, leaf * count // leaves, (leaf + 1) * count // leaves, leaves + leaf, ball)
    for i in range(leaves - 1, 0, -1):
        calc_ball_of_two(i, ball)


@kernel(entry=True)
def refit_balls(cloud_work, x):
    """`fit_balls` for Python."""
    fit_balls(cloud_work, x)


@kernel
def order_balls(cloud_work, x, centre_work):
    """Order the points x (n, 3), and fit the spheres; `centre_work` (n, 3)."""
    order = cloud_work.order
    for k in range(order.shape[0]):
        order[k] = k
        for axis in range(3):
            centre_work[k, axis] = x[k, axis]
    find_order(cloud_work.ball.shape[0] // 2, order, centre_work)
    fit_balls(cloud_work, x)


@kernel(entry=True)
def build_balls(cloud_work, x, centre_work):
    """`order_balls` for Python."""
    order_balls(cloud_work, x, centre_work)
