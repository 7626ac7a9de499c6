"""Relative bias: what is added to a score, looked up by the distance of its two tokens. Raffel et al. 2020, §2.1.

Small distances have a bucket each, larger ones share one the more the larger they are, as in transformers'
T5Attention._relative_position_bucket, with an exact floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Named, Number, loop_over, phrase, total
from walkthrough.operations.definition import A, Array, InputGradient, Operation, Shape


class Buckets(NamedTuple):
    """How distances fall into buckets: how many, from what distance on all share the last, both directions or one."""

    most: int
    max_distance: int
    bidirectional: bool

    @property
    def exact(self) -> int:
        """How many distances in one direction have a bucket of their own."""
        return self.most // (4 if self.bidirectional else 2)

    def of(self, offset: int) -> int:
        """The bucket of a key so many positions behind its query, from 0."""
        count, exact = self.most // (2 if self.bidirectional else 1), self.exact
        start = count if self.bidirectional and offset > 0 else 0
        distance = abs(offset) if self.bidirectional else max(-offset, 0)
        if distance < exact:
            return start + distance
        steps = count - exact  # the largest k with exact·(max/exact)^(k/steps) ≤ distance, in whole numbers
        reached = (
            k for k in range(steps - 1, -1, -1) if distance**steps * exact**k >= self.max_distance**k * exact**steps
        )
        return start + exact + next(reached, 0)


def _all(buckets: Buckets, rows: Sequence[int], columns: Sequence[int]) -> Array:
    return np.array([[float(buckets.of(k - q)) for k in columns] for q in rows])


relative_buckets = Operation(  # rows, columns: where each query and each key stands
    name="relative_buckets",
    shapes="→ n×m",
    sizes=lambda shapes, buckets, rows, columns: {"n": len(rows), "m": len(columns)},
    forward=_all,
    cell=lambda i, j, buckets, rows, columns: Number(buckets.of(columns[j] - rows[i])),
    formula=lambda inputs, buckets, **settings: Call("words", (phrase("bucket_of"), Named("j") - Named("i"))),
    example={"buckets": Buckets(8, 16, True), "rows": (0, 1, 2), "columns": (0, 1, 2)},
)


def _taken(table: Array, buckets: Buckets, rows: Sequence[int], columns: Sequence[int], column: int) -> Array:
    found: Array = table[_all(buckets, rows, columns).astype(int), column]
    return found


def _given_back_cell(
    i: int,
    j: int,
    gradient: Shape,
    buckets: Buckets,
    rows: Sequence[int],
    columns: Sequence[int],
    shape: Shape,
    column: int,
) -> Expression:
    if int(j) != column:
        return Number(0)
    places = [(at, k) for at, q in enumerate(rows) for k, key in enumerate(columns) if buckets.of(key - q) == int(i)]
    return total(loop_over(places, lambda at, k: Cell(0, at, k))) if places else Number(0)


add_to_buckets = Operation(  # the gradient of the table: each number gets those of the scores that looked it up
    name="add_to_buckets",
    shapes="n×m → b×h",
    sizes=lambda shapes, shape, **settings: {"b": shape[0], "h": shape[1]},
    cell=_given_back_cell,
    formula=lambda inputs, column, **settings: Call("words", (A, phrase("added_to_buckets", column=column + 1))),
    example={
        "buckets": Buckets(4, 8, True),
        "rows": (0, 1, 2),
        "columns": (0, 1, 2),
        "shape": (4, 2),
        "column": 1,
    },
)

take_buckets = Operation(
    name="take_buckets",
    shapes="b×h → n×m",
    copies=True,
    sizes=lambda shapes, rows, columns, **settings: {"n": len(rows), "m": len(columns)},
    forward=_taken,
    cell=lambda i, j, table, buckets, rows, columns, column: Cell(0, buckets.of(columns[j] - rows[i]), column),
    formula=lambda inputs, column, **settings: Call("words", (A, phrase("by_bucket", column=column + 1))),
    gradient=lambda b: (
        InputGradient(
            add_to_buckets,
            (b.gradient,),
            {name: b.settings[name] for name in ("buckets", "rows", "columns", "column")}
            | {"shape": b.inputs[0].shape},
        ),
    ),
    example={"buckets": Buckets(3, 8, False), "rows": (0, 1, 2), "columns": (0, 1, 2), "column": 0},
)
