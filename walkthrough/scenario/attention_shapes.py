"""Checks one attention: its heads, projections, masks and output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.scenario.masks import check_mask
from walkthrough.scenario.matrices import Matrix, Size
from walkthrough.scenario.problems import Positioned
from walkthrough.scenario.schema import Attention, DecoderLayer, EncoderLayer, Head
from walkthrough.scenario.sequence_shapes import Stream
from walkthrough.scenario.shapes import Axis, Shapes

_JOINED = ("num_heads", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


class PartOutput(NamedTuple):
    """What a part hands on.

    node, path: what decides its width
    remedy:     how to give it another
    ended:      nothing is handed on, for want of values
    """

    node: Positioned
    path: str
    width: Size
    remedy: str = ""
    ended: bool = False


def given_output(matrix: Matrix, width: Size, stream: Stream) -> PartOutput:
    """A part whose output the file gives as numbers."""
    remedy = f"give an output that is n×d_model = {stream.rows or 'n'}×{stream.width}"
    return PartOutput(matrix, matrix.path, width, remedy)


class AttentionCheck(NamedTuple):
    """Checks an attention from the rows of one stream to those of another, or of the same."""

    attention: Attention
    shapes: Shapes
    queries: Stream
    keys: Stream
    causal: bool = False

    def check(self) -> PartOutput:
        """What it hands on; problems are noted."""
        attention = self.attention
        if attention.output is not None:
            width = self.shapes.matrix(attention.output, Axis("n", self.queries.rows), Axis("d_model"))[1]
            return given_output(attention.output, width, self.queries)
        check_mask(attention, self.shapes, self.queries, self.keys)
        self._reserve()
        if not attention.has("heads"):
            return self._output(self._joined())
        self._note_both()
        heads = attention.heads
        if heads is None:
            return self._output(None)
        widths = [self._head(head) for head in heads]
        if not any(_has_values(head) for head in heads):
            return PartOutput(attention, attention.path, None, ended=True)
        for head in heads:
            if not _has_values(head):
                self.shapes.missing(head, "w_v", "other heads have values, and the outputs are put side by side")
        known = [width for width in widths if width is not None]
        return self._output(sum(known) if len(known) == len(widths) else None)

    def _reserve(self) -> None:
        """Scores, and what is made of them, take n×m numbers a head."""
        attention, rows, columns = self.attention, self.queries.rows, self.keys.rows
        if rows is not None and columns is not None:
            count = len(attention.heads) if attention.heads is not None else attention.num_heads or 1
            self.shapes.reserve(count * rows * columns, attention, attention.path)

    def _note_both(self) -> None:
        for name in _JOINED:
            if self.attention.has(name):
                message = f"both heads and {name} are given"
                help = "keep a list of heads, or joined w_q, w_k, w_v with num_heads"
                problems = self.shapes.problems
                problems.add(self.attention.at(name), message, key=self.attention.key_of(name), help=help)

    def _output(self, concat: Size) -> PartOutput:
        """What w_o makes of the heads side by side."""
        attention, width = self.attention, self.queries.width
        count = len(attention.heads) if attention.heads is not None else attention.num_heads or 1
        symbol = "d_v" if count == 1 else "(heads·d_v)"
        remedy = f"give a w_o that is {symbol}×d_model = {concat or symbol}×{width}"
        if attention.w_o is None:
            if attention.b_o is not None and not attention.has("w_o"):
                self.shapes.problems.add(attention.b_o, "b_o is given without a w_o", key=attention.b_o.path)
            return PartOutput(attention, attention.path, None if attention.has("w_o") else concat, remedy)
        wanted = width if attention.w_o.init is not None else None
        _, out = self.shapes.weight(attention.w_o, Axis(symbol, concat), Axis("d_model", wanted, likely=width))
        self.shapes.vector(attention.b_o, Axis("d_model", out))
        return PartOutput(attention.w_o, attention.w_o.path, out, remedy)

    def _joined(self) -> Size:
        """The width of the values of all heads."""
        attention, shapes = self.attention, self.shapes
        missing = [name for name in ("w_q", "w_k", "w_v") if not attention.has(name)]
        if len(missing) == 3 and not attention.has("num_heads"):
            shapes.missing(attention, "heads", "a list of heads, or joined w_q, w_k, w_v with num_heads")
            return None
        for name in missing:
            shapes.missing(attention, name, "joined weights of all heads, or give a list of heads")
        many = "heads·" if (attention.num_heads or 1) > 1 else ""
        widths = self.queries.width, self.keys.width
        inner = self._total(shapes.dimensions.d_k, "w_q", "w_k", "b_q", "b_k")
        inner = self._project(attention, "q", widths[0], _axis(many, "d_k", inner), widths[0])
        inner = self._project(attention, "k", widths[1], _axis(many, "d_k", inner), widths[0])
        values = self._total(shapes.dimensions.d_v, "w_v", "b_v")
        values = self._project(attention, "v", widths[1], _axis(many, "d_v", values), inner)
        return values if self._splits("w_q", inner) and self._splits("w_v", values) else None

    def _total(self, one: Size, *names: str) -> Size:
        """The width of all heads: from the width of one, or from the first matrix that tells."""
        told = _first(self.shapes, *(getattr(self.attention, name) for name in names))
        return one * (self.attention.num_heads or 1) if one is not None else told

    def _splits(self, name: str, width: Size) -> bool:
        """Whether the heads can share a width evenly."""
        count = self.attention.num_heads or 1
        if width is None or width % count == 0:
            return True
        message = f"{name} is {width} wide, which {count} heads cannot share evenly"
        self.shapes.problems.add(self.attention.at(name), message, key=self.attention.key_of(name))
        return False

    def _project(self, section: Attention | Head, letter: str, width: Size, axis: Axis, usual: Size) -> Size:
        """Checks weights and bias that make the queries, keys or values; their width, which for `init` may be usual."""
        weight: Matrix | None = getattr(section, f"w_{letter}")
        if weight is not None and weight.init is not None and axis.size is None:
            axis = Axis(axis.symbol, usual)
        _, size = self.shapes.weight(weight, Axis("d_model", width), axis)
        return self.shapes.vector(getattr(section, f"b_{letter}"), Axis(axis.symbol, size))

    def _head(self, head: Head) -> Size:
        """The width of one head's values."""
        shapes, n, m = self.shapes, Axis("n", self.queries.rows), Axis("m", self.keys.rows)
        if not head.has("weights") and not head.has("scores"):
            self._queries_and_keys(head, n, m)
        shapes.matrix(head.scores, n, m)
        shapes.matrix(head.weights, n, m)
        self._check_scores(head)
        told = _first(shapes, head.v, head.w_v, head.b_v)
        d_v = Axis("d_v", shapes.dimensions.d_v or told)
        if head.v is not None:
            return shapes.matrix(head.v, m, d_v)[1]
        return self._project(head, "v", self.keys.width, d_v, self._even_share()) if head.w_v is not None else None

    def _queries_and_keys(self, head: Head, n: Axis, m: Axis) -> None:
        shapes = self.shapes
        told = _first(shapes, head.q, head.w_q, head.b_q, head.k, head.w_k, head.b_k)
        d_k = Axis("d_k", head.d_k or shapes.dimensions.d_k or told)
        for letter, rows, width in (("q", n, self.queries.width), ("k", m, self.keys.width)):
            if head.has(letter):
                shapes.matrix(getattr(head, letter), rows, d_k)
                continue
            if not head.has(f"w_{letter}"):
                shapes.missing(head, f"w_{letter}", f"d_model×d_k; or give {letter}, scores or weights as numbers")
            self._project(head, letter, width, d_k, self._even_share())

    def _check_scores(self, head: Head) -> None:
        """Given scores need a d_k to be scaled with, and no row may be hidden altogether."""
        if head.scores is None or head.has("weights"):
            return
        scale = head.scale or self.attention.scale or "sqrt_d_k"
        if scale == "sqrt_d_k" and not head.has("d_k") and not self.shapes.dimensions.has("d_k"):
            message = "d_k is missing: the given scores are divided by √d_k"
            help = "add d_k: … to the head, or scale: none"
            self.shapes.problems.add(head, message, key=head.key_of("d_k"), help=help)
        for number, row in enumerate(head.scores.numbers or [], 1):
            if all(score == -math.inf for score in row):
                message = f"row {number} of scores is hidden altogether: it has nothing to attend to"
                self.shapes.problems.add(head.scores, message, key=head.scores.path)

    def _even_share(self) -> Size:
        """The width of a head that only `init` describes: d_model shared evenly, as in the paper."""
        width, count = self.queries.width, len(self.attention.heads or [None])
        return width // count if width is not None and width % count == 0 else None


def _axis(many: str, symbol: str, size: Size) -> Axis:
    return Axis(f"({many}{symbol})" if many else symbol, size)


def _has_values(head: Head) -> bool:
    return head.has("v") or head.has("w_v")


def _first(shapes: Shapes, *matrices: Matrix | None) -> Size:
    """The first width that one of the matrices tells."""
    for matrix in matrices:
        if matrix is not None:
            is_weight = matrix.name.startswith("w_")
            size = shapes.outward(matrix) if is_weight else shapes.columns(matrix)
            if size is not None:
                return size
    return None


def read_width(first: Attention | Sequence[EncoderLayer | DecoderLayer] | None, shapes: Shapes) -> Size:
    """The width of input that w_q, w_k and w_v of the first attention all expect; None where they do not agree."""
    if first is not None and not isinstance(first, Attention):
        first = first[0].attention if first else None
    if first is None:
        return None
    sections: list[Attention | Head] = [first, *(first.heads or [])]
    weights = [getattr(section, name) for section in sections for name in ("w_q", "w_k", "w_v")]
    widths = [shapes.inward(weight) for weight in weights if weight is not None]
    return widths[0] if len(widths) >= 3 and len(set(widths)) == 1 else None
