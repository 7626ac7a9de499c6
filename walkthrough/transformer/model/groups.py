"""Routing by groups: first some groups of experts are chosen, then experts among theirs. DeepSeek-V3 (2024), §2.1.2.

Each group is in one place of a large machine: a token is sent to few places.
"""

from __future__ import annotations

from walkthrough.operations.experts.groups import repeat_columns, two_largest
from walkthrough.operations.experts.mixture import choose_largest
from walkthrough.operations.softmax import mask
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.feed_forward import Router
from walkthrough.text import pluralize
from walkthrough.transformer.scope import Scope

GROUP_SCORES = Kind("group_scores", "S_G", "Group scores", words="router.group_scores")
CHOSEN_GROUPS = Kind("chosen_groups", "C_G", "Chosen groups", words="router.chosen_groups")
GROUP_MASK = Kind("group_mask", "M_G", "Experts of the chosen groups", words="router.group_mask")
GROUPED_SCORES = Kind("grouped_scores", "S_M", "Scores in the chosen groups", words="router.grouped_scores")


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


def check_groups(s: Scope, count: int) -> None:
    """Groups are even and of two experts at least, and those chosen have as many as a token is sent to."""
    router: Router = s.section
    groups, chosen = router.n_group, router.topk_group
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
