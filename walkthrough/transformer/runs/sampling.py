"""Sampling: the next token is drawn from the probabilities at the last position, so that it can be done by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.generation.sampling import first_beyond, keep_largest, keep_likely, running_sum
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Origin, Source, Value
from walkthrough.scenario.schema.keys import Generate, Sample
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope

KEPT = Kind("kept_logits", "L_k", "Kept logits")
LIKELY = KEPT._replace(words="kept_logits.likely")
LARGEST = Kind("largest", "L_1", "Largest logits")
SHARES = Kind("shares", "P_1", "Probabilities before top_p", is_distribution=True)
PROBABILITIES = Kind("probabilities", "P_k", "Kept probabilities", is_distribution=True, words="kept_probabilities")
CUMULATIVE = Kind("cumulative", "P_c", "Cumulative")
DRAW = Kind("draw", "z", "Draw")
CHOICE = Kind("choice", "ŷ", "Choice", ids=(0,))


class Sampler:
    """Draws the next token of each pass."""

    def __init__(self, generate: Generate, sample: Sample, calculation: Calculation) -> None:
        self.sample = sample
        self.calculation = calculation
        self.draws: Sequence[float] = sample.draws or ()
        if sample.seed is not None:
            self.draws = np.random.default_rng(sample.seed).random(generate.max_tokens).tolist()

    def choose(self, recorder: Recorder, prediction: Value, number: int) -> Value:
        """Records how the token of a pass is drawn, 1×2: its id and probability. `number`: of the pass, from 1."""
        logits = logits_of(prediction)
        assert logits is not None
        kept = self._kept(recorder, logits)
        probabilities = record_softmax(self._scope(recorder), kept, PROBABILITIES)
        cumulative = recorder.record(CUMULATIVE, running_sum, (probabilities,))
        origin = Origin("drawn", {"seed": self.sample.seed}) if self.sample.seed is not None else None
        draw = recorder.record_given(DRAW, np.array([[self.draws[number - 1]]]), source=Source(origin), fresh=True)
        columns, ids = ("token", "probability"), prediction.settings["ids"]
        choice = recorder.record(CHOICE, first_beyond, (cumulative, probabilities, draw), {"ids": ids}, columns=columns)
        choice.names = prediction.names
        return choice

    def _scope(self, recorder: Recorder) -> Scope:
        return Scope(self.calculation, recorder, self.sample)

    def _kept(self, recorder: Recorder, logits: Value) -> Value:
        """The last row's logits, 1×v, those that may not be drawn hidden: by number first, then by probability."""
        count, least = self.sample.top_k or logits.shape[1], self.sample.top_p
        if least is None:
            return recorder.record(KEPT, keep_largest, (logits,), {"count": count})
        largest = recorder.record(LARGEST, keep_largest, (logits,), {"count": count})
        shares = record_softmax(self._scope(recorder.under("among")), largest, SHARES)
        return recorder.record(LIKELY, keep_likely, (largest, shares), {"least": least})
