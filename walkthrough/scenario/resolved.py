"""Choices normalised and defaults filled in, in one place: what the walk through the model meets has one form only."""

from __future__ import annotations

from typing import TypeVar

from walkthrough.records import Record
from walkthrough.scenario.matrices import Matrix, Size
from walkthrough.scenario.schema import Attention, Dimensions, Head, LayerNorm, Norm, StackSpec
from walkthrough.scenario.sections import Section

T = TypeVar("T")

EPSILON = 1e-5
"""PyTorch's default."""
BERT_EPSILON = 1e-12
"""Of the norm of the embeddings."""


class Projection(Record):
    """How a head gets its queries, keys or values: as numbers, or as x·weight + bias.

    letter:  q, k or v
    section: where its keys stand
    share:   of a joined weight, which head's part it is (from 0), and of how many
    """

    letter: str
    section: Head | Attention
    numbers: Matrix | None
    weight: Matrix | None
    bias: Matrix | None
    share: tuple[int, int] | None = None

    @property
    def is_numbers(self) -> bool:
        """Whether the file gives it as numbers, be they faulty or not."""
        return isinstance(self.section, Head) and self.section.has(self.letter)


class HeadPlan(Record):
    """One head, whether the file lists it or joins its weights with those of others; no value: only its weights count.

    scale: sqrt_d_k, none, or the number to divide by
    d_k, d_v: where the file says them; d_k is needed for given scores
    """

    section: Head | Attention
    query: Projection
    key: Projection
    value: Projection | None
    scores: Matrix | None
    weights: Matrix | None
    scale: str | float
    d_k: int | None
    d_v: int | None

    def gives(self, name: str) -> bool:
        """Whether the file gives its scores or weights as numbers, be they faulty or not."""
        return isinstance(self.section, Head) and self.section.has(name)


class NormPlan(Record):
    """One layer norm; `variance_in` is the section that says which variance is taken, if one does."""

    gamma: Matrix | None
    beta: Matrix | None
    epsilon: float
    sample: bool
    on_std: bool
    variance_in: Section | None


def heads_of(attention: Attention, dimensions: Dimensions | None) -> list[HeadPlan]:
    """The heads of an attention in one form; none where the file gives neither heads nor joined weights."""
    if attention.has("heads"):
        return [_head(attention, head, dimensions) for head in attention.heads or []]
    if not any(attention.has(f"w_{letter}") for letter in "qkv"):
        return []
    count = attention.num_heads or 1
    return [_joined(attention, (number, count)) for number in range(count)]


def count_of(attention: Attention) -> int:
    """How many heads there are."""
    return len(attention.heads) if attention.heads is not None else attention.num_heads or 1


def given_rows(attention: Attention) -> tuple[Size, Size]:
    """How many rows ask and are asked, as given numbers say it: rows of q, rows of k, or both sides of the scores."""
    pairs = [
        (matrix.rows if name != "k" and name != "v" else None, _asked(name, matrix))
        for head in attention.heads or []
        for name in ("q", "k", "v", "scores", "weights")
        if (matrix := getattr(head, name)) is not None
    ]
    if attention.output is not None:
        pairs.append((attention.output.rows, None))
    return _first(None, *(n for n, _ in pairs)), _first(None, *(m for _, m in pairs))


def _asked(name: str, matrix: Matrix) -> Size:
    return {"q": None, "k": matrix.rows, "v": matrix.rows}.get(name, matrix.columns)


def _head(attention: Attention, head: Head, dimensions: Dimensions | None) -> HeadPlan:
    query, key, value = (
        Projection(letter, head, getattr(head, letter), getattr(head, f"w_{letter}"), getattr(head, f"b_{letter}"))
        for letter in "qkv"
    )
    scale = head.scale or attention.scale or "sqrt_d_k"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    found = value if head.has("v") or head.has("w_v") else None
    return HeadPlan(head, query, key, found, head.scores, head.weights, scale, head.d_k or d_k, d_v)


def _joined(attention: Attention, share: tuple[int, int]) -> HeadPlan:
    query, key, value = (
        Projection(letter, attention, None, getattr(attention, f"w_{letter}"), getattr(attention, f"b_{letter}"), share)
        for letter in "qkv"
    )
    return HeadPlan(attention, query, key, value, None, None, attention.scale or "sqrt_d_k", None, None)


def norm_plan(norm: Norm | None, options: LayerNorm | None = None, epsilon: float = EPSILON) -> NormPlan:
    """A layer norm: what it does not say itself, `options` say, or the defaults."""
    saying = [section for section in (norm, options) if section is not None]
    variance_in = next((section for section in saying if section.variance is not None), None)
    return NormPlan(
        norm.gamma if norm else None,
        norm.beta if norm else None,
        _first(epsilon, *(section.epsilon for section in saying)),
        variance_in is not None and variance_in.variance == "sample",
        _first("variance", *(section.epsilon_in for section in saying)) == "std",
        variance_in,
    )


def final_norm(stack: StackSpec) -> NormPlan | None:
    """The norm after the last layer: with pre there by default, with post only when given."""
    if stack.final_norm is None and stack.norm_order != "pre":
        return None
    return norm_plan(stack.final_norm, stack.layer_norm)


def _first(default: T, *values: T | None) -> T:
    """The first value that is said, or the default."""
    return next((value for value in values if value is not None), default)
