"""The tree of a beam search: a line for each hypothesis that was kept, below the one that it goes on from."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import walkthrough as wt
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options

WORDS = ["a", "b", "."]
FOLLOWS = {"a": [0.5, 0.3, 0.2], "b": [0.05, 0.05, 0.9], ".": [0.4, 0.4, 0.2]}
"""How likely each word is behind another."""


def trace() -> wt.Trace:
    """Greedy goes on with a; b is worse, but the sentence that it begins is better."""
    keys = {
        "title": "t",
        "tokens": ["a"],
        "vocabulary": WORDS,
        "embeddings": np.eye(3).tolist(),
        "output_head": {"w": np.log([FOLLOWS[word] for word in WORDS]).tolist()},
        "generate": {"max_tokens": 2, "end_token": ".", "beams": 2, "length_penalty": 0},
    }
    return wt.trace(wt.parse_scenario(json.dumps(keys)))


def written(format: str) -> str:
    return to_bytes(trace(), Options(("generated",)), format).decode()


def lines_of(text: str, first: str) -> list[str]:
    lines = text.splitlines()
    at = next(at for at, line in enumerate(lines) if first in line)
    return lines[at:]


def ln(*shares: float) -> float:
    return float(np.log(shares).sum())


def test_in_json_each_branch_has_its_total_and_its_score() -> None:
    (step,) = json.loads(written("json"))["steps"]

    def shape(branch: dict[str, Any]) -> Any:
        assert list(branch) == ["token", "total", "score", "chosen", "children"]
        score = None if branch["score"] is None else round(branch["score"], 9)
        children = [shape(one) for one in branch["children"]]
        return branch["token"], round(branch["total"], 9), score, branch["chosen"], children

    end = ln(0.3, 0.9)
    assert [shape(one) for one in step["tree"]] == [
        ("a", round(ln(0.5), 9), None, False, [("a", round(ln(0.25), 9), round(ln(0.25), 9), False, [])]),
        ("b", round(ln(0.3), 9), None, False, [(".", round(end, 9), round(end, 9), True, [])]),
    ]


def test_what_people_read_has_a_line_for_each() -> None:
    branches = lines_of(written("markdown"), "- Hypotheses that were kept")[1:5]
    assert branches == ["  - a −0.693", "    - a −1.386 = −1.386", "  - b −1.204", "    - . −1.309 = −1.309 ←"]
    tex = lines_of(written("latex"), r"\begin{flushleft}")
    assert tex[3].startswith(r"\hspace*{3em}a")
    assert r"\leftarrow" in tex[5]


def test_in_german_its_numbers_have_commas() -> None:
    found = trace()
    found.language = "de"
    text = to_bytes(found, Options(("generated",)), "markdown").decode()
    assert "    - . −1,309 = −1,309 ←" in text.splitlines()
