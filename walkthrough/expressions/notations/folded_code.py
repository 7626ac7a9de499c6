"""Writes folded expressions as Python: what to put into which part of a matrix, all its cells at once.

The addresses of a piece become slices where they move with one axis only, else arrays of places that broadcast
against each other, with one more axis for each loop: `np.sin(np.arange(3)[:, None] / 10000**(np.arange(0, 4, 2) / 4))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.expressions.fold.folding import Folded, Piece
from walkthrough.expressions.notations.code import Library, NoCode, to_code
from walkthrough.expressions.notations.writing import Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call, Expression, IndexMap, Number, Operand, Product, Repeated, Sum
from walkthrough.expressions.tree.walk import parts, with_parts

Shape = tuple[int, int]


class SliceCode(NamedTuple):
    """Some of the cells of a matrix, as Python slices them, and what they are; all of them: no slice."""

    slice: str
    code: str


def to_slices(pieces: Folded, shape: Shape, shapes: list[Shape], writer: Writer, library: Library) -> list[SliceCode]:
    """The parts of a matrix that are not 0. Raises NoCode.

    shapes: of the operands
    """
    is_whole = len(pieces) == 1
    found = [(piece, _Spread(piece, shapes, writer, library)) for piece in pieces]
    lines = []
    for piece, spread in found:
        code = spread.code()
        if is_whole and spread.fills and (spread.is_matrix or not spread.texts):
            return [SliceCode("", code if spread.texts else f"{library.array}([[{code}]])")]
        if piece.expression != Number(0):
            slices = (_slice(axis, size) for axis, size in zip((piece.rows, piece.columns), shape, strict=True))
            lines.append(SliceCode(f"[{', '.join(slices)}]", code))
    return lines


class _Spread:
    """One piece, written over all of its cells.

    fills: what is written has the whole shape of the piece, and need not be repeated along an axis
    is_matrix: it has two axes, also where the piece is a single row
    """

    def __init__(self, piece: Piece, shapes: list[Shape], writer: Writer, library: Library) -> None:
        self.piece = piece
        self.axes = [piece.rows, piece.columns]
        self.shapes = shapes
        self.writer = writer
        self.library = library
        self.texts: list[str] = []
        self.moves: set[int] = set()
        self.is_matrix = False

    def code(self) -> str:
        """The expression as Python."""
        tree = self._spread(self.piece.expression, ())
        return to_code(tree, self.writer.replace(operand=self.texts.__getitem__), self.library)

    @property
    def fills(self) -> bool:
        return all(at in self.moves or len(axis) == 1 for at, axis in enumerate(self.axes))

    def _spread(self, node: Expression, loops: tuple[int, ...]) -> Expression:
        if isinstance(node, nodes.Entry):
            return self._array(self._entry(node, loops), node.row, node.column)
        if isinstance(node, nodes.IndexValue):
            return self._array(self._address(node.value, loops), node.value)
        if isinstance(node, Sum):
            return self._sum(node, loops)
        if isinstance(node, Call) and any(isinstance(part, Repeated) for part in node.arguments):
            return self._highest(node, loops)
        inner = [self._spread(part, loops) for part in parts(node)]
        return Call("times", tuple(inner)) if isinstance(node, Product) else with_parts(node, inner)

    def _array(self, text: str, *addresses: IndexMap) -> Operand:
        """An array, which later code names as an operand is named."""
        self.moves |= {at - 1 for address in addresses for at in (1, 2) if address[at]}
        self.texts.append(text)
        return Operand(len(self.texts) - 1)

    def _sum(self, node: Sum, loops: tuple[int, ...]) -> Expression:
        terms = self._listed(node.terms, loops, "added")
        return Sum(tuple(terms)) if terms else Number(0)

    def _highest(self, node: Call, loops: tuple[int, ...]) -> Expression:
        if node.function != "max":
            raise NoCode(f"{node.function} of many numbers has no code")
        listed = self._listed(node.arguments, loops, "highest")
        return Call("max", tuple(listed)) if len(listed) > 1 else listed[0]

    def _listed(self, items: Sequence[Expression], loops: tuple[int, ...], function: str) -> list[Expression]:
        """Terms or arguments, each loop among them as what it comes to."""
        found: list[Expression] = []
        for item in items:
            found += self._loop(item, loops, function) if isinstance(item, Repeated) else [self._spread(item, loops)]
        return found

    def _loop(self, loop: Repeated, loops: tuple[int, ...], function: str) -> list[Expression]:
        """What a loop comes to: each of its items along one more axis, which is added or searched."""
        found: list[Expression] = []
        for item in loop.items:
            if _depends(item, len(loops)):
                deeper = (*loops, loop.count)
                found += [Call(function, (one,)) for one in self._listed([item], deeper, function)]
            elif isinstance(item, Repeated):
                raise NoCode("a loop that comes again and again has no code")
            else:
                same = self._spread(item, loops)
                found.append(Number(loop.count) * same if function == "added" else same)
        return found

    def _entry(self, node: nodes.Entry, loops: tuple[int, ...]) -> str:
        name = self.writer.operand(node.operand)
        shape = self.shapes[node.operand]
        alone = _only(node.row, 1), _only(node.column, 2)
        if not loops and all(alone):
            slices = [_slice(_addressed_range(address, at, self.axes[at - 1]), size) for address, at, size in
                      zip((node.row, node.column), (1, 2), shape, strict=True)]  # fmt: skip
            self.is_matrix = True
            return name if slices == [":", ":"] else f"{name}[{', '.join(slices)}]"
        return f"{name}[{self._address(node.row, loops)}, {self._address(node.column, loops)}]"

    def _address(self, address: IndexMap, loops: tuple[int, ...]) -> str:
        """Where an address leads, as an array along the axes that it moves with."""
        axes = [*self.axes, *map(range, loops)]
        constant = address[0]
        terms: list[str] = []
        for at, factor in enumerate(address[1:]):
            if factor:
                numbers = axes[at]
                start = factor * numbers[0] + (0 if terms else constant)
                self.is_matrix |= at == 0
                spread = self._arange(start, factor * numbers.step, len(numbers))
                terms.append(spread + _new_axes(len(axes) - 1 - at))
        if not terms:
            return self.library.number(constant)
        return terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"

    def _arange(self, start: float, step: float, count: int) -> str:
        of, number = self.library.module, self.library.number
        if not (float(start).is_integer() and float(step).is_integer()):
            return f"({number(start)} + {number(step)} * {of}.arange({count}))"
        stop = start + step * (count - 1) + (1 if step > 0 else -1)
        if step == 1:
            return f"{of}.arange({number(stop)})" if start == 0 else f"{of}.arange({number(start)}, {number(stop)})"
        return f"{of}.arange({number(start)}, {number(stop)}, {number(step)})"


def _depends(node: Expression, depth: int) -> bool:
    """Whether something in an expression moves with the index of the loop at that depth."""
    at = 3 + depth
    addresses: tuple[IndexMap, ...] = ()
    if isinstance(node, nodes.Entry):
        addresses = node.row, node.column
    elif isinstance(node, nodes.IndexValue):
        addresses = (node.value,)
    return any(len(one) > at and one[at] for one in addresses) or any(_depends(part, depth) for part in parts(node))


def _only(address: IndexMap, at: int) -> bool:
    """Whether an address moves with one axis forwards, or with none."""
    return not any(factor for axis, factor in enumerate(address) if axis not in (0, at)) and address[at] >= 0


def _addressed_range(address: IndexMap, at: int, axis: range) -> range:
    start, factor = int(address[0]), int(address[at])
    if not factor:
        return range(start, start + 1)
    return range(start + factor * axis[0], start + factor * axis[-1] + 1, factor * axis.step)


def _slice(numbers: range, size: int) -> str:
    """Evenly spaced places of an axis, as Python slices them."""
    if numbers.step == 1 or len(numbers) == 1:
        return ":" if len(numbers) == size else f"{numbers[0]}:{numbers[-1] + 1}"
    stop = "" if numbers[-1] + numbers.step >= size else str(numbers[-1] + 1)
    return f"{numbers[0]}:{stop}:{numbers.step}"


def _new_axes(count: int) -> str:
    return f"[:{', None' * count}]" if count else ""
