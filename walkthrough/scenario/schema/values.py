"""Readers for the values that only scenarios have: tokens, vocabularies, positions, masks, roundings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar
from unicodedata import category

from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Matrix, MatrixReader
from walkthrough.scenario.schema.readers import (
    Choice,
    Context,
    Flag,
    JsonSchema,
    ListOf,
    Real,
    Whole,
    WordOr,
    real_number,
)
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, quote
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import as_word

_MARK = "\u0300"
"""Replaces every accent, vowel sign and the like while tokens are looked for: they belong to the character before."""
_LETTERS = rf"[\w{_MARK}\u200c\u200d]+"
_SIGN = rf"[^\w\s\u200b][{_MARK}\U0001f3fb-\U0001f3ff]*"
_TOKEN = re.compile(
    rf"\d+(?:[.,]\d+)*{_MARK}*|{_LETTERS}(?:['’]{_LETTERS})*|[\U0001f1e6-\U0001f1ff]{{2}}|{_SIGN}(?:\u200d{_SIGN})*"
)
"""A number, a word (don't is one), or a punctuation mark; an emoji of several characters is one, as a flag is."""


class TokenList(Record, eq=False):
    """Tokens, each with the node it was read from."""

    words: tuple[str, ...]
    nodes: tuple[Node, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def known(self) -> tuple[str | None, ...]:
        """The words, None where the file says null: for targets, where that is no word."""
        return tuple(
            None if isinstance(node, ScalarNode) and node.value is None else word
            for word, node in zip(self.words, self.nodes, strict=True)
        )


class WordsReader:
    """A list of tokens, each taken as its text."""

    def read(self, node: Node, context: Context) -> TokenList | None:
        if not isinstance(node, ListNode) or not node.items:
            context.reject(node, "a list of tokens", help="such as [The, cat, sat]")
            return None
        words = [_token(item, context) for item in node.items]
        good = tuple(word for word in words if word is not None)
        return TokenList(good, tuple(node.items)) if len(good) == len(words) else None

    def schema(self) -> JsonSchema:
        return {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}, "minItems": 1}


def _token(node: Node, context: Context) -> str | None:
    if isinstance(node, ScalarNode):
        return node.text
    context.reject(node, "a token", help="put a token such as '[' or '{' in quotes")
    return None


class SentenceReader:
    """A sentence: words and punctuation marks are its tokens."""

    def read(self, node: Node, context: Context) -> TokenList | None:
        words = tuple(_tokens(node.text)) if isinstance(node, ScalarNode) else ()
        if not words:
            context.reject(node, "a text with at least one word")
            return None
        return TokenList(words, (node,) * len(words))

    def schema(self) -> JsonSchema:
        return {"type": ["string", "number"]}


def _tokens(text: str) -> Iterator[str]:
    """The words and punctuation marks."""
    letters = text if text.isascii() else "".join(_MARK if category(sign)[0] == "M" else sign for sign in text)
    return (as_word(text[found.start() : found.end()]) for found in _TOKEN.finditer(letters))


class VocabularyReader:
    """Token → id: a mapping, a list whose ids count from 0, or {file: tokenizer.json}."""

    def read(self, node: Node, context: Context) -> dict[str, int] | None:
        file = vocabulary_file(node)
        if file is not None:
            return self._of_file(file, context)
        before = len(context.problems)
        entries = self._entries(node, context)
        vocabulary: dict[str, int] = {}
        taken: set[int] = set()
        for written, token, number in entries:
            if token in vocabulary:
                context.problems.add(written, f"the token {quote(token)} occurs twice", key=context.path)
            elif number in taken:
                context.problems.add(written, f"the id {number} is given to two tokens", key=context.path)
            vocabulary[token] = number
            taken.add(number)
        if not entries and len(context.problems) == before:
            context.reject(node, "a mapping token → id, or a list of tokens")
        return vocabulary if len(context.problems) == before else None

    def _of_file(self, file: ScalarNode, context: Context) -> dict[str, int] | None:
        from walkthrough.scenario.vocabulary_files import read_vocabulary  # few scenarios have one

        try:
            return read_vocabulary(context.folder / file.text)
        except (WeightsError, ValueError) as error:  # ValueError: a NUL in the name
            context.problems.add(file, str(error), key=context.path, help=getattr(error, "help", ""))
            return None

    def _entries(self, node: Node, context: Context) -> list[tuple[Node, str, int]]:
        """Where to point at, token and id of each good entry."""
        if isinstance(node, MappingNode):
            ids = [(token, value, Whole(least=0).read(value, context.at(token.text))) for token, value in node.entries]
            return [(value, token.text, number) for token, value, number in ids if number is not None]
        items = node.items if isinstance(node, ListNode) else []
        tokens = [(item, _token(item, context.at(index))) for index, item in enumerate(items, 1)]
        return [(item, token, number) for number, (item, token) in enumerate(tokens) if token is not None]

    def schema(self) -> JsonSchema:
        words = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
        file = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
        return {"anyOf": [words, WordsReader().schema(), {**file, "additionalProperties": False}]}


def vocabulary_file(node: Node | None) -> ScalarNode | None:
    """The file that a vocabulary is in; None where its words are written down, {file: 3} among them."""
    file = node.get("file") if isinstance(node, MappingNode) and len(node.entries) == 1 else None
    return file if isinstance(file, ScalarNode) and isinstance(file.value, str) else None


class Sinusoidal(Section):
    """Options of sinusoidal positions."""

    base: float = key(Real(above=0), "the 10000 of the formula", default=10000.0)
    layout: str = key(
        Choice(("interleaved", "halves", "tensor2tensor")),
        "sin, cos, sin, …; or sines, then cosines",
        default="interleaved",
    )
    angle: str = key(Choice(("radians", "degrees")), "unit of the angle", default="radians")
    rotation: int | None = key(
        Whole(least=0), "also show that shifting by this many positions is one rotation, the same for every position"
    )


class PositionOptions(Section):
    """Sinusoidal positions with options."""

    sinusoidal: Sinusoidal = key(SectionOf(Sinusoidal), "the options", required=True)


class PositionsReader:
    """none, sinusoidal, sinusoidal with options, or a matrix of learned positions."""

    def read(self, node: Node, context: Context) -> Sinusoidal | Matrix | str | None:
        if isinstance(node, ScalarNode):
            word = Choice(("none", "sinusoidal")).read(node, context)
            return (
                Sinusoidal(node=MappingNode([], node.line, node.column), path=context.path)
                if word == "sinusoidal"
                else word
            )
        if isinstance(node, MappingNode) and node.get("sinusoidal") is not None:
            options: PositionOptions | None = SectionOf(PositionOptions).read(node, context)
            return options.sinusoidal if options else None
        return MatrixReader().read(node, context)

    def schema(self) -> JsonSchema:
        named = {"enum": ["none", "sinusoidal"]}
        return {"anyOf": [named, {"$ref": "#/$defs/PositionOptions"}, MatrixReader().schema()]}


class Llama3(Section):
    """The scaling of Llama 3.1: slow pairs are slowed by a factor, fast ones are not, those between in part."""

    factor: float = key(Real(above=0), "by what factor the slow pairs are slowed", default=8.0, required=True)
    low_freq_factor: float = key(
        Real(above=0), "slow pairs: at most this many turns in the original context", default=1.0, required=True
    )
    high_freq_factor: float = key(
        Real(above=0), "fast pairs: at least this many turns in the original context", default=4.0, required=True
    )
    original_max_position_embeddings: float = key(
        Real(above=0), "the length of the original context", default=8192.0, required=True
    )


_KNOWN_SCALINGS = "supported are linear and llama3"


class RotaryScaling(Section):
    """How rotary positions are stretched for longer texts: one of the two."""

    ONE_OF: ClassVar = ("linear", "llama3")

    linear: float | None = key(Real(above=0), "the positions are divided by it")
    llama3: Llama3 | None = key(SectionOf(Llama3), "as in Llama 3.1")
    HINTS: ClassVar = {
        name: f"{name} is not supported; {_KNOWN_SCALINGS}"
        for name in ("dynamic", "yarn", "longrope", "su", "ntk", "mrope", "proportional", "rope_type", "type", "factor")
    }


class Rotary(Section):
    """Rotary positions: pairs of features are rotated by position · base^(−2i/r)."""

    base: float = key(Real(above=0), "the 10000 of the formula; theta in model configs", default=10000.0)
    dimensions: int | str = key(
        WordOr(("all",), Whole()), "the first r features of each head are rotated; r is even", default="all"
    )
    layout: str = key(
        Choice(("halves", "interleaved")),
        "halves: feature i is paired with i + r/2 (Llama, GPT-NeoX); interleaved: 2i with 2i + 1, from 0 "
        "(RoFormer, GPT-J)",
        default="halves",
    )
    scaling: RotaryScaling | str = key(
        WordOr(("none",), SectionOf(RotaryScaling), "a mapping, {linear: …} or {llama3: …}"),
        "for texts longer than those in training: {linear: 4} divides the positions, or {llama3: …}",
        default="none",
    )
    HINTS: ClassVar = {"theta": "it is called base here", "rope_theta": "it is called base here"}


class SlopesReader:
    """true, false, or a slope for each head."""

    def read(self, node: Node, context: Context) -> bool | list[float] | None:
        if isinstance(node, ListNode):
            return ListOf(Real()).read(node, context)
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        context.reject(node, "true, false, or a list with a slope for each head")
        return None

    def schema(self) -> JsonSchema:
        return {"anyOf": [Flag().schema(), ListOf(Real()).schema()]}


class Mask(Record):
    """Which connections are hidden: by order, by padding, by a given matrix of 0 (hidden) and 1, and by distance.

    window: a token sees itself and those that are less than so many positions away
    """

    causal: bool = False
    padding: bool = False
    matrix: Matrix | None = None
    window: int | None = None


class MaskReader:
    """none, causal, padding, [causal, padding], or a matrix of 0 and 1."""

    def read(self, node: Node, context: Context) -> Mask | None:
        kind = Choice(("none", "causal", "padding"))
        if isinstance(node, ScalarNode):
            word = kind.read(node, context)
            return Mask(word == "causal", word == "padding") if word else None
        if isinstance(node, ListNode) and node.items and all(isinstance(item, ScalarNode) for item in node.items):
            words = [kind.read(item, context) for item in node.items]
            for word, item in zip(words, node.items, strict=True):
                if words.count(word) > 1 or (word == "none" and len(words) > 1):
                    context.reject(item, "causal, padding, or each of them once")
            return Mask("causal" in words, "padding" in words) if all(words) else None
        matrix = MatrixReader().read(node, context)
        before = len(context.problems)
        for row in node.items if matrix and matrix.numbers and isinstance(node, ListNode) else []:
            for item in row.items if isinstance(row, ListNode) else []:
                if real_number(item) not in (0, 1):
                    context.reject(item, "0 (hidden) or 1 (visible)")
        return Mask(matrix=matrix) if matrix and len(context.problems) == before else None

    def schema(self) -> JsonSchema:
        named: JsonSchema = {"enum": ["none", "causal", "padding"]}
        return {"anyOf": [named, {"type": "array", "items": named}, MatrixReader().schema()]}


class DigitsReader:
    """`2` decimals, or `3 significant` digits; read as (count, significant)."""

    def read(self, node: Node, context: Context) -> tuple[int, bool] | None:
        text = node.text if isinstance(node, ScalarNode) else ""
        match = re.fullmatch(r"([0-9]{1,2})( significant)?", text.strip())
        if match is None or not 0 <= int(match[1]) <= 15 or (match[2] and match[1] == "0"):
            context.reject(node, "a number of decimals from 0 to 15, such as 2, or '3 significant'")
            return None
        return int(match[1]), bool(match[2])

    def schema(self) -> JsonSchema:
        return {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 15},
                {"type": "string", "pattern": "^[0-9]{1,2}( significant)?$"},
            ]
        }


class StepsReader:
    """selector → digits."""

    def read(self, node: Node, context: Context) -> dict[str, tuple[int, bool]] | None:
        if not isinstance(node, MappingNode):
            context.reject(node, "a mapping selector → digits")
            return None
        found = {name.text: DigitsReader().read(value, context.at(name.text)) for name, value in node.entries}
        return {name: digits for name, digits in found.items() if digits is not None}

    def schema(self) -> JsonSchema:
        return {"type": "object", "additionalProperties": DigitsReader().schema()}
