"""Checks one attention: its heads, projections, masks and output."""

from __future__ import annotations

from walkthrough.scenario.matrices import Matrix, Size
from walkthrough.scenario.schema import Attention, Dimensions, Head
from walkthrough.scenario.sequences import Sequence
from walkthrough.scenario.shapes import Axis, Shapes
from walkthrough.text import printable


class AttentionCheck:
    """Checks the shapes of one attention; afterwards `ends` says that it stops at the weights, for want of values."""

    def __init__(self, attention: Attention, shapes: Shapes, dimensions: Dimensions, causal: bool = False) -> None:
        self.attention = attention
        self.shapes = shapes
        self.dimensions = dimensions
        self.causal = causal
        self.ends = False

    def check(
        self, rows: Size, width: Size, key_rows: Size, key_width: Size, queries: Sequence, keys: Sequence
    ) -> Size:
        """The width of the output, None where it is not known; rows and widths are those of both inputs."""
        attention = self.attention
        if attention.output is not None:
            return self.shapes.matrix(attention.output, Axis("n", rows), Axis("d_model"))[1]
        self._check_mask(rows, key_rows, queries, keys)
        if attention.heads is not None:
            concat = self._separate(attention.heads, rows, width, key_rows, key_width)
        else:
            concat = self._joined(width, key_width)
        if self.ends:
            return None
        return self._output(concat, width)

    def _output(self, concat: Size, width: Size) -> Size:
        attention = self.attention
        count = len(attention.heads) if attention.heads is not None else attention.num_heads or 1
        symbol = "d_v" if count == 1 else "(heads·d_v)"
        if attention.w_o is None:
            if attention.b_o is not None:
                self.shapes.problems.add(attention.b_o, "b_o is given without a w_o", key=attention.b_o.path)
            return None if attention.has("w_o") else concat
        wanted = width if attention.w_o.init is not None else None
        _, out = self.shapes.weight(attention.w_o, Axis(symbol, concat), Axis("d_model", wanted))
        self.shapes.vector(attention.b_o, Axis("d_model", out))
        return out

    def _joined(self, width: Size, key_width: Size) -> Size:
        attention = self.attention
        count = attention.num_heads or 1
        for name in ("w_q", "w_k", "w_v"):
            if not attention.has(name):
                self._missing(attention, name, "for each head, or joined with num_heads")
        total = "d_k" if count == 1 else "(heads·d_k)"
        d_k = self.dimensions.d_k
        inner = d_k * count if d_k else self._first(attention.w_q, attention.w_k, attention.b_q, attention.b_k) or width
        if not self._splits(attention.w_q or attention.w_k, inner, count):
            return None
        _, inner = self.shapes.weight(attention.w_q, Axis("d_model", width), Axis(total, inner))
        self.shapes.weight(attention.w_k, Axis("d_model", key_width), Axis(total, inner))
        self.shapes.vector(attention.b_q, Axis(total, inner))
        self.shapes.vector(attention.b_k, Axis(total, inner))
        d_v = self.dimensions.d_v
        values = d_v * count if d_v else self._first(attention.w_v, attention.b_v) or inner
        if not self._splits(attention.w_v, values, count):
            return None
        value_symbol = total.replace("d_k", "d_v")
        _, values = self.shapes.weight(attention.w_v, Axis("d_model", key_width), Axis(value_symbol, values))
        self.shapes.vector(attention.b_v, Axis(value_symbol, values))
        return values

    def _splits(self, matrix: Matrix | None, inner: Size, count: int) -> bool:
        if matrix is None or inner is None or inner % count == 0:
            return True
        message = f"{matrix.name} is {inner} wide, which {count} heads cannot share evenly"
        self.shapes.problems.add(matrix, message, key=matrix.path)
        return False

    def _separate(self, heads: list[Head], rows: Size, width: Size, key_rows: Size, key_width: Size) -> Size:
        joined = [name for name in ("num_heads", "w_q", "w_k", "w_v") if self.attention.has(name)]
        if joined:
            message = f"both heads and {joined[0]} are given: a list of heads, or joined weights with num_heads"
            self.shapes.problems.add(self.attention.node, message, key=self.attention.path)
        widths: list[Size] = []
        values = [self._head(head, rows, width, key_rows, key_width, widths) for head in heads]
        if not all(values):
            self.ends = True
            if any(values):
                message = "some heads have values (w_v or v) and some have none: they cannot be put side by side"
                self.shapes.problems.add(self.attention.node, message, key=self.attention.path)
        return None if None in widths else sum(size for size in widths if size is not None)

    def _head(self, head: Head, rows: Size, width: Size, key_rows: Size, key_width: Size, widths: list[Size]) -> bool:
        """Whether the head has values; their width is added to `widths`."""
        shapes, n, m = self.shapes, Axis("n", rows), Axis("m", key_rows)
        if head.weights is None and head.scores is None:
            self._queries_and_keys(head, n, m, width, key_width)
        if head.scores is not None:
            shapes.matrix(head.scores, n, m)
            self._check_scale(head)
        shapes.matrix(head.weights, n, m)
        if head.v is None and head.w_v is None and not head.has("v") and not head.has("w_v"):
            return False
        d_v = Axis("d_v", self.dimensions.d_v or self._first(head.v, head.w_v, head.b_v) or self._default(width))
        if head.v is not None:
            widths.append(shapes.columns(head.v) if head.v.numbers else shapes.matrix(head.v, m, d_v)[1])
            shapes.matrix(head.v, m, d_v)
        else:
            widths.append(shapes.weight(head.w_v, Axis("d_model", key_width), d_v)[1])
            shapes.vector(head.b_v, d_v)
        return True

    def _queries_and_keys(self, head: Head, n: Axis, m: Axis, width: Size, key_width: Size) -> None:
        shapes = self.shapes
        for given, weight in (("q", "w_q"), ("k", "w_k")):
            if not head.has(given) and not head.has(weight):
                self._missing(head, weight, f"or {given}, scores or weights as numbers")
        known = self._first(head.q, head.w_q, head.b_q, head.k, head.w_k, head.b_k)
        d_k = Axis("d_k", head.d_k or self.dimensions.d_k or known or self._default(width))
        if head.q is not None:
            shapes.matrix(head.q, n, d_k)
        else:
            shapes.weight(head.w_q, Axis("d_model", width), d_k)
            shapes.vector(head.b_q, d_k)
        if head.k is not None:
            shapes.matrix(head.k, m, d_k)
        else:
            shapes.weight(head.w_k, Axis("d_model", key_width), d_k)
            shapes.vector(head.b_k, d_k)

    def _default(self, width: Size) -> Size:
        """The width of a head that only `init` describes: d_model shared evenly, as in the paper."""
        count = len(self.attention.heads or [None])
        return width // count if width is not None and width % count == 0 else None

    def _first(self, *matrices: Matrix | None) -> Size:
        """The first width that one of the matrices tells."""
        for matrix in matrices:
            if matrix is not None:
                is_weight = matrix.name.startswith("w_")
                size = self.shapes.outward(matrix) if is_weight else self.shapes.columns(matrix)
                if size is not None:
                    return size
        return None

    def _check_scale(self, head: Head) -> None:
        scale = head.scale or self.attention.scale or "sqrt_d_k"
        if scale == "sqrt_d_k" and head.weights is None and not (head.d_k or self.dimensions.d_k):
            message = "d_k is missing: the given scores are divided by √d_k"
            help = "add d_k: … to the head, or scale: none"
            self.shapes.problems.add(head.node, message, key=f"{head.path}.d_k", help=help)

    def _missing(self, section: Attention | Head, name: str, otherwise: str) -> None:
        self.shapes.problems.add(section.node, f"{name} is missing ({otherwise})", key=f"{section.path}.{name}")

    def _check_mask(self, rows: Size, key_rows: Size, queries: Sequence, keys: Sequence) -> None:
        mask = self.attention.mask
        if mask is None or rows is None or key_rows is None:
            return
        given: list[list[float]] | None = None
        if mask.matrix is not None:
            self.shapes.matrix(mask.matrix, Axis("n", rows), Axis("m", key_rows))
            if (mask.matrix.rows, mask.matrix.columns) != (rows, key_rows):
                return
            given = mask.matrix.numbers
        hidden = [mask.padding and word == keys.padding_token for word in keys.words] or [False] * key_rows
        for row in range(rows):
            last = row if mask.causal else key_rows - 1
            shown = (not hidden[at] and (given is None or given[row][at]) for at in range(min(last + 1, key_rows)))
            if not any(shown):
                token = printable(queries.words[row]) if row < len(queries.words) else str(row + 1)
                message = f"the mask hides every column from {token!r} (row {row + 1}): it has nothing to attend to"
                self.shapes.problems.add(self.attention.node, message, key=f"{self.attention.path}.mask")
