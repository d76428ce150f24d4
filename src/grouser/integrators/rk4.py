"""`rk4`: the classical method of Runge and Kutta, fixed step.

    k1 = f(t, y),  k2 = f(t + h/2, y + h/2 k1),  k3 = f(t + h/2, y + h/2 k2),  k4 = f(t + h, y + h k3)
    y <- y + h/6 (k1 + 2 k2 + 2 k3 + k4)                                                  (1)

Order 4, four evaluations a step (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.1).
A mode of an eigenvalue s is stable where |1 + x + x^2/2 + x^3/6 + x^4/24| <= 1 with x = h s: up to 2 sqrt(2)/omega
without damping, up to 2.785/gamma without stiffness. An undamped amplitude falls by 1 - (omega h)^6/144 a step.

Where joints hold by forces, results show the means of these forces over the last step, with the weights of (1). Near
the bound of stability, the stiffest joints are far from balance in every single stage, and only the mean is right.
"""

from __future__ import annotations

from grouser.formulations.acted import add_acted, show_acted
from grouser.formulations.coordinates import is_absolute
from grouser.formulations.ode import calc_rates, calc_remembered, calc_start, calc_stored, solve_constraints
from grouser.formulations.status import DONE
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy, calc_zero


@kernel(entry=True)
def solve_rk4(
    # in
    step_count,
    dt,
    drag,
    # out
    state_out,
    # work
    total_work,
    acted_work,
    equations_work,
    ode_work,
):
    """Advance `state_out` by `step_count` steps of dt; with none it is only brought onto its constraints and evaluated.

    Returns (status, node) as `ode.calc_rates`; the state is then the last accepted one. `total_work` (size of y,).
    """
    equations, work = equations_work, equations_work.work
    y, y_new, rate = ode_work.y, ode_work.y_new, ode_work.rate
    start = state_out.time[0]
    calc_start(equations, state_out, y_new, ode_work)
    t, memory_dt = start, 0.0
    step = stage = 0
    now = state_out.stamp[0]
    has_mean = is_absolute(equations.tree)
    # one evaluation a turn, that of stage 0 at the accepted state: a single call keeps the compiled code small
    while True:
        if stage == 0:
            solve_constraints(t, step == 0, y_new, equations, ode_work)
        memory = (state_out.anchor, state_out.anchor_stamp, state_out.stamp[0], memory_dt)
        memory_out = (work.anchor, work.anchor_stamp, now if stage == 0 else now - 1)
        status, who = calc_rates(t, y_new, memory, drag, stage == 0, rate, memory_out, equations, ode_work)
        if status != DONE:
            return status, who
        if has_mean and step == (step_count - 1 if stage == 0 else step_count):
            if stage == 0:
                calc_zero(acted_work.total)
            add_acted(1.0 / 3.0 if stage in (1, 2) else 1.0 / 6.0, work, acted_work)
        if stage == 0:
            calc_stored(equations, ode_work, state_out)
            if step > 0:
                calc_remembered(t, now, work, state_out)
            if step == step_count:
                if has_mean and step > 0:
                    show_acted(acted_work, work)
                return DONE, -1
            calc_copy(y_new, y)
            calc_copy(rate, total_work)
            step += 1
            now += 2
        elif stage < 3:
            for j in range(y.shape[0]):
                total_work[j] += 2.0 * rate[j]
        else:
            for j in range(y.shape[0]):
                y_new[j] = y[j] + dt / 6.0 * (total_work[j] + rate[j])  # (1)
        if stage < 3:
            memory_dt = dt if stage == 2 else 0.5 * dt
            for j in range(y.shape[0]):
                y_new[j] = y[j] + memory_dt * rate[j]
            t = start + step * dt if stage == 2 else start + (step - 0.5) * dt
        stage = (stage + 1) % 4
