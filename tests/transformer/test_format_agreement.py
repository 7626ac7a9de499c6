"""Encoders of two layers in a number format, bit for bit as a program of the tests' own calculates them."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.test_number_formats import by_fractions
from walkthrough.number_formats import FLOAT_NAMES

Array = np.ndarray
TOKENS, WIDTH, HEADS, HIDDEN = 3, 4, 2, 6
SHAPES = {
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (WIDTH, WIDTH)),
    "w_1": (WIDTH, HIDDEN),
    "b_1": (1, HIDDEN),
    "w_2": (HIDDEN, WIDTH),
    "b_2": (1, WIDTH),
}


class Program:
    """The encoder; `found` has the numbers of each step by its path."""

    def __init__(self, name: str, order: str) -> None:
        self.name, self.order = name, order
        self.found: dict[str, Array] = {}

    def to_format(self, array: Any) -> Array:
        return np.vectorize(lambda x: by_fractions(float(x), self.name), otypes=[float])(array)

    def keep(self, path: str, array: Any) -> Array:
        self.found[path] = self.to_format(array)
        return self.found[path]

    def norm(self, path: str, x: Array) -> Array:
        centered = self.keep(f"{path}.centered", x - self.keep(f"{path}.mean", x.mean(axis=1, keepdims=True)))
        variance = self.keep(f"{path}.variance", (centered**2).mean(axis=1, keepdims=True))
        return self.keep(f"{path}.output", centered / self.keep(f"{path}.std", np.sqrt(variance + 1e-5)))

    def head(self, path: str, x: Array, weights: list[Array]) -> Array:
        q, k, v = (
            self.keep(f"{path}.{name}", x @ w) for name, w in zip(("query", "key", "value"), weights, strict=True)
        )
        scaled = self.keep(f"{path}.scaled_scores", self.keep(f"{path}.scores", q @ k.T) / np.sqrt(q.shape[1]))
        exp = self.keep(f"{path}.softmax.exp", np.exp(scaled))
        total = self.keep(f"{path}.softmax.sum", exp.sum(axis=1, keepdims=True))
        return self.keep(f"{path}.output", self.keep(f"{path}.weights", exp / total) @ v)

    def layer(self, path: str, x: Array, given: dict[str, Array]) -> Array:
        w = {name: self.to_format(matrix) for name, matrix in given.items()}
        read = self.norm(f"{path}.norm_1", x) if self.order == "pre" else x
        parts = [np.split(w[name], HEADS, axis=1) for name in ("w_q", "w_k", "w_v")]
        heads = [
            self.head(f"{path}.attention.head.{at + 1}", read, [part[at] for part in parts]) for at in range(HEADS)
        ]
        x = self.keep(f"{path}.residual_1", x + self.keep(f"{path}.attention.output", np.hstack(heads) @ w["w_o"]))
        x = self.norm(f"{path}.norm_1", x) if self.order == "post" else x
        read = self.norm(f"{path}.norm_2", x) if self.order == "pre" else x
        hidden = self.keep(f"{path}.feed_forward.hidden", read @ w["w_1"] + w["b_1"])
        output = self.keep(f"{path}.feed_forward.output", np.maximum(hidden, 0) @ w["w_2"] + w["b_2"])
        x = self.keep(f"{path}.residual_2", x + output)
        return self.norm(f"{path}.norm_2", x) if self.order == "post" else x


@pytest.mark.parametrize(
    ("name", "order"),
    [
        pytest.param(*one, marks=() if one == ("bfloat16", "pre") else pytest.mark.slow)
        for one in product(FLOAT_NAMES, ("pre", "post"))
    ],
)
def test_every_number_is_that_of_an_independent_program(name: str, order: str) -> None:
    random = np.random.default_rng(len(name) + len(order))
    x = random.normal(size=(TOKENS, WIDTH))
    layers = [{key: 0.6 * random.normal(size=shape) for key, shape in SHAPES.items()} for _ in range(2)]
    program = Program(name, order)
    state = program.to_format(x)
    for at, layer in enumerate(layers):
        state = program.layer(f"encoder.{at + 1}", state, layer)
    if order == "pre":
        program.norm("encoder.final_norm", state)
    written = [
        {key: (matrix[0] if key[0] == "b" else matrix).tolist() for key, matrix in one.items()} for one in layers
    ]
    spec = {
        "title": "t",
        "tokens": ["a", "b", "c"],
        "embeddings": x.tolist(),
        "encoder": {
            "norm_order": order,
            "layers": [
                {
                    "attention": {"num_heads": HEADS, **{key: one[key] for key in ("w_q", "w_k", "w_v", "w_o")}},
                    "feed_forward": {key: one[key] for key in ("w_1", "b_1", "w_2", "b_2")},
                }
                for one in written
            ],
        },
    }
    trace = wt.trace(wt.parse_scenario(json.dumps(spec)), arithmetic=name)
    for path, array in program.found.items():
        np.testing.assert_array_equal(trace[path].array, array, err_msg=path)
