"""Arithmetic expressions of time: parsed into a small stack program, never executed as Python.

    expression = sum [("<" | "<=" | ">" | ">=") sum]
    sum        = product {("+" | "-") product}
    product    = factor {("*" | "/") factor}
    factor     = ("+" | "-") factor | atom [("^" | "**") factor]
    atom       = number | "t" | "pi" | "e" | name "(" expression {"," expression} ")" | "(" expression ")"

So ``-2^2`` is -4 and ``2^3^2`` is 512. A comparison gives 1 or 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser import opcodes as op
from grouser.errors import ModelError, say_unknown

MAX_LENGTH = 2000
"""Longest expression [characters]; a longer course of values belongs in a table."""

Array = NDArray[np.float64]

CONSTANTS = {"pi": math.pi, "e": math.e}

# name: (code, number of arguments); min and max take two or more
FUNCTIONS = {
    **{
        name: (getattr(op, name.upper()), 1)
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
            *("exp", "log", "log10", "sqrt", "abs", "sign"),
        )
    },
    "atan2": (op.ATAN2, 2),
    "min": (op.MIN, 2),
    "max": (op.MAX, 2),
    "step": (op.STEP, 5),
    "if": (op.IF, 3),
}
_ANY_NUMBER = {"min", "max"}
_SIGNATURES = {
    "atan2": "atan2(y, x)",
    "min": "min(a, b, ...)",
    "max": "max(a, b, ...)",
    "step": "step(t, t0, h0, t1, h1)",
    "if": "if(condition, a, b)",
}
_COMPARISONS = {"<": op.LESS, "<=": op.LESS_EQUAL, ">": op.GREATER, ">=": op.GREATER_EQUAL}
_SUMS = {"+": op.ADD, "-": op.SUBTRACT}
_PRODUCTS = {"*": op.MULTIPLY, "/": op.DIVIDE}

_VARIABLE = -1
"""Code of a channel, which only expressions of channels have; compiled code never sees it."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>\*\*|<=|>=|[-+*/^()<>,]))"
)


@dataclass(frozen=True)
class Program:
    """A compiled expression.

    Attributes
    ----------
    codes : operations in order, see `grouser.opcodes` (int64)
    values : the number pushed by each `CONSTANT`, zero elsewhere (float64, as long as `codes`)
    depth : size of the stack that it needs
    """

    codes: np.ndarray
    values: np.ndarray
    depth: int


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


@lru_cache(maxsize=1024)
def parse_expression(text: str) -> Program:
    """Compile an expression of `t`.

    Raises
    ------
    ModelError
        With the position of the first fault, counted from 1.

    >>> calc_value(parse_expression("2*t^2 + if(t < 1, 0, 5)"), 3.0)
    23.0
    """
    if len(text) > MAX_LENGTH:
        raise ModelError(f"expression of {len(text)} characters is longer than {MAX_LENGTH}; use a table instead")
    parser = _Parser(text, _find_tokens(text))
    parser.add_expression()
    parser.check_end()
    return parser.make_program()


_CHANNEL = re.compile(r"\[([^\[\]]*)\]")
"""The name of a channel in an expression of channels."""


def _parse_channels(text: str) -> tuple[Program, tuple[str, ...]]:
    """Program and channels of an expression with names in brackets, or of a name alone."""
    if "[" not in text and "]" not in text:
        text = f"[{text}]"
    names = tuple(dict.fromkeys(name.strip() for name in _CHANNEL.findall(text)))
    if "" in names:
        raise ModelError(f"expression {text[:60]!r}: a name of a channel is missing in '[]'")
    words = {name: f"channel_{number}" for number, name in enumerate(names)}
    plain = _CHANNEL.sub(lambda found: f" {words[found.group(1).strip()]} ", text)
    if "[" in plain or "]" in plain:
        raise ModelError(f"expression {text[:60]!r}: a bracket '[' or ']' has no other one")
    if len(plain) > MAX_LENGTH:
        raise ModelError(f"expression of {len(plain)} characters is longer than {MAX_LENGTH}; shorten it")
    parser = _Parser(plain, _find_tokens(plain), variables=tuple(words.values()))
    parser.add_expression()
    parser.check_end()
    return parser.make_program(), names


def find_channel_names(text: str) -> tuple[str, ...]:
    """Channels of an expression of channels, as they stand in its brackets.

    >>> find_channel_names("abs([left.link-1.tension]) - 2*[a.x]"), find_channel_names("left.link-1.tension")
    (('left.link-1.tension', 'a.x'), ('left.link-1.tension',))
    """
    return _parse_channels(text)[1]


def calc_channel_expression(text: str, times: Array, channels: Mapping[str, Array]) -> Array:
    """Values of an expression of channels at the times [s] of their values."""
    program, names = _parse_channels(text)
    return calc_values(program, times, [channels[name] for name in names])


def _fault(text: str, position: int, problem: str) -> ModelError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return ModelError(f"expression {shown!r}, position {position + 1}: {problem}")


def _find_tokens(text: str) -> list[_Token]:
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            raise _fault(text, position, f"unexpected character {text[position]!r}")
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match.group(kind), match.start(kind)))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


@dataclass
class _Parser:
    """Recursive descent; each method appends the program of what it reads."""

    text: str
    tokens: list[_Token]
    variables: tuple[str, ...] = ()
    place: int = 0
    nesting: int = 0
    size: int = 0
    depth: int = 0
    codes: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add_expression(self) -> None:
        self._enter()
        self._add_sum()
        if self._next().text in _COMPARISONS:
            code = _COMPARISONS[self._take().text]
            self._add_sum()
            self._emit(code, 2)
            if self._next().text in _COMPARISONS:
                raise self._fail("a comparison cannot follow another; put one of them in parentheses")
        self.nesting -= 1

    def check_end(self) -> None:
        token = self._next()
        if token.kind == "end":
            return
        if token.text == ")":
            raise self._fail("')' without a '(' before it")
        if token.text == ",":
            raise self._fail("',' outside of the arguments of a function")
        raise self._fail(
            f"an operator is missing before {token.text!r} (write products with '*', numbers without unit)"
        )

    def make_program(self) -> Program:
        return Program(np.array(self.codes, dtype=np.int64), np.array(self.values, dtype=np.float64), self.depth)

    def _add_sum(self) -> None:
        self._add_chain(self._add_product, _SUMS)

    def _add_product(self) -> None:
        self._add_chain(self._add_factor, _PRODUCTS)

    def _add_chain(self, add_operand: Callable[[], None], operators: dict[str, int]) -> None:
        add_operand()
        while self._next().text in operators:
            code = operators[self._take().text]
            add_operand()
            self._emit(code, 2)

    def _add_factor(self) -> None:
        self._enter()
        if self._next().text in ("+", "-"):
            is_minus = self._take().text == "-"
            self._add_factor()
            if is_minus:
                self._emit(op.NEGATE, 1)
        else:
            self._add_atom()
            if self._next().text in ("^", "**"):
                self._take()
                self._add_factor()
                self._emit(op.POWER, 2)
        self.nesting -= 1

    def _add_atom(self) -> None:
        token = self._next()
        if token.kind == "number":
            self._take()
            value = float(token.text)
            if not math.isfinite(value):
                raise self._fail(f"{token.text} is too large for a number", token)
            self._emit(op.CONSTANT, 0, value)
        elif token.kind == "name":
            self._add_name()
        elif token.text == "(":
            self._take()
            self.add_expression()
            self._close(token)
        elif token.kind == "end":
            raise self._fail("something is missing at the end" if self.place else "the expression is empty")
        else:
            raise self._fail(f"a number, a name or '(' is expected before {token.text!r}")

    def _add_name(self) -> None:
        token = self._take()
        if self._next().text == "(":
            self._add_call(token)
        elif token.text == "t":
            self._emit(op.TIME, 0)
        elif token.text in self.variables:
            self._emit(_VARIABLE, 0, self.variables.index(token.text))
        elif token.text in CONSTANTS:
            self._emit(op.CONSTANT, 0, CONSTANTS[token.text])
        elif token.text in FUNCTIONS:
            raise self._fail(f"'(' is missing after {token.text!r}", token)
        else:
            raise self._fail(say_unknown("name", token.text, ["t", *CONSTANTS]), token)

    def _add_call(self, name: _Token) -> None:
        if name.text not in FUNCTIONS:
            raise self._fail(say_unknown("function", name.text, FUNCTIONS), name)
        code, count = FUNCTIONS[name.text]
        bracket, given = self._take(), 0
        while self._next().text != ")":
            self.add_expression()
            given += 1
            if name.text in _ANY_NUMBER and given >= 2:
                self._emit(code, 2)
            if self._next().text != ",":
                break
            comma = self._take()
            if self._next().text == ")":
                raise self._fail("an argument is missing after ','", comma)
        self._close(bracket)
        if given < count or (given > count and name.text not in _ANY_NUMBER):
            expected = _SIGNATURES.get(name.text, f"{name.text}(x)")
            raise self._fail(f"{expected} is expected (arguments given: {given})", name)
        if name.text not in _ANY_NUMBER:
            self._emit(code, count)

    def _close(self, bracket: _Token) -> None:
        token = self._next()
        if token.kind == "end":
            raise self._fail("'(' is never closed", bracket)
        if token.text != ")":
            raise self._fail(f"an operator, ',' or ')' is expected before {token.text!r}")
        self._take()

    def _emit(self, code: int, taken: int, value: float = 0.0) -> None:
        self.codes.append(code)
        self.values.append(value)
        self.size += 1 - taken
        self.depth = max(self.depth, self.size)
        if self.depth > op.MAX_DEPTH:
            raise self._fail(f"needs more than {op.MAX_DEPTH} values at once; simplify it")

    def _enter(self) -> None:
        # Bounds the recursion of the parser itself: each level of brackets enters twice.
        self.nesting += 1
        if self.nesting > 2 * op.MAX_DEPTH:
            raise self._fail(f"is nested deeper than {op.MAX_DEPTH}; simplify it")

    def _next(self) -> _Token:
        return self.tokens[self.place]

    def _take(self) -> _Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def _fail(self, problem: str, token: _Token | None = None) -> ModelError:
        return _fault(self.text, (token or self._next()).position, problem)


def _calc_smooth_step(x: Any, x0: Any, h0: Any, x1: Any, h1: Any) -> Any:
    u = (x - x0) / (x1 - x0)
    between = h0 + (h1 - h0) * u * u * (3 - 2 * u)
    return np.where(x <= x0, h0, np.where(x >= x1, h1, between))


_OPERATIONS: dict[int, tuple[int, Callable[..., Any]]] = {
    op.NEGATE: (1, np.negative),
    op.ADD: (2, np.add),
    op.SUBTRACT: (2, np.subtract),
    op.MULTIPLY: (2, np.multiply),
    op.DIVIDE: (2, np.divide),
    op.POWER: (2, np.power),
    op.LESS: (2, np.less),
    op.LESS_EQUAL: (2, np.less_equal),
    op.GREATER: (2, np.greater),
    op.GREATER_EQUAL: (2, np.greater_equal),
    op.SIN: (1, np.sin),
    op.COS: (1, np.cos),
    op.TAN: (1, np.tan),
    op.ASIN: (1, np.arcsin),
    op.ACOS: (1, np.arccos),
    op.ATAN: (1, np.arctan),
    op.ATAN2: (2, np.arctan2),
    op.SINH: (1, np.sinh),
    op.COSH: (1, np.cosh),
    op.TANH: (1, np.tanh),
    op.EXP: (1, np.exp),
    op.LOG: (1, np.log),
    op.LOG10: (1, np.log10),
    op.SQRT: (1, np.sqrt),
    op.ABS: (1, np.abs),
    op.SIGN: (1, np.sign),
    op.MIN: (2, lambda a, b: np.where(b < a, b, a)),
    op.MAX: (2, lambda a, b: np.where(b > a, b, a)),
    op.STEP: (5, _calc_smooth_step),
    op.IF: (3, lambda condition, a, b: np.where(condition != 0, a, b)),
}


def calc_value(program: Program, t: float) -> float:
    """Value of a program at time t [s]; infinite or NaN where the arithmetic is (``1/t`` at zero)."""
    return float(calc_values(program, np.array([t]))[0])


def calc_values(program: Program, times: Array, variables: Sequence[Array] = ()) -> Array:
    """Values of a program at many times [s], as `calc_value` gives each; `variables` are channels at these times."""
    stack: list[Any] = []
    with np.errstate(all="ignore"):
        for code, value in zip(program.codes.tolist(), program.values.tolist(), strict=True):
            if code == op.CONSTANT:
                stack.append(np.float64(value))
            elif code == op.TIME:
                stack.append(times)
            elif code == _VARIABLE:
                stack.append(variables[int(value)])
            else:
                count, operation = _OPERATIONS[code]
                arguments = stack[-count:]
                del stack[-count:]
                stack.append(np.asarray(operation(*arguments), dtype=np.float64))
    return np.broadcast_to(stack[0], times.shape)
