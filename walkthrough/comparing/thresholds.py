"""When numbers are the same, and when one explanation is better than another: all that is a matter of degree.

A rounding is that of somebody's float type, of the largest number of the row. What float64 loses is OF_FLOAT64.
"""

from __future__ import annotations

ROUNDINGS = 64
"""Roundings that a number may be off by, as many steps have rounded it."""
OF_A_FORMAT = 8
"""Roundings u of a number format, half the distance of two numbers, that one step may be off by."""
VISIBLE = 2.0
"""Roundings beyond which, on average, it is asked whether a mistake fits better: honest ones are off by less."""
NEARER = 8.0
"""How many times smaller is no chance, three bits: the distance of one cause beside that of another, what is left of a
row beside its numbers, the deviation expected of a count beside the one found."""
CERTAIN = 1e4
"""How many times nearer is no coincidence: nothing else is tried."""
