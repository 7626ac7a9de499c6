"""The calculation as a program: for every step its lines of Python, in the symbols of the formulas.

What a line says is the formula of the operation, or its rule of `code`, or its folded cells; nothing is decided here by
what step it is. `script.py`, `torch.py` and `notebook.py` lay the program out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.notations.code import TORCH, Library, NoCode, guard_unknown, to_code
from walkthrough.expressions.notations.folded_code import to_slices
from walkthrough.expressions.notations.writing import Writer
from walkthrough.expressions.tree.nodes import Expression
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.number_formats import NumberFormat
from walkthrough.recording.labels import numbered_labels
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.code.autograd import Gradients
from walkthrough.views.code.lines import assignment, label_list, matrix_assignment
from walkthrough.views.code.names import identifier, names_of
from walkthrough.views.options import Options
from walkthrough.views.selection import Selection, selection_of

RESERVED = (
    *("np", "torch", "math", "Path", "Decimal", "Context", "ROUND_HALF_UP", "ast", "zipfile"),
    *("erf", "rounded", "agrees", "load", "stored", "recorded"),
    *("values", "path", "value", "numbers", "matrix", "max", "print"),
)

LARGE = 1000
"""A matrix of more numbers is kept in a file beside the program."""
_MANY = 20_000
"""Where there are more recorded numbers than these, all that are only compared are kept there."""


class Statement(NamedTuple):
    """A value, its name, and the lines that give it."""

    value: Value
    name: str
    lines: tuple[str, ...]


class Program:
    """The whole program.

    file: the name of one beside it, for large matrices; empty: all are literals
    """

    def __init__(self, trace: Trace, options: Options, library: Library, file: str = "") -> None:
        self.trace = trace
        self.library = library
        self.file = file
        self.selection: Selection = selection_of(trace, options.steps)
        self.decimals = trace.decimals if options.decimals is None else options.decimals
        has_loss = any(value.loss is not None for value in self.selection.values)  # given gradients are gone on from
        of_loss = self.is_torch and has_loss and not options.steps
        self.backward = Gradients(trace if of_loss else None, self.selection.values)
        parts = self.backward.parts
        kept = [value for value in self.selection.values if value not in parts]
        self.names = names_of(kept, RESERVED)
        self.by_path = {value.path: name for value, name in self.names.items()}
        self._used = {*RESERVED, *self.names.values()}
        self._constants: dict[tuple[str, float], str] = {}
        self.stored = _values_to_store(kept, self.selection) if file else set()
        self.steps = [Statement(value, self.names[value], tuple(self._lines(value))) for value in kept]

    def is_given(self, value: Value) -> bool:
        """Whether its numbers are written in the program."""
        return self.selection.is_given(value)

    @property
    def is_torch(self) -> bool:
        """Whether its library is PyTorch."""
        return self.library is TORCH

    @property
    def is_rounded(self) -> bool:
        """Whether it is a calculation by hand."""
        return any(step.value.digits is not None and not self.is_given(step.value) for step in self.steps)

    @property
    def format(self) -> NumberFormat | None:
        """The number format that it calculates in."""
        return self.trace.by_hand.format if self.trace.by_hand is not None else None

    @property
    def is_finite(self) -> bool:
        """Whether all of its numbers are finite."""
        return all(bool(np.isfinite(step.value.array).all()) for step in self.steps)

    def uses(self, word: str) -> bool:
        """Whether some line has that text."""
        return any(word in line for step in self.steps for line in step.lines if not self.is_given(step.value))

    def paths(self) -> Iterator[tuple[str, str]]:
        """Every path, second names included, and what stands for it."""
        for step in self.steps:
            for path in (step.value.path, *step.value.also):
                target = self.backward.target(path) if path != step.value.path else None
                yield path, f"{self.names[target]}.grad" if target in self.backward.in_one_step else step.name

    def comment(self, value: Value) -> str:
        """`encoder.1.attention.head.1.query, 4×2: Queries`."""
        recorded = ", taken as recorded" if value in self.selection.as_given else ""
        rows = "" if value.rows == numbered_labels(len(value.rows)) else label_list(value.rows)
        labels = f" of {rows}" if rows and self.is_given(value) else ""
        return f"{value.path}, {shape_text(value.shape)}: {value.kind.title}{labels}{recorded}"

    def _lines(self, value: Value) -> Iterator[str]:
        name = self.names[value]
        if self.is_given(value):
            yield from self._given(value, name)
        elif value in self.backward.target_of:
            yield from self.backward.lines(value, name, self.names)
        else:
            yield from self._computed(value, name)

    def _given(self, value: Value, name: str) -> Iterator[str]:
        needs = value in self.backward.targets
        if value in self.stored:
            yield f"{name} = stored[{value.path!r}]{'.requires_grad_()' if needs else ''}"
            return
        extra = ", requires_grad=True" if needs else ""
        yield from matrix_assignment(name, value.array, self.library, extra)

    def _computed(self, value: Value, name: str) -> Iterator[str]:
        writer = self._writer(value)
        yield from self._constant_lines(value)
        if (expression := self._expression(value)) is None:
            yield from self._slices(value, name, writer)
        else:
            yield from assignment(name, self._right_side(value, to_code(expression, writer, self.library)))

    def _expression(self, value: Value) -> Expression | None:
        assert value.operation is not None
        expression = value.operation.line([given.shape for given in value.inputs], value.settings)
        return guard_unknown(expression) if expression is not None and np.isnan(value.array).any() else expression

    def _slices(self, value: Value, name: str, writer: Writer) -> Iterator[str]:
        """Lines that fill a matrix part by part."""
        rows, columns = value.shape
        pieces = value.fold()
        if np.isnan(value.array).any():
            pieces = tuple(piece._replace(expression=guard_unknown(piece.expression)) for piece in pieces)
        slices = to_slices(pieces, value.shape, [given.shape for given in value.inputs], writer, self.library)
        if len(slices) == 1 and not slices[0].slice:
            yield from assignment(name, self._right_side(value, slices[0].code))
            return
        yield f"{name} = {self.library.module}.zeros(({rows}, {columns}))"
        for one in slices:
            yield from assignment(name + one.slice, one.code)
        if value.digits is not None or value.format is not None:
            yield f"{name} = {self._right_side(value, name)}"

    def _writer(self, value: Value) -> Writer:
        names = [self._name(given) for given in value.inputs]
        constants, number = value.constants, self.library.number
        return Writer(number=number, operand=names.__getitem__, named=lambda name: self._named(name, constants))

    def _name(self, given: Value) -> str:
        return self.names.get(given) or self.by_path[given.path]

    def _named(self, name: str, constants: dict[str, float]) -> str:
        if name not in constants:
            raise NoCode(f"{name} stands for no number")
        return self._constants[name, constants[name]]

    def _constant_lines(self, value: Value) -> Iterator[str]:
        """The constants that this step uses first."""
        for symbol, number in value.constants.items():
            if (symbol, number) not in self._constants and number:
                name = self._constants[symbol, number] = identifier(symbol, self._used)
                yield f"{name} = {self.library.number(number)}"

    def _right_side(self, value: Value, code: str) -> str:
        """The right side of a step: rounded by hand; in PyTorch where a gradient is wanted, and where none is."""
        if value.format is not None:
            return f"rounded({code}{f', ids={list(value.kind.ids)}' if value.holds_ids else ''})"
        if value.digits is not None:
            significant = ", significant=True" if value.digits.significant else ""
            first = (
                f", first={value.word_column + 1 if value.kind.counts else 1}"
                if value.holds_ids and significant
                else ""
            )
            return f"rounded({code}, {value.digits.count}{significant}{first})"
        return self.backward.right_side(value, code)


def _values_to_store(values: Sequence[Value], selection: Selection) -> set[Value]:
    """The values whose numbers are kept in the file beside a program: large ones, and of very many all results."""
    results = [value for value in values if not selection.is_given(value)]
    many = sum(value.array.size for value in results) > _MANY
    return {value for value in values if value.array.size > LARGE} | set(results if many else ())
