"""Where a calculation breaks down: the first step that holds an infinity or a nan."""

from __future__ import annotations

from walkthrough.recording.values import Value


def breakdown(value: Value) -> str:
    """What is wrong with a step that is not finite, though what it is computed from is; empty for all others.

    −∞ is a masked score, and an unknown number is known to be unknown: both are fine.
    """
    if (
        value.operation is None
        or value.unknown
        or not value.is_broken
        or any(given.is_broken for given in value.inputs)
    ):
        return ""
    return "The calculation breaks down here (division by zero or overflow); everything computed from it is undefined."
