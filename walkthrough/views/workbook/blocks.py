"""The blocks of a workbook: title, formula, labels, and in every cell a number or its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.fold.folding import Piece
from walkthrough.expressions.notations.spreadsheet import HIDDEN, LONGEST_OF_ALL, cell_address, formula, number_text
from walkthrough.expressions.tree.nodes import Call, Entry, Expression, Negative, Power, Product, Quotient
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.expressions.tree.walk import parts, with_parts
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.rounding import Digits
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label, escape_text
from walkthrough.views.workbook.numbers import fixed_pattern, pattern_of
from walkthrough.views.workbook.plan import LOOKS, TITLES, PlacedValue, Plan
from walkthrough.views.workbook.styles import Styles

_ERRORS = {False: "#NUM!", True: "#N/A"}
"""What a number that is none is, and an unknown one."""
_FORMULAS = {"#NUM!": "SQRT(-1)", "#N/A": "NA()"}
"""What gives these errors."""
_ROUNDED = "ROUND(ROUND({0},{2}),{1})"


class BlockWriter:
    """Writes blocks onto their sheets."""

    def __init__(
        self,
        trace: Trace,
        plan: Plan,
        sheets: dict[str, Any],
        styles: Styles,
        decimals: int | None,
    ) -> None:
        self.trace = trace
        self.words = catalogue(trace.language)
        self.plan = plan
        self.sheets = sheets
        self.styles = styles
        self.titles = {block.value.path: _titles_of(block, self.words) for block in plan.blocks}
        self.patterns = {
            block.value.path: pattern_of(block.value, trace, decimals, block.as_written) for block in plan.blocks
        }
        self._labelled: dict[tuple[str, ...], str] = {}
        """Where labels of columns are, as formulas name these cells."""
        self._constant: set[str] = set()
        """Steps that have numbers in place of formulas."""

    def write(self, block: PlacedValue) -> None:
        """Writes a whole block."""
        sheet = self.sheets[block.place.sheet]
        sheet.reserve(block.top, 0, block.bottom, block.right)
        self._titles(sheet, block)
        self._labels(sheet, block)
        if block.is_given and block.same is None:
            self._constants(sheet, block)
        else:
            self._formulas(sheet, block)
            _heat(sheet, block)
            self._near_zero(sheet, block)
            self._words(sheet, block)
            self._decisions(sheet, block)

    def _titles(self, sheet: Any, block: PlacedValue) -> None:
        for at, (text, look) in enumerate(zip(self.titles[block.value.path], LOOKS, strict=True)):
            self.styles.text(sheet, block.top + at, 0, text, look)

    def _labels(self, sheet: Any, block: PlacedValue) -> None:
        place = block.place
        rows, columns = block.value.rows, block.value.columns
        self._labelled.setdefault(columns, block.labels)
        if place.is_transposed:
            rows, columns = columns, rows
        for at, label in enumerate(rows):
            self.styles.text(sheet, place.row + at, 0, escape_label(label), "label")
        for at, label in enumerate(columns):
            self.styles.text(sheet, block.top + TITLES, place.column + at, escape_label(label), "column")

    def _constants(self, sheet: Any, block: PlacedValue) -> None:
        format = self.styles.get("given" if block.can_change else "fixed", self.patterns[block.value.path].format)
        for row, numbers in enumerate(_cached_numbers(block.value)):
            for column, number in enumerate(numbers):
                _put_constant(sheet, block.place.at(row, column), number, format)

    def _formulas(self, sheet: Any, block: PlacedValue) -> None:
        value, place = block.value, block.place
        rounds = value.digits is not None and block.same is None
        format = self.styles.get("number", self.patterns[block.value.path].format)
        ids = self.styles.get("number", "0")
        cached = _cached_numbers(value)
        pieces, operands = _sources(block, self.plan)
        for piece in pieces:
            last = piece.rows[-1], piece.columns[-1]
            lines = formula(_even_out(piece, value), operands, place, last).lines(piece.rows, piece.columns)
            is_hidden = bool(np.isneginf(value.array).any())
            clamped = _may_scale_hidden(piece.expression) and is_hidden
            no_log = is_hidden and _has_log(piece.expression)
            for row, texts in zip(piece.rows, lines, strict=True):
                for column, text in zip(piece.columns, texts, strict=True):
                    is_id = value.is_id(column)
                    if no_log:
                        text = f"IFERROR({text},{HIDDEN})"
                    if clamped:
                        text = f"IF({text}<-1E+250,{HIDDEN},{text})"
                    if rounds and not is_id:
                        text = self._by_hand(text, value)
                    if len(text) > LONGEST_OF_ALL:
                        self._too_long(sheet, block, row, column)
                        continue
                    sheet.put_formula(*place.at(row, column), text, ids if is_id else format, cached[row][column])

    def _too_long(self, sheet: Any, block: PlacedValue, row: int, column: int) -> None:
        """A number in place of its formula, with a note."""
        format = self.styles.get("fixed", self.patterns[block.value.path].format)
        _put_constant(sheet, block.place.at(row, column), _cached_numbers(block.value)[row][column], format)
        self.styles.text(sheet, block.bottom + 1, 0, self.words("too_long"), "warning")
        self._constant.add(block.value.path)

    def _words(self, sheet: Any, block: PlacedValue) -> None:
        """Beside ids that count from 0 the words that they stand for, found among the labels of columns."""
        names = block.value.names or {}
        labels = self._labelled.get(tuple(names.values()))
        look = self.styles.get("word")
        if names and not _may_change(block.value):
            for row in range(block.value.shape[0]):
                self._put_words(sheet, block, row)
            return
        if labels is None or list(names) != list(range(len(names))):
            return
        column = block.value.word_column
        for row, token in enumerate(block.value.array[:, column].tolist()):
            down, across = block.place.at(row, column)
            word = escape_label(names[int(token)]) if math.isfinite(token) else "#N/A"
            found = f"=INDEX({labels},{cell_address(down, across)}+1)"
            sheet.write_formula(down, block.right + 1, found, look, word)

    def _put_words(self, sheet: Any, block: PlacedValue, row: int) -> None:
        """Beside ids that stay what they are the words that they stand for."""
        numbers, names = block.value.array[row], block.value.names or {}
        ids = (float(number) for column, number in enumerate(numbers) if block.value.is_word(column))
        words = " ".join("?" if math.isnan(one) else escape_label(names[int(one)]) for one in ids)
        self.styles.text(sheet, block.place.at(row, 0)[0], block.right + 1, words, "word")

    def _near_zero(self, sheet: Any, block: PlacedValue) -> None:
        """What is rounded to 0 has no sign: last bits do not show."""
        decimals = self.patterns[block.value.path].decimals
        if decimals is None or block.value.digits is not None or block.value.holds_ids:
            return
        pattern = fixed_pattern(decimals).digits
        sheet.conditional_format(*block.area, {
            "type": "cell", "criteria": "between", "minimum": -0.4999999 * 10.0**-decimals, "maximum": 0,
            "format": self.styles.get("", f"{pattern};{pattern};{pattern}")})  # fmt: skip

    def _decisions(self, sheet: Any, block: PlacedValue) -> None:
        """Under a step whose numbers decide which steps are calculated: whether they still decide the same."""
        if block.value.path in self._constant:  # a constant stays, and its note says so
            return
        changed = []
        for value, row, column in self.trace.decisive:
            if value is block.value:
                number = number_text(float(value.array[row, column]))
                changed.append(f"{cell_address(*block.place.at(row, column))}<>{number}")
        if changed:
            condition = changed[0] if len(changed) == 1 else f"OR({','.join(changed)})"
            text = f'=IF({condition},"{self.words("changes_what")}","")'
            sheet.write_formula(block.bottom + 1, 0, text, self.styles.get("warning"), "")

    def _by_hand(self, text: str, value: Value) -> str:
        """The formula with its rounding; twice, so that a tie is one in spite of the last bits of its float."""
        if value.digits is None or self.trace.by_hand is None or text == HIDDEN:
            return text
        return rounded_text(text, value.digits, self.trace.by_hand.stated_digits(value.path) is None)


def _titles_of(block: PlacedValue, words: Catalogue) -> tuple[str, ...]:
    """As many lines as there are looks."""
    value = block.value
    number = f"{block.number}. " if block.number else ""
    names = "  =  ".join((value.path, *value.also))
    shape = shape_text(value.shape)
    formula = f"{formula_text(value, words) or value.kind.symbol}   {shape}"
    if value.operation is None or block.is_given:
        formula = f"{value.kind.symbol}   {shape}   {_origin(block, words)}"
    exchanged = f" ({words('exchanged')})" if block.place.is_transposed else ""
    purpose = words.purpose(value.kind) + exchanged
    return tuple(escape_text(text) for text in (f"{number}{words.title(value.kind)}", names, formula, purpose))


def _origin(block: PlacedValue, words: Catalogue) -> str:
    if block.value.operation is not None:
        return words("taken_as_given")
    origin = block.value.origin
    return words("given_path", path=escape_label(words.origin(origin))) if origin else words("is_given")


def rounded_text(text: str, digits: Digits, is_usual: bool) -> str:
    """A formula rounded: to the named cell `decimals` where the step has no digits of its own."""
    if digits.significant:
        size = f"INT(LOG10(ABS({text})))"
        places = f"{digits.count - 1}-{size}", f"{digits.count + 8}-{size}"
        return f"IF({text}=0,0,{_ROUNDED.format(text, *places)})"
    places = ("decimals", "decimals+9") if is_usual else (str(digits.count), str(digits.count + 9))
    return _ROUNDED.format(text, *places)


def _put_constant(sheet: Any, at: tuple[int, int], number: float | str, format: Any) -> None:
    """A number as it is; an error as a formula that gives it."""
    if isinstance(number, str):
        sheet.put_formula(*at, _FORMULAS[number], format, number)
    else:
        sheet.put_number(*at, number, format)


def _sources(block: PlacedValue, plan: Plan) -> tuple[tuple[Piece, ...], list[Any]]:
    """The expressions of a block's cells, and where their operands are."""
    value = block.value
    if block.same is not None:
        place, down, right = block.same
        rows, columns = value.shape
        copy = Entry(0, (down, 1, 0), (right, 0, 1))
        return (Piece(range(rows), range(columns), copy),), [place]
    return value.fold(), [plan.by_path[given.path].place for given in value.inputs]


def _may_change(value: Value) -> bool:
    """Whether a number of it comes from a given one that may be changed."""
    waiting, seen = [value], {value}
    while waiting:
        step = waiting.pop()
        if step.can_change:
            return True
        waiting += [given for given in step.inputs if given not in seen]
        seen.update(step.inputs)
    return False


def _cached_numbers(value: Value) -> list[list[Any]]:
    """The numbers as a previewer shows them."""
    array = value.array
    if np.isfinite(array).all():
        return array.tolist()  # type: ignore[no-any-return]
    error = _ERRORS[value.unknown]
    return [
        [float(HIDDEN) if one == -math.inf else one if math.isfinite(one) else error for one in row]
        for row in array.tolist()
    ]


def _may_scale_hidden(node: Expression) -> bool:
    """Whether what stands for −∞ could become another number: it is multiplied or divided."""
    if isinstance(node, Product | Quotient | Power | Negative):
        return True
    return any(map(_may_scale_hidden, parts(node)))


def _has_log(node: Expression) -> bool:
    """Whether there is a logarithm, which a spreadsheet has none of for 0."""
    return (isinstance(node, Call) and node.function == "log") or any(map(_has_log, parts(node)))


def _even_out(piece: Piece, value: Value) -> Expression:
    """A piece of one row or column of several, with addresses that move with it where they are on its own."""
    row = piece.rows[0] if len(piece.rows) == 1 < value.shape[0] else None
    column = piece.columns[0] if len(piece.columns) == 1 < value.shape[1] else None
    return piece.expression if row is None and column is None else _follow(piece.expression, row, column)


def _follow(node: Expression, row: int | None, column: int | None) -> Expression:
    """What is one of a range, by the index of a sum or in an arg-max, is left as it is."""
    if isinstance(node, Call) and node.function == "argmax":
        return node
    if isinstance(node, Entry):
        if any(node.row[3:]) or any(node.column[3:]):
            return node
        down = (0, 1, 0) if row is not None and node.row[:3] == (row, 0, 0) else node.row
        across = (0, 0, 1) if column is not None and node.column[:3] == (column, 0, 0) else node.column
        return Entry(node.operand, down, across)
    return with_parts(node, [_follow(part, row, column) for part in parts(node)])


def _heat(sheet: Any, block: PlacedValue) -> None:
    """Colours by size: shares from 0 to 1, others to both sides of 0."""
    value = block.value
    if value.array.size < 2 or value.holds_ids:
        return
    if value.kind.is_distribution:
        sheet.conditional_format(*block.area, {
            "type": "2_color_scale", "min_type": "num", "max_type": "num", "min_value": 0, "max_value": 1,
            "min_color": "#FFFFFF", "max_color": "#5B9BD5"})  # fmt: skip
        return
    largest = value.largest or 1.0
    sheet.conditional_format(*block.area, {
        "type": "3_color_scale", "min_type": "num", "mid_type": "num", "max_type": "num",
        "min_value": -largest, "mid_value": 0, "max_value": largest,
        "min_color": "#F8CBAD", "mid_color": "#FFFFFF", "max_color": "#BDD7EE"})  # fmt: skip
