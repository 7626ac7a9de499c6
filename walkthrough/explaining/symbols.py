"""The symbols of a step's inputs, as its formula and its worked lines write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.recording.values import Value


def symbols_of(inputs: Sequence[Value]) -> list[str]:
    """The symbols of the inputs; one that several share is numbered."""
    shared = Counter(value.kind.symbol for value in inputs)
    return [
        _with_number(value.kind.symbol, at) if shared[value.kind.symbol] > 1 else value.kind.symbol
        for at, value in enumerate(inputs, 1)
    ]


def _with_number(symbol: str, number: int) -> str:
    """K_1 for K; a symbol with an index is extended there: K_R1 for K_R."""
    return f"{symbol}{number}" if "_" in symbol else f"{symbol}_{number}"
