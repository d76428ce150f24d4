"""Operation codes of compiled expressions: known to the parser and to the compiled interpreter alike.

A program is a row of codes beside a row of numbers. `CONSTANT` pushes the number at its place, `TIME`
pushes t; every other operation takes its arguments from the stack, the last one on top, and pushes one
result. Comparisons give 1 or 0. Arithmetic follows IEEE 754: a division by zero is infinite or NaN,
never an exception.
"""

from __future__ import annotations

CONSTANT, TIME = 0, 1
NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = 2, 3, 4, 5, 6, 7
LESS, LESS_EQUAL, GREATER, GREATER_EQUAL = 8, 9, 10, 11
SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2 = 12, 13, 14, 15, 16, 17, 18
SINH, COSH, TANH, EXP, LOG, LOG10, SQRT = 19, 20, 21, 22, 23, 24, 25
ABS, SIGN, MIN, MAX, STEP, IF = 26, 27, 28, 29, 30, 31

MAX_DEPTH = 64
"""Largest stack that a program may need."""
