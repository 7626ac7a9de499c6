"""What a live reader holds of a trace: the chosen steps, and what these are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class Extract(NamedTuple):
    """Values in the order of the calculation.

    taken: the computed ones that nobody has chosen; they are operands of chosen ones, and stand as given numbers
    """

    values: tuple[Value, ...]
    taken: frozenset[Value]

    def is_given(self, value: Value) -> bool:
        """Whether the number stands as it is, without arithmetic."""
        return value.operation is None or value in self.taken


def extract(trace: Trace, steps: Sequence[str] = ()) -> Extract:
    """The chosen steps with their operands; no selectors: everything. Raises SelectorError as `Trace.select` does."""
    if not steps:
        return Extract(tuple(trace), frozenset())
    chosen = set(trace.select(*steps))
    operands = {given for value in chosen for given in value.inputs} - chosen
    held = chosen | operands
    return Extract(
        tuple(value for value in trace if value in held),
        frozenset(value for value in operands if value.operation is not None),
    )
