"""Cells of one structure, evaluated together as affine forms: the fold of a matrix's expressions into few array steps.

Two expressions have the same structure where they differ in nothing but the cells they read and their constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.expressions.bounds.affine import Affine, Forms
from walkthrough.expressions.bounds.affine_functions import called, constant, power, where
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.aliases import Places
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Cell, Expression
from walkthrough.expressions.tree.walk import children

Evaluated = Callable[[Forms, Affine], Forms]
"""From the forms of all operands' cells, one after the other, to those of a batch."""
Address = Callable[[Cell], int]
"""Where a cell stands among all operands' cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Expressions of one structure.

    places: which of the given expressions they are
    leaves: the cells that each of them reads, as addresses
    """

    places: Places
    leaves: Places
    evaluated: Evaluated


def batches(expressions: Sequence[Expression], address: Address) -> list[Batch]:
    """The expressions by structure, each ready to be evaluated."""
    try:  # mostly they are all of one structure, and nobody needs to look which
        return [_batch(expressions, range(len(expressions)), address)]
    except _DifferentError:
        structures = _Structures()
        groups: dict[int, list[int]] = {}
        for place, expression in enumerate(expressions):
            groups.setdefault(structures.of(expression), []).append(place)
        return [_batch(expressions, places, address) for places in groups.values()]


def _batch(expressions: Sequence[Expression], places: Sequence[int], address: Address) -> Batch:
    group = [expressions[place] for place in places]
    compiler = _Compiler(address)
    evaluated = compiler.compiled(group)
    leaves = np.array(compiler.leaves, dtype=np.intp).T if compiler.leaves else np.zeros((len(group), 0), np.intp)
    return Batch(np.array(places), leaves, evaluated)


class _DifferentError(Exception):
    """Two expressions are not of one structure."""


class _Structures:
    """A number for each structure."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[int, tuple[Expression, int]] = {}

    def of(self, node: Expression) -> int:
        known = self._known.get(id(node))  # equal parts are not looked for: an expression shares what it repeats
        if known is not None:
            return known[1]
        inner = tuple(self.of(child) for child in children(node))
        more: tuple[object, ...] = ()
        if isinstance(node, nodes.Call):
            more = (node.function,)
        elif isinstance(node, nodes.Power):
            more = (node.exponent,)
        number = self._numbers.setdefault((type(node), *more, *inner), len(self._numbers))
        self._known[id(node)] = node, number
        return number


class _Compiler:
    """Turns nodes of one structure, one of each expression, into one evaluation of all of them.

    Raises _DifferentError where they are not of one structure. leaves: the addresses that each expression reads
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.structures = _Structures()
        self.leaves: list[Places] = []
        self.count = 1

    def compiled(self, group: Sequence[Expression]) -> Evaluated:
        """The evaluation of nodes of one structure."""
        kind = type(group[0])
        if any(type(node) is not kind for node in group):
            raise _DifferentError
        return _RULES[kind](self, group)

    def parts(self, group: Sequence[Expression]) -> list[Evaluated]:
        """The evaluations of their children, place by place."""
        rows = [children(node) for node in group]
        if len({len(row) for row in rows}) > 1:
            raise _DifferentError
        return [self.compiled(column) for column in zip(*rows, strict=True)]

    def inside(self, count: int) -> _Compiler:
        """For terms of a sum, so many of each expression one after the other."""
        inner = _Compiler(self.address)
        inner.structures, inner.leaves, inner.count = self.structures, self.leaves, self.count * count
        return inner

    def addresses(self, group: Sequence[Expression]) -> Places:
        """Where cells stand."""
        if not all(type(node) is Cell for node in group):
            raise _DifferentError
        places = np.array([self.address(node) for node in group], dtype=np.intp)  # type: ignore[arg-type]
        self.leaves.extend(places.reshape(-1, self.count).T)
        return places


def _number(compiler: _Compiler, group: Sequence[nodes.Number]) -> Evaluated:
    values = np.array([node.value for node in group], dtype=np.float64)
    return lambda cells, within: constant(within, values)


def _cell(compiler: _Compiler, group: Sequence[Cell]) -> Evaluated:
    places = compiler.addresses(group)
    return lambda cells, within: cells.take(places)


def _sum(compiler: _Compiler, group: Sequence[nodes.Sum]) -> Evaluated:
    """Terms of one structure are evaluated in one go."""
    count = len(group[0].terms)
    if any(len(node.terms) != count for node in group):
        raise _DifferentError
    alike: dict[int, list[int]] = {}
    for place, term in enumerate(group[0].terms):
        alike.setdefault(compiler.structures.of(term), []).append(place)
    if not alike:
        return lambda cells, within: constant(within, np.zeros(len(group)))
    parts = [_terms(compiler, [[node.terms[place] for place in places] for node in group]) for places in alike.values()]
    return lambda cells, within: within.add([part(cells, within) for part in parts])


def _terms(compiler: _Compiler, rows: Sequence[Sequence[Expression]]) -> Evaluated:
    """The sum of terms of one structure, so many in each expression."""
    count = len(rows[0])
    terms = [term for row in rows for term in row]
    if count == 1:
        return compiler.compiled(terms)
    first = rows[0][0]
    inner = compiler.inside(count)
    if isinstance(first, nodes.Product) and len(first.factors) == 2 and all(type(x) is Cell for x in first.factors):
        if not all(type(term) is nodes.Product and len(term.factors) == 2 for term in terms):
            raise _DifferentError
        left, right = (
            inner.addresses([term.factors[side] for term in terms]).reshape(-1, count)  # type: ignore[attr-defined]
            for side in (0, 1)
        )
        return lambda cells, within: _dot(cells, left, right, within)
    part = inner.compiled(terms)
    return lambda cells, within: within.total(part(cells, within), count)


def _dot(cells: Forms, left: Places, right: Places, within: Affine) -> Forms:
    """Dot products, n×count addresses on each side; the coefficients by one product of matrices."""
    count = left.shape[1]
    x, y = cells.centre[left], cells.centre[right]
    coefficients = None
    if cells.coefficients is not None:
        slopes = np.zeros((len(left), len(cells)))
        rows = np.arange(len(left))[:, None]
        np.add.at(slopes, (rows, left), y)
        np.add.at(slopes, (rows, right), x)
        coefficients = slopes @ cells.coefficients
    radius, rest = cells.radius, cells.rest
    bent = radius[left] * radius[right] + rest[left] * np.abs(y) + rest[right] * np.abs(x)
    ends = [
        np.where((a == 0) | (b == 0), 0.0, a * b)
        for a in (cells.low[left], cells.high[left])
        for b in (cells.low[right], cells.high[right])
    ]
    interval = np.minimum.reduce(ends).sum(axis=1), np.maximum.reduce(ends).sum(axis=1)
    products = x * y
    lost = (count + 1) * within.roundoff * np.maximum.reduce([np.abs(end) for end in ends]).sum(axis=1)
    lost = np.where(np.isfinite(lost), lost, 0.0)
    return within.settled(
        products.sum(axis=1), coefficients, bent.sum(axis=1) + lost, (interval[0] - lost, interval[1] + lost)
    )


def _product(compiler: _Compiler, group: Sequence[nodes.Product]) -> Evaluated:
    first, *others = compiler.parts(group)

    def evaluated(cells: Forms, within: Affine) -> Forms:
        result = first(cells, within)
        for other in others:
            result = within.product(result, other(cells, within))
        return result

    return evaluated


def _power(compiler: _Compiler, group: Sequence[nodes.Power]) -> Evaluated:
    if any(node.exponent != group[0].exponent for node in group):
        raise _DifferentError
    base = compiler.compiled([node.base for node in group])
    exponent = evaluate(group[0].exponent, lambda cell: np.nan)
    return lambda cells, within: power(within, base(cells, within), exponent)


def _call(compiler: _Compiler, group: Sequence[nodes.Call]) -> Evaluated:
    function = group[0].function
    if any(node.function != function for node in group):
        raise _DifferentError
    parts = compiler.parts(group)
    return lambda cells, within: called(within, function, [part(cells, within) for part in parts])


def _pair(rule: Callable[[Affine, Forms, Forms], Forms]) -> Callable[..., Evaluated]:
    def compiled(compiler: _Compiler, group: Sequence[Expression]) -> Evaluated:
        left, right = compiler.parts(group)
        return lambda cells, within: rule(within, left(cells, within), right(cells, within))

    return compiled


def _where(compiler: _Compiler, group: Sequence[nodes.Where]) -> Evaluated:
    parts = compiler.parts(group)
    return lambda cells, within: where(within, *(part(cells, within) for part in parts))


def _negative(compiler: _Compiler, group: Sequence[nodes.Negative]) -> Evaluated:
    (part,) = compiler.parts(group)
    return lambda cells, within: within.negative(part(cells, within))


_RULES: dict[type[Expression], Callable[..., Evaluated]] = {
    nodes.Number: _number,
    nodes.Cell: _cell,
    nodes.Sum: _sum,
    nodes.Difference: _pair(Affine.subtract),
    nodes.Product: _product,
    nodes.Quotient: _pair(Affine.quotient),
    nodes.Negative: _negative,
    nodes.Power: _power,
    nodes.Call: _call,
    nodes.Where: _where,
}
