"""Choices normalised and defaults filled in, in one place: what the walk through the model meets has one form only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from walkthrough.records import Record
from walkthrough.scenario.schema.keys import (
    Attention,
    Dimensions,
    Head,
    HeadNorm,
    LayerNorm,
    Norm,
    ScenarioSpec,
    StackSpec,
)
from walkthrough.scenario.schema.matrices import Matrix, Size
from walkthrough.scenario.schema.positions import Rotary, RotaryScaling, Yarn
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import SquareRoot
from walkthrough.scenario.yaml.nodes import MappingNode, ScalarNode

T = TypeVar("T")

EPSILON = 1e-5
"""PyTorch's default."""
BERT_EPSILON = 1e-12
"""Of a layer norm of the embeddings."""
HEAD_EPSILON = 1e-6
"""Of norms of queries and keys."""


class Share(Record):
    """One head's part of a joined weight or bias: its part of the columns, or of the rows where weights are out×in.

    at:    which of `count` even parts it is, from 0
    heads: what the parts are called in messages: heads or kv_heads
    """

    whole: Matrix
    at: int
    count: int
    heads: str


def whole_of(matrix: Matrix | Share) -> Matrix:
    """The matrix of the file that something is, or is a share of."""
    return matrix.whole if isinstance(matrix, Share) else matrix


class Projection(Record):
    """How a head gets its queries, keys or values: as numbers, or as x·weight + bias.

    letter:  q, k or v
    section: the one with its keys
    """

    letter: str
    section: Head | Attention
    weight: Matrix | Share | None
    bias: Matrix | Share | None

    @property
    def is_numbers(self) -> bool:
        """Whether the file gives it as numbers, be they faulty or not."""
        return isinstance(self.section, Head) and self.section.has(self.letter)


class HeadPlan(Record):
    """One head, whether the file lists it or joins its weights with those of others; no value: only its weights count.

    number: counted from 1
    shared: the number of the first head with the same keys and values; its own where it shares none before it
    scale: sqrt_d_k, none, or what to divide by
    sink: the score of a place without a value, where there is one
    d_k, d_v: where the file says them; d_k is needed for given scores
    """

    section: Head | Attention
    number: int
    shared: int
    query: Projection
    key: Projection
    value: Projection | None
    scale: str | float | SquareRoot
    sink: Matrix | Share | None
    d_k: int | None
    d_v: int | None

    def gives(self, name: str) -> bool:
        """Whether the file gives its scores or weights as numbers, be they faulty or not."""
        return isinstance(self.section, Head) and self.section.has(name)


class NormPlan(Record):
    """One norm.

    name:        which norm it is
    section:     where its gamma and beta are given, if they are
    variance_in: the section that says which variance is taken, if one does
    """

    name: str
    section: Norm | HeadNorm | None
    epsilon: float
    sample: bool = False
    on_std: bool = False
    variance_in: Section | None = None


class RotaryPlan(Record):
    """Rotary positions; `width`: the features of a head that turn, None: all.

    divisor: of the positions; llama3: factor, low and high frequency factor, original context, or None
    yarn:    its section, or None; grown: what rotated features are multiplied by
    """

    section: Rotary
    base: float
    width: int | None
    layout: str
    divisor: float
    llama3: tuple[float, float, float, float] | None
    yarn: Yarn | None
    grown: float


def rotary_plan(rotary: Rotary) -> RotaryPlan:
    """Rotary positions in one form."""
    scaling = rotary.scaling if isinstance(rotary.scaling, RotaryScaling) else None
    width = rotary.dimensions if isinstance(rotary.dimensions, int) else None
    slower = scaling.llama3 if scaling is not None else None
    llama3 = None
    if slower is not None:
        low, high = slower.low_freq_factor, slower.high_freq_factor
        llama3 = slower.factor, low, high, slower.original_max_position_embeddings
    divisor = scaling.linear if scaling is not None else None
    yarn = scaling.yarn if scaling is not None else None
    grown = 1.0 if yarn is None else _attention_factor(yarn)
    return RotaryPlan(rotary, rotary.base, width, rotary.layout, divisor or 1.0, llama3, yarn, grown)


def _attention_factor(yarn: Yarn) -> float:
    """What YaRN multiplies queries and keys by. Peng et al. 2023, eq. 22; mscale: DeepSeek-V2's code."""
    if yarn.attention_factor is not None:
        return yarn.attention_factor

    def grown(scale: float) -> float:
        return 0.1 * scale * math.log(yarn.factor) + 1 if yarn.factor > 1 else 1.0

    if yarn.mscale and yarn.mscale_all_dim:
        return grown(yarn.mscale) / grown(yarn.mscale_all_dim)
    return grown(1.0)


def heads_of(attention: Attention, dimensions: Dimensions | None) -> list[HeadPlan]:
    """The heads of an attention in one form; none where the file gives neither heads nor joined weights."""
    if attention.has("heads"):
        heads = attention.heads or []
        return [_head(attention, number, dimensions) for number in range(1, len(heads) + 1)]
    if not any(attention.has(f"w_{letter}") for letter in "qkv"):
        return []
    return _joined_heads(attention, dimensions)


def is_computed(part: Section) -> bool:
    """Whether anything of a sub-layer is computed: not where its output is given, unless a weight is null."""
    return not part.has("output") or part.leaves_out("output")


def has_way_to_logits(spec: ScenarioSpec) -> bool:
    """Whether anything before the output head is computed: not where it is given logits, unless its weight is null."""
    head = spec.output_head
    return head is None or not head.gives_numbers or head.leaves_out("logits")


def count_of(attention: Attention) -> int:
    """How many heads there are."""
    return len(attention.heads) if attention.heads is not None else attention.num_heads or 1


def kv_count_of(attention: Attention) -> int:
    """How many heads of keys and values joined weights have."""
    return attention.num_kv_heads or count_of(attention)


def source_of(heads: Sequence[Head], number: int) -> int:
    """The number of the head whose keys and values a head has: its own, or another that exists and shares none."""
    named = heads[number - 1].kv
    return named if named is not None and named <= len(heads) and heads[named - 1].kv is None else number


def given_rows(attention: Attention) -> tuple[Size, Size]:
    """How many rows ask and are asked, as given numbers say it: rows of q, rows of k, or both sides of the scores."""
    if attention.heads is None and attention.output is None:
        return None, None
    pairs = [
        (matrix.rows if name != "k" and name != "v" else None, _asked_size(name, matrix))
        for head in attention.heads or []
        for name in ("q", "k", "v", "scores", "weights")
        if (matrix := getattr(head, name)) is not None
    ]
    if attention.output is not None:
        pairs.append((attention.output.rows, None))
    return _first(None, *(n for n, _ in pairs)), _first(None, *(m for _, m in pairs))


def _asked_size(name: str, matrix: Matrix) -> Size:
    return {"q": None, "k": matrix.rows, "v": matrix.rows}.get(name, matrix.columns)


def _head(attention: Attention, number: int, dimensions: Dimensions | None) -> HeadPlan:
    heads = attention.heads or []
    head, sources = heads[number - 1], [source_of(heads, other) for other in range(1, len(heads) + 1)]
    source = sources[number - 1]
    query = _projection("q", head)
    key, value = (_projection(letter, heads[source - 1]) for letter in "kv")
    scale = head.scale or attention.scale or "sqrt_d_k"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    found = value if heads[source - 1].has("v") or heads[source - 1].has("w_v") else None
    shared = sources.index(source) + 1
    sink = head.sink or _of_all(attention.sink, number - 1, len(heads))
    return HeadPlan(head, number, shared, query, key, found, scale, sink, head.d_k or d_k, d_v)


def _projection(letter: str, head: Head) -> Projection:
    return Projection(letter, head, getattr(head, f"w_{letter}"), getattr(head, f"b_{letter}"))


def _joined_heads(attention: Attention, dimensions: Dimensions | None) -> list[HeadPlan]:
    """The heads of joined weights; neighbours share the part of the keys and values that is theirs."""
    count, kv_count = count_of(attention), kv_count_of(attention)
    neighbours, scale = max(count // kv_count, 1), attention.scale or "sqrt_d_k"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    heads = []
    for at in range(count):
        group = min(at // neighbours, kv_count - 1)
        query = _share(attention, "q", at, count, "heads")
        key, value = (
            _share(attention, letter, group, kv_count, "heads" if kv_count == count else "kv_heads") for letter in "kv"
        )
        sink, shared = _of_all(attention.sink, at, count), group * neighbours + 1
        heads.append(HeadPlan(attention, at + 1, shared, query, key, value, scale, sink, d_k, d_v))
    return heads


def _share(attention: Attention, letter: str, at: int, count: int, heads: str) -> Projection:
    matrices = (getattr(attention, f"{part}_{letter}") for part in "wb")
    weight, bias = (_of_all(matrix, at, count, heads) for matrix in matrices)
    return Projection(letter, attention, weight, bias)


def _of_all(matrix: Matrix | None, at: int, count: int, heads: str = "heads") -> Share | None:
    """A head's share of what a matrix has for all of them."""
    return None if matrix is None else Share(matrix, at, count, heads)


def norm_plan(
    norm: Norm | None, options: LayerNorm | None = None, epsilon: float = EPSILON, kind: str = "layer"
) -> NormPlan:
    """A norm: what it does not say itself, `options` say, or the defaults; `kind`: which it is by default."""
    variance, epsilon_in, variance_in = "", "", None
    for section in (options, norm):
        if section is not None:
            epsilon = epsilon if section.epsilon is None else section.epsilon
            epsilon_in = section.epsilon_in or epsilon_in
            if section.variance is not None:
                variance, variance_in = section.variance, section
    name = (norm.norm if norm is not None else None) or kind
    return NormPlan(name, norm, epsilon, variance == "sample", epsilon_in == "std", variance_in)


def embedding_norm_plan(norm: Norm) -> NormPlan:
    """The norm of the summed embeddings: layer norm as BERT has it, where it says nothing else."""
    return norm_plan(norm, epsilon=BERT_EPSILON if norm.norm in (None, "layer") else EPSILON)


def head_norm_plan(norm: HeadNorm) -> NormPlan:
    """The norm of queries or keys."""
    return NormPlan(norm.norm, norm, HEAD_EPSILON if norm.epsilon is None else norm.epsilon)


def rounded_steps(spec: ScenarioSpec) -> list[ScalarNode]:
    """The selectors under rounding.steps, as written in the file."""
    steps = spec.rounding.node.get("steps") if spec.rounding is not None else None
    return [selector for selector, _ in steps.entries] if isinstance(steps, MappingNode) else []


def final_norm(stack: StackSpec) -> NormPlan | None:
    """The norm after the last layer: there by default where the residuals are not normed, else only when given."""
    norm = stack.final_norm
    if isinstance(norm, str) or (norm is None and stack.norm_order in ("post", "none")):
        return None
    return norm_plan(norm, stack.layer_norm, kind=stack.norm)


def _first(default: T, *values: T | None) -> T:
    """The first value that is not None, or the default."""
    return next((value for value in values if value is not None), default)
