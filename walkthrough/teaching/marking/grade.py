"""Marking for programs that hold the answers already: `walkthrough.mark`."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from walkthrough.errors import ArgumentError, expect, expect_decimals, expect_text, expect_texts, expect_whole
from walkthrough.languages import LANGUAGES
from walkthrough.languages.catalogue import catalogue
from walkthrough.scenario.scenario import Scenario
from walkthrough.teaching.marking.assignment import Assignment
from walkthrough.teaching.marking.data import sheet_data
from walkthrough.teaching.marking.feedback_page import article
from walkthrough.teaching.marking.handed_in import mark_filled
from walkthrough.teaching.marking.marked import Marked, write_points
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.read.answer import EMPTY, Answer, answer_of, number_answer
from walkthrough.teaching.sheets.read.filled import Filled, find_step
from walkthrough.teaching.sheets.sheet import Sheet, SheetError
from walkthrough.text import in_quotes
from walkthrough.transformer.loading.load import load_scenario, parse_scenario

Answers = Mapping[str, Any]
"""By path: {row: {column: text or number}}, or the rows as lists."""


class Grade(SimpleNamespace):
    """The marks of one sheet. What the JSON of `walkthrough mark` says of it has the same names here.

    points, of:   from 0 to the number of steps
    cells, steps: of each what was written, the verdict, the line with the student's own numbers; the points
    slips:        the wrong cells, grouped by what was probably done
    """

    def __init__(self, marked: Marked) -> None:
        super().__init__(**{name: _objects(part) for name, part in sheet_data(marked).items()})
        self._marked = marked

    def data(self) -> dict[str, Any]:
        """The JSON of the sheet."""
        return sheet_data(self._marked)

    def html(self) -> str:
        """The inside of its feedback page, to be put into another page; in the language of the sheet."""
        return article(self._marked, catalogue(self._marked.sheet.language))

    _repr_html_ = html

    def __repr__(self) -> str:
        return f"<{write_points(self.points)} of {self.of} points>"


def mark(
    scenario: str | os.PathLike[str] | Scenario,
    answers: Answers,
    seed: int | None = None,
    decimals: int | None = None,
    blank: Sequence[str] | None = None,
    language: str | None = None,
) -> Grade:
    """Marks answers as `walkthrough mark` does; what is left out is missing.

    scenario: a path, a bundled name, a Scenario, or the text of one
    answers:  {path: {row: {column: text or number}}}, or {path: rows}
    seed, decimals, blank: as of `walkthrough worksheet`; language: of what people read
    Raises ValueError for a cell that is not on the sheet, ArgumentError (a TypeError and a ValueError) for an argument
    that cannot be used.
    """
    chosen = [blank] if isinstance(blank, str) else blank
    expect(language is None or isinstance(language, str), "language", f"one of {', '.join(LANGUAGES)}", language)
    if language is not None and language not in LANGUAGES:
        raise ArgumentError(f"no language is called {in_quotes(language)}; known: {', '.join(LANGUAGES)}")
    expect(isinstance(answers, Mapping), "answers", "a mapping of paths to rows of answers", answers)
    expect_texts(chosen, "blank", "selectors")
    expect_decimals(decimals)
    expect_whole(seed, "seed")
    loaded, name = _scenario(scenario)
    sheet = Maker(loaded, name, SheetOptions(chosen, decimals, language=language)).sheet(seed)
    written = {place: answer for path, rows in answers.items() for place, answer in _cells(path, rows, sheet)}
    filled = Filled(name, written, seed=seed)
    return Grade(mark_filled(filled, Assignment(scenario=lambda _: sheet)))


def _scenario(scenario: str | os.PathLike[str] | Scenario) -> tuple[Scenario, str]:
    """A scenario and its name."""
    if isinstance(scenario, Scenario):
        return scenario, Path(scenario.source.name).stem
    if isinstance(scenario, str) and "\n" in scenario:
        return parse_scenario(scenario), "text"
    return load_scenario(scenario), Path(scenario).stem


def _cells(path: str, rows: Any, sheet: Sheet) -> Iterator[tuple[tuple[str, str, str], Answer]]:
    """The answers to one step by the labels of their cells. Raises SheetError for rows that it does not have."""
    expect_text(path, "answers", "paths of steps")
    value = find_step(path, sheet)
    if isinstance(rows, Mapping):
        for row, cells in rows.items():
            if not isinstance(cells, Mapping):
                raise SheetError(f"{path}, row {row}: expected a mapping of columns to answers")
            yield from (((path, str(row), str(column)), _answer(answer)) for column, answer in cells.items())
        return
    expect(_is_row(rows), value.path, "rows of answers", rows)
    lists = [list(row) if _is_row(row) else [row] for row in rows]
    if len(lists) > len(value.rows) or any(len(row) > len(value.columns) for row in lists):
        found = f"{len(lists)}×{max(map(len, lists))}"
        raise SheetError(f"{value.path} has the shape {len(value.rows)}×{len(value.columns)}, the answers {found}")
    for row, cells in zip(value.rows, lists, strict=False):
        yield from (((path, row, column), _answer(cell)) for column, cell in zip(value.columns, cells, strict=False))


def _is_row(row: Any) -> bool:
    return not isinstance(row, str | bytes) and hasattr(row, "__iter__")


def _answer(answer: Any) -> Answer:
    """What a text or a number means; nothing where it is None. Raises ArgumentError for anything else."""
    if answer is None:
        return EMPTY
    if isinstance(answer, str):
        return answer_of(answer)
    if not isinstance(answer, Real) or isinstance(answer, bool):
        raise ArgumentError(f"expected a text, a number or None as an answer, not {type(answer).__name__}")
    try:
        number = float(answer)
    except OverflowError:  # a whole number of 400 digits
        return number_answer(math.inf)
    return answer_of(str(number)) if number == -math.inf else number_answer(number)


def _objects(part: Any) -> Any:
    """Mappings as objects with attributes, also inside lists."""
    if isinstance(part, list):
        return [_objects(one) for one in part]
    return SimpleNamespace(**{name: _objects(one) for name, one in part.items()}) if isinstance(part, dict) else part
