"""One step of training: forward, loss, backward, update."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from walkthrough.operations.matrix import add
from walkthrough.operations.scaling import divide_by
from walkthrough.operations.softmax import exponential
from walkthrough.operations.training.loss import (
    Targets,
    cross_entropy,
    cross_entropy_gradient,
    smooth_targets,
    sum_of_kept,
)
from walkthrough.operations.training.report import largest_size, mean_at_targets
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import no_match, resolve, within_pass
from walkthrough.recording.values import Kind, Value, with_index
from walkthrough.records import NONE
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.nodes import ListNode
from walkthrough.scenario.yaml.problems import Positioned, Problems, ScenarioError
from walkthrough.text import in_quotes
from walkthrough.transformer.model.model import Model
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.runs.training.backward import NoGradientError, backpropagate, gradient_kind
from walkthrough.transformer.runs.training.given import ends_of, given_starts
from walkthrough.transformer.runs.training.optimizers import ParameterStep, State, clip_gradients, optimizer_of
from walkthrough.transformer.runs.training.schedules import record_rate

PER_TOKEN = Kind("per_token", "ℓ", "Loss per token", words="loss.per_token")
SMOOTHED = Kind("smoothed_targets", "t", "Smoothed targets", words="loss.smoothed_targets")
SMOOTHED_PER_TOKEN = PER_TOKEN._replace(words="loss.per_token.smoothed")
TOTAL = Kind("total", "ℓ_sum", "Total loss", words="loss.total", outcome="loss")
TOTAL_OF_EXAMPLES = TOTAL._replace(words="loss.total.examples")
MEAN = Kind("mean", "ℓ_mean", "Mean loss", words="loss.mean", outcome="loss")
PERPLEXITY = Kind("perplexity", "PPL", "Perplexity", words="loss.perplexity")
RIGHT = Kind("right_probability", "p", "Probability of the right word")
LARGEST = Kind("largest_gradient", "g", "Largest gradient")


class Reading(NamedTuple):
    """What a training step has made of one sentence.

    recorder:   of its pass
    prediction: of every position
    targets:    the column of each position's target; None where it has none
    """

    recorder: Recorder
    prediction: Value
    targets: Targets

    @property
    def probabilities(self) -> Value:
        """Of every position, n×vocabulary."""
        return self.prediction.inputs[0]

    @property
    def width(self) -> int:
        """The width of what the output head reads."""
        return self.recorder.trace[f"{self.recorder.prefix}output_head.logits"].inputs[0].shape[1]

    @property
    def kept(self) -> tuple[int, ...]:
        """The positions that have a target, from 0."""
        return tuple(row for row, target in enumerate(self.targets) if target is not None)


Sentences = Sequence[tuple[Recorder, Model]]
"""What a step reads: for each sentence the recorder of its pass, and the model of the scenario with this sentence."""


class TrainingError(ScenarioError):
    """Training cannot go on."""


class TrainingStep:
    """One step: forward, loss, backward, update.

    states: what the optimizer carries from step to step, by the name of the parameter
    """

    def __init__(
        self, recorder: Recorder, scenario: Scenario, number: int, states: dict[str, State] | None = None
    ) -> None:
        assert scenario.spec.training is not None
        self.recorder = recorder
        self.scenario = scenario
        self.spec = scenario.spec.training
        self.number = number
        self.states = {} if states is None else states
        self.report: list[Value] = []

    def run(self, sentences: Sentences) -> None:
        """Records the step; the updates take the place of the parameters."""
        if self.spec.gradients is not None:
            self._run_from_given(sentences[0][1])
            return
        loss, readings = self.loss(sentences)
        self._check(loss)
        gradients = self._gradients(readings, loss)
        self._report(loss, readings, gradients)
        if gradients:
            self._update(gradients, readings[0].width)

    def _run_from_given(self, model: Model) -> None:
        """The step from given gradients: of the model what there is, and no loss."""
        model.run(self.recorder)
        starts = given_starts(self.recorder, self.spec, model.calculation, self.number)
        trained = self.trained
        found = backpropagate(self.recorder, starts, ends_of(self.recorder))
        self._update({value: found[value] for value in trained if value in found}, 0)

    def loss(self, sentences: Sentences) -> tuple[Value, list[Reading]]:
        """Records the forward passes and their loss, whatever number it is.

        Returns the loss that is differentiated, the mean or the total, and the sentences that it is the loss of.
        """
        readings, totals = [], []
        for recorder, model in sentences:
            readings.append(self._read(recorder, model))
            totals.append(self._sentence_loss(readings[-1], is_alone=len(sentences) == 1))
        under = self.recorder.under("loss")
        if len(totals) == 1:
            total = self.recorder.alias(f"loss.{TOTAL.name}", totals[0])
        else:
            total = under.record(self._number_kind(TOTAL_OF_EXAMPLES), add, tuple(totals))
        count = float(sum(len(reading.kept) for reading in readings))
        mean = under.record(self._number_kind(MEAN), divide_by, (total,), {"divisor": count})
        under.record(self._number_kind(PERPLEXITY), exponential, (mean,))
        return mean if self.spec.reduction == "mean" else total, readings

    def _read(self, recorder: Recorder, model: Model) -> Reading:
        """The prediction for a sentence, with the targets of its positions."""
        prediction, targets = model.run(recorder), model.scenario.targets
        assert prediction is not None
        assert targets is not None
        left_out = (None, self.scenario.spec.padding_token)
        column = {word: at for at, word in enumerate(prediction.inputs[0].columns)}
        return Reading(
            recorder, prediction, tuple(None if word in left_out else column[word] for word in targets.or_null)
        )

    def _sentence_loss(self, reading: Reading, is_alone: bool) -> Value:
        """−ln of the right word's probability at each position of a sentence, with smoothed targets −Σ target·ln of
        all; and their sum.
        """
        under, probabilities = reading.recorder.under("loss"), reading.probabilities
        targets = {"targets": reading.targets}
        if self.spec.label_smoothing:
            settings = {**targets, "words": probabilities.shape[1], "smoothing": self.spec.label_smoothing}
            smoothed = under.record(SMOOTHED, smooth_targets, (), settings, probabilities.rows, probabilities.columns)
            per_token = under.record(SMOOTHED_PER_TOKEN, cross_entropy, (probabilities, smoothed), targets)
        else:
            per_token = under.record(PER_TOKEN, cross_entropy, (probabilities,), targets)
        kind = self._number_kind(TOTAL, "" if is_alone else reading.recorder.example)
        return under.record(kind, sum_of_kept, (per_token,), {"kept": reading.kept})

    def _gradients(self, readings: Sequence[Reading], loss: Value) -> dict[Value, Value]:
        """Every trained parameter with its gradient, in the order of the calculation; none of given numbers."""
        kept = sum(len(reading.kept) for reading in readings)
        count = kept if self.spec.reduction == "mean" else 1
        starts: dict[Value, Callable[[], Value]] = {}
        for reading in readings:
            logits = logits_of(reading.prediction)
            if logits is None:
                return {}
            if reading.prediction.inputs[0].composite is None:
                reason = (
                    "the backward pass begins at its softmax, which has other numbers; replace the logits by 0 instead"
                )
                raise NoGradientError(f"{reading.prediction.inputs[0].path}: {reason}")
            starts[logits] = partial(self._start, reading, logits, count, None if starts else loss)
        examples = [reading.recorder for reading in readings if reading.recorder is not self.recorder]
        found = backpropagate(self.recorder, starts, self.trained, examples)
        return {value: found[value] for value in self.trained if value in found}

    def _start(self, reading: Reading, logits: Value, count: int, loss: Value | None) -> Value:
        """The gradient of a sentence's logits, where the backward pass begins.

        loss: what it is the gradient of, where it is the first of the step
        """
        recorder = reading.recorder
        words = "gradient.start.smoothed" if self.spec.label_smoothing else "gradient.start"
        kind, settings = gradient_kind(logits, recorder, words), {"targets": reading.targets, "count": count}
        inputs: tuple[Value, ...] = (reading.probabilities,)
        if self.spec.label_smoothing:
            inputs += (recorder.trace[f"{recorder.prefix}loss.{SMOOTHED.name}"],)
        start = recorder.record(kind, cross_entropy_gradient, inputs, settings)
        start.loss = loss
        return start

    @property
    def trained(self) -> list[Value]:
        """The parameters: given matrices that training changes, and others that the scenario names by themselves."""
        selected = {value for selector in self._selectors for value in self._select(selector)}
        names = (self.recorder.prefix + path for path in self.spec.gradients or ())
        selected.update(filter(None, map(self.recorder.trace.get, names)))
        return [value for value in self.recorder.parameters.values() if value.kind.trained or value in selected]

    @property
    def _selectors(self) -> Sequence[str]:
        return () if isinstance(self.spec.update, str) else self.spec.update

    def _select(self, selector: str) -> list[Value]:
        """The given matrices that a selector of `update` names; its words mean parameters where there are such.

        What is used in another form, as quantized weights and the bases of adapters are, is not trained.
        """
        found = self._named(selector, lambda value: value.matrix is None or not value.matrix.is_derived)
        return [value for value in found if value.kind.trained] or found

    def _named(self, selector: str, is_meant: Callable[[Value], bool]) -> list[Value]:
        """The given matrices of a sort that a selector of `update` names."""
        can = filter(is_meant, self.recorder.parameters.values())
        return resolve(selector, ((value, self.recorder.names_within(value)) for value in can))

    def _update(self, gradients: Mapping[Value, Value], d_model: int) -> None:
        """Records the updates, which take the place of the parameters."""
        chosen = set(gradients)
        if self.spec.update != "all":
            chosen &= {value for selector in self._selectors for value in self._select(selector)}
        used = {value: gradient for value, gradient in gradients.items() if value in chosen}
        if used and not isinstance(self.spec.clip, str):
            used = clip_gradients(self.recorder, used, self.spec.clip)
        rate = record_rate(self.recorder, self.spec, self.number, d_model)
        after = {value: self._update_parameter(value, gradient, rate) for value, gradient in used.items()}
        parameters = self.recorder.parameters
        parameters.update({name: after[value] for name, value in parameters.items() if value in after})

    def _update_parameter(self, value: Value, gradient: Value, rate: Value | None) -> Value:
        """Records the update of a parameter, and takes down what its optimizer carries to the next step."""
        symbol = self._next(value.kind.symbol)
        step = ParameterStep(self.recorder, self.spec, value, symbol, self.number, rate)
        name = self.recorder.name_within(value)
        self.states[name], update = optimizer_of(self.spec)(step, self.states.get(name, NONE), gradient)
        return update

    def check_update(self, reached: set[Value], problems: Problems) -> None:
        """Notes every selector of `update` that names no parameter on which the loss depends."""
        for at, selector in enumerate(self._selectors):
            if reached.isdisjoint(self._select(selector)):
                names = [name for value in reached for name in self.recorder.names_within(value)]
                message, _, help = str(no_match(selector, names, "parameter")).partition("; ")
                if selector in ("pe", "positional_encoding") and self._named("position_table", lambda value: True):
                    help = "did you mean 'position_table'?"
                fixed = self._named(selector, lambda value: value.matrix is not None and value.matrix.is_derived)
                if fixed:
                    is_kept = any(value.matrix.quantize is not None for value in fixed if value.matrix is not None)
                    what = "quantized" if is_kept else "the base of a low-rank change"
                    message, help = f"{in_quotes(selector)} is {what}, and not trained", ""
                written = self.spec.at("update")
                node = written.items[at] if isinstance(written, ListNode) else written
                problems.add(node, message, key=self.spec.key_of("update"), help=help)

    def _next(self, symbol: str) -> str:
        """W_Q' of one step; W_Q(2), W_Q(3), … of several."""
        return f"{symbol.partition('(')[0]}({self.number + 1})" if self.spec.steps > 1 else f"{symbol}'"

    def _number_kind(self, kind: Kind, example: str = "") -> Kind:
        """A number of the report, its symbol with the number of its example and of this step of the training."""
        symbol = with_index(kind.symbol, example) if example else kind.symbol
        return kind._replace(symbol=f"{symbol}({self.number})" if self.spec.steps > 1 else symbol)

    def _report(self, loss: Value, readings: Sequence[Reading], gradients: Mapping[Value, Value]) -> None:
        under = self.recorder.under("loss")
        probabilities = tuple(reading.probabilities for reading in readings)
        settings = {"targets": tuple(reading.targets for reading in readings)}
        right = under.record(self._number_kind(RIGHT), mean_at_targets, probabilities, settings)
        if not gradients:
            return
        largest = under.record(self._number_kind(LARGEST), largest_size, tuple(gradients.values()))
        self.report = [loss, right, largest]

    def _check(self, loss: Value) -> None:
        """A loss that is no number ends the training: say where it began. −ln 0 is infinite, but can be trained on."""
        number = float(loss.array[0, 0])
        if math.isfinite(number):
            return
        first = self.recorder.trace.first_broken(self.recorder.prefix)
        if within_pass(first).startswith("loss.") and number == math.inf:
            return
        message = (
            f"the loss of training step {self.number} is not a finite number; the first non-finite number is in {first}"
        )
        node: Positioned = self.spec
        key, help = self.spec.path, ""
        if self.number > 1:  # the first step has the weights that the file gives
            node, key = self.spec.at("learning_rate"), self.spec.key_of("learning_rate")
            help = "a smaller learning_rate may help"
        if loss.unknown:
            message = f"the loss of training step {self.number} is unknown; the first unknown number is in {first}"
            help = "null is an unknown number: training needs to know every number"
        raise TrainingError.at(self.scenario.source, node, message, key=key, help=help)
