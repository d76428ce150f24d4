"""Applied forces become rows of their table."""

from __future__ import annotations

from grouser.compile.tables import FLOAT, INT, collect_rows, make_table
from grouser.families.applied.spec import Applied
from grouser.families.family import Family, Source, list_forces

AppliedTable = make_table(
    "AppliedTable",
    ("body", "(n,)", INT, "-", "body"),
    ("p", "(n,3)", FLOAT, "m", "point of action"),
    ("frame", "(n,3,3)", FLOAT, "-", "axes on the body, in columns"),
    ("turns", "(n,)", INT, "-", "1 where the axes turn with the body"),
    ("signal", "(n,6)", INT, "-", "signals of the force and of the torque"),
)


def make_applied(source: Source) -> tuple[tuple, ...]:
    """The table of applied forces."""
    rows = []
    for force in source.model.forces.values():
        if isinstance(force, Applied):
            body, p, axes = source.layout.place_frame(force.frame)
            signal = [source.signals.add_signal(s) for s in (*force.force, *force.torque)]
            rows.append({"body": body, "p": p, "frame": axes, "turns": int(force.axes == "body"), "signal": signal})
    return (collect_rows(AppliedTable, rows),)


FAMILY = Family("applied", {"applied": AppliedTable}, list_forces("applied"), make_applied)
