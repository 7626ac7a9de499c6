"""The symbols of a step's inputs, as its formula and its worked lines write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.recording.values import Value


def symbols_of(inputs: Sequence[Value]) -> list[str]:
    """The symbols of the inputs; one that several share is numbered."""
    shared = Counter(value.step.symbol for value in inputs)
    return [
        f"{value.step.symbol}_{at}"
        if shared[value.step.symbol] > 1 and "_" not in value.step.symbol
        else value.step.symbol
        for at, value in enumerate(inputs, 1)
    ]
