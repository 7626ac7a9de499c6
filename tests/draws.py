"""What tests draw: numbers, each test the same, whichever ran before it in its process; and texts."""

from __future__ import annotations

from string import printable

import numpy as np
from hypothesis import strategies as st

from tests.examples import some

_MADE: list[tuple[np.random.Generator, object]] = []
"""Each generator with the state in which a test finds it: not that of its module's own numbers."""


def generator(seed: int) -> np.random.Generator:
    """A generator for a module of tests."""
    made = np.random.default_rng(seed)
    _MADE.append((made, np.random.default_rng([seed, 1]).bit_generator.state))
    return made


def begin_again() -> None:
    """Every generator as a test finds it."""
    for made, state in _MADE:
        made.bit_generator.state = state


_HIDDEN = "\0\a\x1b\x1c\x1d\x1e\x7f\x85\xa0\u200d\u2028\u2029\u202a\u202b\u202d\u202e\u2066\u2067\u2068\ufeff"
_SIGNS = printable + _HIDDEN + "äÉß日हि٣²\u0301\ue000\U000e0041👩🏽"
TEXTS = some(st.text(_SIGNS), st.text())
"""Signs of every kind; all that there are in a thorough run, as the table of Unicode is made for two seconds."""
