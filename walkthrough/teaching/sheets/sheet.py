"""A worksheet: given numbers, steps that are shown, and steps whose cells are to be filled in. One description of it,
which every kind of file writes and reads."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from walkthrough.errors import UserError
from walkthrough.expressions.tree.aliases import Array, Flags
from walkthrough.judging.assumption import copies
from walkthrough.notation import LARGE
from walkthrough.operations.matrix import append_rows, concatenate, last_rows, select_rows
from walkthrough.recording.rounding import Digits
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.text import in_quotes
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

_SHOWN_UNLESS_NAMED = (select_rows, append_rows, concatenate, last_rows)
"""Steps that only look up rows, or put them side by side or in one table: empty only if they are named."""
LEFT_OUT_UNLESS_NAMED = "perplexity"

Place = tuple[str, int, int]
"""A cell of a sheet: the path of its step, row and column from 0."""


class SheetError(UserError, ValueError):
    """No sheet can be made, or one that was handed in cannot be read."""


class Step(Record, eq=False):
    """A computed step of a sheet.

    value:   its numbers by hand; `exact` without rounding
    blank: which of its cells are empty; none where the step is shown
    is_left_out: it only copies what is asked for elsewhere, so none of its numbers is shown
    """

    value: Value
    exact: Value
    blank: Flags
    is_left_out: bool = False

    @property
    def has_blanks(self) -> bool:
        """Whether cells of it are to be filled in."""
        return bool(self.blank.any())

    @property
    def is_shown(self) -> bool:
        """Whether its numbers stand on the sheet."""
        return not self.has_blanks and not self.is_left_out

    @cached_property
    def places(self) -> list[Place]:
        """Its cells to fill in."""
        return [(self.value.path, row, column) for row, column in np.argwhere(self.blank).tolist()]

    @property
    def digits(self) -> Digits:
        """What its numbers are rounded to."""
        assert self.value.digits is not None
        return self.value.digits

    @cached_property
    def right(self) -> Array:
        """The right numbers, to the digits asked for."""
        return self.digits.round(self.exact.array)

    @property
    def is_whole(self) -> bool:
        """Whether all its right numbers are whole."""
        return are_whole(self.right)

    def decimals(self, number: float, row: int, column: int) -> int:
        """How many decimals the sheet asks for where a number is; for 0, as for the right number.

        A large number has as many digits as it is written with: −1.000e+09.
        """
        size = abs(number or float(self.exact.array[row, column]))
        if not self.digits.significant:
            is_large = LARGE <= size < math.inf
            return self.digits.count - (math.floor(math.log10(size)) if is_large else 0)
        unit = self.digits.unit(np.array([size if size and math.isfinite(size) else 1.0]))
        return -round(math.log10(float(unit[0])))


def are_whole(array: Array) -> bool:
    """Whether all numbers are whole, hidden ones apart."""
    return bool((np.isfinite(array) & (np.rint(array) == array) | np.isneginf(array)).all())


class Sheet(Record, eq=False):
    """One student's sheet.

    name:     of the scenario
    scenario: its source is the rewritten text
    hand:     its calculation by hand; `hand.exact` is the exact one
    given, steps: what is on it, in the order of the calculation
    seed:     what the numbers were drawn from; None: they are the scenario's own
    decimals: instead of the scenario's rounding, or None
    """

    name: str
    scenario: Scenario
    hand: Trace
    given: tuple[Value, ...]
    steps: tuple[Step, ...]
    seed: int | None = None
    student: str = ""
    decimals: int | None = None

    @property
    def text(self) -> str:
        """The rewritten scenario."""
        return self.scenario.source.text

    @property
    def exact(self) -> Trace:
        """The calculation without rounding."""
        assert self.hand.exact is not None
        return self.hand.exact

    @property
    def language(self) -> str:
        """The language of its prose."""
        return self.scenario.spec.language

    @cached_property
    def blank_steps(self) -> tuple[Step, ...]:
        """The steps to fill in."""
        return tuple(step for step in self.steps if step.has_blanks)

    @property
    def places(self) -> list[tuple[Step, Place]]:
        """Every cell to fill in with its step, in order."""
        return [(step, place) for step in self.blank_steps for place in step.places]

    @cached_property
    def digest(self) -> str:
        """A short text that other given numbers would not have."""
        lines = [f"{value.path} {value.array.tolist()}" for value in self.given]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def sheet_of(
    text: str,
    name: str,
    blank: Sequence[str] | None = None,
    decimals: int | None = None,
    seed: int | None = None,
    student: str = "",
) -> Sheet:
    """The sheet of a rewritten scenario. blank: selectors of the steps to fill in; None: nearly all

    Raises SelectorError where a selector names no computed step, ScenarioError where the text is none.
    """
    scenario = parse_scenario(text, name)
    hand = trace(scenario, by_hand=True, decimals=decimals)
    chosen = select_blank(hand, blank)
    scope = scope_of(hand, chosen)
    given = tuple(value for value in scope if value.operation is None)
    steps = tuple(_steps([value for value in scope if value.operation is not None], chosen, hand))
    return Sheet(name, scenario, hand, given, steps, seed, student, decimals)


def select_blank(trace: Trace, blank: Sequence[str] | None) -> set[Value]:
    """The steps that selectors name; by default all before the loss, without those that only look up.

    Of a tokenizer alone it is what is counted.
    """
    if blank is None:
        computed = [one for one in _before_loss(trace) if one.operation is not None]
        return {one for one in computed if not _only_looks_up(one)} or set(filter(_is_counted, computed))
    chosen: set[Value] = set()
    for selector in blank:
        found = [value for value in trace.select(selector) if value.operation is not None]
        if LEFT_OUT_UNLESS_NAMED not in selector:
            found = [value for value in found if not _is_left_out(value)]
        if not found:
            raise SelectorError(f"{in_quotes(selector)} is given, not computed: there is nothing to fill in")
        chosen.update(found)
    return chosen


def follows_loss(trace: Trace, chosen: set[Value]) -> bool:
    """Whether one of the steps asked for comes with the loss or after it."""
    return not chosen <= set(_before_loss(trace))


def scope_of(trace: Trace, chosen: set[Value]) -> list[Value]:
    """What is on the sheet: all before the loss; where later steps are asked for, all up to the last of them."""
    before, values = _before_loss(trace), list(trace)
    if chosen <= set(before):
        return before
    upto = values[: max(values.index(value) for value in chosen) + 1]
    return [value for value in upto if value in chosen or not _is_left_out(value)]


def _is_left_out(value: Value) -> bool:
    """Whether it says again what another step says, and stands on a sheet only if it is named."""
    return value.path.endswith(f".{LEFT_OUT_UNLESS_NAMED}")


def _before_loss(trace: Trace) -> list[Value]:
    values = list(trace)
    first = next((at for at, value in enumerate(values) if value.path.startswith("loss.")), len(values))
    return values[:first]


def _only_looks_up(value: Value) -> bool:
    """Whether it is empty only if it is named: it looks up rows, or makes the tokens of a text."""
    return value.operation in _SHOWN_UNLESS_NAMED or "tokenizer" in value.path.split(".")


def _is_counted(value: Value) -> bool:
    is_copy = value.operation is None or value.operation.copies
    return not is_copy and not value.holds_ids and bool(np.isfinite(value.array).all())


def _steps(values: Sequence[Value], chosen: set[Value], hand: Trace) -> list[Step]:
    """The computed steps; a step that is not asked for and only copies steps that are is left out."""
    assert hand.exact is not None
    left_out: set[Value] = set()
    steps = []
    for value in values:
        exact = hand.exact.get(value.path) or value
        if value not in chosen and copies(value) and any(one in chosen or one in left_out for one in value.inputs):
            left_out.add(value)
        known = np.isfinite(exact.array) | np.isneginf(exact.array)
        blank = known if value in chosen else np.zeros_like(known)
        steps.append(Step(value, exact, blank, value in left_out))
    return steps
