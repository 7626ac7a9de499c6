"""Numbers that are divided: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

import math

from tests.mistakes.classic import HEAD, Fault

FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("not divided by √d_k", HEAD + "scaled_scores", lambda x, **_: x, {}),
    ("divided by d_k instead of √d_k", HEAD + "scaled_scores", lambda x, **_: x / 3, {}),
    ("multiplied by √d_k instead of divided", HEAD + "scaled_scores", lambda x, **_: x * math.sqrt(3), {}),
    ("divided by √64", HEAD + "scaled_scores", lambda x, **_: x / 8, {}),
    ("the division by 5 is missing", HEAD + "scaled_scores", lambda x, **_: x, {"scale": "5"}),
    ("multiplied by 5 instead of divided", HEAD + "scaled_scores", lambda x, **_: x * 5, {"scale": "5"}),
    ("divided by √5 instead of 5", HEAD + "scaled_scores", lambda x, **_: x / math.sqrt(5), {"scale": "5"}),
    ("divided by √8", HEAD + "scaled_scores", lambda x, **_: x / math.sqrt(8), {"scale": "5"}),
    ("the division by 2 is missing", "output_head.scaled_logits", lambda x, **_: x, {}),
]
