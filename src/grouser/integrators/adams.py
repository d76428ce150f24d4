"""`adams`: predictor-corrector of Adams, Bashforth and Moulton with variable order and step.

The method of L. F. Shampine and M. K. Gordon, Computer Solution of Ordinary Differential Equations (Freeman 1975), with
the modified divided differences of F. T. Krogh; formulas as in E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary
Differential Equations I, III.5. At t_n, with the steps h_i before it and h the one to come, f_n = f(t_n, y_n):

    x_j = t_n + h - t_(n-j),   e_j = t_n - t_(n-1-j)
    Phi_0(n) = f_n,   Phi*_j(n) = b_j Phi_j(n),   b_j = b_(j-1) x_(j-1)/e_(j-1),  b_0 = 1               (1)
    Phi_(j+1)(n) = Phi_j(n) - Phi*_j(n-1)                                                               (2)

are the differences of f, scaled so that with equal steps they are the backward differences. With c_q = 1/q at first,

    g_0 = 1,    c_q <- c_q - c_(q+1) h/x_(j-1),   g_j = c_1    for j = 1, 2, ...                        (3)

the predictor of order k, and the corrector, which is of order k + 1 (local extrapolation), are

    p = y_n + h sum_(j<k) g_j Phi*_j(n)                                                                 (4)
    y = p + h g_k D,     D = Phi_k(n+1) with f(t_n + h, p)                                              (5)

f is evaluated again at y: PECE. The difference of the correctors of orders k and k + 1 estimates the error of order k,

    E_k = |h (g_k - g_(k-1))| |Phi_k(n+1)|,     accepted if E_k <= 1                                    (6)

in the norm of y: root of the mean square of all components, each over its tolerance, relative times |y| + absolute.
E of the orders k - 1, k - 2 and k + 1 follow likewise from the differences there are. The order falls by one where

    max(E_(k-1), E_(k-2)) <= E_k  (k > 2),     E_1 <= E_2/2  (k = 2),   E_(k-1) <= min(E_k, E_(k+1))    (7)

and rises where E_(k+1) < E_k (E_2 < E_1/2), asked after k + 1 steps of the same order: the tests (7) make it fall also
where the step is too large for the stability of a high order. The step doubles where that leaves E at 1/2, stays where
E <= 1/2, else becomes smaller. It begins with order 1, and doubles the step and raises the order until (7) says no. A
step that is not accepted is halved; the third time in a row the order begins anew with 1.

DIFFERS from Shampine and Gordon: (6) for the neighbouring orders uses the coefficients of the steps as they are, so
that the order can rise also where steps are not equal.

Steps end at output frames. Where the rest of a frame is longer than a step and shorter than two, it is made in two
equal steps. So no step is shorter than half of what is wanted, and history and order go on from frame to frame.
"""

from __future__ import annotations

from math import inf, sqrt

from grouser.formulations.ode import calc_rates, calc_remembered, calc_start, calc_stored, solve_constraints
from grouser.formulations.status import DONE, STALLED
from grouser.kernels._jit import kernel
from grouser.kernels.copy import calc_copy

MOST_ORDER = 12
"""Highest order k; the corrector then is of order 13."""
FIRST_SHARE = 0.25
"""Share of the step that Shampine and Gordon's estimate gives by which a run begins."""
SHORTEST_MEAN = 1.0e-8
"""Mean step [s] below which an advance gives up: a second would take hours."""
FEWEST_TRIES = 1000
"""Tries that each advance has in any case."""
EPSILON = 2.0**-52

# places in `number`
ORDER, IS_START, WAITED, ACCEPTED, REJECTED, EVALUATIONS, ORDERS = 0, 1, 2, 3, 4, 5, 6
NUMBER_COUNT = 7


@kernel
def calc_coefficients(k, h, length, beta_out, g_out, c_work):
    """(1) b_0 to b_k and (3) g_0 to g_(k+1) for a step h; `length` holds the steps before it, the last first."""
    for q in range(k + 2):
        c_work[q] = 1.0 / (q + 1.0)
    beta_out[0], g_out[0] = 1.0, 1.0
    x, e = h, 0.0
    for j in range(1, k + 2):
        for q in range(k + 2 - j):
            c_work[q] -= c_work[q + 1] * h / x
        g_out[j] = c_work[0]
        e += length[j - 1]
        if j <= k:
            beta_out[j] = beta_out[j - 1] * x / e
        x = h + e


@kernel
def calc_norm(value, weight):
    """Root of the mean square of all components over their weights."""
    total = 0.0
    for i in range(value.shape[0]):
        total += (value[i] / weight[i]) ** 2
    return sqrt(total / value.shape[0])


@kernel
def find_largest(value, weight, stop):
    """Place of the component before `stop` that is largest over its weight."""
    place, largest = -1, 0.0
    for i in range(stop):
        size = abs(value[i] / weight[i])
        if not size <= largest:
            place, largest = i, size
    return place


@kernel
def calc_weights(y, relative, absolute, weight_out):
    """Tolerance of each component."""
    for i in range(y.shape[0]):
        weight_out[i] = relative * abs(y[i]) + absolute[i]


@kernel
def calc_predicted(k, h, history, y, star_out, p_out):
    """Phi*_0 to Phi*_k (1), and (4)."""
    for j in range(k + 1):
        for i in range(y.shape[0]):
            star_out[j, i] = history.beta[j] * history.phi[j, i]
    calc_copy(y, p_out)
    for j in range(k):
        for i in range(y.shape[0]):
            p_out[i] += h * history.g[j] * star_out[j, i]


@kernel
def calc_errors(k, h, history, rate, difference_out, sum_work):
    """D of (5) from the rate at the predicted state, and (6) for the orders k, k - 1 and k - 2, zero where there is no
    such order. `sum_work` (size,)."""
    g, star, weight = history.g, history.star, history.weight
    calc_copy(rate, difference_out)
    for j in range(k):
        for i in range(rate.shape[0]):
            difference_out[i] -= star[j, i]
    error = abs(h * (g[k] - g[k - 1])) * calc_norm(difference_out, weight)
    lower = lowest = 0.0
    if k > 1:
        for i in range(rate.shape[0]):
            sum_work[i] = difference_out[i] + star[k - 1, i]
        lower = abs(h * (g[k - 1] - g[k - 2])) * calc_norm(sum_work, weight)
    if k > 2:
        for i in range(rate.shape[0]):
            sum_work[i] += star[k - 2, i]
        lowest = abs(h * (g[k - 2] - g[k - 3])) * calc_norm(sum_work, weight)
    return error, lower, lowest


@kernel
def calc_differences(k, h, rate, history_out):
    """(2) from the rate at the accepted state, up to Phi_(k+1) where the order may rise, and the steps before."""
    phi, star, length = history_out.phi, history_out.star, history_out.length
    for i in range(rate.shape[0]):
        value = rate[i]
        for j in range(k + 1):
            phi[j, i] = value
            value -= star[j, i]
        phi[k + 1, i] = value
    for j in range(length.shape[0] - 1, 0, -1):
        length[j] = length[j - 1]
    length[0] = h


@kernel
def find_next(k, h, error, lower, lowest, history):
    """Order and step after an accepted step of order k (7), and whether the start is over."""
    number = history.number
    falls = max(lower, lowest) <= error if k > 2 else lower <= 0.5 * error
    falls = falls and k > 1
    if number[IS_START] == 1 and not falls and k < MOST_ORDER:
        return k + 1, 2.0 * h, False
    order = k - 1 if falls else k
    if falls:
        error = lower
    elif number[WAITED] > k and k < MOST_ORDER:
        higher = abs(h * (history.g[k + 1] - history.g[k])) * calc_norm(history.phi[k + 1], history.weight)
        if k > 1 and lower <= min(error, higher):
            order, error = k - 1, lower
        elif higher < (error if k > 1 else 0.5 * error):
            order, error = k + 1, higher
    if error * 2.0 ** (order + 1) <= 0.5:
        h *= 2.0
    elif error > 0.5:
        h *= min(max((0.5 / error) ** (1.0 / (order + 1)), 0.5), 0.9)
    return order, h, True


@kernel(entry=True)
def solve_adams(
    # in
    is_fresh,
    end,
    relative,
    absolute,
    drag,
    # out
    state_out,
    # work
    history_work,
    equations_work,
    ode_work,
):
    """Advance `state_out` to the time `end`; if it is there, it is only brought onto its constraints and evaluated.

    `is_fresh`: begin anew, with the state; else go on with `history_work`, to which the state belongs. Returns (status,
    body, component): as `ode.calc_rates`, or STALLED with the component of y, no energy, that keeps the steps too
    small; the state is then the last accepted one.
    """
    equations, work = equations_work, equations_work.work
    history, number, length = history_work, history_work.number, history_work.length
    y, y_new, rate = ode_work.y, ode_work.y_new, ode_work.rate
    t = t_new = state_out.time[0]
    is_accepted, is_first = is_fresh, is_fresh
    if is_fresh:
        calc_start(equations, state_out, y_new, ode_work)
        for j in range(length.shape[0]):
            length[j] = 0.0
        number[ORDER], number[IS_START], number[WAITED] = 1, 1, 0
    now = state_out.stamp[0] + 2
    k, h = number[ORDER], history.h[0]
    error = lower = lowest = 0.0
    failures = tries = 0
    worst, status, who = -1, DONE, -1
    most = FEWEST_TRIES + (end - t) / SHORTEST_MEAN
    is_evaluated = not is_fresh  # there is nothing to evaluate before the first try
    # one evaluation a turn, at the predicted or at the accepted state: a single call keeps the compiled code small
    while True:
        if is_accepted:
            solve_constraints(t_new, is_first, y_new, equations, ode_work)
        if not is_evaluated:
            memory = (state_out.anchor, state_out.anchor_stamp, state_out.stamp[0], t_new - t)
            memory_out = (work.anchor, work.anchor_stamp, now if is_accepted else now - 1)
            status, who = calc_rates(t_new, y_new, memory, drag, is_accepted, rate, memory_out, equations, ode_work)
            number[EVALUATIONS] += 1
            if is_accepted:
                if status != DONE:
                    return status, who, -1
                calc_stored(equations, ode_work, state_out)
                calc_copy(y_new, y)
                if is_first:
                    is_first = False
                    calc_copy(rate, history.phi[0])
                    calc_weights(y, relative, absolute, history.weight)
                    size = calc_norm(rate, history.weight)
                    h = inf if size == 0.0 else FIRST_SHARE / sqrt(size)
                else:
                    calc_differences(k, t_new - t, rate, history)
                    t = t_new
                    calc_remembered(t, now, work, state_out)
                    now += 2
                    number[ACCEPTED] += 1
                    number[ORDERS] += k
                    order, h, is_over = find_next(k, length[0], error, lower, lowest, history)
                    number[WAITED] = number[WAITED] + 1 if order == k else 0
                    if is_over:
                        number[IS_START] = 0
                    k = order
                    failures = 0
                    calc_weights(y, relative, absolute, history.weight)
                number[ORDER] = k
                history.h[0] = h
                if t >= end:
                    return DONE, -1, -1
            else:
                error = inf
                if status == DONE:
                    error, lower, lowest = calc_errors(k, t_new - t, history, rate, history.difference, y_new)
                if error <= 1.0:
                    for i in range(y.shape[0]):
                        y_new[i] = history.p[i] + (t_new - t) * history.g[k] * history.difference[i]  # (5)
                    is_accepted = True
                    continue
                number[REJECTED] += 1
                number[IS_START] = 0
                number[WAITED] = 0
                failures += 1
                h = 0.5 * (t_new - t)
                if status == DONE:
                    worst = find_largest(history.difference, history.weight, y.shape[0] - ode_work.ledger.size)
                    if failures >= 3:
                        k = 1
                        h *= min(max(2.0 * sqrt(0.5 / error), 0.2), 1.0)
                    elif k > 1 and (max(lower, lowest) <= error if k > 2 else lower <= 0.5 * error):
                        k -= 1
        tries += 1
        if tries > most or not h > 4.0 * EPSILON * max(abs(t), abs(end)):
            return (STALLED, -1, worst) if status == DONE else (status, who, -1)
        is_evaluated = is_accepted = False
        left = end - t
        t_new = t + h
        if h >= (1.0 - 1e-9) * left:
            t_new = end
        elif h > 0.5 * left:
            t_new = t + 0.5 * left
        calc_coefficients(k, t_new - t, length, history.beta, history.g, history.c)
        calc_predicted(k, t_new - t, history, y, history.star, history.p)
        calc_copy(history.p, y_new)
