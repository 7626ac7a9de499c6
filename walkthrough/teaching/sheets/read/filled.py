"""A sheet as it was handed in: whose it is, what it was made from, and what is in its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.recording.values import Value
from walkthrough.records import NONE, Record
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.sheets.read.answer import EMPTY, Answer, both
from walkthrough.teaching.sheets.sheet import Place, Sheet, SheetError, sheet_of
from walkthrough.text import escape_label, find_meant, find_near, in_quotes


class UnplacedError(SheetError):
    """An answer that belongs to no cell of the sheet, said in any language.

    name: of the sentence, with its facts; near: what may have been meant; known: what there is otherwise
    """

    def __init__(self, name: str, near: Sequence[str] = (), known: Sequence[str] = (), **facts: str) -> None:
        self.sentence = partial(_say_unplaced, name, near, known, facts)
        super().__init__(self.sentence(ENGLISH))


def _say_unplaced(
    name: str, near: Sequence[str], known: Sequence[str], facts: Mapping[str, str], words: Catalogue
) -> str:
    hint = words("unplaced_near", names=", ".join(map(in_quotes, near))) if near else ""
    hint = hint or (words("unplaced_known", names=", ".join(known)) if known else "")
    return "; ".join(filter(None, (words(name, **facts), hint)))


class Ignored(Record):
    """A line of a file that belongs to no cell of the sheet. line: its number, from 1"""

    line: int
    error: UnplacedError

    def why(self, words: Catalogue = ENGLISH) -> str:
        """Why it belongs to none."""
        return self.error.sentence(words)


_MOST_EXPLAINED = 200
"""Behind so many lines that fit nowhere no near names are looked for."""
Written = Mapping[tuple[str, str, str], Answer]
"""What was written, by path and the labels of row and column."""


class Filled(Record):
    """What one sheet holds.

    name:     of the file
    text:     the rewritten scenario; empty where only answers were handed in
    blank:    the paths of the steps to fill in
    answers:  what was written
    given:    the given numbers on the sheet, by path; they may have been altered
    lost:     the steps whose cells can no longer be found in the file
    made:     the sheet that was handed out, where it was needed to read the answers
    lines:    the line of each answer, in a file where a line that fits nowhere is passed over
    ignored:  lines of such a file that hold no answer
    is_whole: whether the file still says how the sheet was made; without that it is marked by an answer key alone
    """

    name: str
    answers: Written
    text: str = ""
    scenario: str = ""
    seed: int | None = None
    student: str = ""
    decimals: int | None = None
    digest: str = ""
    blank: tuple[str, ...] = ()
    given: Mapping[str, Sequence[Sequence[Answer]]] = NONE
    lost: tuple[str, ...] = ()
    made: Sheet | None = None
    is_whole: bool = True
    lines: Mapping[tuple[str, str, str], int] = NONE
    ignored: tuple[Ignored, ...] = ()

    def check_whole(self) -> None:
        """Raises SheetError where the file does not say how the sheet was made."""
        if not self.is_whole:
            raise SheetError(
                f"{escape_label(self.name)}: its first sheet, with seed and decimals, is gone; mark it with --key"
            )

    def sheet(self) -> Sheet:
        """The sheet that was handed out, from what this one holds. Raises SheetError where it holds no scenario."""
        if not self.text:
            name = escape_label(self.name)
            raise SheetError(f"{name} holds answers only; name its scenario, a sheet or an answer key with --scenario")
        self.check_whole()
        if self.made is not None:
            return self.made
        try:
            return sheet_of(self.text, self.scenario, self.blank or None, self.decimals, self.seed, self.student)
        except ScenarioError as error:
            why = f"line {error.problems[0].line} of it: {error.problems[0].message}"
            raise SheetError(
                f"{escape_label(self.name)}: its `text` is no scenario any more; {escape_label(why)}"
            ) from None


def place_answers(filled: Filled, sheet: Sheet) -> tuple[dict[Place, Answer], tuple[Ignored, ...]]:
    """The answers by their cells, and the lines that fit none.

    Raises SheetError for a step, row or column that the sheet does not have: of a file with lines if none of them fits.
    """
    steps = _steps(sheet)
    found: dict[Place, Answer] = {}
    ignored = list(filled.ignored)
    index = cache(_index)  # a label is that of many cells
    for key, answer in filled.answers.items():
        path, row, column = key
        try:
            if len(ignored) >= _MOST_EXPLAINED and not _is_cell(key, steps):
                raise UnplacedError("unplaced_cell")
            value = steps.get(path) or _select(path, steps)
            place = value.path, index("unplaced_row", row, value), index("unplaced_column", column, value)
        except UnplacedError as error:
            if key not in filled.lines:
                raise
            ignored.append(Ignored(filled.lines[key], error))
            continue
        found[place] = both(found.get(place, EMPTY), answer)
    if ignored and not found:
        first = min(ignored, key=lambda one: one.line)
        raise SheetError(f"{escape_label(filled.name)}: no line fits the sheet; line {first.line}: {first.why()}")
    return found, tuple(sorted(ignored, key=lambda one: one.line))


def _is_cell(key: tuple[str, str, str], steps: Mapping[str, Value]) -> bool:
    """Whether a cell is named as the sheet prints it."""
    path, row, column = key
    return path in steps and row in steps[path].rows and column in steps[path].columns


def find_step(path: str, sheet: Sheet) -> Value:
    """The step of a sheet that a path, or words of it, name. Raises SheetError."""
    steps = _steps(sheet)
    return steps.get(path) or _select(path, steps)


def _steps(sheet: Sheet) -> dict[str, Value]:
    return {name: step.value for step in sheet.steps for name in (step.value.path, *step.value.also)}


def _index(sentence: str, label: str, value: Value) -> int:
    known = value.rows if sentence == "unplaced_row" else value.columns
    at = find_meant(label, known) if label or len(known) > 1 else 0
    if at is None:
        near = find_near(label, known)
        raise UnplacedError(sentence, near, known[:12], path=value.path, label=in_quotes(label))
    return at


def _select(path: str, steps: Mapping[str, Value]) -> Value:
    """The one step that the words of a path name."""
    from walkthrough.recording.selectors import parse_words, resolve

    found = list(dict.fromkeys(resolve(path, ((value, [name]) for name, value in steps.items()))))
    if len(found) == 1:
        return found[0]
    if found:
        several = {"count": str(len(found)), "first": found[0].path, "second": found[1].path}
        raise UnplacedError("unplaced_among", step=in_quotes(path), **several)
    words = {word for name in steps for word, _ in parse_words(name)}
    raise UnplacedError("unplaced_step", find_near(path, words) or find_near(path, steps), step=in_quotes(path))
