"""Products, sums and tables of rows: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from tests.mistakes.classic import HEAD, LAYER, NORMAL, Fault

FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("the bias is missing", HEAD + "query", lambda x, w, b: x @ w, {}),
    ("added instead of multiplied", HEAD + "query", lambda x, w, b: x.sum(1)[:, None] + w.sum(0) + b, {}),
    ("added instead of multiplied", HEAD + "scores", lambda q, k: q.sum(1)[:, None] + k.sum(1), {}),
    ("added instead of multiplied", HEAD + "output", lambda a, v: a.sum(1)[:, None] + v.sum(0), {}),
    ("the weights are taken column by column instead of row by row", HEAD + "output", lambda a, v: a.T @ v, {}),
    ("the bias is subtracted", HEAD + "query", lambda x, w, b: x @ w - b, {}),
    ("the keys are not transposed", HEAD + "scores", lambda q, k: q @ k, {}),
    ("transposed, or queries and keys are swapped", HEAD + "scores", lambda q, k: k @ q.T, {}),
    ("the scores are already scaled by 1/√d_k", HEAD + "scores", lambda q, k: q @ k.T / 3**0.5, {}),
    (
        "nothing was added: these are the numbers of " + LAYER + "attention.output",
        LAYER + "residual_1",
        lambda x, y: y,
        {},
    ),
    ("nothing was added: these are the numbers of input", LAYER + "residual_1", lambda x, y: x, {}),
    ("input is added twice", LAYER + "residual_1", lambda x, y: 2 * x + y, {}),
    ("the ids are counted from 1", "token_embedding", lambda table, **_: table[1:4], {"tokens": "[a, b, c]"}),
]


@pytest.mark.parametrize(
    ("cause", "step", "fault"),
    [
        ("the weight is transposed", "query", lambda x, w, b: x @ w.T + b),
        ("the weight is transposed and the bias is missing", "query", lambda x, w, b: x @ w.T),
        ("multiplied by the transposed values", "output", lambda a, v: a @ v.T),
    ],
)
def test_a_square_matrix_that_is_transposed_is_named(cause: str, step: str, fault: Fault) -> None:
    head = f"{{w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3}, b_q: [1, 2]}}"
    given = "tokens: [a, b]\nembeddings: {a: [1, 2], b: [0, 1]}\ndimensions: {d_k: 2, d_v: 2}\n"
    trace = wt.trace(wt.parse_scenario(f"title: x\n{given}attention: {{heads: [{head}]}}\n"))
    path = f"attention.head.1.{step}"
    first = compared(trace, recalculated(trace, path, fault, np.float64)).first
    assert first is not None
    assert (first.value.path, first.cause) == (path, cause)
