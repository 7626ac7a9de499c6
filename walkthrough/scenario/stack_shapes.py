"""Checks a stack of layers: every part fits the stream it reads, and the residual fits what the part makes of it."""

from __future__ import annotations

from typing import NamedTuple

from walkthrough.scenario.attention_shapes import AttentionCheck, PartOutput, given_output
from walkthrough.scenario.matrices import Size
from walkthrough.scenario.schema import Attention, Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward, Norm
from walkthrough.scenario.sequence_shapes import Stream
from walkthrough.scenario.shapes import Axis, Shapes


class StackCheck(NamedTuple):
    """Checks one stack; what is wrong goes to the problems of `shapes`."""

    stack: Encoder | Decoder
    shapes: Shapes

    def encode(self, encoder: Encoder, stream: Stream) -> Stream:
        """The encoder's output."""
        if encoder.output is not None:
            if encoder.has("layers"):
                message = "both layers and output are given: the output stands instead of layers"
                self.shapes.problems.add(encoder.output, message, key=encoder.output.path)
            d_model = Axis("d_model", self.shapes.dimensions.d_model)
            rows, width = self.shapes.matrix(encoder.output, Axis("n", stream.rows), d_model)
            return stream._replace(rows=rows, width=width)
        if not encoder.has("layers") and not encoder.has("output"):
            self.shapes.missing(encoder, "layers", "a list of layers")
        for layer in encoder.layers or []:
            stream = self._encoder_layer(layer, stream)
        return self._finished(stream)

    def decode(self, decoder: Decoder, stream: Stream, memory: Stream | None) -> Stream:
        """The decoder's output; `memory` is what the encoder hands on, None where there is no encoder."""
        for layer in decoder.layers or []:
            stream = self._decoder_layer(layer, stream, memory)
        return self._finished(stream)

    def _encoder_layer(self, layer: EncoderLayer, stream: Stream) -> Stream:
        stream = self._attention(layer.attention, layer.norm_1, stream, stream)
        return self._feed_forward(layer.feed_forward, layer.norm_2, stream)

    def _decoder_layer(self, layer: DecoderLayer, stream: Stream, memory: Stream | None) -> Stream:
        stream = self._attention(layer.attention, layer.norm_1, stream, stream, causal=True)
        cross = layer.cross_attention
        if cross is None and not layer.has("cross_attention"):
            return self._feed_forward(layer.feed_forward, layer.norm_2, stream)
        if cross is not None and memory is None:
            self.shapes.problems.add(cross, "cross_attention needs an encoder beside the decoder", key=cross.path)
            stream = stream._replace(width=None)
        elif cross is not None and memory is not None and memory.ended:
            message = "cross_attention has no keys: the encoder ends with an attention without values (w_v or v)"
            self.shapes.problems.add(cross, message, key=cross.path)
        elif memory is not None:
            stream = self._attention(cross, layer.norm_2, stream, memory)
        return self._feed_forward(layer.feed_forward, layer.norm_3, stream)

    def _attention(
        self, attention: Attention | None, norm: Norm | None, stream: Stream, keys: Stream, causal: bool = False
    ) -> Stream:
        if attention is None:
            return stream
        output = AttentionCheck(attention, self.shapes, stream, keys, causal).check()
        return self._after(attention, output, norm, stream)

    def _feed_forward(self, part: FeedForward | None, norm: Norm | None, stream: Stream) -> Stream:
        if part is None:
            return stream
        if part.output is not None:
            _, width = self.shapes.matrix(part.output, Axis("n", stream.rows), Axis("d_model"))
            return self._after(part, given_output(part.output, width, stream), norm, stream)
        for name in ("w_1", "w_2"):
            if not part.has(name) and not part.has("output"):
                self.shapes.missing(part, name, "d_model×d_ff" if name == "w_1" else "d_ff×d_model")
        inner = self._inner_width(part)
        _, inner = self.shapes.weight(part.w_1, Axis("d_model", stream.width), Axis("d_ff", inner))
        self.shapes.vector(part.b_1, Axis("d_ff", inner))
        made = part.w_2 is not None and part.w_2.init is not None
        d_model = Axis("d_model", stream.width if made else None, likely=stream.width)
        _, width = self.shapes.weight(part.w_2, Axis("d_ff", inner), d_model)
        self.shapes.vector(part.b_2, Axis("d_model", width))
        if inner is not None and stream.rows is not None:
            self.shapes.reserve(inner * stream.rows, part, part.path)
        remedy = f"give a w_2 that is d_ff×d_model = {inner or 'd_ff'}×{stream.width}"
        node = part.w_2 or part
        return self._after(part, PartOutput(node, node.path, width, remedy), norm, stream)

    def _inner_width(self, part: FeedForward) -> Size:
        """d_ff, from whatever tells it first."""
        shapes = self.shapes
        told = shapes.dimensions.d_ff or shapes.outward(part.w_1) or shapes.columns(part.b_1)
        return told or shapes.inward(part.w_2)

    def _after(self, part: Attention | FeedForward, output: PartOutput, norm: Norm | None, stream: Stream) -> Stream:
        """What follows a part: the residual, which needs equal widths, and the norm."""
        if stream.ended:
            message = "nothing can follow an attention without values: a head before this has neither w_v nor v"
            self.shapes.problems.add(part, message, key=part.path)
        if output.ended or stream.ended:
            return stream._replace(width=None, ended=output.ended)
        width = self._added(output, stream) if self.stack.residual else output.width
        if norm is not None or self.stack.norm_order != "none":
            self.shapes.norm(norm, self.stack.layer_norm, stream.width if self.stack.norm_order == "pre" else width)
        return stream._replace(width=width)

    def _added(self, output: PartOutput, stream: Stream) -> Size:
        """The width of input and output added; where the output is at fault already, nothing more is said of it."""
        if None in (stream.width, output.width):
            return stream.width or output.width
        if stream.width != output.width and output.node not in self.shapes.problems:
            message = f"the residual adds an output of width {output.width} to an input of width {stream.width}: "
            message += "they must be equal"
            help = f"{output.remedy}, or set residual: false"
            self.shapes.problems.add(output.node, message, key=output.path, help=help)
        return stream.width

    def _finished(self, stream: Stream) -> Stream:
        """The final norm: with pre there by default, with post only when given."""
        stack = self.stack
        if not stream.ended and (stack.final_norm is not None or stack.norm_order == "pre"):
            self.shapes.norm(stack.final_norm, stack.layer_norm, stream.width)
        return stream
