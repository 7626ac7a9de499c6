"""The whole model: from a checked scenario to its trace, in the order of the calculation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Enough, Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.calculation import Calculation, Stream
from walkthrough.transformer.model.attention import attend
from walkthrough.transformer.model.embedding import EMBEDDINGS, embed
from walkthrough.transformer.model.output_head import output_head
from walkthrough.transformer.model.stack import Stack
from walkthrough.transformer.runs.dropout import Dropout


def trace(
    scenario: Scenario,
    *,
    by_hand: bool = False,
    decimals: int | None = None,
    keep: Sequence[str] | None = None,
    begun: Callable[[Trace], None] | None = None,
    most_steps: int | None = None,
    wanted: Sequence[str] | None = None,
) -> Trace:
    """Calculates a scenario and records every value.

    by_hand:   round each recorded value before it is used, as the scenario's `rounding` says (or to its `decimals`)
    decimals:  how many decimals are shown; by hand, what every step is rounded to instead of the scenario's rounding
    keep:      in a training of several steps, selectors of what is kept of each, to save memory; None: everything
    begun:     is called with the trace, still empty, when the calculation begins: to watch it grow
    most_steps: no more steps of a training than these
    wanted:    selectors of all that is asked for: what comes after it and its uses may be left out
    """
    keys = scenario.spec
    shown = keys.decimals if decimals is None else decimals
    result = Trace(keys.title, keys.description or "", keys.source or "", shown)
    result.changed, result.stated = scenario.changed, keys.rounding
    if begun is not None:
        begun(result)
    if by_hand:
        result.exact = trace(scenario, decimals=decimals, keep=keep)
    elif wanted is not None:
        result.until = _until(scenario, wanted)
    recorder = Recorder(result, rounding=_rounding(keys, decimals, result.exact) if result.exact is not None else None)
    result.by_hand = recorder.rounding
    model = Model(Calculation(scenario))
    with np.errstate(all="ignore"), suppress(Enough):  # overflow and 0/0 are shown as what they are: inf and nan
        if keys.training is not None:
            from walkthrough.transformer.runs.training import train  # few scenarios train

            train(recorder, scenario, model.training_pass, keep, most_steps)
            return result
        prediction = model.run(recorder)
        if keys.generate is not None and prediction is not None:
            from walkthrough.transformer.runs.generation import generate

            generate(recorder, scenario, model.run, prediction, model.changing)
    return result


def _until(scenario: Scenario, wanted: Sequence[str]) -> str:
    """The first step that is neither asked for nor computed from what is, and has only such steps behind it."""
    from walkthrough.transformer.shapes.check import shape_trace  # wanted for large models only

    if scenario.spec.training is not None or scenario.spec.generate is not None or scenario.spec.published:
        return ""
    walked = shape_trace(scenario)
    try:
        chosen = {step.path for step in walked.select(*wanted)}
    except SelectorError:  # perhaps a step that the numbers decide on
        return ""
    steps = list(walked)
    last = max(at for at, step in enumerate(steps) if chosen & {step.path, *(given.path for given in step.inputs)})
    return steps[last + 1].path if last + 1 < len(steps) else ""


def _rounding(spec: ScenarioSpec, decimals: int | None, exact: Trace) -> Rounding:
    """The rounding that a scenario asks for; the names of its steps are those of the exact calculation."""
    if decimals is not None:
        return Rounding(decimals)
    return Rounding.of(spec.decimals, spec.rounding, exact.names_within_pass())


class Model:
    """The model of a scenario; run once for the scenario itself, and again for each token that is generated."""

    def __init__(self, calculation: Calculation) -> None:
        self.calculation = calculation
        self.scenario = calculation.scenario
        self.spec = calculation.spec
        self._memory: Stream | None = None

    @property
    def changing(self) -> str:
        """What the encoder, which runs once, does not touch: how paths begin that a longer sequence changes."""
        return "" if self.scenario.target is None else "decoder."

    def run(self, recorder: Recorder, sequence: TokenSequence | None = None) -> Value | None:
        """One pass: input, stacks, output head, whatever of them there is; the prediction, if there is one.

        sequence: a longer one than the scenario's, which predictions have continued
        """
        return self.predicted(recorder, self.streamed(recorder, sequence))

    def predicted(self, recorder: Recorder, stream: Stream) -> Value | None:
        """The prediction that the output head makes of a stream, if there is one."""
        if self.spec.output_head is None:
            return None
        self.calculation.check_head(self.spec.output_head, stream)
        if stream.x is None:
            return None
        table = _table(recorder, "decoder.") or _table(recorder)
        return output_head(self.calculation, recorder.under("output_head"), self.spec.output_head, stream, table)

    def streamed(self, recorder: Recorder, sequence: TokenSequence | None = None) -> Stream:
        """What the output head reads: the input, encoded, attended or decoded."""
        if sequence is None:
            sequence, self._memory = self.scenario.target or self.scenario.sequence, None
        if self.scenario.target is None:
            stream = embed(self.calculation, recorder, sequence)
            if self.spec.encoder is not None:
                stream = self._encoded(recorder, stream)
        else:
            if self._memory is None:
                self._memory = self._encoded(recorder, embed(self.calculation, recorder, self.scenario.sequence))
            table = _table(recorder) if self._shares_table(sequence) else None
            stream = embed(self.calculation, recorder.under("decoder"), sequence, table)
        return self._attended(recorder, stream)

    def training_pass(self, recorder: Recorder, number: int) -> Value | None:
        """The pass of a training step, with its dropout."""
        keys = self.spec.dropout
        if keys is None or keys.rate == 0:
            return self.run(recorder)
        self.calculation.drop = Dropout(keys, self.calculation.array, number).apply
        return self.run(recorder)

    def _shares_table(self, sequence: TokenSequence) -> bool:
        return sequence.embeddings is self.scenario.sequence.embeddings

    def _encoded(self, recorder: Recorder, stream: Stream) -> Stream:
        assert self.spec.encoder is not None
        return Stack(self.calculation, recorder.under("encoder"), self.spec.encoder).run(stream)

    def _attended(self, recorder: Recorder, stream: Stream) -> Stream:
        """What follows the encoder or the embeddings: an attention by itself, or the decoder."""
        if self.spec.attention is not None:
            attended = attend(self.calculation, recorder.under("attention"), self.spec.attention, stream, stream)
            return stream._replace(x=attended, ended=attended is None)
        if self.spec.decoder is not None:
            return Stack(self.calculation, recorder.under("decoder"), self.spec.decoder).run(stream, self._memory)
        return stream


def _table(recorder: Recorder, prefix: str = "") -> Value | None:
    """The embedding table, of this pass or shared with the first one."""
    name = prefix + EMBEDDINGS.name
    return recorder.trace.get(recorder.prefix + name) or recorder.trace.get(name)
