"""The parts of a model that a path names, from the outermost in: `encoder.1.attention.head.2.scores` is in four.

The words of paths are read here, and nothing else is known of what the parts do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from walkthrough.recording.selectors import pass_of, within_pass


class PartName(NamedTuple):
    """A part by its path, and by what it is: a word that every language has a name for, and which of several."""

    path: str
    word: str
    number: str = ""


_NUMBERED = {
    "encoder": "layer",
    "decoder": "layer",
    "train": "training_step",
    "generate": "pass",
    "online": "block",
    "encode": "encoding_step",
}
"""What a number after a word counts, where that is not the word itself."""

_HOLDERS = ("encoder", "decoder")
"""These are parts themselves, and their numbered ones are parts in them."""

_GRADIENT = "gradient"
_UPDATE = "update"
_BACKWARDS = (_GRADIENT, _UPDATE)
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
            found.append(PartName(".".join(words[: at + 1]), *_name(word)))
        if number:
            found.append(PartName(".".join(words[: at + 2]), _NUMBERED.get(word, word), number))
        is_backwards = is_backwards or word in _BACKWARDS
    return tuple(found)


def heads_of(path: str) -> str:
    """What the steps of the heads of one attention have in common: `encoder.1.attention.scores`; else its own path."""
    above, _, name = path.rpartition(".")
    heads, _, number = above.rpartition(".")
    return f"{heads.rpartition('.')[0]}.{name}" if number.isdigit() else path


def is_backwards(path: str) -> bool:
    """Whether a step is of the backward pass: a gradient, or what an optimizer makes of it."""
    return within_pass(path).partition(".")[0] in _BACKWARDS


def gradient_of(path: str) -> str:
    """The path of what a step is the gradient of, or of a part of it; empty for any other step."""
    word, _, inner = within_pass(path).partition(".")
    return pass_of(path) + inner if word == _GRADIENT else ""


def updated_by(path: str) -> str:
    """The path of the parameter that a step makes anew; of any other step its own."""
    return path.removeprefix(f"{_UPDATE}.")


def training_step_of(path: str) -> int:
    """The training step that a step is in, from 1; 0 outside of all."""
    return next((int(part.number) for part in parts_of(path) if part.word == "training_step"), 0)


def is_after_training(path: str) -> bool:
    """Whether a step is calculated again with what a training has learned."""
    return pass_of(path).startswith("trained.")


def _name(word: str) -> tuple[str, str]:
    """`norm_1` is norm 1; of a parameter that is made of others `w_q` is weights W_Q, `b_1` bias b_1."""
    if word.startswith("w_"):
        return "weights", word.upper()
    if word.startswith("b_"):
        return "bias", word
    name, _, number = word.rpartition("_")
    return (name, number) if number.isdigit() else (word, "")
