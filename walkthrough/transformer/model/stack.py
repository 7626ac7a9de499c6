"""Stacks of layers: encoder and decoder. Vaswani et al. 2017, §3.1 and figure 1; pre-LN: Xiong et al. 2020."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from walkthrough.operations.matrix import add
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import final_norm, norm_plan
from walkthrough.scenario.schema.keys import Attention, Decoder, DecoderLayer, Encoder, EncoderLayer, FeedForward, Norm
from walkthrough.transformer.calculation import Calculation, Stream
from walkthrough.transformer.model.attention import attend
from walkthrough.transformer.model.feed_forward import feed_forward
from walkthrough.transformer.model.norm import norm

ENCODER_OUTPUT = Kind("output", "X_enc", "Encoder output", "What the encoder passes on.")
RESIDUALS = {
    number: Kind(
        f"residual_{number}",
        f"R_{number}",
        "Residual",
        "The sub-layer's output added to its input: nothing is lost.",
    )
    for number in (1, 2, 3)
}


class SubLayer(Record):
    """One part of a layer: its section of the file, its name in paths, the number of its residual and norm.

    output: records the part under a recorder of that name; what it makes of a stream, None where it ends the way
    """

    section: Attention | FeedForward
    name: str
    number: int
    norm: Norm | None
    output: Callable[[Recorder, Stream], Value | None]
    memory: Stream | None = None


class Stack(NamedTuple):
    """Records the layers of one stack."""

    calculation: Calculation
    recorder: Recorder
    spec: Encoder | Decoder

    def run(self, stream: Stream, memory: Stream | None = None) -> Stream:
        """The stack's output, n×d_model. `memory`: what the encoder hands on to a decoder, if there is one."""
        if isinstance(self.spec, Encoder) and self.spec.has("output"):
            return self._given(self.spec, stream)
        layers: Sequence[EncoderLayer | DecoderLayer] = self.spec.layers or []
        for number, layer in enumerate(layers, 1):
            recorder = self.recorder.under(str(number))
            for part in self._parts(layer, memory):
                stream = self._part(recorder, part, stream)
        return self._finished(stream)

    def _given(self, encoder: Encoder, stream: Stream) -> Stream:
        n, d_model = stream.n, self.calculation.stated("d_model")
        labels = stream.labels, None
        needed = encoder, "output", ""
        x = self.calculation.given(self.recorder, ENCODER_OUTPUT, encoder.output, n, d_model, labels, needed)
        return stream._replace(x=x)

    def _parts(self, layer: EncoderLayer | DecoderLayer, memory: Stream | None) -> Iterator[SubLayer]:
        """The parts of a layer in order; a part that is left out leaves its residual and norm out too."""
        is_decoder = isinstance(layer, DecoderLayer)
        if layer.attention is not None:
            name = "self_attention" if is_decoder else "attention"
            yield SubLayer(layer.attention, name, 1, layer.norm_1, self._attended(layer.attention, causal=is_decoder))
        last, norm = 2, layer.norm_2
        if isinstance(layer, DecoderLayer) and layer.has("cross_attention"):
            last, norm = 3, layer.norm_3
            if (cross := layer.cross_attention) is not None:
                yield SubLayer(cross, "cross_attention", 2, layer.norm_2, self._attended(cross, memory), memory)
        if layer.feed_forward is not None:
            yield SubLayer(layer.feed_forward, "feed_forward", last, norm, self._fed(layer.feed_forward))

    def _attended(
        self, attention: Attention, memory: Stream | None = None, causal: bool = False
    ) -> Callable[[Recorder, Stream], Value | None]:
        """Attention to the stream itself, or to the memory."""
        return lambda recorder, stream: attend(self.calculation, recorder, attention, stream, memory or stream, causal)

    def _fed(self, part: FeedForward) -> Callable[[Recorder, Stream], Value | None]:
        return lambda recorder, stream: feed_forward(self.calculation, recorder, part, stream)

    def _part(self, recorder: Recorder, part: SubLayer, stream: Stream) -> Stream:
        """A part with its residual and norm: norm(x + part(x)), or x + part(norm(x))."""
        calculation, order, x = self.calculation, self.spec.norm_order, stream.x
        if not calculation.can_follow(part.section, stream, part.memory, part.name == "cross_attention"):
            return stream
        if order == "pre" and x is not None:
            stream = stream._replace(x=self._norm(recorder, part, x))
        y = part.output(recorder.under(part.name), stream)
        if y is None:
            return stream._replace(x=None, ended=True)
        y = calculation.drop(recorder, f"dropout_{part.number}", y)
        if self.spec.residual and x is not None:
            y = recorder.record(RESIDUALS[part.number], add, (x, calculation.check_residual(part.section, x, y)))
        return stream._replace(x=self._norm(recorder, part, y) if order == "post" else y)

    def _norm(self, recorder: Recorder, part: SubLayer, x: Value) -> Value:
        plan = norm_plan(part.norm, self.spec.layer_norm, kind=self.spec.norm)
        return norm(self.calculation, recorder.under(f"norm_{part.number}"), x, plan)

    def _finished(self, stream: Stream) -> Stream:
        """With the final norm, where there is one."""
        plan, x = final_norm(self.spec), stream.x
        if x is None:
            return stream
        if plan is not None:
            x = norm(self.calculation, self.recorder.under("final_norm"), x, plan)
        return stream._replace(x=self.recorder.alias("output", x))
