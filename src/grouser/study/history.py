"""The way of an optimisation to its best run, as panels and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grouser.output.panel import Line, Panel
from grouser.output.report.tables import Table
from grouser.study.folder import Row
from grouser.study.goal import Trial, make_trial
from grouser.study.optimisation import Optimisation

RUN = "run"


def make_trials(wanted: Optimisation, rows: Sequence[Row]) -> list[Trial]:
    """Combinations of factors all of whose replicates have ended, in the order of their runs."""
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["point"], []).append(row)
    whole = [group for _, group in sorted(groups.items()) if len(group) == wanted.repeats]
    return [make_trial(wanted, {name: group[0][name] for name in wanted.factors}, group) for group in whole]


def make_history(wanted: Optimisation, rows: Sequence[Row]) -> list[Panel]:
    """Goal, constraints and factors over the runs."""
    trials = [trial for trial in make_trials(wanted, rows) if not trial.reason]
    if not trials:
        return []
    best = _find_best_so_far(trials)
    names = [wanted.goal, *(name for name in wanted.constraints if name != wanted.goal)]
    return [
        *(_make_response_panel(wanted, name, trials, best) for name in names),
        *(_make_factor_panel(wanted, name, trials, best) for name in wanted.factors if _is_number(trials, name)),
    ]


def make_history_cards(wanted: Optimisation, rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The best run in a few numbers."""
    trials = [trial for trial in make_trials(wanted, rows) if not trial.reason]
    if not trials:
        return []
    first, best = trials[0], min(trials, key=lambda trial: trial.cost)
    cards = [
        (f"best {wanted.goal}", f"{best.responses[wanted.goal]:.4g}"),
        ("at the start", f"{first.responses[wanted.goal]:.4g}"),
        ("best run", str(best.run)),
        ("keeps constraints", "yes" if best.is_good else "no"),
    ]
    return cards + [
        (name, f"{value:.4g}" if isinstance(value, float) else str(value)) for name, value in best.values.items()
    ]


def make_best_table(wanted: Optimisation, rows: Sequence[Row]) -> Table:
    """Factors and responses of the first run and of the best."""
    trials = [trial for trial in make_trials(wanted, rows) if not trial.reason]
    if not trials:
        return Table("Best", "no run has ended well", ("",), [])
    first, best = trials[0], min(trials, key=lambda trial: trial.cost)
    told: list[tuple[str, ...]] = [
        (name, _say(first.values[name]), _say(best.values[name]), "") for name in wanted.factors
    ]
    told += [
        (name, _say(first.responses[name]), _say(best.responses[name]), _say_role(wanted, name))
        for name in wanted.responses
    ]
    return Table("Best", "first and best run", ("", f"run {first.run}", f"run {best.run}", ""), told)


def _say_role(wanted: Optimisation, name: str) -> str:
    words = [("made small" if wanted.minimise else "made large") if name == wanted.goal else ""]
    if name in wanted.constraints:
        bound = wanted.constraints[name]
        words.append(f"at least {bound.low:g}" if bound.low is not None else "")
        words.append(f"at most {bound.high:g}" if bound.high is not None else "")
    return ", ".join(word for word in words if word)


def _say(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _find_best_so_far(trials: Sequence[Trial]) -> list[Trial]:
    """The best up to each trial."""
    best: list[Trial] = []
    for trial in trials:
        best.append(trial if not best or trial.cost < best[-1].cost else best[-1])
    return best


def _is_number(trials: Sequence[Trial], name: str) -> bool:
    return all(isinstance(trial.values[name], int | float) for trial in trials)


def _make_response_panel(wanted: Optimisation, name: str, trials: Sequence[Trial], best: Sequence[Trial]) -> Panel:
    lines = [
        _make_dots("beyond a constraint", [t for t in trials if not t.is_good], name, color=1),
        _make_dots("keeps all", [t for t in trials if t.is_good], name, color=0),
        _make_line("best so far", trials, [trial.responses[name] for trial in best], color=2),
    ]
    bound = wanted.constraints.get(name)
    for text, value in () if bound is None else (("at least", bound.low), ("at most", bound.high)):
        if value is not None:
            lines.append(_make_line(f"{text} {value:g}", trials, [value] * len(trials), color=3, dash=1))
    return Panel(name, name, name, tuple(line for line in lines if len(line.x)), RUN)


def _make_factor_panel(wanted: Optimisation, name: str, trials: Sequence[Trial], best: Sequence[Trial]) -> Panel:
    x = np.array([float(trial.run) for trial in trials])
    asked = Line("runs", x, np.array([float(trial.values[name]) for trial in trials]), color=0, is_faint=True)
    found = _make_line("best so far", trials, [float(trial.values[name]) for trial in best], color=2)
    return Panel(name, f"factor {name}", name, (asked, found), RUN, is_log=wanted.factors[name].logarithmic)


def _make_dots(label: str, trials: Sequence[Trial], name: str, color: int) -> Line:
    x, y = [float(trial.run) for trial in trials], [trial.responses[name] for trial in trials]
    return Line(label, np.array(x), np.array(y), color=color, is_faint=True)


def _make_line(label: str, trials: Sequence[Trial], values: Sequence[float], color: int, dash: int = 0) -> Line:
    return Line(label, np.array([float(trial.run) for trial in trials]), np.array(values), color=color, dash=dash)
