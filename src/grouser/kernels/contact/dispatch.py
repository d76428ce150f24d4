"""All contacts of a model: where they touch, then what acts there.

Geometry and law are two loops over a list of touching points: either is small enough to stay in registers, and in the
second nothing has to be guessed. The kind of a pair is branched on here and, for outlines and spheres, in
`outline_touch.py` and `sphere.py`.
"""

from __future__ import annotations

import numpy as np

from grouser.kernels._jit import kernel
from grouser.kernels.contact.law import add_contact
from grouser.kernels.contact.outline_touch import add_outline_touches
from grouser.kernels.contact.sphere import add_sphere_touches
from grouser.kernels.contact.touch import (
    add_groove_horn_touches,
    add_points_terrain_touches,
    add_sprocket_pin_touches,
    add_wheel_plate_touches,
    add_wheel_terrain_touches,
)
from grouser.kernels.kinds import (
    PAIR_GROOVE_HORN,
    PAIR_LAST_TERRAIN,
    PAIR_POINTS_TERRAIN,
    PAIR_SPROCKET_PIN,
    PAIR_SURFACE,
    PAIR_WHEEL_PLATE,
    PAIR_WHEEL_TERRAIN,
    PAIRS_OF_SPHERES,
)


@kernel(stage=True, rows="contact.kind")
def find_touches(
    # tables
    shape,
    contact,
    terrain,
    # in
    view,
    # work
    work,
):
    """Fill the list of touching points from the candidate pairs; those of group g are start[g] .. start[g + 1] - 1."""
    start_out = work.touch_start
    n = np.int64(0)  # not the literal 0, for which a callee would be compiled again
    for g in range(contact.kind.shape[0]):
        start_out[g] = n
        kind = contact.kind[g]
        if kind == PAIR_POINTS_TERRAIN:
            n = add_points_terrain_touches(shape, contact, terrain, g, view, n, work)
        elif kind == PAIR_WHEEL_TERRAIN:
            n = add_wheel_terrain_touches(shape, contact, terrain, g, view, n, work)
        elif kind == PAIR_WHEEL_PLATE:
            n = add_wheel_plate_touches(shape, contact, g, view, n, work)
        elif kind == PAIR_SPROCKET_PIN:
            n = add_sprocket_pin_touches(shape, contact, g, view, n, work)
        elif kind == PAIR_GROOVE_HORN:
            n = add_groove_horn_touches(shape, contact, g, view, n, work)
        elif kind in PAIRS_OF_SPHERES:
            n = add_sphere_touches(shape, contact, terrain, g, view, n, work)
        elif kind != PAIR_SURFACE:
            n = add_outline_touches(shape, contact, terrain, g, view, n, work)
    start_out[contact.kind.shape[0]] = n


@kernel(stage=True, rows="contact.kind")
def add_contacts(
    # tables
    contact,
    terrain,
    # in
    view,
    memory,
    corrector_offset,
    # out
    memory_out,
    implicit_out,
    # work
    work,
):
    """Add the forces at all touching points, and their slopes where `implicit_out` is not None.

    `work.ground_force` (nodes, 3) gets the force of the terrain on each body.

    `work.contact_sum` (groups, 6) gets, per contact group: sum of normal forces, friction force on side a (3), number
    of touching points, largest depth. `work.contact_energy` (groups, 5): stored energy, power lost in the normal law,
    power lost in friction, energy of the anchor springs, and what all springs would hold by their rates.
    """
    owner, touch_out, ground_out = work.touch_owner, work.touch, work.ground_force
    sum_out, energy_out = work.contact_sum, work.contact_energy
    for i in range(ground_out.shape[0]):
        ground_out[i, 0] = ground_out[i, 1] = ground_out[i, 2] = 0.0
    for g in range(contact.kind.shape[0]):
        is_ground = contact.kind[g] <= PAIR_LAST_TERRAIN
        mu = contact.mu[g] * (terrain.friction[0] if is_ground else 1.0)
        normal = friction_x = friction_y = friction_z = touching = deepest = 0.0
        stored = lost_normal = lost_friction = anchored = numerical = 0.0
        for n in range(work.touch_start[g], work.touch_start[g + 1]):
            depth, fn, gx, gy, gz, e_stored, p_normal, p_friction, e_anchor, e_rate = add_contact(
                contact, g, mu, n, view, memory, corrector_offset, memory_out, implicit_out, work
            )
            if is_ground:
                ground_out[owner[n, 0], 0] += fn * touch_out[n, 1] + gx
                ground_out[owner[n, 0], 1] += fn * touch_out[n, 2] + gy
                ground_out[owner[n, 0], 2] += fn * touch_out[n, 3] + gz
            normal += fn
            friction_x += gx
            friction_y += gy
            friction_z += gz
            touching += 1.0 if depth > 0.0 else 0.0
            deepest = max(deepest, depth)
            stored += e_stored
            lost_normal += p_normal
            lost_friction += p_friction
            anchored += e_anchor
            numerical += e_rate
        sum_out[g, 0], sum_out[g, 4], sum_out[g, 5] = normal, touching, deepest
        sum_out[g, 1], sum_out[g, 2], sum_out[g, 3] = friction_x, friction_y, friction_z
        energy_out[g, 0], energy_out[g, 1] = stored, lost_normal
        energy_out[g, 2], energy_out[g, 3], energy_out[g, 4] = lost_friction, anchored, numerical
