"""How many examples are tried: all of them with `--hypothesis-profile thorough`; otherwise the first few."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")

thorough = False
"""Set by tests/conftest.py, before the tests are imported."""


def some(few: T, every: T) -> T:
    """How many of the examples are drawn, or which are tried."""
    return every if thorough else few


OF_EACH_KIND = frozenset(
    {
        "blocks",
        "chai",
        "cooking-training",
        "experts",
        "help-me",
        "key-cache",
        "masked-scores",
        "not-on-your-life",
        "tiny-llama",
        "two-sentences",
    }
)
"""Bundled scenarios of every kind that there is; the others differ in their parts."""
SMALL_OF_EACH_KIND = OF_EACH_KIND - {"not-on-your-life", "tiny-llama"} | {"cooking-multihead", "rotary", "sandwich"}
"""For what is tried step by step: the large ones give way to smaller ones with the same operations."""


IN_A_FORMAT = frozenset({"number-formats"})
"""Bundled scenarios whose `rounding` is a number format: people who work them by hand are told how many decimals."""


def hand_decimals(name: str) -> int | None:
    """To how many decimals a scenario is rounded by hand in place of what it says."""
    return 3 if name in IN_A_FORMAT else None


def slow(*values: Any) -> ParameterSet:
    """A case of a parametrized test that the usual run leaves to the thorough one."""
    return pytest.param(*values, marks=pytest.mark.slow)


def all_in_a_thorough_run(names: Iterable[str], always: Collection[str] = OF_EACH_KIND) -> list[ParameterSet]:
    """Scenarios as the parameters of a test; those that are not tried always are slow."""
    return [pytest.param(name) if name in always else slow(name) for name in names]
