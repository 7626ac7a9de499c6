"""What is known of a run so far: each matrix that was seen, and what it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.comparing.describing.followed.calls import Seen
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import Linear
from walkthrough.comparing.describing.guesses.norms import Norm
from walkthrough.operations.definition import Array
from walkthrough.records import Record


class Given(Record, eq=False):
    """Handed to the module."""

    seen: Seen


class Product(Record, eq=False):
    """What a linear module returns."""

    name: str
    linear: Linear
    source: Known


class Normed(Record, eq=False):
    """What a norm returns; of_heads: it norms each head's features by themselves."""

    name: str
    norm: Norm
    source: Known
    of_heads: bool = False


def product_of(one: Known) -> Known:
    """What a linear module returned, of queries or keys that are normed."""
    return one.made.source if isinstance(one.made, Normed) else one


class Sum(Record, eq=False):
    """Several matrices added up; the last is the newest."""

    terms: tuple[Known, ...]


class Unexplained(Record):
    """What nothing known gives, said in a sentence without its end."""

    sentence: str


class Known(Record, eq=False):
    """A matrix n×m as float64, and what it was made of."""

    numbers: Array
    made: Any


class Memory:
    """All that is known, found again by the tensor or by its numbers."""

    def __init__(self) -> None:
        self.all: list[Known] = []
        self._by_tensor: dict[int, Known] = {}

    def add(self, numbers: Array, made: Any, seen: Seen | None = None) -> Known:
        """Something new; seen: the tensor that holds it."""
        known = Known(np.asarray(numbers, np.float64), made)
        self.all.append(known)
        if seen is not None:
            self._by_tensor[id(seen.tensor)] = known
        return known

    def find(self, seen: Seen) -> Known | None:
        """What a tensor is, by which one it is or else by its numbers; it may be the last rows of what is known."""
        numbers = as_rows(seen.array)
        if numbers is None:
            return None
        target, same = Target(numbers), self._by_tensor.get(id(seen.tensor))
        latest = reversed(self.all)
        for known in [same, *latest] if same is not None else latest:
            if len(known.numbers) >= len(numbers) and target.off(known.numbers[-len(numbers) :]) < np.inf:
                return known
        return None


def of_heads(array: Any, count: int) -> Any:
    """The numbers of all heads side by side, n×(heads·d); None where they are not those of heads of n tokens."""
    if array.ndim == 4 and array.shape[0] == 1 and array.dtype.kind == "f":
        if array.shape[1] == count:
            return array[0].reshape(count, -1)
        if array.shape[2] == count:
            return array[0].transpose(1, 0, 2).reshape(count, -1)
    return None


def as_rows(array: Any) -> Any:
    """One sequence as n×m: axes of size 1 before the last are left out; None where there are more than two others."""
    sizes = [size for size in array.shape[:-1] if size != 1]
    if array.ndim == 0 or len(sizes) > 1 or array.dtype.kind not in "fiub":
        return None
    return array.reshape(-1, array.shape[-1])
