"""Walks a scenario in the order of the calculation and checks that its parts fit: every width follows from the last."""

from __future__ import annotations

from dataclasses import dataclass

from walkthrough.scenario.attention_shapes import AttentionCheck
from walkthrough.scenario.matrices import Size
from walkthrough.scenario.schema import (
    Decoder,
    DecoderLayer,
    Dimensions,
    Encoder,
    EncoderLayer,
    FeedForward,
    LayerNorm,
    Norm,
    ScenarioKeys,
    StackKeys,
)
from walkthrough.scenario.sequence_shapes import check_head, check_sequence
from walkthrough.scenario.sequences import Sequence, decoder_sequence, sequence_of
from walkthrough.scenario.shapes import Axis, Shapes


@dataclass
class Stream:
    """The matrix that flows through the layers: how many rows, how wide; None where a fault makes it unknown."""

    rows: Size
    width: Size
    ended: bool = False


class Architecture:
    """Checks one scenario; what is wrong goes to the problems of `shapes`."""

    def __init__(self, keys: ScenarioKeys, shapes: Shapes) -> None:
        self.keys = keys
        self.shapes = shapes
        self.problems = shapes.problems
        self.dimensions = keys.dimensions or Dimensions(node=keys.node, path="")

    def check(self) -> None:
        """All parts, in the order of the calculation."""
        keys = self.keys
        self._top_level(keys)
        first = sequence_of(keys)
        if keys.decoder is not None and keys.encoder is None:
            first = decoder_sequence(keys, keys.decoder)
        needs_input = self._needs_input(keys)
        stream = Stream(*check_sequence(first, self.shapes, self.dimensions, needed=needs_input))
        sequence = first
        if keys.encoder is not None:
            stream = self._encoder(keys.encoder, stream, first)
        if keys.attention is not None:
            stream = self._alone(stream, first)
        if keys.decoder is not None:
            memory, memory_sequence = (stream, first) if keys.encoder is not None else (None, None)
            if memory is not None:
                sequence = decoder_sequence(keys, keys.decoder)
                stream = Stream(*check_sequence(sequence, self.shapes, self.dimensions, needed=True))
            stream = self._decoder(keys.decoder, stream, sequence, memory, memory_sequence)
        check_head(keys, sequence, stream.width, stream.ended, self.shapes)

    def _top_level(self, keys: ScenarioKeys) -> None:
        if keys.attention is not None and (keys.encoder is not None or keys.decoder is not None):
            message = "attention stands instead of encoder and decoder, not beside them"
            self.problems.add(keys.attention.node, message, key="attention")
        if keys.text is not None and keys.tokens is not None:
            self.problems.add(
                keys.tokens.nodes[0], "both text and tokens are given", key="tokens", help="keep one of them"
            )

    def _needs_input(self, keys: ScenarioKeys) -> bool:
        """Whether anything is computed from the embeddings: a head given by its scores has no use for them."""
        if keys.encoder is not None:
            return keys.encoder.output is None
        if keys.attention is None or keys.attention.output is not None:
            return keys.attention is None
        heads = keys.attention.heads
        if heads is None:
            return True
        return any(head.has(weight) for head in heads for weight in ("w_q", "w_k", "w_v"))

    def _alone(self, stream: Stream, sequence: Sequence) -> Stream:
        """One attention without residual or norm around it."""
        assert self.keys.attention is not None
        attention = AttentionCheck(self.keys.attention, self.shapes, self.dimensions)
        width = attention.check(stream.rows, stream.width, stream.rows, stream.width, sequence, sequence)
        return Stream(stream.rows, width, attention.ends)

    def _encoder(self, encoder: Encoder, stream: Stream, sequence: Sequence) -> Stream:
        if encoder.output is not None:
            rows = Axis("n", stream.rows)
            return Stream(*self.shapes.matrix(encoder.output, rows, Axis("d_model", self.dimensions.d_model)))
        if encoder.layers is None and not encoder.has("layers"):
            self.problems.add(encoder.node, "layers is missing: a list of layers", key=f"{encoder.path}.layers")
        for layer in encoder.layers or []:
            stream = self._encoder_layer(layer, encoder, stream, sequence)
        self._final_norm(encoder, stream)
        return stream

    def _encoder_layer(self, layer: EncoderLayer, stack: StackKeys, stream: Stream, sequence: Sequence) -> Stream:
        if layer.attention is not None:
            attention = AttentionCheck(layer.attention, self.shapes, self.dimensions)
            width = attention.check(stream.rows, stream.width, stream.rows, stream.width, sequence, sequence)
            stream = self._part(stack, stream, width, layer.norm_1, layer.attention.path, attention.ends)
        return self._feed_forward(layer.feed_forward, stack, stream, layer.norm_2)

    def _decoder(
        self,
        decoder: Decoder,
        stream: Stream,
        sequence: Sequence,
        memory: Stream | None,
        memory_sequence: Sequence | None,
    ) -> Stream:
        for layer in decoder.layers or []:
            stream = self._decoder_layer(layer, decoder, stream, sequence, memory, memory_sequence)
        self._final_norm(decoder, stream)
        return stream

    def _decoder_layer(
        self,
        layer: DecoderLayer,
        stack: StackKeys,
        stream: Stream,
        sequence: Sequence,
        memory: Stream | None,
        memory_sequence: Sequence | None,
    ) -> Stream:
        norms = [layer.norm_1, layer.norm_2, layer.norm_3]
        if layer.attention is not None:
            attention = AttentionCheck(layer.attention, self.shapes, self.dimensions, causal=True)
            width = attention.check(stream.rows, stream.width, stream.rows, stream.width, sequence, sequence)
            stream = self._part(stack, stream, width, norms[0], layer.attention.path, attention.ends)
        if layer.cross_attention is not None:
            if memory is None or memory_sequence is None:
                message = "cross_attention needs an encoder beside the decoder"
                self.problems.add(layer.cross_attention.node, message, key=layer.cross_attention.path)
                return Stream(stream.rows, None)
            attention = AttentionCheck(layer.cross_attention, self.shapes, self.dimensions)
            width = attention.check(stream.rows, stream.width, memory.rows, memory.width, sequence, memory_sequence)
            stream = self._part(stack, stream, width, norms[1], layer.cross_attention.path, attention.ends)
        return self._feed_forward(
            layer.feed_forward, stack, stream, norms[2 if layer.cross_attention is not None else 1]
        )

    def _feed_forward(self, part: FeedForward | None, stack: StackKeys, stream: Stream, norm: Norm | None) -> Stream:
        if part is None:
            return stream
        if part.output is not None:
            _, width = self.shapes.matrix(part.output, Axis("n", stream.rows), Axis("d_model"))
            return self._part(stack, stream, width, norm, part.path, False)
        for name in ("w_1", "w_2"):
            if not part.has(name):
                self.problems.add(part.node, f"{name} is missing", key=f"{part.path}.{name}")
        inner = self.dimensions.d_ff or self.shapes.outward(part.w_1) or self.shapes.columns(part.b_1)
        if inner is None and part.w_2 is not None and part.w_2.init is None:
            self.shapes.resolve(part.w_2)
            inner = part.w_2.columns if self.shapes.out_in else part.w_2.rows
        _, inner = self.shapes.weight(part.w_1, Axis("d_model", stream.width), Axis("d_ff", inner))
        self.shapes.vector(part.b_1, Axis("d_ff", inner))
        wanted = stream.width if stack.residual or (part.w_2 is not None and part.w_2.init is not None) else None
        _, width = self.shapes.weight(part.w_2, Axis("d_ff", inner), Axis("d_model", wanted))
        self.shapes.vector(part.b_2, Axis("d_model", width))
        return self._part(stack, stream, width, norm, part.path, False)

    def _part(self, stack: StackKeys, stream: Stream, width: Size, norm: Norm | None, path: str, ends: bool) -> Stream:
        """What follows a sub-layer: the residual, which needs equal widths, and the norm."""
        if stream.ended:
            self._after_the_end(stack, path)
        if ends:
            return Stream(stream.rows, None, ended=True)
        if stack.residual and None not in (stream.width, width) and stream.width != width:
            message = (
                f"the residual adds the part's output of width {width} to its input of width {stream.width}: "
                "their widths must be equal"
            )
            help = "give a w_o (or w_2) that leads back to d_model, or residual: false"
            self.problems.add(stack.node, message, key=path, help=help)
            return Stream(stream.rows, None)
        if norm is not None or stack.norm_order != "none":
            self._norm(norm, stack.layer_norm, stream.width if stack.norm_order == "pre" else width)
        return Stream(stream.rows, width)

    def _after_the_end(self, stack: StackKeys, path: str) -> None:
        message = "nothing can follow an attention without values: a head before this part has neither w_v nor v"
        self.problems.add(stack.node, message, key=path)

    def _norm(self, norm: Norm | None, options: LayerNorm | None, width: Size) -> None:
        axis = Axis("d_model", width)
        if norm is not None:
            self.shapes.vector(norm.gamma, axis)
            self.shapes.vector(norm.beta, axis)
        sample = (norm and norm.variance) or (options and options.variance)
        if sample == "sample" and width == 1:
            node = norm.node if norm is not None else options.node if options is not None else self.keys.node
            self.problems.add(node, "the sample variance needs at least two features, the vectors have one")

    def _final_norm(self, stack: Encoder | Decoder, stream: Stream) -> None:
        if stack.final_norm is not None and not stream.ended:
            self._norm(stack.final_norm, stack.layer_norm, stream.width)
