"""Sinusoidal positions: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

import math

from tests.mistakes.classic import Fault, encoding

FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("the positions are counted from 1", "positional_encoding", lambda **_: encoding(3, 4, first=1), {}),
    ("the angles are in degrees", "positional_encoding", lambda **_: encoding(3, 4, turn=math.pi / 180), {}),
    ("the layout is halves", "positional_encoding", lambda **_: encoding(3, 4)[:, [0, 2, 1, 3]], {}),
    *(
        (f"the base is {base}", "positional_encoding", lambda theirs=base, **_: encoding(3, 4, base=theirs), {})
        for base in (100, 1000, 100000, 500000, 1000000)
    ),
]
