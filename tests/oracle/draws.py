"""Where the choices of a random scenario come from: hypothesis, or a seeded generator. Numbers: from a drawn seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

Matrix = list[list[float]]


class Draw:
    """Choices from a `pick(options)`; matrices with few decimals in [-2, 2]. always: a key that is never left out"""

    always = ""

    def __init__(self, pick: Callable[[Sequence[Any]], Any], seed: int, column: bool = False) -> None:
        self.pick = pick
        self.column = column
        self._random = random.Random(seed)
        self._spread = pick([0.5, 1.0, 2.0, 0.2])
        self._decimals = pick([2, 1, 3])

    def integer(self, low: int, high: int) -> int:
        return int(self.pick(range(low, high + 1)))

    def chance(self, percent: int) -> bool:
        """True so often; a choice among ten, so that hypothesis can shrink it to False."""
        return int(self.pick(range(10))) >= 10 - percent // 10

    def number(self) -> float:
        return round(self._random.uniform(-self._spread, self._spread), self._decimals)

    def vector(self, width: int) -> list[float]:
        return [self.number() for _ in range(width)]

    def matrix(self, rows: int, columns: int) -> Matrix:
        return [self.vector(columns) for _ in range(rows)]

    def weight(self, inputs: int, outputs: int) -> Matrix:
        return self.matrix(outputs, inputs) if self.column else self.matrix(inputs, outputs)

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        return self._random.sample(items, len(items))

    def sometimes(self, into: dict[str, Any], key: str, percent: int, make: Callable[[], Any]) -> None:
        if self.chance(100 if key == self.always else percent):
            into[key] = make()

    def setting(self, into: dict[str, Any], key: str, options: Sequence[Any], percent: int = 50) -> None:
        self.sometimes(into, key, percent, lambda: self.pick(options))


def seeded(seed: int) -> Draw:
    """The same scenario from the same seed, on every machine and without hypothesis."""
    source = random.Random(seed)
    return Draw(source.choice, seed, column=source.random() < 0.4)


def drawn(draw: Callable[[Any], Any]) -> Draw:
    """Choices by hypothesis, from the `draw` of a composite strategy."""
    from hypothesis import strategies

    seed = draw(strategies.integers(0, 2**32 - 1))
    column = draw(strategies.booleans())
    return Draw(lambda options: draw(strategies.sampled_from(options)), seed, column)
