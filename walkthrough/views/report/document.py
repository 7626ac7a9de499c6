"""The report of a trace: a section for each value, with its formula, its table and worked lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from walkthrough.explaining.formulas import formula_text, symbols_of
from walkthrough.explaining.remarks import breakdown, drift
from walkthrough.explaining.shown import Shown
from walkthrough.explaining.steps import Reasons
from walkthrough.explaining.users import rows_read
from walkthrough.explaining.worked import CellName, Worked, example_cell, line_in, work_out
from walkthrough.expressions.tree.shapes import shape_text, to_shapes
from walkthrough.languages.catalogue import ENGLISH, Catalogue, catalogue
from walkthrough.recording.labels import is_label_of
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Branch, Value
from walkthrough.text import did_you_mean, escape_label, in_quotes
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import (
    Block,
    Figure,
    Formula,
    Heading,
    Matrix,
    Note,
    Paragraph,
    Report,
    Tree,
    WorkedLines,
)
from walkthrough.views.report.grid import changed_rows, grid_of
from walkthrough.views.report.head import about, arithmetic, changes
from walkthrough.views.report.headings import Headings
from walkthrough.views.text.cells import cell_text

MOST_TERMS = 8
"""A longer sum shows its largest terms and the rest as one number."""
_DECIMALS = 3
"""Of a value that a notebook shows by itself."""


class SelectedRows(NamedTuple):
    """A value that is shown.

    rows:      those that are shown
    unchanged: how many others are as in the pass before
    """

    value: Value
    rows: list[int]
    unchanged: int = 0


def report(trace: Trace, options: Options) -> Report:
    """The steps of a trace, in the order of the calculation, numbered as in the whole of it.

    Raises SelectorError for a selector or token that names nothing, and where no chosen step has a row of the tokens.
    """
    selected, words = select_rows(trace, options), catalogue(trace.language)

    def blocks() -> Iterator[Block]:
        if changed := changes(trace, words):
            yield Paragraph(changed)
        if trace.before is not None:
            from walkthrough.views.report.changes import what_changed  # seldom wanted

            yield from what_changed(trace, words, options.decimals)
        yield from _Steps(trace, options, words).blocks(selected)

    how = "" if _is_whole(trace, selected, options) else arithmetic(trace, words, options.decimals)
    return Report(trace.title, blocks, about=about(trace, words), arithmetic=how, words=words)


def _is_whole(trace: Trace, selected: Sequence[SelectedRows], options: Options) -> bool:
    """Whether all numbers that are shown are exact and whole, so that nothing is to be said of decimals."""
    return trace.exact is None and all(Shown.of(one.value, trace, options.decimals).is_whole for one in selected)


def _figures(trace: Trace, values: Sequence[Value], options: Options) -> dict[str, Figure]:
    """The pictures that are asked for, by their names: a step's by its path."""
    if not options.pictures:
        return {}
    from walkthrough.views.report.figures import figures  # seldom wanted

    return {one.name: one for one in figures(trace, values, options)}


def rows_to_show(selected: Sequence[SelectedRows], options: Options) -> Iterator[SelectedRows]:
    """The chosen values that have something to show: a further pass shows what it changes, or what was asked for."""
    for one in selected:
        changed = changed_rows(one.value) if options.changes and not options.tokens else one.rows
        if changed or options.steps:
            rows = changed or one.rows
            yield SelectedRows(one.value, rows, len(one.rows) - len(rows))


def values_to_show(trace: Trace, options: Options) -> list[Value]:
    """The values that have a table in the report; raises SelectorError as `report` does."""
    return [one.value for one in rows_to_show(select_rows(trace, options), options)]


class _Steps:
    """Writes the sections of one trace: of the chosen steps, and before them of what they are computed from."""

    def __init__(self, trace: Trace, options: Options, words: Catalogue) -> None:
        self.trace = trace
        self.options = options
        self.words = words
        self.numbers = {value: number for number, value in enumerate(trace, 1)}
        self.headings = Headings(words)

    def blocks(self, selected: Sequence[SelectedRows]) -> Iterator[Block]:
        """All sections, with their headings and pictures."""
        options, reasons = self.options, Reasons(self.words)
        figures = _figures(self.trace, [one.value for one in selected], options)
        yield from (figures.pop(name) for name in ("poster", "curve") if name in figures)
        if options.steps and options.operands:
            yield from self._operands(_needed_rows(selected))
        for one in rows_to_show(selected, options):
            yield from self.headings.enter(one.value.path)
            why = [reason(one.value, self.words)] if options.reasons and reasons.are_new(one.value) else []
            yield from self._step(one, why)
            if one.value.path in figures:
                yield figures[one.value.path]

    def _operands(self, rows: Mapping[Value, set[int]]) -> Iterator[Block]:
        """What rows of chosen steps are computed from, in the calculation's order; how it came about is not shown.

        First those, without a number, that a long training has let go of.
        """
        for value in sorted(rows, key=lambda value: self.numbers.get(value, 0)):
            yield from self.headings.open(self.words("computed_from"))
            kind, origin = value.kind, self.words.origin(value.origin) if value.origin else ""
            title = f"{self.words.title(kind)} {kind.symbol}"
            yield Heading(title, value.path, self.numbers.get(value, 0), depth=1)
            yield Formula(kind.symbol, path=value.path, shapes=shape_text(value.shape), origin=origin)
            shown = Shown.of(value, self.trace, self.options.decimals)
            grid = grid_of(shown, sorted(rows[value]), self.options.full, words=self.words)
            yield Matrix(grid, self.options.columns)

    def _step(self, one: SelectedRows, why: Sequence[Paragraph]) -> Iterator[Block]:
        """A chosen step, with its number and those of its operands."""
        value, words, options = one.value, self.words, self.options
        shown = Shown.of(value, self.trace, options.decimals)
        named = zip(symbols_of(value.inputs), value.inputs, strict=True)
        operands = tuple((symbol, self.numbers[given]) for symbol, given in named if given in self.numbers)
        heading = Heading(words.title(value.kind), value.path, self.numbers[value], self.headings.depth)
        tree = [Tree(words("hypotheses"), self._branches(value.tree))] if value.tree else []
        drifted = Note(drift(value, self._exact(value), shown.decimals, one.rows, words))
        yield from _section(one, shown, options, words, heading, operands, why, [*tree, _broken(value, words), drifted])

    def _exact(self, value: Value) -> Value | None:
        """The step without rounding, where it is said how far it has drifted: if wanted, and in a number format."""
        trace = self.trace
        is_in_format = trace.by_hand is not None and trace.by_hand.format is not None
        return trace.exact.get(value.path) if trace.exact is not None and (self.options.drift or is_in_format) else None

    def _branches(self, branches: Sequence[Branch]) -> tuple[Tree, ...]:
        return tuple(Tree(branch_text(one, self._number), self._branches(one.children)) for one in branches)

    def _number(self, table: Value, row: int, column: int) -> str:
        return cell_text(Shown.of(table, self.trace, self.options.decimals), row, column, self.words)


def branch_text(branch: Branch, number: Callable[[Value, int, int], str]) -> str:
    """`tea −0.693 = −0.347 ←`: a word, its total, the score of a hypothesis that has ended; whether it is chosen.

    number: the text of a cell, from its value, row and column
    """
    table, row = branch.table, branch.row
    texts = [number(table, row, table.word_column), number(table, row, table.word_column + 1)]
    if branch.score is not None:
        scores, place = branch.score
        texts += ["=", number(scores, place, scores.word_column + 1)]
    return " ".join([*texts, *(["←"] if branch.is_chosen else [])])


def section(value: Value, heat: bool = False) -> Iterator[Block]:
    """A single value."""
    one = SelectedRows(value, list(range(value.shape[0])))
    heading, broken = Heading(value.kind.title, value.path), _broken(value, ENGLISH)
    return _section(one, Shown(value, _DECIMALS), Options(heat=heat), ENGLISH, heading, remarks=[broken])


def _section(
    one: SelectedRows,
    shown: Shown,
    options: Options,
    words: Catalogue,
    heading: Heading,
    operands: tuple[tuple[str, int], ...] = (),
    why: Sequence[Paragraph] = (),
    remarks: Sequence[Note | Tree] = (),
) -> Iterator[Block]:
    """A step as people read it."""
    value, rows, unchanged = one
    yield heading
    yield formula_block(value, words, operands)
    yield Paragraph(words.purpose(value.kind), lead=words.title(value.kind))
    yield from why
    yield Matrix(grid_of(shown, rows, options.full, unchanged, options.heat, words), options.columns)
    yield from (remark for remark in remarks if remark.text)
    if lines := _worked_lines(value, rows, shown.decimals, options, words):
        yield WorkedLines(lines)


def _broken(value: Value, words: Catalogue) -> Note:
    return Note(breakdown(value, words), warning=True)


def reason(value: Value, words: Catalogue) -> Paragraph:
    """Why there is such a step, and who introduced it."""
    return Paragraph(f"{words('why')}: {words.why(value.kind)} {words('source')}: {words.source(value.kind)}.")


def formula_block(value: Value, words: Catalogue, operands: tuple[tuple[str, int], ...] = ()) -> Formula:
    """The formula of a step, or where its numbers are from; with the symbols of its operands, and their numbers."""
    formula, origin = formula_text(value, words), "" if value.operation else origin_text(value, words)
    return Formula(
        formula or value.kind.symbol,
        lambda writer: writer(value, words),
        value.path,
        shapes_text(value),
        origin,
        operands,
    )


def origin_text(value: Value, words: Catalogue) -> str:
    """Where the numbers of a given matrix are from."""
    return escape_label(words.origin(value.origin)) if value.origin else words("is_given")


def select_rows(trace: Trace, options: Options) -> list[SelectedRows]:
    """The values that are chosen, and which of their rows; raises SelectorError as `report` does."""
    selected = trace.select(*options.steps)
    check_tokens(trace, options.tokens)
    found = [SelectedRows(value, rows) for value in selected if (rows := _kept_rows(value, trace, options.tokens))]
    if not found:
        tokens = " or ".join(repr(escape_label(token)) for token in options.tokens)
        known = list(dict.fromkeys(row for value in selected if value.rows in trace.tokens for row in value.rows))
        theirs = (
            ", ".join(map(escape_label, known[:12])) + (", …" if len(known) > 12 else "") if known else "not tokens"
        )
        raise SelectorError(f"none of the selected steps has a row for {tokens}: their rows are {theirs}")
    return found


def shapes_text(value: Value) -> str:
    """`(4×2)·(2×4) → 4×4`; only the shape where the one input has it too."""
    given = [given.shape for given in value.inputs]
    if value.formula is None or given == [value.shape]:
        return shape_text(value.shape)
    return to_shapes(value.formula, given, value.shape)


def check_tokens(trace: Trace, tokens: Sequence[str]) -> None:
    """Raises SelectorError for a token that no row is labelled by."""
    known = list(dict.fromkeys(label for labels in trace.tokens for label in labels))
    for token in tokens:
        if not any(is_label_of(label, token) for label in known):
            hint = did_you_mean(token, known) or "known: " + ", ".join(map(escape_label, known[:12]))
            raise SelectorError(f"no token is called {in_quotes(token)}; {hint}")


def _kept_rows(value: Value, trace: Trace, tokens: Sequence[str]) -> list[int]:
    if not tokens:
        return list(range(value.shape[0]))
    if value.rows not in trace.tokens:
        return []
    return [row for row, label in enumerate(value.rows) if any(is_label_of(label, token) for token in tokens)]


def _worked_lines(
    value: Value, rows: Sequence[int], decimals: int, options: Options, words: Catalogue
) -> tuple[Worked, ...]:
    if value.operation is None:
        return ()
    lines = (work_out(value, i, j, decimals, MOST_TERMS) for i, j in _worked_cells(value, rows, options))
    return tuple(line_in(line, words) for line in _without_repeats(lines))


def _without_repeats(lines: Iterable[Worked]) -> Iterator[Worked]:
    """The lines of a step; of numbers that are only moved the first, and so of those that are −∞."""
    seen = set()
    for line in lines:
        idle = CellName if isinstance(line.arithmetic, CellName) else line.result if line.result == "−∞" else None
        if idle is None or idle not in seen:
            seen.add(idle)
            yield line


def _worked_cells(value: Value, rows: Sequence[int], options: Options) -> list[tuple[int, int]]:
    if options.work == "all":
        return [(row, column) for row in rows for column in range(value.shape[1])]
    if options.work == "none":
        return []
    cell = example_cell(value, rows[0] if len(rows) < value.shape[0] else None)
    return [cell] if cell else []


def _needed_rows(chosen: Sequence[SelectedRows]) -> dict[Value, set[int]]:
    """The rows of each value that chosen rows are computed from, and that is not chosen too."""
    shown = {one.value for one in chosen}
    found: dict[Value, set[int]] = {}
    for value, rows, _ in chosen:
        is_whole = len(rows) == value.shape[0]
        for given in value.inputs:
            if given not in shown:
                needed = range(given.shape[0]) if is_whole else rows_read(value, given, rows)
                found.setdefault(given, set()).update(needed)
    return found
