"""The mistakes that `check --against` knows, as they are said to a student."""

from __future__ import annotations

import re

from walkthrough.teaching.catalogue import Catalogue

_NAMED: tuple[tuple[str, str], ...] = (
    (r"the scaling by 1/(?P<divisor>√\S+) is missing", "not_divided"),
    (r"the division by (?P<divisor>\S+) is missing", "not_divided"),
    (r"multiplied by (?P<divisor>\S+) instead of divided", "not_divided"),
    (r"divided by .* instead of (?P<divisor>√\S+)", "not_divided"),
    (r"the scores are already scaled by 1/(?P<divisor>√\S+)", "divided_already"),
    (r"the mask is missing|the window is missing", "not_masked"),
    (r"the mask (is|hides|shows) .*", "mask_other"),
    (r"the window is one token too (wide|narrow)", "window"),
    (r"transposed|the weight is transposed|the keys are not transposed|queries and keys are swapped", "transposed"),
    (r"multiplied by the transposed values", "transposed"),
    (r"the bias is missing|the weight is transposed and the bias is missing", "bias"),
    (r"(?P<one>\S+) is added twice", "added_twice"),
    (r"(?P<one>\S+) is not added", "not_added"),
    (r"(the )?(?P<one>gate|hidden)( \(up\))? is left out", "left_out"),
    (r"(gate and hidden are )?added instead of multiplied", "added"),
    (r"softmax over the columns instead of the rows", "softmax_columns"),
    (r"softmax over the whole matrix", "softmax_all"),
    (r"the sample variance .* was used", "sample"),
    (r"the population variance .* was used", "population"),
    (r"epsilon is .*", "epsilon"),
    (r"not divided", "not_divided_rows"),
    (r"not divided by d( under the root)?", "not_divided_d"),
    (r"(the mean of the columns|summed over the columns|normalized over the columns) instead of the rows", "columns"),
    (r"softmax over the heads .*", "softmax_heads"),
    (r"the (variance|mean square) was used as (the standard deviation|its root)", "no_root"),
    (r"divided by the (variance|mean square) instead of (the standard deviation|its root)", "no_root"),
    (r"the mean is subtracted: .*", "mean_subtracted"),
    (r"(gamma|beta|gamma and beta) (is|are) (missing|swapped)|multiplied by 1 \+ gamma", "gamma"),
    (r"(?P<one>\w+) and (?P<other>\w+)( \(up\))? are swapped", "exchanged"),
    (r"the gate has no activation|the activation comes after the product|it is activated twice", "activation"),
    (r"(quick_gelu \S+|squared relu|\w+) was used", "activation"),
    (r"heads that share keys and values are taken with a stride .*", "other_head"),
    (r"the positions are counted from 1", "counted_off"),
    (r"the (rotary )?layout is \w+", "layout"),
    (r"the angles are in \w+|the base is \d+|the positions are multiplied instead of divided", "angles"),
    (r"the scaling of the positions is missing|the exponent is \S+ instead of \S+", "angles"),
    (r"turned in the other direction", "turned_back"),
    (r"turned without the minus", "no_minus"),
    (r"(neither queries nor keys|the keys|the queries) are (not )?turned", "not_turned"),
    (r"(it is|the values are|all features are) turned.*", "turned_too"),
    (r"it is normed already|the norm comes (after the rotation|before the part .*)", "normed"),
    (r"the residual is added after the norm", "normed"),
    (r"the norm is missing", "no_norm"),
    (r"(the norm is missing: )?computed from (?P<other>\S+) instead of (?P<one>\S+)", "other_operand"),
    (r"computed with the table of embeddings .*", "other_weights"),
    (r"the mean is not subtracted: .*", "mean_kept"),
    (r"the ids are counted from \d+", "other_rows"),
    (r"heads (are joined|are cut out|take) .*", "heads_mixed"),
    (r"the mask comes after the softmax", "masked_late"),
    (r"hidden scores are 0 .*", "hidden_zero"),
    (r"the distance is added instead of subtracted", "distance_added"),
    (r"the slope is .*|the slopes are .*", "slope"),
    (r"(the step is missing: |nothing was added: )?these are the numbers of (?P<cell>\S+)", "copied"),
)
"""Mistakes by their words, and the text that names each. A mistake that stands here nowhere is not looked for."""


def named(said: str, words: Catalogue) -> str:
    """What a mistake is called on a marked sheet; empty where it is not."""
    for pattern, name in _NAMED:
        if found := re.fullmatch(pattern, said):
            return words(name, **found.groupdict())
    return ""
