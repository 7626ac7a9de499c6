"""Choices normalised and defaults filled in, in one place: what the walk through the model meets has one form only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from walkthrough.records import Record
from walkthrough.scenario.schema.keys import (
    Attention,
    Dimensions,
    Head,
    HeadNorm,
    LayerNorm,
    LinearAttention,
    Norm,
    ScenarioSpec,
    StackSpec,
)
from walkthrough.scenario.schema.latent import Latent, LatentNorm
from walkthrough.scenario.schema.matrices import Matrix, Size
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import SquareRoot
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.nodes import MappingNode, ScalarNode

EPSILON = 1e-5
"""PyTorch's default."""
BERT_EPSILON = 1e-12
"""Of a layer norm of the embeddings."""
HEAD_EPSILON = 1e-6
"""Of norms of queries and keys."""


class HeadSlice(Record):
    """What a head takes of a joined weight or bias: some of its columns, or of its rows where weights are out×in.

    at:    which of `count` slices of one width it is, from 0
    heads: what they are called in messages: heads or kv_heads
    """

    at: int
    count: int
    heads: str


class Projection(Record):
    """How a head gets its queries, keys, values or gate: as numbers, or as x·weight + bias.

    letter:  q, k, v or gate
    section: the one with its keys
    slice:   what the head takes of weight and bias, where they are joined
    key:     what the names of weight and bias end with; as the letter, where it is no other
    """

    letter: str
    section: Head | Attention | Latent | LinearAttention
    slice: HeadSlice | None = None
    key: str = ""

    @property
    def name(self) -> str:
        """What the names of weight and bias end with: w_q, or in latent attention w_uq."""
        return self.key or self.letter

    @property
    def width(self) -> str:
        """What its columns are: d_k, or d_v."""
        return "d_k" if self.letter in ("q", "k") else "d_v"

    @property
    def weight(self) -> Matrix | None:
        """The weight of the file."""
        matrix: Matrix | None = getattr(self.section, f"w_{self.name}")
        return matrix

    @property
    def is_numbers(self) -> bool:
        """Whether the file gives it as numbers, be they faulty or not."""
        return isinstance(self.section, Head) and self.section.has(self.letter)


class HeadPlan(Record):
    """One head, whether the file lists it or joins its weights with those of others; no value: only its weights count.

    number: counted from 1
    kv_group: the number of the first head with the same keys and values; its own where no head before it has them
    scale: sqrt_d_k, none, or what to divide by
    sink: the score of a place without a value, where there is one; sink_slice: what is the head's of one for all
    d_k, d_v: where the file says them; d_k is needed for given scores
    """

    section: Head | Attention
    number: int
    kv_group: int
    query: Projection
    key: Projection
    value: Projection | None
    scale: str | float | SquareRoot
    sink: Matrix | None
    sink_slice: HeadSlice | None
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
    section: Norm | HeadNorm | LatentNorm | None
    epsilon: float
    sample: bool = False
    on_std: bool = False
    variance_in: Section | None = None


def heads_of(attention: Attention, dimensions: Dimensions | None) -> list[HeadPlan]:
    """The heads of an attention in one form; none where the file gives neither heads nor joined weights."""
    if attention.has("heads"):
        heads = attention.heads or []
        return [_head(attention, number, dimensions) for number in range(1, len(heads) + 1)]
    if attention.latent is None and not any(attention.has(f"w_{letter}") for letter in "qkv"):
        return []
    return _joined_heads(attention, dimensions)


def is_computed(part: Section) -> bool:
    """Whether anything of a sub-layer is computed: not where its output is given, unless a weight is null."""
    return not part.has("output") or part.leaves_out("output")


def has_way_to_logits(spec: ScenarioSpec) -> bool:
    """Whether anything before the output head is computed: not where it is given logits, unless its weight is null."""
    head = spec.output_head
    return head is None or not head.gives_numbers or head.leaves_out("logits")


def is_read(spec: ScenarioSpec, sequence: TokenSequence) -> bool:
    """Whether anything is computed from the embeddings of a sequence: a head given by its scores does not use them."""
    if sequence.owner is spec.decoder:
        return True
    if spec.has("tokenizer") and not any(map(spec.has, ("encoder", "decoder", "attention", "output_head"))):
        return False
    if spec.encoder is not None:
        return not spec.encoder.has("output")
    if spec.has("encoder"):
        return False
    return spec.attention is None or _reads_input(spec.attention)


def _reads_input(attention: Attention) -> bool:
    if not is_computed(attention):
        return False
    if attention.heads is None:
        return not attention.has("heads")
    return any(head.has(weight) for head in attention.heads for weight in ("w_q", "w_k", "w_v"))


def count_of(attention: Attention) -> int:
    """How many heads there are."""
    return len(attention.heads) if attention.heads is not None else attention.num_heads or 1


def source_of(heads: Sequence[Head], number: int) -> int:
    """The number of the head whose keys and values a head has: its own, or another that exists and shares none."""
    named = heads[number - 1].kv
    return named if named is not None and named <= len(heads) and heads[named - 1].kv is None else number


def given_rows(attention: Attention) -> tuple[Size, Size]:
    """How many rows queries and keys have, as given numbers say it: of q, of k and v, both sides of the scores."""
    queries: list[Size] = []
    keys: list[Size] = []
    for head in attention.heads or []:
        queries += [matrix.rows for matrix in (head.q, head.scores, head.weights) if matrix is not None]
        keys += [matrix.rows for matrix in (head.k, head.v) if matrix is not None]
        keys += [matrix.columns for matrix in (head.scores, head.weights) if matrix is not None]
    if attention.output is not None:
        queries.append(attention.output.rows)
    return _first(queries), _first(keys)


def _first(sizes: Iterable[Size]) -> Size:
    """The first that is known."""
    return next((size for size in sizes if size is not None), None)


def _head(attention: Attention, number: int, dimensions: Dimensions | None) -> HeadPlan:
    heads = attention.heads or []
    head, sources = heads[number - 1], [source_of(heads, other) for other in range(1, len(heads) + 1)]
    source = sources[number - 1]
    query = Projection("q", head)
    key, value = (Projection(letter, heads[source - 1]) for letter in "kv")
    scale = head.scale or attention.scale or "sqrt_d_k"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    found = value if heads[source - 1].has("v") or heads[source - 1].has("w_v") else None
    kv_group = sources.index(source) + 1
    sink, sink_slice = head.sink, None
    if sink is None:
        sink, sink_slice = attention.sink, HeadSlice(number - 1, len(heads), "heads")
    return HeadPlan(head, number, kv_group, query, key, found, scale, sink, sink_slice, head.d_k or d_k, d_v)


def _joined_heads(attention: Attention, dimensions: Dimensions | None) -> list[HeadPlan]:
    """The heads of joined weights; neighbours share the part of the keys and values that is theirs."""
    count = count_of(attention)
    kv_count = attention.num_kv_heads or count
    neighbours, scale = max(count // kv_count, 1), attention.scale or "sqrt_d_k"
    d_k, d_v = (dimensions.d_k, dimensions.d_v) if dimensions else (None, None)
    latent = attention.latent
    section = attention if latent is None else latent
    heads = []
    for at in range(count):
        group = min(at // neighbours, kv_count - 1)
        own = HeadSlice(at, count, "heads")
        of_group = HeadSlice(group, kv_count, "heads" if kv_count == count else "kv_heads")
        query, key, value = (
            Projection(letter, section, own if letter == "q" else of_group, f"u{letter}" if section is latent else "")
            for letter in "qkv"
        )
        kv_group, sink = group * neighbours + 1, attention.sink
        heads.append(HeadPlan(attention, at + 1, kv_group, query, key, value, scale, sink, own, d_k, d_v))
    return heads


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
