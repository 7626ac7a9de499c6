"""The symbols of a step's inputs, as its formula and its worked lines write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.recording.values import Value


def symbols_of(inputs: Sequence[Value]) -> list[str]:
    """The symbols of the inputs; one that several share is numbered."""
    shared = Counter(value.kind.symbol for value in inputs)
    return [
        f"{value.kind.symbol}_{at}"
        if shared[value.kind.symbol] > 1 and "_" not in value.kind.symbol
        else value.kind.symbol
        for at, value in enumerate(inputs, 1)
    ]
