"""The whole model, in the order of the calculation: input, encoder, decoder, output head. Vaswani 2017, fig. 1."""

from __future__ import annotations

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Value
from walkthrough.scenario.resolved import has_way_to_logits
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.alone import parameters_alone, record_alone
from walkthrough.transformer.model.attention.attention import attend_alone
from walkthrough.transformer.model.embedding import EMBEDDINGS, bare_stream, embed
from walkthrough.transformer.model.output_head import check_head, predict
from walkthrough.transformer.model.stack import run_stack
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream


class Model:
    """The model of a scenario; run once for the scenario itself, and again for each token that is generated.

    memory: what the decoder attends to, once the encoder has run
    """

    def __init__(self, calculation: Calculation) -> None:
        self.calculation = calculation
        self.scenario = calculation.scenario
        self.spec = calculation.spec
        self.memory: Stream | None = None

    @property
    def changed_prefix(self) -> str:
        """How the paths begin that a longer sequence changes; the encoder runs once."""
        return "" if self.scenario.target is None else "decoder."

    def run(self, recorder: Recorder, sequence: TokenSequence | None = None) -> Value | None:
        """One pass: input, stacks, output head, whatever of them there is; the prediction, if there is one.

        sequence: a longer one than the scenario's, which predictions have continued
        """
        return self.predict(recorder, self.compute_stream(recorder, sequence))

    def predict(self, recorder: Recorder, stream: Stream) -> Value | None:
        """The prediction that the output head makes of a stream, if there is one; then what is to be seen inside."""
        prediction = self._predict(recorder, stream)
        if self.spec.inspect is not None and not (self.calculation.is_checking and self.calculation.problems):
            from walkthrough.transformer.model.inspection import inspect  # few scenarios ask for it

            inspect(Scope(self.calculation, recorder, self.spec), stream)
        return prediction

    def _predict(self, recorder: Recorder, stream: Stream) -> Value | None:
        if self.spec.output_head is None:
            return None
        s = Scope(self.calculation, recorder.under("output_head"), self.spec.output_head)
        s.check(check_head, stream)
        if stream.x is None and not self.spec.output_head.gives_numbers:
            return None
        return predict(s, stream, _table(recorder, "decoder.") or _table(recorder))

    def compute_stream(self, recorder: Recorder, sequence: TokenSequence | None = None) -> Stream:
        """What the output head reads: the input, encoded, attended or decoded."""
        if sequence is None:
            sequence, self.memory = self.scenario.target or self.scenario.sequence, None
        alone = parameters_alone(self.scenario)
        if alone is not None:
            record_alone(self.calculation, recorder, alone)
            return bare_stream(recorder, sequence)
        if not has_way_to_logits(self.spec):
            return bare_stream(recorder, sequence)
        s = Scope(self.calculation, recorder, self.spec)
        if self.scenario.target is None:
            stream = embed(s, sequence)
            if self.spec.encoder is not None:
                stream = run_stack(s.under("encoder", self.spec.encoder), stream)
        else:
            if self.memory is None:
                source = embed(s, self.scenario.sequence)
                self.memory = run_stack(s.under("encoder", self.spec.encoder), source)
            table = _table(recorder) if sequence.embeddings is self.scenario.sequence.embeddings else None
            stream = embed(s.under("decoder", self.spec.decoder), sequence, table)
        if self.spec.attention is not None:
            return attend_alone(s.under("attention", self.spec.attention), stream)
        if self.spec.decoder is not None:
            return run_stack(s.under("decoder", self.spec.decoder), stream, self.memory)
        return stream


def _table(recorder: Recorder, prefix: str = "") -> Value | None:
    """The embedding table, of this pass or shared with the first one."""
    name = prefix + EMBEDDINGS.name
    return recorder.trace.get(recorder.home.prefix + name) or recorder.trace.get(name)
