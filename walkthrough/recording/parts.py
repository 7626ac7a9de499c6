"""The parts of a model that a path names, from the outermost in: `encoder.1.attention.head.2.scores` is in four.

The words of paths are read here, and nothing else is known of what the parts do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class PartName(NamedTuple):
    """A part by its path, and by what people call it."""

    path: str
    title: str


_TITLES = {
    "self_attention": "Self-attention",
    "cross_attention": "Cross-attention",
    "feed_forward": "Feed-forward",
    "gradient": "Gradients",
    "update": "Updates",
    "trained": "After training",
}
"""Titles of words that are not written as they are read; any other word is its own title."""

_NUMBERED = {
    "encoder": "Layer",
    "decoder": "Layer",
    "train": "Training step",
    "generate": "Pass",
    "online": "Block",
    "encode": "Encoding step",
}
"""What a number after a word counts, where that is not the word itself."""

_HOLDERS = ("encoder", "decoder")
"""These are parts themselves, and their numbered ones are parts in them."""

_BACKWARDS = ("gradient", "update")
"""Here the parts of the model come again, back to front and mixed: only layers are told apart."""

_THROUGH = ".through."
"""What follows it in a path is the way that a gradient has come; it is no part of its own."""


@lru_cache(maxsize=4096)
def parts_of(path: str) -> tuple[PartName, ...]:
    """The parts that a step is in, the outermost first; none for a step of the whole model."""
    words = path.partition(_THROUGH)[0].split(".")[:-1]
    found: list[PartName] = []
    is_backwards = False
    for at, word in enumerate(words):
        number = words[at + 1] if at + 1 < len(words) and words[at + 1].isdigit() else ""
        if word.isdigit() or (is_backwards and word not in _HOLDERS):
            continue
        if word in _HOLDERS or not number:
            found.append(PartName(".".join(words[: at + 1]), _title(word)))
        if number:
            counted = _NUMBERED.get(word) or _title(word)
            found.append(PartName(".".join(words[: at + 2]), f"{counted} {number}"))
        is_backwards = is_backwards or word in _BACKWARDS
    return tuple(found)


def _title(word: str) -> str:
    """`norm_1` → Norm 1; of a parameter that is made of others `w_q` → Weights W_Q, `b_1` → Bias b_1."""
    if word.startswith("w_"):
        return f"Weights {word.upper()}"
    if word.startswith("b_"):
        return f"Bias {word}"
    spaced = word.replace("_", " ")
    return _TITLES.get(word) or spaced[:1].upper() + spaced[1:]
