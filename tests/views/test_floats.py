"""Many floats as text at once: to the letter what `repr` writes for each of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from walkthrough.views.floats import rows

Numbers = Callable[[np.random.Generator, int], np.ndarray]

KINDS: dict[str, Numbers] = {
    "weights": lambda random, count: random.uniform(-0.06, 0.06, count),
    "normal": lambda random, count: random.normal(0, 1, count),
    "of every size": lambda random, count: 10 ** random.uniform(-320, 300, count),
    "of a usual size": lambda random, count: -(10 ** random.uniform(-5, 1, count)),
    "float32": lambda random, count: random.uniform(-1, 1, count).astype(np.float32).astype(float),
    "halves of halves": lambda random, count: random.integers(0, 1 << 18, count) / (1 << 18),
    "many halves": lambda random, count: random.integers(0, 1 << 40, count) / (1 << 40),
    "any bits": lambda random, count: random.integers(0, 1 << 62, count).view(float),
    **{
        f"{digits} decimals": lambda random, count, digits=digits: np.round(random.uniform(-1, 1, count), digits)
        for digits in range(1, 20)
    },
}


def text(array: np.ndarray) -> str:
    return b"".join(rows(array)).decode()


@pytest.mark.parametrize("numbers", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("shape", [(40, 512), (3, 9000), (20_000, 1)])
def test_as_repr_writes_them(numbers: Numbers, shape: tuple[int, int]) -> None:
    array = numbers(np.random.default_rng(7), shape[0] * shape[1]).reshape(shape)
    assert text(array) == json.dumps(array.tolist())


def test_neighbours_of_short_numbers() -> None:
    """Where a digit more or less decides: the floats around 0.1, 0.25, 0.999, …, 0.0001 and 1."""
    steps = np.arange(-40, 41)
    short = np.array([10.0**-k for k in range(6)] + [k / 1000 for k in range(1, 1000)] + [2.0**-k for k in range(20)])
    array = (short.view(np.int64)[:, None] + steps).view(float)
    assert text(array) == json.dumps(array.tolist())
    assert text(-array) == json.dumps((-array).tolist())


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=st.floats(allow_nan=False, allow_infinity=False))
)
def test_any_matrix(array: np.ndarray) -> None:
    assert text(array) == json.dumps(array.tolist())


def test_other_numbers_are_written_as_wanted() -> None:
    array = np.array([[0.5, np.nan], [-np.inf, 0.123456789012345678]])
    assert b"".join(rows(array, lambda number: f"<{number}>")) == b"[[<0.5>, <nan>], [<-inf>, 0.12345678901234568]]"
