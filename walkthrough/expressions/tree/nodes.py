"""The node kinds of an expression. A reader is a table with one row for each of them.

`Cell` is one number of an operand; `Operand`, `Transposed` and `Named` are in formulas over whole matrices;
`Entry`, `IndexValue` and `Repeated` in expressions that are folded: one for all cells of a matrix (`fold/folding.py`).
`Loop` is in an operation's own rule for a cell only, which is read folded, or for one cell without any loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from walkthrough.expressions.tree.indices import Index, LoopVariable, stretches
from walkthrough.records import Record


class Expression(Record):
    """Base of all nodes; `+ - × /` between expressions build nodes, so that operations read like the formulas.

    A node's parts are its annotated names, in order. It is a value: equal to a node of the same kind and parts.
    """

    def _parts(self) -> tuple[Any, ...]:
        return tuple(self.__dict__.values())  # nothing else is kept in a node

    def __add__(self, other: Expression) -> Expression:
        return Sum((self, other))

    def __sub__(self, other: Expression) -> Expression:
        return Difference(self, other)

    def __mul__(self, other: Expression) -> Expression:
        return Product((self, other))

    def __truediv__(self, other: Expression) -> Expression:
        return Quotient(self, other)

    def __neg__(self) -> Expression:
        return Negative(self)


class Number(Expression):
    """A constant of the operation, such as the 2 of √2."""

    value: float


class Cell(Expression):
    """One number of an operand: which operand, row and column, all counted from 0."""

    operand: int
    row: int
    column: int


class Sum(Expression):
    """Terms added; a sum of no terms is 0."""

    terms: tuple[Expression, ...]


class Difference(Expression):
    """`left − right`."""

    left: Expression
    right: Expression


class Product(Expression):
    """Factors multiplied."""

    factors: tuple[Expression, ...]


class Quotient(Expression):
    """`numerator / denominator`."""

    numerator: Expression
    denominator: Expression


class Negative(Expression):
    """`−argument`."""

    argument: Expression


class Power(Expression):
    """`base` to a whole or fractional constant exponent, such as x² or 10000^(2/4)."""

    base: Expression
    exponent: Expression


class Call(Expression):
    """A named function of its arguments; the names are the keys of `FUNCTIONS` in every reader."""

    function: str
    arguments: tuple[Expression, ...]


class Where(Expression):
    """`then` where the condition is not 0, else `otherwise`: what a mask, or a number's own size, decides."""

    condition: Expression
    then: Expression
    otherwise: Expression


class Operand(Expression):
    """A whole matrix of the operation's inputs, in a formula."""

    index: int


class Transposed(Expression):
    """A matrix with rows and columns exchanged, in a formula."""

    argument: Expression


class Named(Expression):
    """A constant by its name, such as d_k, in a formula."""

    name: str


class Phrase(Expression):
    """A few words in a formula: the key under which every language has them, and what stands in their blanks."""

    key: str
    facts: tuple[tuple[str, object], ...] = ()


def phrase(key: str, **facts: object) -> Phrase:
    """A few words, such as ", columns 1 to 4"."""
    return Phrase(key, tuple(facts.items()))


IndexMap = tuple[float, ...]
"""A number that depends on the cell: constant + a·row + b·column + c·index for each enclosing loop, outermost first."""


class Entry(Expression):
    """One number of an operand, in a folded expression: its row and column depend on those of the cell."""

    operand: int
    row: IndexMap
    column: IndexMap


class IndexValue(Expression):
    """A constant that depends on the row or column of the cell, such as a position, in a folded expression."""

    value: IndexMap


class Repeated(Expression):
    """A loop in a folded expression: terms or arguments `count` times, their addresses depending on its index."""

    items: tuple[Expression, ...]
    count: int


class Loop(Expression):
    """Terms of a sum or arguments of a call, once for each number of a variable; what depends on it is an `Index`."""

    variable: LoopVariable
    items: tuple[Expression, ...]


FUNCTIONS = ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "max", "round", "step", "equal", "argmax")
"""Functions of numbers a `Call` may name. `round` takes the nearest whole number, of two the even one, of twelve
decimals: what float64 leaves of a half is a half. `step` is 1 above zero and 0 elsewhere; `equal` 1 where its two
arguments are the same number; the arguments of `argmax` are pairs of a label and a number, its value the label of the
first largest number."""

MATRIX_FUNCTIONS = ("sum", "rowmax", "times", "join", "words", "argmax")
"""Functions of matrices, in formulas only: of each row; cell by cell; side by side; in words."""


def exp(argument: Expression) -> Expression:
    """e to the power of the argument."""
    return Call("exp", (argument,))


def sqrt(argument: Expression) -> Expression:
    """The square root."""
    return Call("sqrt", (argument,))


def square(argument: Expression) -> Expression:
    """The argument times itself."""
    return Power(argument, Number(2))


def maximum(arguments: Iterable[Expression]) -> Expression:
    """The largest of the arguments."""
    return Call("max", tuple(arguments))


def total(terms: Iterable[Expression]) -> Expression:
    """The sum of the terms; a single term stays as it is."""
    terms = tuple(terms)
    return terms[0] if len(terms) == 1 and not isinstance(terms[0], Loop) else Sum(terms)


def loop(count: int, item: Callable[[Any], Expression]) -> Iterator[Expression]:
    """Terms of a sum, or arguments of a function, for all numbers below `count`: `loop(3, lambda k: Cell(0, i, k))`."""
    return loop_over([(k,) for k in range(count)], item)


def loop_over(
    rows: Iterable[tuple[int, ...]], items: Callable[..., Expression | tuple[Expression, ...]]
) -> Iterator[Expression]:
    """The same for any numbers, several at a time; one loop wherever they move evenly."""
    rows = list(rows)
    for places in stretches([(place, *row) for place, row in enumerate(rows)]):
        numbers: Sequence[Any] = rows[places[0]]
        variable = LoopVariable(range(len(places)))
        if len(places) > 1:
            steps = [other - one for one, other in zip(numbers, rows[places[1]], strict=True)]
            numbers = [Index(one, {variable: step}) if step else one for one, step in zip(numbers, steps, strict=True)]
        found = items(*numbers)
        group = found if isinstance(found, tuple) else (found,)
        yield from [Loop(variable, group)] if len(places) > 1 else group


def loop_cells(operand: int, shape: tuple[int, int], item: Callable[[Expression], Expression]) -> Iterator[Expression]:
    """The same for all numbers of an operand, row by row."""
    rows, columns = shape

    def in_row(row: Any) -> tuple[Expression, ...]:
        return tuple(loop(columns, lambda column: item(Cell(operand, row, column))))

    return loop_over([(row,) for row in range(rows)], in_row)


def whole_numbers(numbers: Iterable[int]) -> Expression:
    """A list of whole numbers, which pick rows or columns of a matrix in a rule of `code`."""
    return Call("list", tuple(map(Number, numbers)))


def onehot(places: Iterable[int], count: int) -> Expression:
    """For each place a row of `count` zeros with a 1 there, in a rule of `code`."""
    return Call("onehot", (whole_numbers(places), Number(count)))
