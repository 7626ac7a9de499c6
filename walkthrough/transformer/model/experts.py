"""Mixture of experts: a router sends each token to some of several networks. Shazeer et al. 2017; Jiang et al. 2024.

All experts are calculated for all tokens: a step decides which ones count. Groups: DeepSeek-V3 (2024), §2.1.2.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.activation import sigmoid
from walkthrough.operations.backward import repeat_columns
from walkthrough.operations.experts.groups import two_largest
from walkthrough.operations.experts.mixture import choose_largest, keep_chosen, mix, share_of_sum
from walkthrough.operations.matrix import add
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import mask, row_sum
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.feed_forward import FeedForward, Router
from walkthrough.text import pluralize
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope

LOGITS = Kind("logits", "L_R", "Router logits", words="router.logits")
SCORES = Kind("scores", "S_R", "Router scores", is_distribution=True, words="router.scores")
CHOICE_BIAS = Kind("choice_bias", "b_C", "Choice bias", words="router.choice_bias")
CHOICE_SCORES = Kind("choice_scores", "S_C", "Scores for the choice", words="router.choice_scores")
CHOSEN = Kind("chosen", "C_R", "Chosen experts", words="router.chosen")
KEPT = Kind("kept", "K_R", "Kept scores", words="router.kept")
KEPT_LOGITS = Kind("kept_logits", "K_R", "Kept logits", words="router.kept_logits")
SUM = Kind("sum", "k_R", "Sum of the kept scores", words="router.sum")
WEIGHTS = Kind("weights", "R", "Expert weights", is_distribution=True, words="router.weights")
GROUP_SCORES = Kind("group_scores", "S_G", "Group scores", words="router.group_scores")
CHOSEN_GROUPS = Kind("chosen_groups", "C_G", "Chosen groups", words="router.chosen_groups")
GROUP_MASK = Kind("group_mask", "M_G", "Experts of the chosen groups", words="router.group_mask")
GROUPED_SCORES = Kind("grouped_scores", "S_M", "Scores in the chosen groups", words="router.grouped_scores")
SHARED_GATE_LOGITS = Kind("shared_gate_logits", "s_0", "Gate of the shared network before the sigmoid")
SHARED_GATE = Kind("shared_gate", "s", "Gate of the shared network")
GATED_SHARED = Kind("gated_shared", "F_S", "Gated output of the shared network")
ROUTED = Kind("routed", "F_R", "Output of the chosen experts")
MIXED = Kind("output", "F", "Mixture of experts", words="experts.output")

Network = Callable[[Scope, Value, FeedForward], Value]
"""What a network with weights of its own makes of x, with the activation of the whole part."""


def mix_experts(s: Scope, x: Value, network: Network) -> Value:
    """Σ_E weights[:, E]·expert_E(x) (+ shared(x), or with its gate shared_gate·shared(x)): n×d_model → n×d_model."""
    part: FeedForward = s.section
    experts, router = part.experts or [], part.router
    assert router is not None
    weights = _route(s.under("router", router), x, len(experts))
    outputs: list[Value] = []
    axes: dict[str, Axis] = {}  # all experts are as wide
    for number, expert in enumerate(experts, 1):
        recorder = s.recorder.under("expert").under(str(number))
        outputs.append(network(Scope(s.calculation, recorder, expert, axes), x, part))
        _weigh(outputs[-1], x, recorder.prefix, (weights, number - 1))
    if part.shared is not None:
        outputs.append(network(s.under("shared", part.shared), x, part))
    if part.shared is None or not s.has("w_shared_gate"):
        return s.record(MIXED, mix, weights, *outputs)
    shared = s.record(GATED_SHARED, mix, _shared_gate(s, x), outputs.pop())
    return s.record(MIXED, add, s.record(ROUTED, mix, weights, *outputs), shared)


def _shared_gate(s: Scope, x: Value) -> Value:
    """How much of the shared network each token gets, n×1. Qwen Team 2024, Qwen2, §2.2.2."""
    weight = s.weight("w_shared_gate", x.axes[1].with_symbol("d_model"), Axis("1", 1))
    return s.record(SHARED_GATE, sigmoid, s.project(SHARED_GATE_LOGITS, x, weight))


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
    """1 for the top_k largest of each row, of these scores or, with a bias, of those raised by it, and in groups."""
    router: Router = s.section
    if router.choice_bias is not None:
        row = s.given(CHOICE_BIAS, router.choice_bias, Axis("1", 1), s.axes["experts"])
        scores = s.record(CHOICE_SCORES, add, scores, row)
    scores = within_groups(s, scores)
    return s.record(CHOSEN, choose_largest, scores, settings={"count": router.top_k})


def within_groups(s: Scope, scores: Value) -> Value:
    """The scores of the experts in the chosen groups, −∞ for all others, n×E; without groups the scores themselves."""
    router: Router = s.section
    if router.n_group is None or router.topk_group is None:
        return scores
    of_each = {"size": scores.shape[1] // router.n_group or 1}
    groups = s.record(GROUP_SCORES, two_largest, scores, settings=of_each)
    chosen = s.record(CHOSEN_GROUPS, choose_largest, groups, settings={"count": router.topk_group})
    visible = s.record(GROUP_MASK, repeat_columns, chosen, settings=of_each)
    return s.record(GROUPED_SCORES, mask, scores, visible, settings={"value": float("-inf")})


def check_router(s: Scope, count: int) -> None:
    """There are as many experts as are chosen, and in the chosen groups, which are even and of two experts at least."""
    router: Router = s.section
    groups, chosen = router.n_group, router.topk_group
    if router.top_k > count:
        message = f"top_k is {router.top_k}, but there {'is' if count == 1 else 'are'} {pluralize(count, 'expert')}"
        s.problems.fault(router, "top_k", message)
    if groups is None or chosen is None:
        return
    experts, size = pluralize(count, "expert"), count // groups
    if count % groups:
        s.problems.fault(router, "n_group", f"n_group is {groups}, which {experts} cannot be shared among evenly")
    elif size < 2:
        why = f"n_group is {groups}, but there are {experts}: a group has two at least, whose scores are added up"
        s.problems.fault(router, "n_group", why)
    elif chosen > groups:
        s.problems.fault(router, "topk_group", f"topk_group is {chosen}, but there are {pluralize(groups, 'group')}")
    elif router.top_k > chosen * size:
        why = f"top_k is {router.top_k}, but the chosen groups have {pluralize(chosen * size, 'expert')}"
        s.problems.fault(router, "top_k", why)
