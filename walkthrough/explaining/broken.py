"""Where a calculation leaves the numbers: the first step that holds an infinity or a nan."""

from __future__ import annotations

from walkthrough.recording.values import Value


def broken(value: Value) -> str:
    """What is wrong with a step whose numbers are none, though those it is computed from are; empty for all others.

    −∞ is a hidden score, and an unknown number is known to be unknown: both are in order.
    """
    if (
        value.operation is None
        or value.unknown
        or not value.is_broken
        or any(given.is_broken for given in value.inputs)
    ):
        return ""
    return "Here numbers end: a division by 0, or a number too large to hold. What follows from it is none either."
