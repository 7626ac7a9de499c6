"""Stacks deeper than Python's own stack: labels, unknown numbers, explanations."""

from __future__ import annotations

from functools import cache

import walkthrough as wt

LAYERS = 300


@cache
def deep() -> wt.Trace:
    part = "{w_1: [[1, 0], [0, 1]], w_2: [[1, 0], [0, 1]]}"
    return wt.trace(
        wt.parse_scenario(
            f"title: deep\ntokens: [a]\nembeddings: {{a: [1, 2]}}\n"
            f"encoder: {{layers: {{repeat: {LAYERS}, layer: {{feed_forward: {part}}}}}}}\n"
        )
    )


def test_labels_come_from_far() -> None:
    assert deep()["encoder.output"].rows == ("a",)


def test_unknown_numbers_come_from_far() -> None:
    assert not deep()["encoder.output"].unknown


def test_an_explanation_ends_where_it_can_be_read() -> None:
    explanation = deep().explain("encoder.output[a, 1]", depth=None)
    depth = 0
    while explanation.operands:
        explanation, depth = explanation.operands[0], depth + 1
    assert depth == 100
    assert explanation.cut
