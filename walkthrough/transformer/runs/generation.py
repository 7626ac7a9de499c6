"""Generation: the arg-max at the last position, or a token drawn there, is appended to the sequence, and the model runs
again.

Vaswani et al. 2017, §3: the decoder is auto-regressive, consuming the symbols it has generated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from walkthrough.operations.generation.sampling import first_beyond, keep_largest, keep_likely, running_sum
from walkthrough.operations.matrix import last_rows
from walkthrough.operations.softmax import divide_rows, row_sum
from walkthrough.recording.recorder import Pass, Recorder
from walkthrough.recording.values import Kind, Origin, Source, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Generate, Sample
from walkthrough.scenario.schema.tokens import TokenList
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.calculation import Calculation
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope

GENERATED = Kind("generated", "ŷ", "Generated tokens", ids=(0,), outcome="answer")
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


class GenerationError(ScenarioError):
    """Generation cannot go on."""


def generate(recorder: Recorder, scenario: Scenario, model: Model, first: Value) -> None:
    """Records the passes behind the first, under `generate.2.`, …

    first: the prediction of the prompt's own pass, which also answers to generate.1
    Raises a GenerationError where there is no next token.
    """
    spec = scenario.spec.generate
    assert spec is not None
    name_first_pass(recorder, model.changed_prefix, "generate.1")
    sampler = Sampler(spec, spec.sample, model.calculation) if spec.sample is not None else None

    def choose(prediction: Value, one_pass: Recorder, number: int) -> Value:
        return prediction if sampler is None else sampler.choose(one_pass.under("sample"), prediction, number)

    predictions = [choose(first, recorder.under("generate.1"), 1)]
    sequence, one_pass = scenario.target or scenario.sequence, recorder
    while len(predictions) < spec.max_tokens and (word := _word(predictions[-1], recorder, scenario)) != spec.end_token:
        number = len(predictions) + 1
        recorder.trace.progress = f"generated token {number:,} of at most {spec.max_tokens:,}"
        tokens, sequence = len(sequence.words), append_word(sequence, word)
        recorder.trace.decisive.append((predictions[-1], predictions[-1].shape[0] - 1, 0))
        one_pass = further_pass(recorder, scenario, one_pass, tokens, predictions[-1])
        prediction = model.run(one_pass, sequence)
        assert prediction is not None
        predictions.append(choose(prediction, one_pass, number))
    if not predictions[-1].unknown:  # an unknown word may be the last; none at all may not
        _word(predictions[-1], recorder, scenario)
    recorder.trace.progress = ""
    generated = recorder.record(GENERATED, last_rows, tuple(predictions))
    generated.names = first.names
    if len(predictions) < spec.max_tokens:  # the last word was the end token
        generated.chosen_by = predictions[-1]


def further_pass(
    recorder: Recorder, scenario: Scenario, parent: Recorder, tokens: int, chosen_by: Value | None = None
) -> Recorder:
    """A recorder for the pass behind another one; with a cache for the new token alone.

    tokens: how many the pass before has read
    """
    spec = scenario.spec.generate
    first = tokens if spec is not None and spec.cache else 0
    number = int(parent.one_pass.number or 1) + 1
    return recorder.for_pass(Pass(f"generate.{number}.", parent.one_pass.prefix, chosen_by=chosen_by, first=first))


def name_first_pass(recorder: Recorder, changed_prefix: str, name: str) -> None:
    """Names what a further pass would record anew: everything computed, and what has a row for each token."""
    for path, value in list(recorder.trace.items()):
        if _changes(path, changed_prefix) and (value.operation is not None or value.rows in recorder.trace.tokens):
            recorder.trace.alias(f"{name}.{path}", value)


def _changes(path: str, changed_prefix: str) -> bool:
    """Whether a further pass calculates a step anew: all but the encoder, and what is said of the text once."""
    return path.startswith((changed_prefix, "output_head.", "lens.", "attribution.")) and "tokenizer." not in path


def _word(prediction: Value, recorder: Recorder, scenario: Scenario) -> str:
    """The word predicted at the last position."""
    number, probability = map(float, prediction.array[-1])
    if math.isfinite(number) and math.isfinite(probability):
        return prediction.names[int(number)] if prediction.names is not None else str(int(number))
    raise no_next_token(prediction, recorder, scenario)


def no_next_token(value: Value, recorder: Recorder, scenario: Scenario) -> GenerationError:
    """That a value, a prediction or totals, does not say which token is next."""
    message = f"{value.path}: the next token is unknown, so nothing can follow it"
    if not value.unknown:
        first = recorder.trace.first_broken()
        message = f"{value.path}: there is no next token; the first non-finite number is in {first}"
    section = scenario.spec.generate
    assert section is not None
    return GenerationError.at(scenario.source, section, message, key=section.path)


def append_word(sequence: TokenSequence, word: str) -> TokenSequence:
    """The sequence with one more token."""
    assert sequence.tokens is not None
    tokens = sequence.tokens
    return sequence.replace(tokens=TokenList((*tokens.words, word), (*tokens.nodes, tokens.nodes[-1])))


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
