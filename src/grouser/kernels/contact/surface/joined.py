"""Contacts of surfaces in implicit steps: the list of what couples their ends.

The relative velocity of the sides is sum A_e u_e over the ends e, with the slopes S along it

    block (e, f) = A_e^T S A_f                                                            (1)

Which nodes touch changes from step to step, so the matrix has places for the own blocks (e, e) alone. The rest is a
list of (S, A_e): with d = sum A_f u_f it takes from the other side of the equation

    f_e = A_e^T S (A_e u_e - d)                                                           (2)

which conjugate gradients apply to vectors (`grouser.formulations.augmented.coupled`). Ends that are carried points
stand in the list as the body that carries them. What acts in a step is shown by the same list: with the accelerations
du/dt in place of u, f + bias - S d (`grouser.formulations.acted`).
"""

from __future__ import annotations

from grouser.kernels._jit import kernel
from grouser.kernels.contact.surface.sides import NONE
from grouser.kernels.contact.surface.tables import SIDE
from grouser.kernels.kinds import WORLD_ROW
from grouser.kernels.matrix import apply, arm, matrix, product, row_matrix, times, transpose
from grouser.kernels.nodes import FRAME_SIZE, add_row, find_point_start
from grouser.kernels.spatial import dot, rotate

ENDS = 2 * SIDE
"""Ends of a contact."""


@kernel(inline=True)
def set_matrix(M, row_out):
    """Nine numbers of a row."""
    row_out[0], row_out[1], row_out[2], row_out[3], row_out[4], row_out[5], row_out[6], row_out[7], row_out[8] = M


@kernel
def add_joined(carried, moving, S, view, implicit_out, work):
    """Append the ends of a contact to the list, with their signs."""
    frames, R = view.w_world.shape[0], view.R
    n = implicit_out.joined_count[0]
    set_matrix(S, implicit_out.joined_slope[n])
    for e in range(ENDS):
        row, end = work.end_row[e], work.end[e]
        sign = 1.0 if e < SIDE else -1.0
        place, entry = implicit_out.joined_place[n], implicit_out.joined[n, e]
        place[e] = NONE
        implicit_out.joined_row[n, e] = NONE
        if row == NONE:
            continue
        J = times(sign, row_matrix(end, 0))
        set_matrix(J, entry)
        if row < frames:
            place[e], implicit_out.joined_row[n, e] = FRAME_SIZE * row, row
            set_matrix(product(J, arm(matrix(R, row, 0, 0), end[9], end[10], end[11])), entry[9:])
        elif row < moving:
            place[e] = find_point_start(frames, row)
        elif carried.body[row - moving] != WORLD_ROW:
            i = row - moving
            body = carried.body[i]
            place[e] = FRAME_SIZE * body
            lever = rotate(R, body, carried.p[i, 0], carried.p[i, 1], carried.p[i, 2])
            set_matrix(product(J, arm(matrix(R, body, 0, 0), *lever)), entry[9:])
    implicit_out.joined_count[0] = n + 1


@kernel(inline=True)
def add_end_motion(entry, place, frames_size, u, d):
    """d + A_e u_e of an end."""
    sx, sy, sz = apply(row_matrix(entry, 0), u[place], u[place + 1], u[place + 2])
    if place < frames_size:
        tx, ty, tz = apply(row_matrix(entry, 9), u[place + 3], u[place + 4], u[place + 5])
        sx, sy, sz = sx + tx, sy + ty, sz + tz
    return d[0] + sx, d[1] + sy, d[2] + sz


@kernel
def calc_joined_motion(implicit, n, u):
    """Relative motion of the sides of contact n, from a vector of velocities or of their rates."""
    size = FRAME_SIZE * implicit.damper_torque.shape[0]
    d = 0.0, 0.0, 0.0
    for e in range(ENDS):
        if implicit.joined_place[n, e] != NONE:
            d = add_end_motion(implicit.joined[n, e], implicit.joined_place[n, e], size, u, d)
    return d


@kernel(stage=True, rows="encounter.group")
def add_joined_coupling(implicit, u, f_out):
    """(2) of all contacts of surfaces."""
    size = FRAME_SIZE * implicit.damper_torque.shape[0]
    for n in range(implicit.joined_count[0]):
        S, d = row_matrix(implicit.joined_slope[n], 0), calc_joined_motion(implicit, n, u)
        for e in range(ENDS):
            place = implicit.joined_place[n, e]
            if place == NONE:
                continue
            entry = implicit.joined[n, e]
            own = add_end_motion(entry, place, size, u, (-d[0], -d[1], -d[2]))
            fx, fy, fz = apply(S, *own)
            f = apply(transpose(row_matrix(entry, 0)), fx, fy, fz)
            f_out[place] += f[0]
            f_out[place + 1] += f[1]
            f_out[place + 2] += f[2]
            if place < size:
                t = apply(transpose(row_matrix(entry, 9)), fx, fy, fz)
                f_out[place + 3] += t[0]
                f_out[place + 4] += t[1]
                f_out[place + 5] += t[2]


@kernel(stage=True, rows="encounter.group")
def add_surface_responses(share, implicit, rate, work):
    """Turn the forces of contacts of surfaces in `work` into those that acted; `share` of the bias counts."""
    for n in range(implicit.joined_count[0]):
        kept, g = implicit.joined_note[n], implicit.joined_group[n, 0]
        d = calc_joined_motion(implicit, n, rate)
        fx, fy, fz = apply(row_matrix(implicit.joined_slope[n], 0), *d)
        fx, fy, fz = share * kept[0] - fx, share * kept[1] - fy, share * kept[2] - fz
        normal, sign = dot(fx, fy, fz, kept[3], kept[4], kept[5]), kept[6]
        work.contact_sum[g, 0] += normal
        gx, gy, gz = fx - normal * kept[3], fy - normal * kept[4], fz - normal * kept[5]
        add_row(sign * gx, sign * gy, sign * gz, work.contact_sum[g, 1:])
        for e in range(ENDS):
            row = implicit.joined_row[n, e]
            if row == NONE:
                continue
            f = apply(transpose(row_matrix(implicit.joined[n, e], 0)), fx, fy, fz)
            add_row(f[0], f[1], f[2], work.contact_force[row])
            if implicit.joined_group[n, 1] == 1 and e < SIDE:
                add_row(f[0], f[1], f[2], work.ground_force[row])
