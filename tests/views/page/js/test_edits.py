"""Five hundred random changes: after each, what the engine has is a fresh trace of the changed scenario."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.views.page.js.engine import called, cells_of, needs_node, numbers
from walkthrough.recording.cells import CellAt
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.transformer.loading.changes import name_of
from walkthrough.views.selection import MOST_NUMBERS, selection_of

pytestmark = [needs_node, pytest.mark.slow]

EDITS, IN_A_ROW = 500, 3
TOO_LARGE = {"transformer-base", "specialise"}
FIXED = {"bpe"}
"""A text has no number that could be changed."""
CASES = [
    (name, by_hand) for name in sorted(bundled_scenarios().keys() - TOO_LARGE - FIXED) for by_hand in (False, True)
]


@pytest.mark.parametrize(("name", "by_hand"), CASES)
def test_after_random_changes_all_is_as_in_a_fresh_trace(name: str, by_hand: bool) -> None:
    scenario, random = wt.load_scenario(name), Random(f"{name} {by_hand}")
    trace = wt.trace(scenario, arithmetic="by-hand" if by_hand else "exact")
    values = list(trace)
    assert sum(value.array.size for value in selection_of(trace).values) <= MOST_NUMBERS
    places = [(k, *cell) for k, value in enumerate(values) if value.can_change for cell in cells_of(value)]
    chosen = [(*random.choice(places), round(random.uniform(-2, 2), 2)) for _ in range(-(-EDITS // len(CASES)))]
    calls: list[list[Any]] = []
    for at, edit in enumerate(chosen):
        calls += [["reset"]] if at % IN_A_ROW == 0 else [["find", ""]]
        calls += [["set", *edit], ["every"], ["everyStale"]]
    found = called(trace, *calls)
    changes: dict[str, float] = {}
    for at, (k, row, column, number) in enumerate(chosen):
        changes = {} if at % IN_A_ROW == 0 else changes
        changes[name_of(CellAt(values[k], row, column))] = number
        fresh = wt.trace(scenario, arithmetic="by-hand" if by_hand else "exact", changes=changes)
        for value, listed, is_stale in zip(values, found[4 * at + 2], found[4 * at + 3], strict=True):
            if not is_stale:
                expected = fresh[value.path].array
                message = f"{value.path} after {changes}"
                np.testing.assert_allclose(numbers(listed, value), expected, rtol=1e-12, atol=1e-12, err_msg=message)
