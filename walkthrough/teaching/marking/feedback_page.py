"""Feedback as a page that prints on A4: what is right, the slips with the line of the first number, points by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from walkthrough.explaining.worked import CellName, Worked
from walkthrough.expressions.notations.mathml import (
    break_at_signs,
    mathml_number,
    mathml_symbol,
    mathml_text,
    to_mathml,
)
from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.marked import Marked, MarkedCell, Slip, StepMarks, write_points
from walkthrough.teaching.marking.sentences import (
    labels_of,
    own_line,
    say_again,
    say_answer,
    say_cells,
    say_costs,
    say_note,
    say_of_slip,
    say_points,
    say_rest,
    say_unreadable,
    say_well,
)
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.page import frame, html_text, title_html

STYLE = Path(__file__).with_name("feedback.css")
_EQUALS = '<mo form="infix">=</mo>'


def write_page(marked: Marked, words: Catalogue, out: BinaryIO) -> None:
    """Writes the page of one sheet."""
    who = marked.student or Path(marked.name).stem
    inside = article(marked, words, who)
    out.write(frame(f"{words('marks')}: {who}", words.language, STYLE, inside).encode())


def article(marked: Marked, words: Catalogue, who: str = "") -> str:
    """What is inside of the page, for another page too. who: whose sheet it is, where that is to be said"""
    return "".join(_Article(marked, Titles.of(marked.sheet, words)).lines(who))


class _Article:
    """The feedback on one sheet while it is written."""

    def __init__(self, marked: Marked, titles: Titles) -> None:
        self.marked = marked
        self.titles = titles
        self.words: Catalogue = titles.words

    def lines(self, who: str) -> Iterator[str]:
        marked, words = self.marked, self.words
        points = f'data-points="{write_points(marked.points)}" data-of="{marked.of}"'
        yield f'<article class="feedback" lang="{words.language}" {points}>\n'
        title = html_text(marked.sheet.hand.title)
        heading = f"<h1>{html_text(who)}</h1><p>{title}</p>" if who else f"<h1>{title}</h1>"
        yield f'<header>{heading}<p class="total">{say_points(marked, words)}</p></header>\n'
        if well := " ".join(say_well(marked, words)):
            yield f'<section class="well"><p>{well}</p></section>\n'
        if (note := say_note(marked, words)) is not None:
            yield f'<section class="rest"><p>{html_text(note)}</p></section>\n'
        for slip in sorted(marked.slips, key=lambda slip: -slip.costs):
            yield from self._slip(slip)
        yield from self._rest()
        rows = "".join(map(self._row, marked.steps))
        head = f"<th scope=col>{words('step')}<th scope=col>{words('points')}"
        half = -(-len(marked.steps) // 2)
        yield f'<table class="points"><thead><tr>{head}<tbody style="--half: {half}">\n{rows}</table>\n</article>\n'

    def _slip(self, slip: Slip) -> Iterator[str]:
        """A slip: its step, what it costs, which cells, what was probably done, and its first line."""
        words, first = self.words, slip.first
        about = f'data-path="{html_text(first.value.path)}" data-cause="{first.cause.word if first.cause else ""}"'
        yield f'<section class="slip" {about} data-cells="{len(slip.cells)}">\n'
        title, costs = title_html(self.titles.with_symbol(first.value)), say_costs(slip.costs, words)
        yield f'<h2><span>{title}</span> <span class="costs">{costs}</span></h2>\n'
        which = ": ".join(filter(None, (words.pluralize("cells_wrong", len(slip.cells)), say_cells(slip.cells, words))))
        cause, again = say_of_slip(slip, self.titles) or "", say_again(slip, self.titles) or ""
        said = [f"{html_text(which)}.", _cause_html(cause), title_html(again)]
        yield f"<p>{' '.join(filter(None, said))}</p>\n{self._line(first)}</section>\n"

    def _line(self, cell: MarkedCell) -> str:
        """The arithmetic with the own numbers and what it gives, and what was written."""
        worked, notes = own_line(cell, self.marked.own, self.words, self.titles.with_symbol)
        math = "" if worked is None else worked_mathml(worked)
        none = [self.words("no_number_from_own")] if worked is None else []
        said = [*none, self.words("you_wrote", answer=say_answer(cell))]
        beside = "; ".join([*map(html_text, said), *map(title_html, notes)])
        return f'<p class="line">{math} <span>{beside}</span></p>\n'

    def _rest(self) -> Iterator[str]:
        """What earns nothing without being wrong: what is missing, cannot be read, or comes from lost steps alone."""
        said = [*say_rest(self.marked, self.words)]
        for cell in self.marked.cells:
            if cell.finding is Verdict.UNREADABLE:
                name = self.titles.with_symbol(cell.value, labels_of(cell))
                said.append(say_unreadable(cell, name, self.words))
        said += [f"{one.say(self.words, self.titles.with_symbol)}." for one in self.marked.altered]
        if said:
            yield f'<section class="rest">{"".join(f"<p>{html_text(line)}</p>" for line in said)}</section>\n'

    def _row(self, step: StepMarks) -> str:
        """A step and its points."""
        points = self.words.number(write_points(step.points))
        lost = "" if step.points == 1 else " class=lost"
        title = title_html(self.titles.with_symbol(step.value))
        return f'<tr data-path="{html_text(step.path)}"{lost}><th scope=row>{title}<td>{points}\n'


def _cause_html(text: str) -> str:
    """The sentence of a cause with its symbols; one that names a cell has labels, which stay as they are."""
    return html_text(text) if "[" in text else title_html(text)


def worked_mathml(line: Worked) -> str:
    """The name of the cell, its arithmetic, its result."""
    return "<wbr>".join(f"<math>{piece}</math>" for piece in _pieces(line))


def _pieces(line: Worked) -> Iterator[str]:
    yield _cell(line.name)
    if line.expression is not None:
        first, *more = break_at_signs(to_mathml(line.expression, line.writer.convert(mathml_number, mathml_text)))
        yield f"{_EQUALS}{first}"
        yield from more
    elif isinstance(line.arithmetic, CellName):
        yield f"{_EQUALS}{_cell(line.arithmetic)}"
    result = mathml_text(line.result) if line.is_word else mathml_number(line.result)
    yield f"{_EQUALS}{break_at_signs(result)[0]}"


def _cell(name: CellName) -> str:
    """`S[chai, is]`."""
    labels = '<mo separator="true">,</mo>'.join(map(mathml_text, name.labels))
    return f'{mathml_symbol(name.symbol)}<mo stretchy="false">[</mo>{labels}<mo stretchy="false">]</mo>'
