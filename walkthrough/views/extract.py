"""What a live reader holds of a trace: the chosen steps, and what these are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class Extract(NamedTuple):
    """Values in the order of the calculation.

    taken: the computed ones that stand as given numbers: operands of chosen ones that nobody has chosen, and what is
           kept of a long training without what it was computed from
    """

    values: tuple[Value, ...]
    taken: frozenset[Value]

    def is_given(self, value: Value) -> bool:
        """Whether the number stands as it is, without arithmetic."""
        return value.operation is None or value in self.taken


def extract(trace: Trace, steps: Sequence[str] = ()) -> Extract:
    """The chosen steps with their operands; no selectors: everything. Raises SelectorError as `Trace.select` does."""
    chosen = set(trace.select(*steps))
    kept = set(trace)
    operands = {given for value in chosen for given in value.inputs if given in kept} - chosen
    held = chosen | operands
    lost = {value for value in chosen if not held.issuperset(value.inputs)}
    return Extract(
        tuple(value for value in trace if value in held),
        frozenset(value for value in operands | lost if value.operation is not None),
    )
