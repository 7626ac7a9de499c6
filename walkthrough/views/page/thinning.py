"""Of a long training, a page holds every k-th step: a browser shows no millions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.recording.parts import training_step_of
from walkthrough.recording.trace import Trace
from walkthrough.views.report.grid import round_numbers
from walkthrough.views.selection import Selection, selection_of

_MOST_NUMBERS = 200_000


class Thinned(NamedTuple):
    """What a page holds; kept: of which training steps, of how many; none where it holds all that is chosen."""

    selection: Selection
    kept: tuple[int, ...] = ()
    steps: int = 0


def thin(trace: Trace, chosen: Sequence[str]) -> Thinned:
    """The chosen steps, or everything; of a long training the first step, every k-th and the last.

    k is the smallest of 1, 2, 5, 10, 20, … with which fewer than 200,000 numbers remain. Raises SelectorError.
    """
    whole = selection_of(trace, chosen)
    steps = 0 if chosen else max((training_step_of(value.path) for value in trace), default=0)
    if steps < 2 or sum(value.array.size for value in whole.values) < _MOST_NUMBERS:
        return Thinned(whole)
    for every in round_numbers():
        kept = tuple(sorted({*range(1, steps + 1, every), steps}))
        found = _of_steps(trace, kept)
        if every >= steps or sum(value.array.size for value in found.values) < _MOST_NUMBERS:
            return Thinned(found, kept, steps)
    raise AssertionError("round numbers have no end")


def _of_steps(trace: Trace, kept: Sequence[int]) -> Selection:
    """The values of some training steps and after them, with what they read of others, and the table, as given."""
    steps = {0, *kept}
    table = {value for value in trace if value.kind.series}
    chosen = {value for value in trace if training_step_of(value.path) in steps} - table
    read = {given for value in chosen for given in value.inputs} - chosen
    held = chosen | read | table
    return Selection(
        tuple(value for value in trace if value in held),
        frozenset(value for value in read | table if value.operation is not None),
    )
