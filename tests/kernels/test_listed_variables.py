"""Variables of numba's statements are listed as numba lists them."""

from __future__ import annotations

from numba.core import ir
from numba.core.compiler import run_frontend

from grouser.kernels import _typing


def list_plainly(part):
    """As numba's own function does."""
    if isinstance(part, ir.Var):
        return [part]
    if isinstance(part, ir.Inst):
        return part.list_vars()
    if isinstance(part, list | tuple):
        return [one for inner in part for one in list_plainly(inner)]
    return [one for inner in part.values() for one in list_plainly(inner)] if isinstance(part, dict) else []


def try_many(a, b, items):
    """Statements of many kinds."""
    total = a
    for i in range(len(items)):
        pair = (a, items[i], [b, total])
        total = max(total, pair[1] + b) if total < b else -total
        items[i] = total
    return total, items[1:3]


def test_statements_have_the_variables_that_numba_finds():
    seen = 0
    for block in run_frontend(try_many).blocks.values():
        for statement in block.body:
            listed = _typing._list_variables(statement, statement.__dict__)
            assert listed == list_plainly(statement.__dict__)
            seen += len(listed)
    assert seen > 40
