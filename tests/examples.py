"""How many examples are tried: all of them with `--hypothesis-profile thorough`; otherwise the first few."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

thorough = False
"""Set by tests/conftest.py, before the tests are imported."""


def some(few: T, every: T) -> T:
    """How many of the examples are drawn, or which are tried."""
    return every if thorough else few
