"""Stacks of layers: encoder and decoder. Vaswani et al. 2017, §3.1 and figure 1; pre-LN: Xiong et al. 2020."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from walkthrough.operations.matrix import add
from walkthrough.operations.scaling import scale_by
from walkthrough.recording.values import Kind, Value
from walkthrough.records import NONE, Record
from walkthrough.scenario.resolved import final_norm, norm_plan
from walkthrough.scenario.schema.feed_forward import FeedForward
from walkthrough.scenario.schema.keys import (
    Attention,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    LinearAttention,
    Norm,
    StackSpec,
)
from walkthrough.transformer.model.attention.attention import attend
from walkthrough.transformer.model.attention.relative_bias import record_relative_bias
from walkthrough.transformer.model.delta_rule import attend_linearly
from walkthrough.transformer.model.feed_forward import feed_forward
from walkthrough.transformer.model.norms import check_keys, record_norm
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

ENCODER_OUTPUT = Kind("output", "X_enc", "Encoder output", words="encoder.output")
RESIDUALS = {number: Kind(f"residual_{number}", f"R_{number}", "Residual", words="residual") for number in (1, 2, 3)}
SCALED_BRANCHES = {
    number: Kind(f"scaled_branch_{number}", f"B_{number}", "Scaled branch", words="scaled_branch")
    for number in (1, 2, 3)
}
BOTH = RESIDUALS[2]._replace(words="residual.parallel")
NORM_PLACEMENT = {
    "post": ("", "", "norm"),
    "pre": ("norm", "", ""),
    "none": ("", "", ""),
    "branch": ("", "branch_norm", ""),
    "sandwich": ("norm", "branch_norm", ""),
}
"""By norm_order the norm before a part, after it, and after the residual: z = last(x + after(part(before(x))))."""


class _Branch(Record, eq=False):
    """One part of a layer with its residual and norms.

    stack:   the section of the stack; s: the place of the layer
    section: that of the part; name: its name in paths; number: of its residual and norms
    memory:  of a cross-attention what the encoder passes on
    biases:  of a self-attention what is added to the scores of each head, by its number
    """

    stack: StackSpec
    s: Scope
    section: Attention | LinearAttention | FeedForward
    name: str
    number: int
    memory: Stream | None = None
    biases: Mapping[int, Value] = NONE

    def run(self, stream: Stream) -> Stream:
        """z = last(x + after(part(before(x)))), with the norms where `NORM_PLACEMENT` puts them."""
        x = stream.x
        if self.s.calculation.is_checking and not self.can_follow(stream):
            return stream
        y = self.output(self.read(stream))
        if y is None:
            return stream._replace(x=None, ended=True)
        if self.stack.residual and x is not None:
            y = self.s.record(RESIDUALS[self.number], add, x, self.as_wide(x, y))
        return stream._replace(x=self._norm(2, y))

    def read(self, stream: Stream) -> Stream:
        """What the part reads: before(x)."""
        return stream if stream.x is None else stream._replace(x=self._norm(0, stream.x))

    def output(self, stream: Stream) -> Value | None:
        """What the residual adds: after(part(…)); None where the part has no output."""
        y = self._part(self.s.under(self.name, self.section), stream)
        return None if y is None else self.s.drop(f"dropout_{self.number}", self._scaled(self._norm(1, y)))

    def _part(self, s: Scope, stream: Stream) -> Value | None:
        """What the part makes of a stream, n×d_model; None where it has no output."""
        if self.name == "feed_forward":
            return feed_forward(s, stream)
        if self.name == "linear_attention":
            return attend_linearly(s, stream)
        return attend(s, stream, self.memory or stream, self.name == "self_attention", self.biases)

    def _scaled(self, y: Value) -> Value:
        """What is added, times residual_scale where there is one. Yang et al. 2024, Tensor Programs VI."""
        scale = self.stack.residual_scale
        if scale is None or not self.stack.residual:
            return y
        return self.s.record(SCALED_BRANCHES[self.number], scale_by, y, settings={"factor": scale})

    def _norm(self, place: int, x: Value) -> Value:
        """The norm before the part (0), after it (1) or after the residual (2); x itself where there is none."""
        name = NORM_PLACEMENT[self.stack.norm_order][place]
        if not name:
            return x
        name = f"{name}_{self.number}"
        norm: Norm | None = getattr(self.s.section, name)
        return record_norm(self.s.under(name), x, norm_plan(norm, self.stack.layer_norm, kind=self.stack.norm))

    def as_wide(self, x: Value, y: Value) -> Value:
        """The output of the part; over shapes one of another width than x is reported, and taken to be as wide."""
        if not self.s.calculation.is_checking:
            return y
        wide, made = x.axes[1], y.axes[1]
        if None in (wide.size, made.size) or wide.size == made.size:
            return y
        self.s.claims.disagree(self.section, x, y)
        return Value(y.path, y.kind, None, axes=(y.axes[0], wide))

    def can_follow(self, stream: Stream) -> bool:
        """Whether it has something to read, rows before it and keys where it attends to a memory; reported if not."""
        message = ""
        if stream.ended:
            message = "nothing can follow an attention without values: a head before this has neither w_v nor v"
        elif self.name == "cross_attention" and self.memory is None:
            message = "cross_attention needs an encoder"
        elif self.memory is not None and self.memory.ended:
            message = "cross_attention has no keys: the encoder ends with an attention without values (w_v or v)"
        if message:
            self.s.problems.add(self.section, message)
        return not message


def run_stack(s: Scope, stream: Stream, memory: Stream | None = None) -> Stream:
    """The layers of an encoder or decoder one after the other, n×d_model; at last the final norm, where there is one.

    memory: what the encoder passes on to a decoder, if there is one
    """
    s.check(check_stack)
    if isinstance(s.section, Encoder) and s.has("output"):
        output = s.given(ENCODER_OUTPUT, s.section.output, stream.n, s.calculation.stated_axis("d_model"))
        return stream._replace(x=output)
    layers = s.section.layers or []
    attentions = [layer.attention for layer in layers if layer.attention is not None]
    s.check(check_places_of_bias, attentions)
    biases = record_relative_bias(s, stream, attentions, is_causal=isinstance(s.section, Decoder))
    for number, layer in enumerate(layers, 1):
        s.recorder.trace.layer = (number, len(layers))
        under = s.under(str(number), layer)
        parts = [*_parts(under, s.section, memory, biases)]
        if s.section.parallel and len(parts) > 1:
            stream = _run_parallel(under, parts, stream, is_shared=s.section.parallel == "shared")
        else:
            for part in parts:
                stream = part.run(stream)
    return _finish(s, stream)


def _parts(s: Scope, stack: StackSpec, memory: Stream | None, biases: Mapping[int, Value]) -> Iterator[_Branch]:
    """The parts of a layer in order; a part that is left out leaves its residual and norms out too."""
    layer: EncoderLayer = s.section
    has_cross = isinstance(layer, DecoderLayer) and layer.has("cross_attention")
    if layer.attention is not None:
        name = "self_attention" if isinstance(layer, DecoderLayer) else "attention"
        yield _Branch(stack, s, layer.attention, name, 1, biases=biases)
    if layer.linear_attention is not None:
        yield _Branch(stack, s, layer.linear_attention, "linear_attention", 1)
    if isinstance(layer, DecoderLayer) and layer.cross_attention is not None:
        yield _Branch(stack, s, layer.cross_attention, "cross_attention", 2, memory)
    if layer.feed_forward is not None:
        yield _Branch(stack, s, layer.feed_forward, "feed_forward", 3 if has_cross else 2)


def _run_parallel(s: Scope, parts: list[_Branch], stream: Stream, is_shared: bool) -> Stream:
    """z = x + Σ after(part(before(x))): all parts read the same; shared: through the norm of the first.

    Black et al. 2022 (GPT-NeoX), §2.1; shared: Wang and Komatsuzaki 2021 (GPT-J).
    """
    if s.calculation.is_checking and not all(one.can_follow(stream) for one in parts):
        return stream
    common = parts[0].read(stream) if is_shared else None
    made = [one.output(common or one.read(stream)) for one in parts]
    outputs = [y for y in made if y is not None]
    if len(outputs) < len(made):
        return stream._replace(x=None, ended=True)
    x = stream.x
    assert x is not None
    wide = [one.as_wide(x, y) for one, y in zip(parts, outputs, strict=True)]
    return stream._replace(x=s.record(BOTH, add, x, *wide))


def _finish(s: Scope, stream: Stream) -> Stream:
    """With the final norm, where there is one."""
    plan, x = final_norm(s.section), stream.x
    if x is None:
        return stream
    if plan is not None:
        x = record_norm(s.under("final_norm"), x, plan)
    return stream._replace(x=s.alias(ENCODER_OUTPUT, x))


def check_stack(s: Scope) -> None:
    """The keys of a stack and of its layers fit together."""
    stack: StackSpec = s.section
    if isinstance(stack, Encoder) and not (stack.has("layers") or stack.has("output")):
        s.problems.missing(stack, "layers", "a list of layers")
    layers: list[Any] = getattr(stack, "layers", None) or []
    for layer in layers:
        _check_layer(s, stack, layer)
    check_keys(s, stack.layer_norm, stack.norm)


def check_places_of_bias(s: Scope, attentions: list[Attention]) -> None:
    """Relative positions are those of the whole stack, if there is a self-attention."""
    for attention in attentions:
        if attention.relative_bias is not None:
            message = "relative_bias belongs to the stack: one table for the self-attentions of all its layers"
            s.problems.add(attention.relative_bias, message, help="move it beside layers")
    if s.section.relative_bias is not None and not attentions:
        s.problems.idle(s.section, "relative_bias", "no layer has a self-attention")


def _check_layer(s: Scope, stack: StackSpec, layer: EncoderLayer) -> None:
    """Norms belong to parts, and are where the order of the stack puts them."""
    places = NORM_PLACEMENT[stack.norm_order]
    has_cross = isinstance(layer, DecoderLayer) and layer.has("cross_attention")
    first = "linear_attention" if layer.has("linear_attention") else "attention"
    parts = {1: first, 2: "cross_attention" if has_cross else "feed_forward"}
    if isinstance(layer, DecoderLayer):
        parts[3] = "feed_forward" if has_cross else "cross_attention"
    for number, part in parts.items():
        for norm in ("norm", "branch_norm"):
            if getattr(layer, f"{norm}_{number}") is None:
                continue
            if not layer.has(part):
                s.problems.idle(layer, f"{norm}_{number}", f"the layer has no {part}")
            elif norm == "norm" and number == 2 and stack.parallel == "shared" and layer.has(first):
                s.problems.idle(layer, "norm_2", "with parallel: shared both parts read norm_1's output")
            elif norm not in places:
                left_out = "leaves out all layer norms" if not any(places) else f"has no {norm}_{number}"
                s.problems.idle(layer, f"{norm}_{number}", f"norm_order: {stack.norm_order} {left_out}")
    if not any(layer.has(name) for name in ("attention", "linear_attention", "feed_forward")) and not has_cross:
        help = "give it an attention or a feed_forward, or remove it"
        s.problems.warn(layer, "the layer is empty: it changes nothing", help=help)
