"""A mistake as data: what was done wrong, with which facts, and the step as it would have been.

There is no arithmetic here: a mistaken step is made of the operations that there are, and works on anybody's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from walkthrough.mistakes.words import WORDS, Word
from walkthrough.operations.definition import Array, Composite, Operation
from walkthrough.recording.cells import CellAt
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import NONE, Record


class Constant(NamedTuple):
    """A constant of the model that had another value: `rotary.base`, the value found, the right one."""

    name: str
    found: float
    right: float


Fact = Value | CellAt | str | float
"""What a sentence names: a step by its path, a number by its cell, a word, or a number that is one of several tried."""


class Mistake(Record):
    """What was done wrong; `say` says it in a language.

    key:   of its words in every language. Up to a point it is the word that programs know it by; what follows tells
           mistakes apart that are much alike
    where: the step in which it was made, where that is another one than the one it is seen in
    more:  it was made alike in other steps
    constant: which constant had another value, where that is the mistake
    """

    key: str
    facts: tuple[tuple[str, Fact], ...] = ()
    where: Value | None = None
    more: bool = False
    constant: Constant | None = None

    @property
    def word(self) -> str:
        """What programs call it: `mixed_up`, whether rows or columns were."""
        return self.key.partition(".")[0]

    @property
    def row(self) -> Word:
        """What is known of mistakes with its word."""
        return WORDS[self.word]

    @property
    def is_of_step(self) -> bool:
        """Whether it is done to a whole matrix: the numbers of a step before it are, where they stand for it."""
        return self.row.is_of_step or self.key == "copied.step"

    @property
    def in_general(self) -> Mistake:
        """The same mistake, without what only one number has."""
        is_of_one_number = any(name == "number" or isinstance(fact, CellAt) for name, fact in self.facts)
        return self.replace(key=self.word) if is_of_one_number else self

    @property
    def is_one_of_several(self) -> bool:
        """Whether a number in it is one of several that were tried: another one near it may give almost the same."""
        return any(isinstance(fact, float) for _, fact in self.facts)

    def made_in(self, step: Value, more: bool = False) -> Mistake:
        """The same mistake, made in this step."""
        return self.replace(where=step, more=more)

    def with_constant(self, name: str, found: float, right: float) -> Mistake:
        """The same mistake, which is another value of a constant."""
        return self.replace(constant=Constant(name, float(found), float(right)))

    def rename_paths(self, name_of: Callable[[str], str]) -> Mistake:
        """The same mistake, with other names for the paths of its facts."""
        facts = tuple((key, name_of(fact.path) if isinstance(fact, Value) else fact) for key, fact in self.facts)
        return self.replace(facts=facts)


def mistake(key: str, /, **facts: Fact) -> Mistake:
    """A mistake with its facts."""
    return Mistake(key, tuple(facts.items()))


TRANSPOSED = mistake("transposed")
"""The mistake that is made in every square matrix."""


class Rearranged(NamedTuple):
    """Numbers put elsewhere, in the place of an operation: no number is computed."""

    forward: Callable[..., Array]


class Instead(Record):
    """What may have been calculated instead of a step.

    operation:     None for the first input itself
    inputs:        recorded values, other such calculations, or constants
    is_transposed: the result is transposed
    """

    operation: Operation | Composite | Rearranged | None
    inputs: tuple[Value | Instead | Array, ...]
    settings: Mapping[str, Any] = NONE
    is_transposed: bool = False

    def array(self, numbers: Callable[[Value], Array]) -> Array:
        """The result for somebody's numbers of the recorded values. ValueError where the shapes do not fit."""
        arrays = [_array(one, numbers) for one in self.inputs]
        with np.errstate(all="ignore"):
            result = arrays[0] if self.operation is None else self.operation.forward(*arrays, **self.settings)
        return result.T if self.is_transposed else result


def _array(part: Value | Instead | Array, numbers: Callable[[Value], Array]) -> Array:
    if isinstance(part, Instead):
        return part.array(numbers)
    return numbers(part) if isinstance(part, Value) else part


Variant = tuple[Mistake, Instead]
"""A mistake, and the step as it would have been."""
Maker = Callable[[Value, Trace], Iterator[Variant]]
"""Makes the mistakes of a computed step of a trace, the likelier first."""


def change(value: Value, *inputs: Value | Instead | Array, **settings: Any) -> Instead:
    """The step's own operation with other inputs or settings; those that are not said are its own."""
    return Instead(value.operation, inputs or value.inputs, {**value.settings, **settings})


def as_is(part: Value | Instead) -> Instead:
    """Numbers that nothing is done with."""
    return Instead(None, (part,))


def transpose(part: Value | Instead) -> Instead:
    """Numbers with rows and columns swapped."""
    return Instead(None, (part,), is_transposed=True)
