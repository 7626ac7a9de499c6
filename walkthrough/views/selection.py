"""What a live reader holds of a trace: the chosen steps, and what these are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from walkthrough.errors import UserError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

MOST_NUMBERS = 500_000
"""What a browser can show."""


class TooLargeError(UserError, ValueError):
    """More numbers than a format can show."""


class Selection(NamedTuple):
    """Values in the order of the calculation.

    as_given: the computed ones that nobody has chosen; they are operands of chosen ones, and are shown as given numbers
    """

    values: tuple[Value, ...]
    as_given: frozenset[Value]

    def is_given(self, value: Value) -> bool:
        """Whether the numbers are shown as given, without arithmetic."""
        return value.operation is None or value in self.as_given


def selection_of(trace: Trace, steps: Sequence[str] = ()) -> Selection:
    """The chosen steps with their operands; no selectors: everything. Raises SelectorError as `Trace.select` does."""
    if not steps:
        return Selection(tuple(_with_lost(trace, set(trace))), frozenset())
    chosen = set(trace.select(*steps))
    operands = {given for value in chosen for given in value.inputs} - chosen
    return Selection(
        tuple(_with_lost(trace, chosen | operands)),
        frozenset(value for value in operands if value.operation is not None),
    )


def _with_lost(trace: Trace, kept: set[Value]) -> Iterator[Value]:
    """Those that are kept, and before each the operands that a long training has let go of, once by their path."""
    listed: set[str] = set()
    for value in trace:
        if value in kept:
            for given in value.inputs:
                if given.path not in trace.values and given.path not in listed:
                    listed.add(given.path)
                    yield given
            yield value


def check_size(values: Iterable[Value], what: str, most: int | None = None) -> None:
    """Raises TooLargeError where they hold more numbers than a browser can show, or than `most`.

    what: that cannot be made of them
    """
    count, most = sum(value.array.size for value in values), MOST_NUMBERS if most is None else most
    if count > most:
        raise TooLargeError(
            f"{what} of {count:,} numbers is too large; it holds at most {most:,}: choose steps with --step"
        )
