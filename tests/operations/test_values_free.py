"""A cell is the same expression whatever the numbers are: evaluated on others, it is what the whole gives for those."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run, some
from tests.operations.drawing import SPECIAL
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.operations import Array
from walkthrough.recording.values import Value
from walkthrough.scenario.sources import bundled_scenarios

BUNDLED = bundled_scenarios()
MOST = some(8, 25)
"""Cells of one value that are looked at."""


LARGEST = 300_000
"""Numbers that a value is computed from; of larger ones, smaller ones of the same kind are looked at elsewhere."""


def other_numbers(value: Value, rng: np.random.Generator) -> list[Array]:
    """Numbers of the same shapes as those that a value was computed from: near them, and some that say nothing."""
    assert value.operation is not None
    found = []
    for given_value in value.inputs:
        array = given_value.array
        near = rng.permutation(array.ravel()).reshape(array.shape) + rng.normal(size=array.shape)
        near = np.where(np.isnan(array) | np.isnan(near), array, near)  # what has no rank has none in any run
        special = rng.choice(SPECIAL, size=array.shape)
        mask = bool(np.isin(array, (0.0, 1.0)).all())
        found.append(
            (rng.random(array.shape) < 0.5).astype(float)
            if mask
            else np.where(rng.random(array.shape) < 0.15, special, near)
        )
    return found


def _inputs_of(value: Value) -> int:
    return sum(one.array.size for one in value.inputs)


@pytest.mark.parametrize("name", all_in_a_thorough_run(sorted(BUNDLED)))
def test_the_recorded_cells_are_right_for_other_numbers(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name))
    rng = np.random.default_rng(len(name))
    computed = [value for value in trace if value.operation is not None and _inputs_of(value) < LARGEST]
    for value in computed if len(computed) < 400 else rng.choice(np.array(computed, dtype=object), 30, replace=False):
        arrays = other_numbers(value, rng)
        with np.errstate(all="ignore"):
            whole = value.operation.forward(*arrays, **value.settings)
        cells = list(itertools.product(*map(range, value.shape)))
        few = cells if len(cells) <= MOST else [cells[at] for at in rng.choice(len(cells), MOST, replace=False)]
        for row, column in few:
            expression = value.cell(row, column)
            found = evaluate(expression, lambda cell: float(arrays[cell.operand][cell.row, cell.column]))  # noqa: B023
            scale = max((np.abs(a[np.isfinite(a)]).max(initial=1.0) for a in arrays), default=1.0)
            np.testing.assert_allclose(
                found, whole[row, column], rtol=1e-9, atol=1e-11 * scale**2, err_msg=f"{value.path} {expression}"[:500]
            )
