"""How far steps that were not printed may have been rounded, and the sentence about it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from walkthrough.judging.digits import Printed
from walkthrough.judging.prints import BoundPrint
from walkthrough.recording.graph import steps_before
from walkthrough.recording.rounding import Digits
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

RoundingRule = Callable[[Value], Digits | None]
"""What an unpublished step may have been rounded to; None: it was not rounded."""
_LEAST = 2
"""Nobody who prints one decimal is taken to have rounded every step between to one, unless the scenario says so."""


def copies(value: Value) -> bool:
    """Whether a value only has numbers that others have, or was given: there is nothing to round in it."""
    return value.operation is None or value.operation.copies


class RoundingAssumption:
    """The decimals that the numbers of a step may have been rounded to where they were not printed.

    rule:     those of every step, where they are known
    reason:   where they are known from, in words
    relevant: the published steps, and all that they are computed from
    """

    def __init__(
        self,
        trace: Trace,
        prints: Sequence[BoundPrint],
        rule: RoundingRule | None = None,
        reason: str = "like their published neighbours",
    ) -> None:
        self.rule = rule
        self.reason = reason
        self.prints = prints
        self.trace = trace
        published = {one.value for one in prints}
        self.relevant = published.union(steps_before(*published))

    @cached_property
    def _own(self) -> dict[Value, int]:
        """The decimals of published steps."""
        return _decimals(self.prints)

    @cached_property
    def _is_whole(self) -> set[Value]:
        """The steps that are published with all their numbers."""
        cells = {(one.value, cell.row, cell.column) for one in self.prints for cell in one.cells}
        counts = Counter(value for value, _, _ in cells)
        return {value for value, count in counts.items() if count == value.array.size}

    @cached_property
    def _cuts_small(self) -> bool:
        """Whether a small step is published with fewer decimals than its first digits need: then others may be too."""
        return any(decimals < _decimals_of_leading(value) for value, decimals in self._own.items())

    @cached_property
    def _near(self) -> tuple[dict[Value, int | None], dict[Value, int | None]]:
        """For each step the fewest decimals of the nearest published ones before it, and after it."""
        values = [value for value in self.trace if value.operation is not None and value in self.relevant]
        users: dict[Value, list[Value]] = {}
        for value in values:
            for given in value.inputs:
                users.setdefault(given, []).append(value)
        before = self._nearest(values, lambda value: value.inputs)
        return before, self._nearest(reversed(values), lambda value: users.get(value, ()))

    def digits(self, value: Value) -> Digits | None:
        """What an unpublished number of a step may have been rounded to; None: it was not rounded."""
        if self.rule is not None:
            return self.rule(value)
        own = self._own.get(value)
        near = [side.get(value) for side in self._near]
        if own is not None:
            return Digits(max(own, _LEAST))
        fewest = min((one for one in near if one is not None), default=None)
        if fewest is None:
            return None
        return Digits(max(fewest, _LEAST, 0 if self._cuts_small else _decimals_of_leading(value)))

    def _nearest(
        self, values: Iterable[Value], neighbours: Callable[[Value], Iterable[Value]]
    ) -> dict[Value, int | None]:
        """For each value the fewest decimals of the nearest published steps on one side, through unpublished ones."""
        fewest: dict[Value, int | None] = {}
        for value in values:
            near = [self._seen(one, fewest) for one in neighbours(value)]
            fewest[value] = min((one for one in near if one is not None), default=None)
        return fewest

    def _seen(self, value: Value, fewest: dict[Value, int | None]) -> int | None:
        """What a neighbour shows: its own decimals, or what is beyond it where it is not published in full."""
        own = self._own.get(value)
        return own if own is not None or value in self._is_whole else fewest.get(value)

    def sentence(self) -> str:
        """What is assumed, in one line."""
        left_out = self._left_out()
        if not left_out:
            return "No unpublished step matters here, so none is assumed to be rounded."
        found = [digits for value in left_out if (digits := self.digits(value)) is not None]
        if not found:
            return "Unpublished steps are assumed not to be rounded."
        return f"Unpublished steps may be rounded to {_list_counts(found)}, {self.reason}."

    def _left_out(self) -> list[Value]:
        """The steps, not published as a whole, that published numbers were computed from; copies are not rounded."""
        waiting = list({one.value for one in self.prints})
        found: dict[Value, None] = {}
        seen = set(waiting)
        while waiting:
            for given in waiting.pop().inputs:
                if given not in self._is_whole and not copies(given):
                    found[given] = None
                if given not in seen and given not in self._is_whole:
                    seen.add(given)
                    waiting.append(given)
        return list(found)


def _decimals(prints: Sequence[BoundPrint]) -> dict[Value, int]:
    """The decimals of every published step: the most that a number of it claims that is not exact."""
    found: dict[Value, int] = {}
    for one in prints:
        for cell in one.cells:
            exact = float(one.value.array[cell.row, cell.column])
            printed = cell.printed
            if isinstance(printed, Printed) and printed.half_unit > 0 and not printed.equals(exact):
                found[one.value] = max(found.get(one.value, printed.decimals), printed.decimals)
    return found


def _decimals_of_leading(value: Value) -> int:
    """The decimals that the first digits of a step's largest number need: 4 of 0.0063. Nobody rounds it to 0.01."""
    return _LEAST - 1 - math.floor(math.log10(value.largest)) if value.largest else 0


def _list_counts(found: Sequence[Digits]) -> str:
    """3 decimals; 2 to 4 decimals; 3 decimals or 3 significant digits."""
    decimals = sorted({digits.count for digits in found if not digits.significant})
    significant = sorted({digits.count for digits in found if digits.significant})
    return " or ".join(
        f"{counts[0]}{f' to {counts[-1]}' if len(counts) > 1 else ''} {unit}{'s' if counts[-1] != 1 else ''}"
        for counts, unit in ((decimals, "decimal"), (significant, "significant digit"))
        if counts
    )
