"""Calculated steps with other numbers: `--set 'STEP=0'`, `=mean`, `=from FILE`, `'CELL=NUMBER'`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.operations.what_if import Change as Replaced
from walkthrough.operations.what_if import replace_step, what_if
from walkthrough.recording.cells import CellAt, find_cell, split_cell
from walkthrough.recording.selectors import SelectorError, parse_words, pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.values import INSPECTIONS
from walkthrough.text import escape_label, in_quotes
from walkthrough.transformer.loading.changes import Change, ChangeError, change_text, is_cell
from walkthrough.transformer.loading.load import load_scenario
from walkthrough.transformer.runs.run import trace, trace_into

AnyTrace = TypeVar("AnyTrace", bound=Trace)
_INSIDE = "looks inside the model, and nothing follows from it; name a step of the model"


class Question(Record):
    """What becomes of some steps, as it is asked.

    selector: of the steps; labels: of a cell, None for all of a step
    how:      0, mean or from; of a cell its number; other: the scenario that the numbers are from
    """

    text: str
    selector: str
    labels: str | None
    how: str
    number: float = 0.0
    other: str = ""

    @property
    def words(self) -> set[str]:
        """The words of the selector."""
        return {word for word, _ in parse_words(self.selector)}

    @property
    def names_pass(self) -> bool:
        """Whether one pass is meant, and not every pass."""
        return any(pass_of(f"{word}.1.") or pass_of(f"{word}.") for word in self.words)


def _question(target: str, change: Change) -> Question:
    text = change_text(target, change)
    if is_cell(target):
        selector, labels = split_cell(target)
        return Question(text, selector, labels, "number", number=float(change))
    if isinstance(change, str) and change != "mean":
        return Question(text, target, None, "from", other=change.removeprefix("from ").strip())
    return Question(text, target, None, "mean" if change == "mean" else "0")


def trace_replacing(
    into: type[AnyTrace], scenario: Scenario, changes: Mapping[str, Change], **options: Any
) -> AnyTrace:
    """The trace of a scenario in which some steps have other numbers than they have calculated.

    options: as `trace_into` takes them
    Raises ChangeError, SelectorError for a step or a cell that is not there, ScenarioError for faults of others.
    """
    questions = [_question(target, change) for target, change in changes.items()]
    options["keep"] = None  # what a training forgets could neither be asked for nor told
    before = trace_into(into, scenario, **options)
    kept = {name: options[name] for name in ("by_hand", "decimals", "format") if name in options}
    names = dict.fromkeys(question.other for question in questions if question.other)
    others = {name: trace(load_scenario(name), **kept) for name in names}
    result = trace_into(into, scenario, **options, replace=_Replacing(questions, before, others))
    result.changed = (*result.changed, *(question.text for question in questions))
    result.before, result.replace = before, None
    return result


class _Replacing:
    """Gives the steps that are asked for other numbers, as soon as they are recorded.

    everywhere: what is asked of a step in every pass, by its path without that of the pass; exactly: of one by its path
    others:     the traces of other scenarios, by their names
    """

    def __init__(self, questions: Iterable[Question], before: Trace, others: Mapping[str, Trace]) -> None:
        self.everywhere: dict[str, list[Question]] = {}
        self.exactly: dict[str, list[Question]] = {}
        self.others = others
        steps = _Steps(before)
        for question in questions:
            for value in steps.find(question):
                if question.names_pass:
                    self.exactly.setdefault(value.path, []).append(question)
                elif question not in (known := self.everywhere.setdefault(within_pass(value.path), [])):
                    known.append(question)

    def __call__(self, value: Value) -> None:
        """Gives a step its other numbers, if it is asked for."""
        asked = (*self.everywhere.get(within_pass(value.path), ()), *self.exactly.get(value.path, ()))
        changes = [change for question in asked if (change := self._change(question, value)) is not None]
        if changes:
            assert value.operation is not None
            settings = replace_step(value.operation, value.settings, value.shape, changes)
            value.become(what_if, settings)

    def _change(self, question: Question, value: Value) -> Replaced | None:
        if question.labels is not None:
            return _change_cell(question, question.labels, value)
        if question.how != "from":
            return (question.how,)
        theirs, name = self.others[question.other].get(value.path), escape_label(question.other)
        if theirs is None:
            raise ChangeError(f"{in_quotes(question.text)}: {name} has no step {value.path}")
        if theirs.shape != value.shape:
            there, here = shape_text(theirs.shape), shape_text(value.shape)
            raise ChangeError(f"{in_quotes(question.text)}: {value.path} is {there} in {name}, and {here} here")
        return "from", name, tuple(map(tuple, theirs.array.tolist()))


def _change_cell(question: Question, labels: str, value: Value) -> Replaced | None:
    """None in a pass that lacks the cell."""
    if (cell := _cell_in(value, labels)) is None:
        return None
    _, row, column = cell
    written = f"{value.kind.symbol}[{escape_label(value.rows[row])}, {escape_label(value.columns[column])}]"
    number = repr(question.number).removesuffix(".0")
    return "cell", row, column, question.number, f"{written} = {number}"


class _Steps:
    """The steps of a calculation that may have other numbers: computed ones from which something follows."""

    def __init__(self, before: Trace) -> None:
        self.before = before
        model = [value for value in before if not _is_inspection(value)]
        self.read = {given.path for value in model for given in value.inputs}
        self.read_in_some_pass = set(map(within_pass, self.read))
        self.last = next(value for value in reversed(model) if value.operation is not None)

    def find(self, question: Question) -> list[Value]:
        """Those that are meant. Raises ChangeError for one that cannot be, SelectorError where there is none."""
        found = self.before.select(question.selector)
        if not question.words.isdisjoint(INSPECTIONS):  # by such a name it is meant, even if it has another one
            raise ChangeError(f"{in_quotes(question.text)}: {question.selector} {_INSIDE}")
        for value in found:
            if reason := self._why_not(value, question):
                raise ChangeError(f"{in_quotes(question.text)}: {value.path} {reason}")
        if question.labels is None:
            return found
        paths = set() if question.names_pass else {within_pass(value.path) for value in found}
        meant = [value for value in self.before if value in found or within_pass(value.path) in paths]
        with_cell = [value for value in meant if _cell_in(value, question.labels)]
        return with_cell or [find_cell(found[0], question.labels).value]

    def _why_not(self, value: Value, question: Question) -> str:
        if value.operation is None:
            return "is given, not calculated: of given numbers only single cells can be others"
        if _is_inspection(value):
            return _INSIDE
        if value.holds_ids:
            return "holds ids, which are names of words; replace what it is computed from"
        is_read = value.path in self.read or value is self.last
        if not is_read and (question.names_pass or within_pass(value.path) not in self.read_in_some_pass):
            return "is read by nothing: no number would change"
        return ""


def _is_inspection(value: Value) -> bool:
    return parse_words(within_pass(value.path))[0][0] in INSPECTIONS


def _cell_in(value: Value, labels: str) -> CellAt | None:
    try:
        return find_cell(value, labels)
    except SelectorError:
        return None
