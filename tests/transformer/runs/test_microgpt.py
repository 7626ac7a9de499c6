"""`microgpt` beside an arithmetic that works as the original does: number by number, each with its own gradient."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add

import numpy as np
import pytest

import walkthrough as wt

LETTERS, NAMES = ["a", "d", "e", "v", "<bos>"], ["ava", "eve", "ada"]
SELF = "decoder.1.self_attention"
PARAMETERS = [
    *("embeddings", "position_table", "decoder.1.feed_forward.w_1", "decoder.1.feed_forward.w_2", f"{SELF}.w_o"),
    *(f"{SELF}.head.{head}.w_{letter}" for head in (1, 2) for letter in "qkv"),
    "output_head.w",
]
STEPS, RATE, BETA_1, BETA_2, EPSILON = 6, 0.1, 0.85, 0.99, 1e-8


class Number:
    """A number that knows what it was made from, and by how much it grows with each of these."""

    def __init__(self, value: float, made_of: tuple[tuple[Number, float], ...] = ()) -> None:
        self.value, self.made_of, self.gradient = value, made_of, 0.0

    def __add__(self, other: Number) -> Number:
        return Number(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other: Number) -> Number:
        return Number(self.value * other.value, ((self, other.value), (other, self.value)))

    def times(self, factor: float) -> Number:
        return Number(self.value * factor, ((self, factor),))

    def power(self, exponent: float) -> Number:
        return Number(self.value**exponent, ((self, exponent * self.value ** (exponent - 1)),))

    def exp(self) -> Number:
        return Number(math.exp(self.value), ((self, math.exp(self.value)),))

    def log(self) -> Number:
        return Number(math.log(self.value), ((self, 1 / self.value),))

    def relu(self) -> Number:
        return Number(max(0.0, self.value), ((self, float(self.value > 0)),))

    def send_back(self) -> None:
        """Gives every number that this one was made from its gradient."""
        order: dict[int, Number] = {}

        def visit(number: Number) -> None:
            if id(number) not in order:
                for part, _ in number.made_of:
                    visit(part)
                order[id(number)] = number

        visit(self)
        self.gradient = 1.0
        for number in reversed(order.values()):
            for part, slope in number.made_of:
                part.gradient += slope * number.gradient


Vector = list[Number]
Table = list[Vector]


def total(numbers: Sequence[Number]) -> Number:
    return reduce(add, numbers)


def dot(one: Vector, other: Vector) -> Number:
    return total([a * b for a, b in zip(one, other, strict=True)])


def linear(x: Vector, w: Table) -> Vector:
    return [dot(x, list(column)) for column in zip(*w, strict=True)]


def rms_norm(x: Vector) -> Vector:
    size = (dot(x, x).times(1 / len(x)) + Number(1e-5)).power(-0.5)
    return [number * size for number in x]


def softmax(x: Vector) -> Vector:
    grown = [number.exp() for number in x]
    below = total(grown).power(-1)
    return [number * below for number in grown]


def loss_of(name: str, w: dict[str, Table]) -> Number:
    """The mean loss over the letters of a name and its end."""
    tokens = [4, *(LETTERS.index(letter) for letter in name), 4]
    keys: dict[int, Table] = {1: [], 2: []}
    values: dict[int, Table] = {1: [], 2: []}
    losses = []
    for place, token in enumerate(tokens[:-1]):
        x = rms_norm([a + b for a, b in zip(w["embeddings"][token], w["position_table"][place], strict=True)])
        normed, heads = rms_norm(x), []
        for head in (1, 2):
            query, key, value = (linear(normed, w[f"{SELF}.head.{head}.w_{letter}"]) for letter in "qkv")
            keys[head].append(key)
            values[head].append(value)
            weights = softmax([dot(query, key).times(1 / math.sqrt(2)) for key in keys[head]])
            heads += [dot(weights, list(column)) for column in zip(*values[head], strict=True)]
        x = [a + b for a, b in zip(linear(heads, w[f"{SELF}.w_o"]), x, strict=True)]
        hidden = [number.relu() for number in linear(rms_norm(x), w["decoder.1.feed_forward.w_1"])]
        x = [a + b for a, b in zip(linear(hidden, w["decoder.1.feed_forward.w_2"]), x, strict=True)]
        losses.append(softmax(linear(x, w["output_head.w"]))[tokens[place + 1]].log().times(-1))
    return total(losses).times(1 / len(losses))


@pytest.fixture
def _depth() -> Iterator[None]:
    """A loss is made of numbers that are made of numbers …"""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("_depth")
def test_every_step_is_that_of_the_original() -> None:
    """The loss of each of the six steps, and every weight after it."""
    trace = wt.trace(wt.load_scenario("microgpt"))
    w = {path: [[Number(x) for x in row] for row in trace[f"train.1.{path}"].array.tolist()] for path in PARAMETERS}
    moments = {number: (0.0, 0.0) for table in w.values() for row in table for number in row}
    for step in range(1, STEPS + 1):
        loss = loss_of(NAMES[(step - 1) % 3], w)
        assert trace[f"train.{step}.loss.mean"].array.item() == pytest.approx(loss.value, rel=1e-12)
        loss.send_back()
        for number, (first, second) in moments.items():
            first = BETA_1 * first + (1 - BETA_1) * number.gradient
            second = BETA_2 * second + (1 - BETA_2) * number.gradient**2
            usual = math.sqrt(second / (1 - BETA_2**step))
            number.value -= RATE * (1 - (step - 1) / STEPS) * first / (1 - BETA_1**step) / (usual + EPSILON)
            number.gradient, moments[number] = 0.0, (first, second)
        for path, table in w.items():
            ours = trace[f"train.{step}.update.{path}"].array
            np.testing.assert_allclose(ours, [[number.value for number in row] for row in table], atol=1e-12)
