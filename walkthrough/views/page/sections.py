"""The steps of a page, each a `<section>` whose id is its path, nested as the parts of the model are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from walkthrough.explaining.formulas import formula_mathml, symbols_of
from walkthrough.explaining.remarks import breakdown, drift
from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.explaining.steps import Reasons
from walkthrough.explaining.worked import example_cell, line_in, work_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.graph import details_of
from walkthrough.recording.parts import heads_of, is_after_training, training_step_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Branch, Value
from walkthrough.text import escape_label, escape_text
from walkthrough.views.model_map import Numbered, Part
from walkthrough.views.page.print_bands import COLUMN, NARROWEST, PrintBands, print_bands
from walkthrough.views.page.verdicts import VerdictNotes
from walkthrough.views.report.document import MOST_TERMS, branch_text, origin_text, shapes_text
from walkthrough.views.selection import Selection
from walkthrough.views.text.cells import cell_text, cell_texts
from walkthrough.views.text.html import attribute, line_html

_DEEPEST = 4
"""Parts in parts that have a heading of their own; what is deeper joins it."""
_MOST_SYMBOLS = 12
_LETTER = re.compile(r"\b([^\W\d_])_(\w+)")


class SectionWriter:
    """Writes the steps of one trace. column: how wide a table may be that stands beside others on paper, in points."""

    column = COLUMN
    has_drift = True
    """Whether by hand each step says how far it has drifted."""

    def __init__(self, trace: Trace, selection: Selection, decimals: int | None, verdicts: VerdictNotes | None) -> None:
        self.trace = trace
        self.words = catalogue(trace.language)
        self.selection, self.shown = selection, frozenset(selection.values)
        self.decimals = decimals
        self.verdicts = verdicts
        self.bands: dict[Value, PrintBands] = {}
        self.reasons, self.details = Reasons(self.words), details_of(selection.values)
        self.unprinted = _unprinted(selection.values)
        self.above: list[str] = []
        """The headings that nothing stands below yet: on paper they share the line of the next."""
        self._texts: dict[Value, list[list[str]]] = {}

    def write_part(self, part: Part, depth: int = 1, before: str = "") -> Iterator[str]:
        """A part of the model with all that is in it; `before` are the titles of parts that share its heading."""
        title = f"{before} · {part.title}" if before else part.title
        if part.path:
            name = "" if part.path in self.trace else f' id="{escape(part.path)}"'
            level = min(depth, _DEEPEST) + 1
            above = self.above[:-1] if before else self.above
            on_paper = f" data-parts={attribute(' · '.join(above))}" if above else ""
            self.above = [*above, title]
            yield f"<div class=part{name}>\n<h{level}{on_paper}>{escape(title)}</h{level}>\n"
        inner = depth + bool(part.path)
        level = min(inner, _DEEPEST + 1) + 1
        inside = title if inner > _DEEPEST else ""
        for are_parts, children in groupby(part.children, lambda child: isinstance(child, Part)):
            if are_parts:
                yield from self.write_parts([child for child in children if isinstance(child, Part)], inner, inside)
            else:
                yield from self._write_steps([child for child in children if isinstance(child, Numbered)], level)
        if part.path:
            yield "</div>\n"

    def write_parts(self, parts: Sequence[Part], depth: int, before: str) -> Iterator[str]:
        """Parts that follow one another."""
        for part in parts:
            yield from self.write_part(part, depth, before)

    def _write_steps(self, steps: Sequence[Numbered], level: int) -> Iterator[str]:
        """Steps that follow one another; given matrices with the one after them that uses them, where both fit."""
        self.above = []
        given: list[Numbered] = []
        for step in steps:
            if self.selection.is_given(step.value):
                given.append(step)
                continue
            first, used = len(given), {value.path for value in step.value.inputs}
            room = self.column - self._bands(step.value).width
            while first and given[first - 1].path in used and (room := room - self._least(given[first - 1])) >= 0:
                first -= 1
            yield from (self.write_step(one, level) for one in given[:first])
            written = "".join(self.write_step(one, level) for one in (*given[first:], step))
            yield f"<div class=pair>\n{written}</div>\n" if first < len(given) else written
            given = []
        yield from (self.write_step(one, level) for one in given)

    def _least(self, given: Numbered) -> float:
        """The room that a given matrix takes beside another step."""
        return max(self._bands(given.value).width, NARROWEST)

    def write_step(self, step: Numbered, level: int) -> str:
        """One step: what it is, its formula, its table, a number worked out."""
        value = step.value
        decimals = decimals_of(value, self.trace, self.decimals)
        purpose = self.words.purpose(value.kind)
        aliases = "".join(f"<a id={attribute(name)}></a>" for name in value.also)
        about, number = self._about(value), f"<i>{step.number}</i> " if step.number else ""
        paper = " data-paper=none" if value in self.unprinted else self._bands(value).section
        return (
            f'<section id="{escape(value.path)}"{about}{paper}>{aliases}\n'
            f"<h{level}>{number}{title_html(step.title)}</h{level}>\n"
            + (f"<p>{escape(purpose, quote=False)}</p>\n" if purpose else "")
            + self._why(value)
            + self._formula(value)
            + self._table(value)
            + (f"<p>{self.words('hypotheses')}\n{self._tree(value.tree)}\n" if value.tree else "")
            + self._remarks(value, decimals)
            + self._line(value, decimals)
            + (self.verdicts.notes(value) if self.verdicts else "")
            + "</section>\n"
        )

    def _why(self, value: Value) -> str:
        """Why there is such a step, folded, at the first of its kind; a softmax and a norm say it for all of theirs."""
        if value in self.details or self.selection.is_given(value) or not self.reasons.are_new(value):
            return ""
        why = escape(f"{self.words.why(value.kind)} {self.words.source(value.kind)}.", quote=False)
        return f"<details class=why data-draft=no><summary>{self.words('why')}</summary>{why}</details>\n"

    def _about(self, value: Value) -> str:
        """What the script is told of a step: how it is shaded, and what attention weights over words have in common."""
        is_share = value.kind.is_distribution
        shade = " data-shade=none" if value.holds_ids else " data-shade=share" if is_share else ""
        is_of_words = is_share and {value.rows, value.columns} <= set(self.trace.tokens)
        heads = f" data-heads={attribute(heads_of(value.path))}" if is_of_words else ""
        weight = self._weight(value)
        counted = f' data-weights="{escape(weight[0].path)}" data-column={weight[1]}' if weight else ""
        return shade + heads + counted

    def _weight(self, value: Value) -> tuple[Value, int] | None:
        """Of a step whose rows count by the numbers of a column: the step that has it, and which it is."""
        return value.weight if value.weight is not None and value.weight[0] in self.shown else None

    def _formula(self, value: Value) -> str:
        """The formula, the shapes, and what its symbols stand for."""
        seen = value.bare() if self.selection.is_given(value) else value
        said = f"<math>{formula_mathml(seen, self.words)}</math> <span>{shapes_text(seen)}{self._origin(value)}</span>"
        return f"<div class=formula>{said}{self._symbols(value)}</div>"

    def _origin(self, value: Value) -> str:
        if value in self.selection.as_given:
            return f", {self.words('taken_as_given')}"
        return f", {escape(origin_text(value, self.words))}" if value.operation is None else ""

    def _symbols(self, value: Value) -> str:
        """Links to the steps that the formula reads."""
        if self.selection.is_given(value):
            return ""
        named = dict(zip(value.inputs, symbols_of(value.inputs), strict=True))
        links = [
            f"<a href={attribute('#' + given.path)}><b>{_symbol(symbol)}</b> {self._title(given)}</a>"
            for given, symbol in list(named.items())[:_MOST_SYMBOLS]
        ]
        more = len(named) - _MOST_SYMBOLS
        if more > 0:
            links.append(self.words("and_more", count=more))
        return f"<p>{' '.join(links)}" if links else ""

    def _title(self, value: Value) -> str:
        return title_html(self.words.title(value.kind))

    def _table(self, value: Value) -> str:
        """The matrix: a row of labels, then a row for each of its own."""
        rows, columns = _labels(value)
        head = "".join(f"<th>{escape(label, quote=False)}</th>" for label in columns)
        bands = self._bands(value)
        texts = self._texts.pop(value)
        lines, weight = [], self._weight(value)
        for i, label in enumerate(rows):
            cells = self._cells(value, i, texts[i])
            idle = " data-idle" if weight and weight[0].array[i, weight[1]] == 0 else ""
            lines.append(f"<tr{bands.row(i, label)}{idle}><th>{escape(label, quote=False)}</th>{cells}</tr>\n")
        table = f"<table{bands.table}><thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        return f"<div class=matrix>{table}</div>\n"

    def _tree(self, branches: Sequence[Branch]) -> str:
        """A list of branches, each with its own below it; the script keeps their numbers as the tables have them."""
        return f"<ul class=tree>{''.join(map(self._branch, branches))}</ul>" if branches else ""

    def _branch(self, branch: Branch) -> str:
        return f"<li>{branch_text(branch, self._number)}{self._tree(branch.children)}</li>"

    def _number(self, value: Value, row: int, column: int) -> str:
        text = cell_text(Shown.of(value, self.trace, self.decimals), row, column, self.words)
        return f'<span data-of="{value.path}" data-c={row},{column}>{escape(text, quote=False)}</span>'

    def _cells(self, value: Value, row: int, texts: Sequence[str]) -> str:
        return "".join(f"<td>{escape(text, quote=False)}</td>" for text in texts)

    def _bands(self, value: Value) -> PrintBands:
        """How its table is printed."""
        if value not in self.bands:
            self._texts[value] = cell_texts(self.trace, value, self.decimals)
            self.bands[value] = print_bands(*_labels(value), self._texts[value], self.column)
        return self.bands[value]

    def _remarks(self, value: Value, decimals: int) -> str:
        exact = self.trace.exact.get(value.path) if self.trace.exact is not None and self.has_drift else None
        remarks = (("broken", breakdown(value, self.words)), ("drift", drift(value, exact, decimals, words=self.words)))
        return "".join(f"<p class={name}>{line_html(text)}</p>\n" for name, text in remarks if text)

    def _line(self, value: Value, decimals: int) -> str:
        """The worked line of the example cell, as `walkthrough run` shows it."""
        cell = example_cell(value) if not self.selection.is_given(value) else None
        if cell is None:
            return ""
        line = escape_label(str(line_in(work_out(value, *cell, decimals, MOST_TERMS), self.words)))
        return f"<p class=worked data-c={cell[0]},{cell[1]}>{line_html(line)}</p>"


def _unprinted(values: Iterable[Value]) -> set[Value]:
    """What is not printed of a training of many steps: its curve is, and the first and the last with what they read."""
    steps = {value: training_step_of(value.path) for value in values}
    last = max(steps.values())
    if last <= 2:
        return set()
    rest = {value for value, step in steps.items() if 1 < step < last or is_after_training(value.path)}
    rest |= {value for value in steps if value.kind.series}
    return rest - {given for value in steps.keys() - rest for given in value.inputs}


def _labels(value: Value) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of rows and columns, harmless."""
    return tuple(map(escape_label, value.rows)), tuple(map(escape_label, value.columns))


def _symbol(symbol: str) -> str:
    base, _, index = symbol.partition("_")
    return escape(base, quote=False) + (f"<sub>{escape(index)}</sub>" if index else "")


def title_html(title: str) -> str:
    """A title, its symbols as the formulas have them: Weights W_Q."""
    return " ".join(map(_symbol, title.split(" ")))


def name_html(name: str) -> str:
    """What somebody has named something: a letter with an index, as W_Q, is a symbol; other words keep their marks."""
    return _LETTER.sub(r"\1<sub>\2</sub>", escape(escape_text(name), quote=False))
