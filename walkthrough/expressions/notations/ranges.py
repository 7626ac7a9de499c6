"""Long sums and choices over ranges, as spreadsheets have them: SUM, SUMPRODUCT, MMULT, SUMSQ, MAX, MATCH."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from walkthrough.expressions.fold.folding import rewrite
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import (
    Call,
    Entry,
    Expression,
    IndexMap,
    IndexValue,
    Number,
    Product,
    Repeated,
    Sum,
)
from walkthrough.expressions.tree.walk import parts, with_parts

FEW = 8
"""This many products of a sum are written one by one: they teach."""
_MOST_CHOICES = 250
_LARGEST_POWER = Number(700)
"""e to the power of more may be beyond what a spreadsheet has; as a divisor it makes 0 of any number."""


class Orientation(Protocol):
    """What has to be known of how an operand is laid out."""

    @property
    def is_transposed(self) -> bool: ...


class Range(Expression):
    """Numbers of an operand next to each other: the address of the first, and how many there are down and across."""

    operand: int
    row: IndexMap
    column: IndexMap
    height: int
    width: int


def with_ranges(expression: Expression, operands: Sequence[Orientation], short: bool) -> Expression:
    """The expression without loops: of few terms one by one, otherwise by functions of ranges.

    short: by functions of ranges wherever these say the same
    """
    return _Ranges(operands, 1 if short else FEW).of(expression)


class _Ranges:
    """Puts ranges into one expression; loops of at most `few` terms are written out."""

    def __init__(self, operands: Sequence[Orientation], few: int) -> None:
        self.operands = operands
        self.few = few

    def of(self, node: Expression, below: bool = False) -> Expression:
        """The node without loops; `below`: it is in a divisor."""
        if isinstance(node, nodes.Quotient):
            return nodes.Quotient(self.of(node.numerator, below), self.of(node.denominator, True))
        if isinstance(node, Sum):
            return Sum(tuple(self.of(term, below) for part in node.terms for term in self._terms(part)))
        if isinstance(node, Call):
            return self._call(node, below)
        if isinstance(node, nodes.Negative) and not isinstance(node.argument, Entry | Call):
            return Product(
                (Number(-1), self.of(node.argument, below))
            )  # −x² is taken for (−x)² by some, brackets or not
        return with_parts(node, [self.of(part, below) for part in parts(node)])

    def _call(self, node: Call, below: bool) -> Expression:
        if node.function == "argmax":
            return self._argmax(node)
        parts = [self.of(part, below) for argument in node.arguments for part in self._arguments(node, argument)]
        if node.function == "exp" and below:
            parts = [Call("MIN", (parts[0], _LARGEST_POWER))]
        if node.function == "erf":  # older spreadsheets have it for numbers above zero only
            return Product((Call("SIGN", (parts[0],)), Call("ERF", (Call("abs", (parts[0],)),))))
        return _largest_of(parts) if node.function == "max" else Call(node.function, tuple(parts))

    def _terms(self, term: Expression) -> Iterator[Expression]:
        """The terms of a sum that a term stands for."""
        if not isinstance(term, Repeated):
            yield term
        elif term.count <= self.few and not isinstance(term.items[0], Entry):
            yield from unroll(term)
        else:
            sums = [self._summed(item, (term.count,)) for item in term.items]
            found = [one for one in sums if one is not None]
            yield from found if len(found) == len(sums) else unroll(term)

    def _summed(self, item: Expression, counts: tuple[int, ...]) -> Expression | None:
        """The sum of a loop's item as a function of ranges; None where there is none that says the same."""
        if isinstance(item, Repeated):
            inner = item.items[0]
            return self._summed(inner, (*counts, item.count)) if len(item.items) == 1 else None
        if isinstance(item, Entry):
            one = span(item, counts)
            return one and Call("SUM", (one,))
        if isinstance(item, nodes.Power) and isinstance(item.base, Entry) and item.exponent == Number(2):
            one = span(item.base, counts)
            return one and Call("SUMSQ", (one,))
        factors = item.factors if isinstance(item, Product) else ()
        if len(factors) == 2 and len(counts) == 1:
            one, other = (span(factor, counts) if isinstance(factor, Entry) else None for factor in factors)
            if one and other:
                return self._dot(one, other)
        over = _Over(counts, self.operands)
        found = over.of(item)
        return Call("SUMPRODUCT", (found,)) if found is not None and len(over.directions) == 1 else None

    def _dot(self, one: Range, other: Range) -> Expression:
        """The sum of products: of two rows or two columns, or of a row and a column."""
        if self._is_row(one) == self._is_row(other):
            return Call("SUMPRODUCT", (one, other))
        return Call("MMULT", (one, other) if self._is_row(one) else (other, one))

    def _is_row(self, one: Range) -> bool:
        return (one.width > 1) != self.operands[one.operand].is_transposed

    def _arguments(self, call: Call, argument: Expression) -> Iterator[Expression]:
        """The arguments of a function that an argument stands for."""
        if not isinstance(argument, Repeated):
            yield argument
            return
        ranges = list(self._largest(argument, ())) if call.function == "max" else []
        yield from ranges or unroll(argument)

    def _largest(self, loop: Repeated, counts: tuple[int, ...]) -> Iterator[Expression]:
        """Ranges with the largest number of a loop; of sizes, also of those below zero."""
        counts = (*counts, loop.count)
        if len(loop.items) != 1:
            return
        item = loop.items[0]
        if isinstance(item, Repeated):
            yield from self._largest(item, counts)
        elif isinstance(item, Entry) and (one := span(item, counts)):
            yield one
        elif isinstance(item, Call) and item.function == "abs":
            inner = item.arguments[0]
            if isinstance(inner, Entry) and (one := span(inner, counts)):
                yield from (Call("max", (one,)), nodes.Negative(Call("MIN", (one,))))

    def _argmax(self, node: Call) -> Expression:
        """The label of the first largest number, found by its place; of several ranges in the first that has it."""
        flat = [part for one in node.arguments for part in (unroll(one) if isinstance(one, Repeated) else (one,))]
        groups: list[_Group] = []
        for numbers, labels in _stretches(flat[1::2], list(map(_label, flat[::2]))):
            one = _Group([numbers if isinstance(numbers, Range) else self.of(numbers)], labels)
            if groups and {*groups[-1].labels} == {*labels} and len({*labels}) == 1:
                groups[-1].numbers.extend(one.numbers)
            else:
                groups.append(one)
        largest = _largest_of([part for group in groups for part in group.numbers])
        chosen = groups[-1].label()
        for group in groups[-2::-1]:
            chosen = nodes.Where(Call("equal", (_largest_of(group.numbers), largest)), group.label(), chosen)
        return chosen


class _Group(NamedTuple):
    """Choices of an arg-max: one range of numbers with their labels, or any with one label."""

    numbers: list[Expression]
    labels: list[Number | IndexValue]

    def label(self) -> Expression:
        """The label of its largest number."""
        if len(set(self.labels)) == 1:
            return self.labels[0]
        (row,) = self.numbers
        place = Call("MATCH", (Call("max", (row,)), row, Number(0)))
        fixed = [label.value for label in self.labels if isinstance(label, Number)]
        if len(fixed) == len(self.labels) and fixed == [fixed[0] + at for at in range(len(fixed))]:
            return Sum((place, Number(fixed[0] - 1))) if fixed[0] != 1 else place
        return _choose_label(place, self.labels)


def _largest_of(parts: Sequence[Expression]) -> Expression:
    """The largest number; a function takes no more than 254."""
    if len(parts) <= _MOST_CHOICES:
        return Call("max", tuple(parts))
    return Call("max", tuple(_largest_of(parts[at : at + _MOST_CHOICES]) for at in range(0, len(parts), _MOST_CHOICES)))


def _stretches(
    numbers: Sequence[Expression], labels: Sequence[Number | IndexValue]
) -> Iterator[tuple[Expression, list[Number | IndexValue]]]:
    """Numbers in their order as ranges, as long as they stand in a row or below each other, with their labels."""
    begin = 0
    while begin < len(numbers):
        first, end = numbers[begin], begin + 1
        down, across = next(
            ((i, j) for i, j in ((0, 1), (1, 0)) if _is_at(first, numbers[end : end + 1], i, j)), (0, 0)
        )
        while (down or across) and _is_at(first, numbers[end : end + 1], down * (end - begin), across * (end - begin)):
            end += 1
        if isinstance(first, Entry) and end - begin > 1:
            size = end - begin
            yield (
                Range(first.operand, first.row, first.column, size if down else 1, size if across else 1),
                list(labels[begin:end]),
            )
        else:
            yield first, [labels[begin]]
        begin = end


def _is_at(first: Expression, others: Sequence[Expression], down: int, across: int) -> bool:
    """Whether there is another number, so far from the first one."""
    if not isinstance(first, Entry) or not others:
        return False
    (row, *rows), (column, *columns) = first.row, first.column
    return others[0] == Entry(first.operand, (row + down, *rows), (column + across, *columns))


class _Over:
    """An expression of a loop's index as one of whole ranges, where plain arithmetic and comparisons make it up.

    directions: whether the ranges are rows; they may not be mixed
    """

    def __init__(self, counts: tuple[int, ...], operands: Sequence[Orientation]) -> None:
        self.counts = counts
        self.operands = operands
        self.directions: set[bool] = set()

    def of(self, node: Expression) -> Expression | None:
        """The node over ranges; None where it has other parts."""
        if isinstance(node, Number):
            return node
        if isinstance(node, Entry):
            return self._entry(node)
        is_step = isinstance(node, Call) and node.function == "step"
        if not is_step and not isinstance(node, Product | Sum | nodes.Difference):
            return None
        inner = [self.of(part) for part in parts(node)]
        found = [part for part in inner if part is not None]
        if len(found) < len(inner):
            return None
        return Call("above", tuple(found)) if is_step else with_parts(node, found)

    def _entry(self, entry: Entry) -> Expression | None:
        moves = [address[at] for address in (entry.row, entry.column) for at in range(3, len(address))]
        if not any(moves):
            return Entry(entry.operand, entry.row[:3], entry.column[:3])
        one = span(entry, self.counts)
        if one is not None:
            self.directions.add((one.width > 1) != self.operands[one.operand].is_transposed)
        return one


def _choose_label(place: Expression, labels: Sequence[Number | IndexValue]) -> Expression:
    """The label at a place; a function takes no more than 254."""
    here = Call("CHOOSE", (place, *labels[:_MOST_CHOICES]))
    if len(labels) <= _MOST_CHOICES:
        return here
    is_beyond = Call("step", (nodes.Difference(place, Number(_MOST_CHOICES)),))
    rest = _choose_label(nodes.Difference(place, Number(_MOST_CHOICES)), labels[_MOST_CHOICES:])
    return nodes.Where(is_beyond, rest, here)


def _label(label: Expression) -> Number | IndexValue:
    """A label as a number, unless it moves with the row or the column."""
    if isinstance(label, IndexValue):
        return label if any(label.value[1:3]) else Number(label.value[0])
    assert isinstance(label, Number)
    return label


def span(entry: Entry, counts: tuple[int, ...]) -> Range | None:
    """The range over which an address moves with the indices of the loops around it; None where it is none."""
    sizes = {(1, 0): 1, (0, 1): 1}
    for at, count in enumerate(counts, 3):
        down, across = (address[at] if len(address) > at else 0 for address in (entry.row, entry.column))
        if sizes.get((int(down), int(across))) != 1 or {down, across} != {0, 1}:
            return None
        sizes[int(down), int(across)] = count
    return Range(entry.operand, entry.row[:3], entry.column[:3], *sizes.values())


def unroll(loop: Repeated, depth: int = 0) -> Iterator[Expression]:
    """The terms of a loop one by one."""
    for index in range(loop.count):
        for item in loop.items:
            term = _with_index(item, 3 + depth, index)
            yield from unroll(term, depth) if isinstance(term, Repeated) else (term,)


def _with_index(node: Expression, at: int, index: int) -> Expression:
    """The node where the index of a loop is this one; indices of loops inside move up to its place."""

    def fix(address: IndexMap) -> IndexMap:
        if len(address) <= at:
            return address
        return (address[0] + address[at] * index, *address[1:at], *address[at + 1 :])

    return rewrite(node, fix)
