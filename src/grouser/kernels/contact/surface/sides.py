"""The two sides of a contact: how velocities of nodes move it, and how its force passes to them.

Both sides meet at one point p, so that forces make no moment. The point of a rigid side moves by v + w x r. On a
polygon whose nodes x_i have the weights w_i at the closest place q, p lies off by t along it and by h across it, along
the normal n of the facet that q lies on:

    p = q + t + h n                                                                       (1)

Affine motion of the facet carries p with the nodes,

    v_p = sum J_i v_i,   J_i = (w_i + t.g_i) 1 - h g_i n^T,   f_i = J_i^T f               (2)

with the gradients g_i of the weights along the facet. For every rotation of the nodes that is the motion of a rigid
body, so force and moment are those of f at p, to rounding; and the power of f is that of the f_i. In a facet a, b, m of
a quadrilateral the middle m has a fourth of every node. A contact point on a mesh is a sum of nodes, J_i = s_i 1.

`end_row` (8,) and `end` (8, 12) of the workspace hold the rows of nodes of both sides, four each, -1 for none, and for
each J_i row after row and the lever of a body.
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.search.polygon import read_node
from grouser.kernels.contact.surface.tables import SIDE
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.matrix import apply, dyad, minus, row_matrix, transpose, unit
from grouser.kernels.spatial import cross, dot

NONE = -1
"""In place of a row of a node."""


@kernel(inline=True)
def set_end(e, row, J, lever, row_out, end_out):
    """End e of a contact is the node in a row, which moves it by J (v + w x lever); the world takes no part."""
    row_out[e] = row if row != WORLD_ROW else NONE
    end = end_out[e]
    end[0], end[1], end[2], end[3], end[4], end[5], end[6], end[7], end[8] = J
    end[9], end[10], end[11] = lever


@kernel(inline=True)
def set_body_end(e, body, p, x, row_out, end_out):
    """End e of a contact at p is a rigid body."""
    lever = p[0] - x[body, 0], p[1] - x[body, 1], p[2] - x[body, 2]
    set_end(e, int(body), unit(1.0), lever, row_out, end_out)


@kernel
def set_point_side(a, i, p, x, work):
    """The side of contact point i of a sheet, at p."""
    row_out, end_out = work.end_row, work.end
    for e in range(SIDE):
        row_out[e] = NONE
    if a.is_deforming == 0:
        set_body_end(0, a.body, p, x, row_out, end_out)
    else:
        for e in range(SIDE):
            if a.weight[i, e] != 0.0:
                row = int(a.node_row[a.corner[i, e]])
                set_end(e, row, unit(a.weight[i, e]), (0.0, 0.0, 0.0), row_out, end_out)


@kernel
def calc_gradients(pa, pb, pc):
    """Gradients of the weights of a triangle, and its unit normal; zeros if it is a line."""
    ex, ey, ez = pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]
    fx, fy, fz = pc[0] - pa[0], pc[1] - pa[1], pc[2] - pa[2]
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    nn = dot(nx, ny, nz, nx, ny, nz)
    share = 1.0 / nn if nn > 0.0 else 0.0
    bx, by, bz = cross(fx, fy, fz, nx, ny, nz)
    cx, cy, cz = cross(nx, ny, nz, ex, ey, ez)
    length = share**0.5
    return (
        (share * bx, share * by, share * bz),
        (share * cx, share * cy, share * cz),
        (length * nx, length * ny, length * nz),
    )


@kernel(inline=True)
def set_corner(e, row, w, g, off, h, n, row_out, end_out):
    """(2) of one node."""
    J = minus(unit(w + dot(*off, *g)), dyad(h, *g, *n))
    set_end(e, int(row), J, (0.0, 0.0, 0.0), row_out, end_out)


@kernel
def set_polygon_side(b, k, w, p, x, work):
    """The side of polygon k of a sheet, of which a point beside the place with weights w is at p."""
    row_out, end_out = work.end_row, work.end
    for e in range(SIDE, 2 * SIDE):
        row_out[e] = NONE
    if b.is_deforming == 0:
        set_body_end(SIDE, b.body, p, x, row_out, end_out)
        return
    node = b.surface.node
    pa, pb = read_node(b.x, node[k, 0]), read_node(b.x, node[k, 1])
    pc, pd = read_node(b.x, node[k, 2]), read_node(b.x, node[k, 3])
    qx = w[0] * pa[0] + w[1] * pb[0] + w[2] * pc[0] + w[3] * pd[0]
    qy = w[0] * pa[1] + w[1] * pb[1] + w[2] * pc[1] + w[3] * pd[1]
    qz = w[0] * pa[2] + w[1] * pb[2] + w[2] * pc[2] + w[3] * pd[2]
    is_triangle = node[k, 3] == node[k, 2]
    facet = 0
    if is_triangle:
        gb, gc, n = calc_gradients(pa, pb, pc)
    else:
        # the facet whose two nodes have the most
        most = w[0] + w[1]
        if w[1] + w[2] > most:
            most, facet = w[1] + w[2], 1
        if w[2] + w[3] > most:
            most, facet = w[2] + w[3], 2
        if w[3] + w[0] > most:
            facet = 3
        m = (
            0.25 * (pa[0] + pb[0] + pc[0] + pd[0]),
            0.25 * (pa[1] + pb[1] + pc[1] + pd[1]),
            0.25 * (pa[2] + pb[2] + pc[2] + pd[2]),
        )
        first, second = read_node(b.x, node[k, facet]), read_node(b.x, node[k, (facet + 1) & 3])
        gb, gc, n = calc_gradients(first, second, m)
    dx, dy, dz = p[0] - qx, p[1] - qy, p[2] - qz
    h = dot(dx, dy, dz, *n)  # (1)
    off = dx - h * n[0], dy - h * n[1], dz - h * n[2]
    ga = -gb[0] - gc[0], -gb[1] - gc[1], -gb[2] - gc[2]
    for e in range(3 if is_triangle else 4):
        g = ga if e == 0 else gb if e == 1 else gc
        if not is_triangle:
            share = 0.25
            gx, gy, gz = share * gc[0], share * gc[1], share * gc[2]
            if e == facet:
                gx, gy, gz = gx + ga[0], gy + ga[1], gz + ga[2]
            elif e == (facet + 1) & 3:
                gx, gy, gz = gx + gb[0], gy + gb[1], gz + gb[2]
            g = gx, gy, gz
        set_corner(SIDE + e, b.node_row[node[k, e]], w[e], g, off, h, n, row_out, end_out)


@kernel
def calc_end_velocity(view, work):
    """Velocity of the point side as seen from the polygon side."""
    frames = view.w_world.shape[0]
    sx = sy = sz = 0.0
    for e in range(2 * SIDE):
        row = work.end_row[e]
        if row == NONE:
            continue
        v, end = view.v[row], work.end[e]
        ux, uy, uz = v[0], v[1], v[2]
        if row < frames:
            w = view.w_world[row]
            tx, ty, tz = cross(w[0], w[1], w[2], end[9], end[10], end[11])
            ux, uy, uz = ux + tx, uy + ty, uz + tz
        ux, uy, uz = apply(row_matrix(end, 0), ux, uy, uz)
        sign = 1.0 if e < SIDE else -1.0
        sx, sy, sz = sx + sign * ux, sy + sign * uy, sz + sign * uz
    return sx, sy, sz


@kernel
def add_end_forces(f, work, f_out, torque_out):
    """Add a force to the point side, and its opposite to the polygon side."""
    frames = torque_out.shape[0]
    for e in range(2 * SIDE):
        row = work.end_row[e]
        if row == NONE:
            continue
        sign, end = 1.0 if e < SIDE else -1.0, work.end[e]
        fx, fy, fz = apply(transpose(row_matrix(end, 0)), sign * f[0], sign * f[1], sign * f[2])
        f_out[row, 0] += fx
        f_out[row, 1] += fy
        f_out[row, 2] += fz
        if row < frames:
            tx, ty, tz = cross(end[9], end[10], end[11], fx, fy, fz)
            torque_out[row, 0] += tx
            torque_out[row, 1] += ty
            torque_out[row, 2] += tz
