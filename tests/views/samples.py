"""Scenarios that the tests of all views share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import walkthrough as wt
from walkthrough.scenario.sources import bundled_scenarios

HOSTILE = [
    *("[bold]", "[/]", "|", "\\|", "<b>", "<!-- c -->", "<start>", "&amp;", "$x$", "$$", "`tick`", "``", "\\"),
    *("a\nb", "\x1b[31mred", "\x1b]0;title\x07", "\u202eright", "a\tb", "\r", "\u2028", " lead", "a  b", "", "'"),
    *("*", "**bold**", "_a_", "~~s~~", "==x==", "^[1]", "[^1]", "# h", "-", "+", "1.", "> q", "---", "{x}", "{{x}}"),
    *("\\(x\\)", "![i](j)", "[l](m)", "http://x.com", "www.x.com", "@user", "日本語"),
    *("👩‍👩‍👧", "é", "1", "1e5", "nan", "-inf", "x@2"),
]
"""Tokens that a terminal, a Markdown parser or a math pass would take for something else."""


def hostile_trace(tokens: list[str] = HOSTILE) -> wt.Trace:
    """An attention over hostile tokens, with a hostile title, description and source."""
    head = {f"w_{name}": {"init": "normal", "std": 0.5, "seed": seed} for seed, name in enumerate("qkv", 1)}
    scenario = {
        "title": "[bold]T[/] | <b>x</b> $x$ \x1b[31m # `c`",
        "description": "<script>alert(1)</script> \x1b[31m\n\nand `a <b>`\n\n- one\n- two <i>\n",
        "source": "a | b <b> \x1b[0m",
        "tokens": tokens,
        "embeddings": {"init": "normal", "std": 1, "seed": 3},
        "dimensions": {"d_model": 2, "d_k": 2, "d_v": 2},
        "attention": {"heads": [head]},
    }
    return wt.trace(wt.parse_scenario(as_yaml(scenario)))


def as_yaml(scenario: dict[str, Any]) -> str:
    """As JSON, but for characters beyond the first 65536, which YAML writes otherwise."""
    pairs = re.compile(r"\\u(d[89ab]..)\\u(d[c-f]..)")
    return pairs.sub(lambda match: f"\\U{ord(json.loads(chr(34) + match[0] + chr(34))):08x}", json.dumps(scenario))


SMALL = """
title: Two words
vocabulary: {a: 3, b: 7}
tokens: [a, b]
embeddings: {a: [1, 1.0e-9], b: [-123.456, 2]}
dimensions: {d_k: 4}
attention:
  heads:
    - {scores: [[4, null], [2, 6]], v: [[1.5], [2]]}
  mask: [[1, 1], [0, 1]]
"""
"""Unknown, hidden, tiny and large numbers."""


def small_trace() -> wt.Trace:
    """The trace of SMALL."""
    return wt.trace(wt.parse_scenario(SMALL))


def wide_trace(size: int = 40, causal: bool = False) -> wt.Trace:
    """Tables of 40 rows and columns."""
    return wt.trace(wt.parse_scenario(wide_scenario(size, causal)))


def wide_scenario(size: int = 40, causal: bool = False) -> str:
    """Its scenario."""
    head = {f"w_{name}": {"init": "normal", "std": 0.1, "seed": seed} for seed, name in enumerate("qkv", 1)}
    scenario = {
        "title": "Wide",
        "tokens": [f"word{at}" for at in range(1, size + 1)],
        "embeddings": {"init": "normal", "std": 1, "seed": 4},
        "dimensions": {"d_model": size, "d_k": size, "d_v": size},
        "attention": {"heads": [head], **({"mask": "causal"} if causal else {})},
    }
    return as_yaml(scenario)


@lru_cache(maxsize=8)  # those of a file of tests
def bundled_trace(name: str, by_hand: bool = False) -> wt.Trace:
    """The trace of a bundled scenario."""
    return wt.trace(wt.load_scenario(name), arithmetic="by-hand" if by_hand else "exact")


def small_training(steps: int) -> wt.Trace:
    """The smallest bundled training, of several steps."""
    text = bundled_scenarios()["first-step"].read_text(encoding="utf-8")
    return wt.trace(wt.parse_scenario(text.replace("\ntraining:\n", f"\ntraining:\n  steps: {steps}\n")))


QUANTIZED: dict[str, Any] = {
    "title": "In few bits",
    "tokens": ["a", "b"],
    "embeddings": [[1, 0.5], [0.2, -0.4]],
    "encoder": {
        "norm_order": "none",
        "layers": [
            {
                "attention": {
                    "num_heads": 2,
                    **{
                        f"w_{letter}": {"init": "normal", "std": 1, "seed": seed, "quantize": {"bits": 4, "per": per}}
                        for seed, (letter, per) in enumerate({"q": "tensor", "k": "column", "v": "row"}.items())
                    },
                },
                "feed_forward": {
                    "w_1": {
                        "values": [[0.7, 0.35, 0.15, -0.05], [1.5, -1.5, 0.5, 0]],
                        "quantize": {"method": "zero_point", "bits": 2, "group": 2},
                    },
                    "b_1": {"values": [0.1, 0.5, -0.6, 0.3], "quantize": {"bits": 3}},
                    "w_2": [[1, 0], [0, 1], [0.5, 0.2], [0, -1]],
                },
            }
        ],
    },
}
"""Matrices in few bits of each kind; halves that float64 misses, and one that is cut to two bits."""


def quantized_trace(by_hand: bool = False) -> wt.Trace:
    """Its trace."""
    return wt.trace(wt.parse_scenario(json.dumps(QUANTIZED)), arithmetic="by-hand" if by_hand else "exact")


SAMPLES: dict[str, Callable[[], wt.Trace]] = {
    "chai": cache(lambda: bundled_trace("chai")),
    "hostile": cache(hostile_trace),
    "small": cache(small_trace),
    "wide": cache(wide_trace),
    "by hand": cache(lambda: bundled_trace("cooking", by_hand=True)),
}
"""Traces of every kind that a format has to write, each calculated when a test wants it."""
