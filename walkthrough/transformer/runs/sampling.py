"""Sampling: the next token is drawn from the probabilities at the last position, so that it can be done by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.operations.generation.sampling import first_beyond, keep_largest, keep_likely, running_sum
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.scenario.schema.keys import Generate, Sample
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope

KEPT = Kind(
    "kept_logits",
    "L_k",
    "Kept logits",
    "The logits of the words that may be drawn; all others are −∞.",
    why=(
        "Each of the many unlikely words is nearly impossible, but together they are drawn often, and one of them can "
        "spoil a text. Keeping the few likeliest leaves variety without that risk; −∞ becomes a probability of 0."
    ),
    source="Fan et al. (2018), §5",
)
LIKELY = KEPT._replace(
    why=(
        "A fixed number of words is too few in one place and too many in another. Keeping the likeliest ones until "
        "they hold a share of the probability adapts to how sure the model is; −∞ becomes a probability of 0."
    ),
    source="Holtzman et al. (2020), §3.1",
)
LARGEST = Kind(
    "largest",
    "L_1",
    "Largest logits",
    "The logits that top_k keeps; all others are −∞.",
    why=(
        "Each of the many unlikely words is nearly impossible, but together they are drawn often. The number of words "
        "is limited first, and their probabilities afterwards."
    ),
    source="Fan et al. (2018), §5",
)
SHARES = Kind(
    "shares",
    "P_1",
    "Probabilities before top_p",
    "The probabilities that top_p chooses from.",
    True,
    why=(
        "How many words make sense depends on the place: after “New York” few, after “the” many. To keep as many as a "
        "share of the probability asks for, the probabilities have to be known before."
    ),
    source="Holtzman et al. (2020), §3.1",
)
PROBABILITIES = Kind(
    "probabilities",
    "P_k",
    "Kept probabilities",
    "The probabilities of the words that may be drawn.",
    True,
    why=(
        "What was hidden leaves its share to the others. The words that are left become shares of a whole again, in "
        "the same proportion to each other as before."
    ),
    source="Holtzman et al. (2020), §3.1",
)
CUMULATIVE = Kind(
    "cumulative",
    "P_c",
    "Cumulative",
    "Each word's probability added to those of the words before it.",
    why=(
        "Laid end to end, the probabilities fill the line from 0 to 1, each word as long as it is likely. A point "
        "dropped anywhere on the line then falls into a word as often as it should."
    ),
    source="Devroye (1986)",
)
DRAW = Kind("draw", "z", "Draw", "A number between 0 and 1, drawn at random.")
CHOICE = Kind(
    "choice",
    "ŷ",
    "Choice",
    "The first word whose cumulative probability exceeds the draw.",
    ids=(0,),
    why=(
        "A random number that is equally likely anywhere between 0 and 1 falls into the stretch of a word exactly as "
        "often as the word is probable. So one number, drawn by a coin, a die or a computer, is enough to choose."
    ),
    source="Devroye (1986)",
)


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
        origin = f"drawn with seed {self.sample.seed}" if self.sample.seed is not None else ""
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
