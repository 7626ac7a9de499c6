"""When numbers are the same, and when one explanation is better than another: all that is a matter of degree.

A rounding is that of somebody's float type, of the largest number of the row.
"""

from __future__ import annotations

ROUNDINGS = 64
"""Roundings that a number may be off by, as many steps have rounded it."""
OF_FLOAT64 = 1e-12
"""What part of the largest number of a matrix a type with finer roundings, such as float64, may lose: another order of
the same sums is no fault."""
OF_A_FORMAT = 8
"""Roundings u of a number format, half the distance of two numbers, that one step may be off by."""
OF_DRIFT = 2
"""Of what any of several other roundings makes of a step, since theirs fall otherwise once more."""
OF_SHARES = 1e-2
"""How far the shares of a row may be off adding up to 1: theirs may be rounded to bfloat16."""
VISIBLE = 2.0
"""Roundings beyond which, on average, it is asked whether a mistake fits better: honest ones are off by less."""
NEARER = 8.0
"""How many times nearer a mistake must be than what is right: three bits, which roundings do not make by chance."""
CERTAIN = 1e4
"""How many times nearer is no coincidence: nothing else is tried."""
HIDES = -1e4
"""A score below this is hidden, as by −∞: its exponential is 0."""
