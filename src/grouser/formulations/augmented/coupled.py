"""The system of a linearly implicit step with bodies that touch: conjugate gradients about the factored matrix.

D is the matrix without the blocks between bodies that touch, -N (`grouser.kernels.contact.coupling`). It is factored,
and

    (D - N) x = b                                                                         (1)

is solved by conjugate gradients with D as preconditioner. Both are positive definite on the motions that ideal joints
allow, and constraint rows stand in D alone, so that every iterate fulfils them. From the solution y of the last step,

    x = D^-1 (b + N y),   r = b - (D - N) x = N (x - y)                                   (2)

so that no product with D is ever formed; that of a direction p follows as p does, from D z = r:

    z = D^-1 r,  p = z + beta p_old,  D p = r + beta D p_old                              (3)

Every turn brings x nearer, in the energy e.(D - N) e of its error e, by

    alpha r.z                                                                             (4)

and turns end when that is small beside x.b.

Source: Hestenes and Stiefel (1952), Methods of conjugate gradients for solving linear systems.
"""

from __future__ import annotations

from math import inf

from grouser.kernels._jit import kernel
from grouser.kernels.block_ldl import solve_factored
from grouser.kernels.contact.coupling import calc_coupled
from grouser.kernels.copy import calc_copy, calc_zero
from grouser.kernels.plane import calc_in_plane

TOLERANCE = 1.0e-2
"""Last improvement of the solution, as a share of it, both measured by the root of (4)."""
TOLERANCE_SHOWN = 1.0e-6
"""The same where the forces of a step are shown: only then they are those that acted on both sides of a contact."""
MOST_TURNS = 40
"""Turns after which the solution is taken as it is: what is left is felt one step later."""


@kernel(inline=True)
def calc_product(length, a, b):
    """Sum of the products of the first numbers of two vectors."""
    total = 0.0
    for i in range(length):
        total += a[i] * b[i]
    return total


@kernel
def solve_coupled(
    # tables
    table,
    # in
    factor,
    implicit,
    length,
    start,
    tolerance,
    # out
    x_out,
    # work
    system_work,
):
    """Go on from x = D^-1 (b + N start), which `x_out` holds, to the solution of (1). `length`: numbers of all nodes.

    `system_work.right` holds b + N start. `tolerance`: as `TOLERANCE`. Returns the number of turns.
    """
    r, z, p = system_work.residual, system_work.correction, system_work.direction
    image, coupled = system_work.image, system_work.coupled
    everything = x_out.shape[0]
    size = calc_product(length, system_work.right, x_out)
    for i in range(everything):
        p[i] = 0.0
        image[i] = 0.0
        r[i] = 0.0
    for i in range(length):
        z[i] = x_out[i] - start[i]
    calc_coupled(z, coupled, implicit)
    for i in range(length):
        r[i] = coupled[i]  # (2)
    before = 1.0
    for turn in range(MOST_TURNS):
        for i in range(everything):
            z[i] = r[i]
        solve_factored(table, factor, z)
        left = calc_product(length, r, z)
        beta = left / before if turn > 0 else 0.0
        before = left
        for i in range(everything):  # (3)
            p[i] = z[i] + beta * p[i]
            image[i] = r[i] + beta * image[i]
        calc_coupled(p, coupled, implicit)
        stiffness = calc_product(length, p, image) - calc_product(length, p, coupled)
        if not stiffness > 0.0:  # nothing left
            return turn
        alpha = left / stiffness
        for i in range(everything):
            x_out[i] += alpha * p[i]
            r[i] -= alpha * image[i]
        for i in range(length):
            r[i] += alpha * coupled[i]
        if not alpha * left > tolerance * tolerance * size:  # (4)
            return turn + 1
    return MOST_TURNS


@kernel(stage=True)
def solve_correction(
    # tables
    body,
    # in
    tolerance,
    # work
    implicit_work,
    system_work,
):
    """Solution for the residual in `system_work.right` with the factor that is there, of accelerations that are
    iterated. Blocks between bodies that touch count as far as `tolerance` asks for: not at all if it is infinite."""
    system = system_work
    calc_copy(system.right, system.solution)
    solve_factored(system.elimination, system.factor, system.solution)
    if implicit_work.coupled_count[0] + implicit_work.joined_count[0] > 0 and tolerance < inf:
        calc_zero(implicit_work.rates_before)
        solve_coupled(
            system.elimination,
            system.factor,
            implicit_work,
            system.start[0],
            implicit_work.rates_before,
            tolerance,
            system.solution,
            system,
        )
    calc_in_plane(body, system.solution)
