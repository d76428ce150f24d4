"""What kernels are given of a state, as one argument.

Force elements see a `View`, formulations an `Instant`.

A kernel of a family takes its tables, a view, and what it adds to:

    add_something(tables of the family, view, z_rate_out, implicit_out, work)

`work` has the sums f and torque, the energies and powers by their place in the ledger, and the arrays that observers
look at. `implicit_out` is None, or gets the slopes for implicit steps (`grouser.kernels.scatter`).
"""

from __future__ import annotations

from collections import namedtuple

View = namedtuple("View", ["t", "x", "R", "v", "w_world", "z"])
"""t time [s]; x, v (nodes, 3) centres of mass [m] and their velocities [m/s], world axes; R (nodes, 3, 3) body to
world; w_world (nodes, 3) angular velocities, world axes [rad/s]; z states of elements."""

Instant = namedtuple("Instant", ["t", "x", "R", "v", "w", "z"])
"""The same of a state as it is moved and stored: w (nodes, 3) angular velocities, body axes [rad/s]. Formulations read
it, or write x, R, v, w of the bodies at the time t."""
