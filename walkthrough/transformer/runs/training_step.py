"""One step of training: forward, loss, backward, update."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from walkthrough.operations.scaling import divide_by
from walkthrough.operations.training.loss import (
    cross_entropy,
    cross_entropy_gradient,
    smooth_targets,
    smoothed_cross_entropy,
    smoothed_cross_entropy_gradient,
    sum_of_kept,
)
from walkthrough.operations.training.report import largest_size, mean_at_targets
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import no_match, resolve
from walkthrough.recording.values import Kind, Value
from walkthrough.records import NONE
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.yaml.nodes import ListNode
from walkthrough.scenario.yaml.problems import Positioned, Problems, ScenarioError
from walkthrough.transformer.model.output_head import logits_of
from walkthrough.transformer.runs.backward import SOURCE, backpropagate, title_of
from walkthrough.transformer.runs.balance import record_balance, record_slope
from walkthrough.transformer.runs.clipping import clip_gradients
from walkthrough.transformer.runs.optimizers import ParameterStep, State, optimizer_of
from walkthrough.transformer.runs.schedules import record_rate

PER_TOKEN = Kind(
    "per_token",
    "ℓ",
    "Loss per token",
    "How surprised the model is by the right word: −ln of its probability.",
    why=(
        "A certain and right answer should cost nothing, a certain and wrong one very much. −ln does that, and it "
        "turns the product of the probabilities of a whole text into a sum, which has simple gradients."
    ),
    source="Bengio et al. (2003), §2",
)
SMOOTHED = Kind(
    "smoothed_targets",
    "t",
    "Smoothed targets",
    "Nearly all of each target to the right word, and a little to every word.",
    why=(
        "A probability of 1 would need infinitely large logits, and a model that chases it becomes too sure of itself. "
        "Spread over all words, a small share of the target gives the logits a size at which they may stop."
    ),
    source="Szegedy et al. (2016), §7",
)
SMOOTHED_PER_TOKEN = PER_TOKEN._replace(
    purpose="How surprised the model is by the smoothed targets: −ln of all probabilities, weighted by them.",
    source="Szegedy et al. (2016), §7",
)
TOTAL = Kind(
    "total",
    "ℓ_sum",
    "Total loss",
    "The sum of the losses of all positions that have a target.",
    why=(
        "The probability of a text is the product of those of its words; logarithms make it a sum. One number is "
        "needed, because only of one number can it be said that it is to become smaller."
    ),
    source="Bengio et al. (2003), §2",
)
MEAN = Kind(
    "mean",
    "ℓ_mean",
    "Mean loss",
    "The average loss of the positions that have a target.",
    why=(
        "One number is needed, because only of one number can it be said that it is to become smaller. The mean does "
        "not grow with the length of the text, so that one learning rate suits them all."
    ),
    source="Bengio et al. (2003), §2",
)
RIGHT = Kind(
    "right_probability",
    "p",
    "Probability of the right word",
    "The average over positions that have a target.",
    why=(
        "The loss is made for gradients; what a person wants to know is how sure the model has become of the right "
        "words. It should rise as the loss falls, though a mean of probabilities need not follow a mean of logarithms "
        "at every step."
    ),
    source="Bengio et al. (2003), §2",
)
LARGEST = Kind(
    "largest_gradient",
    "g",
    "Largest gradient",
    "The largest absolute value in any parameter's gradient.",
    why=(
        "When training stands still, the gradients say why: near zero everywhere, it has arrived or is stuck on a "
        "plateau; very large, the next update overshoots. The largest of them is the one to watch."
    ),
    source="Goodfellow et al. (2016), §11.5",
)

_WHY_START = (
    "The way back begins here. Softmax and −ln undo each other's curves, so that of both together the gradient is the "
    "plainest there is: the probability, less 1 for the right word. What is predicted rightly has nothing to correct."
)

Forward = Callable[[Recorder, int], Value | None]
"""One pass of the model, for a training step of this number; the prediction."""

Targets = tuple[int | None, ...]
"""The column of each position's target; None where it has none."""


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
        self._balance: Value | None = None

    def run(self, forward: Forward) -> dict[str, Value]:
        """Records the step; the given matrices of the next one by path, updated where they are trained."""
        prediction = forward(self.recorder, self.number)
        assert prediction is not None
        probabilities = prediction.inputs[0]
        targets = self._targets(probabilities)
        loss = self._loss(probabilities, targets)
        self._check(loss)
        gradients = self._gradients(prediction, targets, loss)
        self._report(loss, probabilities, targets, gradients)
        return self._update(gradients) if gradients else dict(self._given)

    def record_loss(self, prediction: Value | None) -> Value:
        """The loss of a prediction, whatever number it is."""
        assert prediction is not None
        probabilities = prediction.inputs[0]
        return self._loss(probabilities, self._targets(probabilities))

    @property
    def _given(self) -> Mapping[str, Value]:
        """The given matrices of this step, by their path without its prefix."""
        assert self.recorder.one_pass is not None
        return self.recorder.one_pass.given

    def _targets(self, probabilities: Value) -> Targets:
        assert self.spec.targets is not None
        left_out = (None, self.scenario.spec.padding_token)
        column = {word: at for at, word in enumerate(probabilities.columns)}
        return tuple(None if word in left_out else column[word] for word in self.spec.targets.known)

    def _loss(self, probabilities: Value, targets: Targets) -> Value:
        """The loss that is differentiated: the mean or the total."""
        under = self.recorder.under("loss")
        per_token = self._loss_per_token(under, probabilities, targets)
        kept = tuple(row for row, target in enumerate(targets) if target is not None)
        total = under.record(self._number_kind(TOTAL), sum_of_kept, (per_token,), {"kept": kept})
        mean = under.record(self._number_kind(MEAN), divide_by, (total,), {"divisor": float(len(kept))})
        loss = mean if self.spec.reduction == "mean" else total
        if self.spec.balance:
            loss, self._balance = record_balance(self.recorder, self.scenario, loss, self.spec.balance)
        return loss

    def _loss_per_token(self, under: Recorder, probabilities: Value, targets: Targets) -> Value:
        """−ln of the right word's probability; with smoothed targets −Σ target·ln of all."""
        if not self.spec.label_smoothing:
            return under.record(PER_TOKEN, cross_entropy, (probabilities,), {"targets": targets})
        words = probabilities.shape[1]
        settings = {"targets": targets, "words": words, "smoothing": self.spec.label_smoothing}
        labels = probabilities.rows, probabilities.columns
        smoothed = under.record(SMOOTHED, smooth_targets, (), settings, *labels)
        return under.record(SMOOTHED_PER_TOKEN, smoothed_cross_entropy, (probabilities, smoothed))

    def _gradients(self, prediction: Value, targets: Targets, loss: Value) -> dict[Value, Value]:
        """Every trained parameter with its gradient, in the order of the calculation; none of given numbers."""
        probabilities, logits = prediction.inputs[0], logits_of(prediction)
        if logits is None:
            return {}
        kept = sum(target is not None for target in targets)
        count = kept if self.spec.reduction == "mean" else 1
        name = f"gradient.{self.recorder.name_within(logits)}"
        title, purpose = f"Gradient: {title_of(logits)}", "The probabilities, minus 1 at the right word."
        kind = Kind(name, f"∂{logits.kind.symbol}", title, purpose, why=_WHY_START, source=SOURCE)
        settings = {"targets": targets, "count": count}
        if self.spec.label_smoothing:
            smoothed = self.recorder.trace[f"{self.recorder.prefix}loss.{SMOOTHED.name}"]
            kind = kind._replace(purpose="The probabilities, minus the smoothed targets.")
            start = self.recorder.record(kind, smoothed_cross_entropy_gradient, (probabilities, smoothed), settings)
        else:
            start = self.recorder.record(kind, cross_entropy_gradient, (probabilities,), settings)
        start.loss = loss
        starts = {logits: start}
        if self._balance is not None:
            starts[self._balance] = record_slope(self.recorder, self._balance, self.spec.balance)
        found = backpropagate(self.recorder, starts, self.trained)
        return {value: found[value] for value in self.trained if value in found}

    @property
    def trained(self) -> list[Value]:
        """The parameters: given matrices that training changes, and others that the scenario names by themselves."""
        selected = {value for selector in self._selectors for value in self._select(selector)}
        return [value for value in self._given.values() if value.kind.trained or value in selected]

    @property
    def _selectors(self) -> Sequence[str]:
        return () if isinstance(self.spec.update, str) else self.spec.update

    def _select(self, selector: str) -> list[Value]:
        """The given matrices that a selector of `update` names; its words mean parameters where there are such."""
        found = resolve(selector, ((value, self.recorder.names_within(value)) for value in self._given.values()))
        return [value for value in found if value.kind.trained] or found

    def _update(self, gradients: Mapping[Value, Value]) -> dict[str, Value]:
        """Records the updates; the given matrices of the next step by path."""
        chosen = set(gradients)
        if self.spec.update != "all":
            chosen &= {value for selector in self._selectors for value in self._select(selector)}
        used = {value: gradient for value, gradient in gradients.items() if value in chosen}
        if not isinstance(self.spec.clip, str):
            used = clip_gradients(self.recorder, used, self.spec.clip)
        rate = record_rate(self.recorder, self.spec, self.number, self._d_model)
        after = {value: self._update_parameter(value, gradient, rate) for value, gradient in used.items()}
        return {path: after.get(value, value) for path, value in self._given.items()}

    @property
    def _d_model(self) -> int:
        """The width of what the output head reads."""
        return self.recorder.trace[f"{self.recorder.prefix}output_head.logits"].inputs[0].shape[1]

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
                written = self.spec.at("update")
                node = written.items[at] if isinstance(written, ListNode) else written
                problems.add(node, message, key=self.spec.key_of("update"), help=help)

    def _next(self, symbol: str) -> str:
        """W_Q' of one step; W_Q(2), W_Q(3), … of several."""
        return f"{symbol.partition('(')[0]}({self.number + 1})" if self.spec.steps > 1 else f"{symbol}'"

    def _number_kind(self, kind: Kind) -> Kind:
        """A number of the report, its symbol with the number of this step of the training."""
        return kind._replace(symbol=f"{kind.symbol}({self.number})") if self.spec.steps > 1 else kind

    def _report(self, loss: Value, probabilities: Value, targets: Targets, gradients: Mapping[Value, Value]) -> None:
        under = self.recorder.under("loss")
        right = under.record(self._number_kind(RIGHT), mean_at_targets, (probabilities,), {"targets": targets})
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
        if first.startswith(f"{self.recorder.prefix}loss.") and number == math.inf:
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
