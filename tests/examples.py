"""How many examples are drawn: all of them with --thorough, as .ci/run has it; otherwise the first few."""

from __future__ import annotations

thorough = False
"""Set by tests/conftest.py, before the tests are imported."""


def some(few: int, every: int) -> int:
    """How many of the examples are drawn."""
    return every if thorough else few
