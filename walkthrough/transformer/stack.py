"""Stacks of layers: encoder and decoder. Vaswani et al. 2017, §3.1 and figure 1; pre-LN: Xiong et al. 2020."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from walkthrough.operations.matrix import add
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema import Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward, Norm, StackSpec
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.attention import Sources, attend
from walkthrough.transformer.build import Build, token_labels
from walkthrough.transformer.feed_forward import feed_forward
from walkthrough.transformer.norm import layer_norm

ENCODER_OUTPUT = Kind("output", "X_enc", "Encoder output", "What the encoder hands on.")

Part = Callable[[Value | None], Value | None]


class Stream(NamedTuple):
    """A matrix on its way through the layers, and the sequence whose rows it has."""

    x: Value | None
    sequence: TokenSequence

    def labels(self) -> tuple[str, ...]:
        """The row labels."""
        return token_labels(self.sequence) or (self.x.rows if self.x is not None else ())

    def hidden(self) -> tuple[bool, ...]:
        """Which rows are padding."""
        return tuple(word == self.sequence.padding_token for word in self.sequence.words)


def between(queries: Stream, x: Value | None, keys: Stream, y: Value | None) -> Sources:
    """The sources of an attention from the rows of one stream to those of another; x, y: what they hold now."""
    return Sources(x, y, queries.labels(), keys.labels(), keys.hidden())


class Stack(NamedTuple):
    """Records the layers of one stack."""

    build: Build
    recorder: Recorder
    spec: StackSpec

    def encode(self, encoder: Encoder, stream: Stream) -> Value | None:
        """The encoder's output, n×d_model."""
        if encoder.output is not None:
            return self.build.given(
                self.recorder, ENCODER_OUTPUT, encoder.output, rows=token_labels(stream.sequence) or None
            )
        x = stream.x
        for number, layer in enumerate(encoder.layers or [], 1):
            x = self._encoder_layer(self.recorder.under(str(number)), layer, x, stream)
        return self._finished(x)

    def decode(self, decoder: Decoder, stream: Stream, memory: Stream | None) -> Value | None:
        """The decoder's output, n×d_model; `memory` is what the encoder hands on, if there is one."""
        x = stream.x
        for number, layer in enumerate(decoder.layers or [], 1):
            x = self._decoder_layer(self.recorder.under(str(number)), layer, x, stream, memory)
        return self._finished(x)

    def _encoder_layer(self, recorder: Recorder, layer: EncoderLayer, x: Value | None, stream: Stream) -> Value | None:
        if (attention := layer.attention) is not None:

            def attended(y: Value | None) -> Value | None:
                return attend(self.build, recorder.under("attention"), attention, between(stream, y, stream, y))

            x = self._part(recorder, 1, x, attended, layer.norm_1)
        return self._feed_forward(recorder, 2, x, layer.feed_forward, layer.norm_2, stream)

    def _decoder_layer(
        self, recorder: Recorder, layer: DecoderLayer, x: Value | None, stream: Stream, memory: Stream | None
    ) -> Value | None:
        if (attention := layer.attention) is not None:

            def attended(y: Value | None) -> Value | None:
                sources = between(stream, y, stream, y)
                return attend(self.build, recorder.under("self_attention"), attention, sources, causal=True)

            x = self._part(recorder, 1, x, attended, layer.norm_1)
        if (cross := layer.cross_attention) is None or memory is None:
            return self._feed_forward(recorder, 2, x, layer.feed_forward, layer.norm_2, stream)

        def crossed(y: Value | None) -> Value | None:
            return attend(self.build, recorder.under("cross_attention"), cross, between(stream, y, memory, memory.x))

        x = self._part(recorder, 2, x, crossed, layer.norm_2)
        return self._feed_forward(recorder, 3, x, layer.feed_forward, layer.norm_3, stream)

    def _feed_forward(
        self,
        recorder: Recorder,
        number: int,
        x: Value | None,
        part: FeedForward | None,
        norm: Norm | None,
        stream: Stream,
    ) -> Value | None:
        if part is None or x is None:
            return x

        def fed(y: Value | None) -> Value | None:
            return (
                None
                if y is None
                else feed_forward(self.build, recorder.under("feed_forward"), part, y, stream.labels())
            )

        return self._part(recorder, number, x, fed, norm)

    def _part(self, recorder: Recorder, number: int, x: Value | None, part: Part, norm: Norm | None) -> Value | None:
        """A sub-layer with its residual and norm: norm(x + part(x)), or x + part(norm(x))."""
        order = self.spec.norm_order
        name = f"norm_{number}"
        y = part(self._norm(recorder, name, x, norm) if order == "pre" and x is not None else x)
        if y is None:
            return None
        y = self.build.drop(recorder, f"dropout_{number}", y)
        if self.spec.residual and x is not None:
            y = recorder.record(_residual(number), add, x, y)
        return self._norm(recorder, name, y, norm) if order == "post" else y

    def _norm(self, recorder: Recorder, name: str, x: Value, norm: Norm | None) -> Value:
        return layer_norm(self.build, recorder.under(name), x, norm, self.spec.layer_norm)

    def _finished(self, x: Value | None) -> Value | None:
        """The final norm: with pre there by default, with post only when given."""
        if x is None:
            return None
        if self.spec.final_norm is not None or self.spec.norm_order == "pre":
            x = self._norm(self.recorder, "final_norm", x, self.spec.final_norm)
        return self.recorder.alias("output", x)


_RESIDUALS = {
    number: Kind(
        f"residual_{number}", f"R_{number}", "Residual", "The part's input added to its output: nothing is lost."
    )
    for number in (1, 2, 3)
}


def _residual(number: int) -> Kind:
    return _RESIDUALS[number]
