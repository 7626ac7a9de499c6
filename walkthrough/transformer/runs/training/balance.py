"""The balance of experts in training: a second loss, added to the first. Fedus et al. 2022, §2.2."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.operations.experts.balance import (
    add_weighted,
    balance_loss,
    chosen_share,
    constant,
    mean_of_rows,
)
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.feed_forward import Router
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.model.experts import CHOSEN, SCORES
from walkthrough.transformer.runs.training.backward import SOURCE
from walkthrough.transformer.runs.training.loss import Reading

_SOURCE = "Fedus et al. (2022), §2.2"
SHARE = Kind(
    "share",
    "f",
    "Share of the choices",
    "How often each expert was chosen, over all rows of all layers.",
    why=(
        "A router soon prefers the experts that were trained first, and the others are never trained at all. How "
        "often each one was chosen says who gets too much; as a count it has no gradient."
    ),
    source=_SOURCE,
)
PROBABILITY = Kind(
    "probability",
    "P_R",
    "Mean router score",
    "How likely each expert was, over all rows of all layers.",
    why=(
        "The count of choices has no gradient, the scores behind it have one. Their mean is what training can move: "
        "it falls for the experts that were chosen often."
    ),
    source=_SOURCE,
)
BALANCE = Kind(
    "balance",
    "ℓ_B",
    "Balance loss",
    "How unevenly the experts are used: smallest where all are used alike.",
    why=(
        "The product of share and probability is large where the same experts lead in both. E times their sum is how "
        "many experts each token chooses where all are used alike, and grows as few experts take over."
    ),
    source=_SOURCE,
)
OBJECTIVE = Kind(
    "objective",
    "ℓ_O",
    "Objective",
    "The loss and, by its weight, the balance loss: what is differentiated.",
    why=(
        "One number has to say what training is for. A small weight keeps the experts in use and leaves the words in "
        "charge."
    ),
    source=_SOURCE,
)
_WHY_SLOPE = (
    "The balance loss is a term of the objective, times its weight. So the objective changes by that weight for each "
    "unit of it."
)


def record_balance(recorder: Recorder, readings: Sequence[Reading], loss: Value, weight: float) -> tuple[Value, Value]:
    """The objective, 1×1, and the balance loss in it, of all layers and sentences together."""
    chosen, scores, rows = [], [], []
    for reading in readings:
        of_this_pass = [value for value in recorder.trace if value.path.startswith(reading.recorder.prefix)]
        chosen += [value for value in of_this_pass if value.kind == CHOSEN]
        found = [value for value in of_this_pass if value.kind == SCORES]
        scores += found
        rows += [_kept_rows(reading, value) for value in found]
    settings = {"rows": tuple(rows)}
    under, inner = recorder.under("loss"), recorder.under("loss").under("balance")
    share = inner.record(SHARE, chosen_share, tuple(chosen), settings)
    probability = inner.record(PROBABILITY, mean_of_rows, tuple(scores), settings)
    balance = under.record(BALANCE, balance_loss, (share, probability))
    return under.record(OBJECTIVE, add_weighted, (loss, balance), {"factor": weight}), balance


def record_slope(recorder: Recorder, balance: Value, weight: float) -> Value:
    """The gradient of the balance loss: its weight in the objective, 1×1."""
    name = f"gradient.{recorder.name_within(balance)}"
    purpose = "What the balance loss is multiplied by in the objective."
    kind = Kind(name, "∂ℓ_B", "Gradient: Balance loss", purpose, why=_WHY_SLOPE, source=SOURCE)
    return recorder.record(kind, constant, (), {"value": weight})


def _kept_rows(reading: Reading, value: Value) -> tuple[int, ...]:
    """The rows that are no padding."""
    scenario, is_encoder = reading.scenario, value.path.removeprefix(reading.recorder.prefix).startswith("encoder.")
    sequence = scenario.sequence if is_encoder or scenario.target is None else scenario.target
    return tuple(row for row, word in enumerate(sequence.words) if word != sequence.padding_token)


def check_balance(spec: ScenarioSpec, problems: Problems) -> None:
    """There are experts, as many in every layer, and each router has scores of all of them that add up to 1."""
    training = spec.training
    if training is None or not training.balance:
        return
    parts = [
        layer.feed_forward
        for stack in (spec.encoder, spec.decoder)
        for layer in (stack.layers if stack is not None else None) or []
        if layer.feed_forward is not None and layer.feed_forward.experts is not None
    ]
    routers: list[Router] = [part.router for part in parts if part.router is not None]
    message, help = "", ""
    if not parts:
        message, help = "balance is given without experts: there is nothing to balance", "remove it"
    elif any(router.scores != "softmax" for router in routers):
        message = "balance needs scores: softmax in every router: it is made of the scores of all experts"
        help = "remove it, or write scores: softmax"
    elif len({len(part.experts or []) for part in parts}) > 1:
        message, help = "balance needs as many experts in every layer", "remove it"
    if message:
        problems.add(training.at("balance"), message, key=training.key_of("balance"), help=help)
