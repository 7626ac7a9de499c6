"""Sampling: the next token is drawn from the probabilities at the last position, so that it can be done by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.generation.sampling import first_beyond, keep_largest, keep_likely, running_sum
from walkthrough.operations.softmax import divide_rows, row_sum
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
KEPT_SHARES = Kind("kept_shares", "P_0", "Kept shares")
LIKELY_SHARES = KEPT_SHARES._replace(words="kept_shares.likely")
LARGEST_SHARES = Kind("largest", "P_t", "Largest probabilities", words="largest.shares")
SUM = Kind("sum", "p", "Sum of the kept shares", words="kept_sum")
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
        kept = self._kept(recorder, prediction)
        probabilities = self._shares(recorder, kept, PROBABILITIES)
        cumulative = recorder.record(CUMULATIVE, running_sum, (probabilities,))
        origin = Origin("drawn", {"seed": self.sample.seed}) if self.sample.seed is not None else None
        draw = recorder.record_given(DRAW, np.array([[self.draws[number - 1]]]), source=Source(origin), fresh=True)
        columns, ids = ("token", "probability"), prediction.settings["ids"]
        choice = recorder.record(CHOICE, first_beyond, (cumulative, probabilities, draw), {"ids": ids}, columns=columns)
        choice.names = prediction.names
        return choice

    def _shares(self, recorder: Recorder, kept: Value, kind: Kind) -> Value:
        """The probabilities of what is kept, 1×v: of logits their softmax, of given probabilities their shares."""
        if "otherwise" not in kept.settings:
            return record_softmax(Scope(self.calculation, recorder, self.sample), kept, kind)
        return recorder.record(kind, divide_rows, (kept, recorder.record(SUM, row_sum, (kept,))))

    def _kept(self, recorder: Recorder, prediction: Value) -> Value:
        """The last row's logits, or given probabilities, 1×v, without those that may not be drawn: by number first,
        then by probability.
        """
        scores, kinds, otherwise = logits_of(prediction), (KEPT, LARGEST, LIKELY), {}
        if scores is None:
            scores, otherwise = prediction.inputs[0], {"otherwise": 0.0}
            kinds = KEPT_SHARES, LARGEST_SHARES, LIKELY_SHARES
        kept, largest, likely = kinds
        count, least = {"count": self.sample.top_k or scores.shape[1]}, self.sample.top_p
        if least is None:
            return recorder.record(kept, keep_largest, (scores,), count | otherwise)
        most = recorder.record(largest, keep_largest, (scores,), count | otherwise)
        shares = self._shares(recorder.under("among"), most, SHARES)
        return recorder.record(likely, keep_likely, (most, shares), {"least": least, **otherwise})
