"""Numbers that tests draw: each test draws the same, whichever ran before it in its process."""

from __future__ import annotations

import numpy as np

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
