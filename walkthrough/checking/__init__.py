"""Judges printed numbers: exact, rounding, inherited or wrong, by interval arithmetic on the operations' own cells."""
