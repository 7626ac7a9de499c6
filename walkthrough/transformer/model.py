"""The whole model: from a checked scenario to its trace, in the order of the calculation."""

from __future__ import annotations

import numpy as np

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.rounding import Digits, Rounding
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema import ScenarioKeys
from walkthrough.transformer.attention import attend
from walkthrough.transformer.build import Build
from walkthrough.transformer.embedding import EMBEDDINGS, embed
from walkthrough.transformer.output_head import output_head
from walkthrough.transformer.stack import Stack, Stream, between


def trace(scenario: Scenario, *, by_hand: bool = False, decimals: int | None = None) -> Trace:
    """Calculates a scenario and records every value.

    by_hand:   round each recorded value before it is used, as the scenario's `rounding` says (or to its `decimals`)
    decimals:  how many decimals are shown; by hand, what every step is rounded to instead of the scenario's rounding
    """
    keys = scenario.keys
    shown = keys.decimals if decimals is None else decimals
    result = Trace(keys.title, keys.description or "", keys.source or "", shown)
    recorder = Recorder(result, rounding=_rounding(keys, decimals) if by_hand else None)
    with np.errstate(all="ignore"):  # overflow and 0/0 are shown as what they are: inf and nan
        _Model(scenario, recorder).record()
    return result


def _rounding(keys: ScenarioKeys, decimals: int | None) -> Rounding:
    if decimals is not None or keys.rounding is None:
        return Rounding(keys.decimals if decimals is None else decimals)
    steps = {selector: Digits(*digits) for selector, digits in (keys.rounding.steps or {}).items()}
    return Rounding(keys.decimals if keys.rounding.decimals is None else keys.rounding.decimals, steps)


class _Model:
    """One pass through the model."""

    def __init__(self, scenario: Scenario, recorder: Recorder) -> None:
        self.scenario = scenario
        self.keys = scenario.keys
        self.recorder = recorder
        self.build = Build(scenario)

    def record(self) -> None:
        """Input, stacks, output head: whatever of them the scenario has."""
        stream = Stream(embed(self.build, self.recorder, self.scenario.sequence), self.scenario.sequence)
        if self.keys.encoder is not None:
            stack = Stack(self.build, self.recorder.under("encoder"), self.keys.encoder)
            stream = Stream(stack.encode(self.keys.encoder, stream), stream.sequence)
        if self.keys.attention is not None:
            sources = between(stream, stream.x, stream, stream.x)
            stream = Stream(
                attend(self.build, self.recorder.under("attention"), self.keys.attention, sources), stream.sequence
            )
        if self.keys.decoder is not None:
            stream = self._decode(stream)
        if self.keys.output_head is not None and stream.x is not None:
            table = self._table()
            output_head(
                self.build, self.recorder.under("output_head"), self.keys.output_head, stream.x, stream.sequence, table
            )

    def _decode(self, stream: Stream) -> Stream:
        decoder, memory = self.keys.decoder, None
        assert decoder is not None
        recorder = self.recorder.under("decoder")
        if (target := self.scenario.target) is not None:
            memory = stream
            shared = self._table() if target.embeddings is self.scenario.sequence.embeddings else None
            stream = Stream(embed(self.build, recorder, target, shared), target)
        output = Stack(self.build, recorder, decoder).decode(decoder, stream, memory)
        return Stream(output, stream.sequence)

    def _table(self) -> Value | None:
        """The embedding table of the last sequence: the decoder's own, or the one at the top level."""
        values, aliases = self.recorder.trace.values, self.recorder.trace.aliases
        for path in (f"decoder.{EMBEDDINGS.name}", EMBEDDINGS.name):
            if path in values or path in aliases:
                return self.recorder.trace[path]
        return None
