"""Selectors: an exact path, or words of a path in order, not necessarily neighbours.

A number belongs to the word before it, so `encoder.1.scores` is layer 1 of the encoder, any head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from walkthrough.errors import UserError
from walkthrough.text import find_near, in_quotes

T = TypeVar("T")

Pattern = tuple[tuple[str, str], ...]
"""(word, number) pairs; an empty number stands for any."""

SHORT = {
    "q": "query",
    "k": "key",
    "v": "value",
    "ln": "norm",
    "ffn": "feed_forward",
    "pe": "positional_encoding",
}
KINDS = {
    "attention": ("attention", "self_attention", "cross_attention", "linear_attention"),
    "norm": (
        *(f"{place}_{number}" for place in ("norm", "branch_norm") for number in (1, 2, 3)),
        "final_norm",
        "embedding_norm",
    ),
    "residual": ("residual", "residual_1", "residual_2", "residual_3"),
}


_INSIDE = ("lens", "attribution")
"""Steps under these words are there where a scenario asks for them."""
NAMED_ONLY = ("trained", "tokenizer", *_INSIDE)
"""Steps under these words repeat others, or come before the model: meant only by a selector that says the word."""
TOKENS = "tokens"
"""In place of a selector in a change: the words of the scenario, exchanged all at once."""
LOSSES = ("training", "trained.loss.mean", "trained.loss.total")
"""The table of a training, and the loss after it."""


class SelectorError(UserError, LookupError):
    """A selector or a cell that matches nothing, or too much."""

    def __str__(self) -> str:
        return str(self.args[0])


@lru_cache(maxsize=65536)
def parse_words(text: str) -> Pattern:
    """`encoder.1.head.2.scores` → ((encoder, 1), (head, 2), (scores, any)); case does not count."""
    words: list[tuple[str, str]] = []
    for part in text.strip().lower().split("."):
        if part.isdecimal() and words and not words[-1][1]:
            words[-1] = (words[-1][0], part)
        else:
            words.append((SHORT.get(part, part), ""))
    return tuple(words)


def is_aside(path: str) -> bool:
    """Whether a step is meant only by a selector that says a word of its path."""
    return any(word in NAMED_ONLY for word, _ in parse_words(path))


def is_look_inside(path: str) -> bool:
    """Whether a step is there only because a scenario asks for a look inside."""
    return any(word in _INSIDE for word, _ in parse_words(path))


def is_selected(path: str, selector: Pattern) -> bool:
    """Whether the path has the words of the selector, in order; some steps only if it says theirs."""
    if any(word in NAMED_ONLY and (word, "") not in selector for word, _ in parse_words(path)):
        return False
    found = 0
    for part in parse_words(path):
        if found < len(selector) and _fits(part, selector[found], is_alone=len(selector) == 1):
            found += 1
    return found == len(selector)


def resolve(selector: str, named: Iterable[tuple[T, Iterable[str]]]) -> list[T]:
    """Those that a selector names, each given with its names: an exact name wins, otherwise its words decide."""
    candidates = [(one, list(names)) for one, names in named]
    exact = [one for one, names in candidates if selector in names]
    words = parse_words(selector)
    return exact or [one for one, names in candidates if any(is_selected(name, words) for name in names)]


_PASSES = re.compile(r"((train|generate|beam|example)\.[0-9]+\.|trained\.)*")


def pass_of(path: str) -> str:
    """The prefixes of the passes that a path is in: a training step, an example, a generated token; or empty."""
    return _PASSES.match(path)[0]  # type: ignore[index]  # it matches nothing too


def within_pass(path: str) -> str:
    """A path without these prefixes."""
    return path[len(pass_of(path)) :]


_TICK = re.compile(r"(?:(?:train|generate)\.[0-9]+\.|trained\.)*")
_FIRST_WORD = "generate.1."


def tick_of(path: str) -> str:
    """What the paths of a generated word, or of a training step, begin with; empty for others, and the first word."""
    found = _TICK.match(path)[0]  # type: ignore[index]  # it matches nothing too
    return "" if found == _FIRST_WORD else found


def first_tick(ticks: Iterable[str]) -> str:
    """What the first pass is called, whose paths say none, beside those that do."""
    return _FIRST_WORD if any(map(is_generated, ticks)) else "train.1."


def is_generated(path: str) -> bool:
    """Whether a step belongs to a generated word."""
    return path.startswith("generate.")


def batch_of(path: str) -> str:
    """The same without that of an example: what all examples of a training step share."""
    return _EXAMPLE.sub("", pass_of(path))


_EXAMPLE = re.compile(r"example\.[0-9]+\.$")


def _fits(part: tuple[str, str], wanted: tuple[str, str], is_alone: bool) -> bool:
    """Whether a word of a path is one that a selector asks for; `norm` alone means norms, and not clip.norm."""
    meant = KINDS.get(wanted[0], (wanted[0],))
    is_word = part[0] in meant or (not is_alone and part[0] == wanted[0])
    return is_word and wanted[1] in ("", part[1])


def no_match(selector: str, paths: Iterable[str], kind: str = "step", otherwise: str = "") -> SelectorError:
    """The error for a selector that names nothing, with near names that do name something. otherwise: where none do"""
    paths = list(paths)
    names = {word for path in paths for word, _ in parse_words(path)}
    names |= {kind for kind in KINDS if _names_any(paths, parse_words(kind))}
    words = parse_words(selector)
    unasked = [word for word, _ in words if word in _INSIDE and word not in names]
    if unasked:
        hint = f"it is there where inspect: [{unasked[0]}] asks for it, and it applies"
        return SelectorError(f"no {kind} is called {in_quotes(selector)}; {hint}")
    found = [f"{name}.{selector}" for name in NAMED_ONLY if _names_any(paths, ((name, ""), *words))]
    found = found or (_mend(words, names, paths) if "." in selector else find_near(selector, names))
    found = found or find_near(selector, paths)
    hint = f"; did you mean {' or '.join(map(in_quotes, found))}?" if found else otherwise
    return SelectorError(f"no {kind} is called {in_quotes(selector)}{hint}")


def no_path(text: str, paths: Iterable[str]) -> SelectorError:
    """The error for a text that should be one exact path and is none: it may be a selector."""
    paths = list(paths)
    found = [path for path in paths if is_selected(path, parse_words(text))]
    if not found:
        return no_match(text, paths)
    few = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
    return SelectorError(f"{in_quotes(text)} is not a full path, such as {few}; select({text!r}) takes words of a path")


def _names_any(paths: Iterable[str], selector: Pattern) -> bool:
    return any(is_selected(path, selector) for path in paths)


def _mend(selector: Pattern, names: set[str], paths: list[str]) -> list[str]:
    """The selector with near names for its unknown words, or also without its numbers; none where neither helps."""
    words = [(word if word in names else next(iter(find_near(word, names)), word), number) for word, number in selector]
    for mended in (tuple(words), tuple((word, "") for word, _ in words)):
        if _names_any(paths, mended):
            return [".".join(part for pair in mended for part in pair if part)]
    return []
