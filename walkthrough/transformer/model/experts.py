"""Mixture of experts: a router sends each token to some of several networks. Shazeer et al. 2017; Jiang et al. 2024.

All experts are calculated for all tokens: a step decides which ones count.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.activation import sigmoid
from walkthrough.operations.experts.mixture import add_row, choose_largest, keep_chosen, mix, share_of_sum
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import mask, row_sum
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.feed_forward import FeedForward, Router
from walkthrough.text import pluralize
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope

LOGITS = Kind(
    "logits",
    "L_R",
    "Router logits",
    "How well each expert (column) suits each token (row).",
    why=(
        "A larger network knows more and costs more for every token. A router that is as small as one matrix decides "
        "which part of it a token needs, so that most of it is left alone."
    ),
    source="Shazeer et al. (2017), §2",
)
SCORES = Kind(
    "scores",
    "S_R",
    "Router scores",
    "The logits as shares of the experts.",
    True,
    why=(
        "The output of an expert is multiplied by its score. That is how the router learns: a choice alone has no "
        "gradient, the number that it is multiplied by has one."
    ),
    source="Shazeer et al. (2017), §2.1",
)
CHOICE_BIAS = Kind("choice_bias", "b_C", "Choice bias", "A number for each expert that counts in the choice alone.")
CHOICE_SCORES = Kind(
    "choice_scores",
    "S_C",
    "Scores for the choice",
    "What the choice goes by, and nothing else does.",
    why=(
        "Experts that are chosen too rarely are helped by raising their number here. The weights of those chosen "
        "stay as they were, so that balance costs the model nothing."
    ),
    source="Wang et al. (2024), §3.1",
)
CHOSEN = Kind(
    "chosen",
    "C_R",
    "Chosen experts",
    "1 for the experts that a token is sent to; of equal ones the first.",
    why=(
        "Only the chosen experts count, so a program need not calculate the others. Here they are calculated all the "
        "same, to show what would have come of another choice."
    ),
    source="Shazeer et al. (2017), §2.1",
)
KEPT = Kind(
    "kept",
    "K_R",
    "Kept scores",
    "The scores of the chosen experts, 0 for all others.",
    why=(
        "An expert that is not chosen has the weight 0. So its output counts nothing, whatever it is, and no gradient "
        "reaches it."
    ),
    source="Shazeer et al. (2017), §2.1",
)
KEPT_LOGITS = Kind(
    "kept_logits",
    "K_R",
    "Kept logits",
    "The logits of the chosen experts, −∞ for all others.",
    why=(
        "A softmax of these is a softmax over the chosen experts alone. It is the same as a softmax over all of them, "
        "kept and divided by its sum."
    ),
    source="Jiang et al. (2024), §2.1",
)
SUM = Kind(
    "sum",
    "k_R",
    "Sum of the kept scores",
    "What the kept scores are divided by.",
    why=(
        "Divided by it, the weights of a token's experts add up to 1, however well they suit it. Models differ here: "
        "without it, a token that suits no expert gets little from all."
    ),
    source="Jiang et al. (2024), §2.1",
)
WEIGHTS = Kind(
    "weights",
    "R",
    "Expert weights",
    "How much each expert (column) counts for each token (row).",
    True,
    why=(
        "Each token takes a weighted sum of what its experts make of it. The weights carry the gradient back to the "
        "router, for the experts that were chosen."
    ),
    source="Shazeer et al. (2017), §2",
)
MIXED = Kind(
    "output",
    "F",
    "Mixture of experts",
    "What the experts make of each token, added up by weight.",
    why=(
        "The layer has as many parameters as all experts together, and a token passes through few of them. So models "
        "grow without the cost of a token growing alike."
    ),
    source="Shazeer et al. (2017), §2",
)

Network = Callable[[Scope, Value, FeedForward], Value]
"""What a network with weights of its own makes of x, with the activation of the whole part."""


def mix_experts(s: Scope, x: Value, network: Network) -> Value:
    """Σ_E weights[:, E]·expert_E(x) (+ shared(x)): n×d_model → n×d_model."""
    part: FeedForward = s.section
    experts, router = part.experts or [], part.router
    assert router is not None
    weights = _route(s.under("router", router), x, len(experts))
    outputs = []
    axes: dict[str, Axis] = {}  # all experts are as wide
    for number, expert in enumerate(experts, 1):
        recorder = s.recorder.under("expert").under(str(number))
        outputs.append(network(Scope(s.calculation, recorder, expert, axes), x, part))
        _weigh(outputs[-1], x, recorder.prefix, (weights, number - 1))
    if part.shared is not None:
        outputs.append(network(s.under("shared", part.shared), x, part))
    return s.record(MIXED, mix, weights, *outputs)


def _weigh(made: Value, x: Value, prefix: str, weight: tuple[Value, int]) -> bool:
    """Notes of all that an expert made of x how much each of its rows counts; whether this is made of x. Weights of the
    expert may be computed as well, but their rows are no tokens."""
    if made is x or made.weight is not None:
        return True
    if not made.path.startswith(prefix):
        return False
    of_x = [one for one in made.inputs if _weigh(one, x, prefix, weight)]
    if of_x:
        made.weight = weight
    return bool(of_x)


def _route(s: Scope, x: Value, count: int) -> Value:
    """The weight of each expert for each token, n×E."""
    router: Router = s.section
    s.check(check_router, count)
    s.axes["experts"] = Axis("experts", count)
    logits = s.linear(LOGITS, x, "w", "b")
    if router.scores == "softmax_of_chosen":
        kept = s.record(KEPT_LOGITS, mask, logits, _choose(s, logits), settings={"value": float("-inf")})
        if router.scale == 1:
            return record_softmax(s, kept, WEIGHTS)
        shares = record_softmax(s, kept, WEIGHTS._replace(name="shares", symbol="P_R"))
        return s.record(WEIGHTS, scale_by, shares, settings={"factor": router.scale})
    scores = record_softmax(s, logits, SCORES) if router.scores == "softmax" else s.record(SCORES, sigmoid, logits)
    kept = s.record(KEPT, keep_chosen, scores, _choose(s, scores))
    if router.normalize is not False:
        return s.record(WEIGHTS, share_of_sum, kept, s.record(SUM, row_sum, kept), settings={"factor": router.scale})
    if router.scale == 1:
        return s.alias(WEIGHTS, kept)
    return s.record(WEIGHTS, scale_by, kept, settings={"factor": router.scale})


def _choose(s: Scope, scores: Value) -> Value:
    """1 for the top_k largest of each row, of these scores or, with a bias, of those raised by it."""
    router: Router = s.section
    if router.choice_bias is not None:
        row = s.matrix(CHOICE_BIAS, router.choice_bias, Axis("1", 1), s.axes["experts"], is_vector=True)
        scores = s.record(CHOICE_SCORES, add_row, scores, row)
    return s.record(CHOSEN, choose_largest, scores, settings={"count": router.top_k})


def check_router(s: Scope, count: int) -> None:
    """There are as many experts as are chosen, and what is a softmax already is not divided again."""
    router: Router = s.section
    if router.top_k > count:
        message = f"top_k is {router.top_k}, but there {'is' if count == 1 else 'are'} {pluralize(count, 'expert')}"
        s.problems.fault(router, "top_k", message)
    if router.scores == "softmax_of_chosen" and router.normalize is not None:
        message = "normalize cannot be combined with softmax_of_chosen: its weights add up to 1 already"
        s.problems.fault(router, "normalize", message, "remove it")
