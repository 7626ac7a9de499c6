"""Readers for tokens, sentences, vocabularies and tokenizers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar
from unicodedata import category

from walkthrough.records import Record
from walkthrough.scenario.byte_pairs import BLANK, join
from walkthrough.scenario.schema.readers import Choice, Context, JsonSchema, Text, Whole, all_of
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, quote
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import as_word

_MARK = "\u0300"
"""Replaces every accent, vowel sign and the like while tokens are looked for: they belong to the character before."""
_LETTERS = rf"[\w{_MARK}\u200c\u200d]+"
_SIGN = rf"[^\w\s\u200b][{_MARK}\U0001f3fb-\U0001f3ff]*"
_TOKEN = (
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
    def or_null(self) -> tuple[str | None, ...]:
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
        words = all_of(_token(item, context) for item in node.items)
        return None if words is None else TokenList(tuple(words), tuple(node.items))

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
        words = tuple(split_text(node.text)) if isinstance(node, ScalarNode) else ()
        if not words:
            context.reject(node, "a text with at least one word")
            return None
        return TokenList(words, (node,) * len(words))

    def schema(self) -> JsonSchema:
        return {"type": ["string", "number"]}


def split_text(text: str) -> Iterator[str]:
    """The words and punctuation marks."""
    letters = text if text.isascii() else "".join(_MARK if category(sign)[0] == "M" else sign for sign in text)
    return (as_word(text[found.start() : found.end()]) for found in re.finditer(_TOKEN, letters))


class Vocabulary(dict[str, int]):
    """Token → id; what is made of a large one is kept for it."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class VocabularyReader:
    """Token → id: a mapping, a list whose ids count from 0, or {file: tokenizer.json}."""

    def read(self, node: Node, context: Context) -> Vocabulary | None:
        file = vocabulary_file(node)
        if file is not None:
            return self._of_file(file, context)
        before = len(context.problems)
        entries = self._entries(node, context)
        vocabulary = Vocabulary()
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

    def _of_file(self, file: ScalarNode, context: Context) -> Vocabulary | None:
        from walkthrough.scenario.vocabulary_files import read_vocabulary  # few scenarios have one

        try:
            return Vocabulary(read_vocabulary(context.folder / file.text))
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


class Merges(Record, eq=False):
    """Pairs of symbols, each with the node it was read from."""

    pairs: tuple[tuple[str, str], ...]
    nodes: tuple[Node, ...]


class MergesReader:
    """Pairs of symbols in order, each a list of two or one text with a blank between them."""

    def read(self, node: Node, context: Context) -> Merges | None:
        if not isinstance(node, ListNode) or not node.items:
            context.reject(node, "a list of merges", help="such as [[t, h], [th, e]] or ['t h', 'th e']")
            return None
        pairs = all_of(self._pair(item, context.at(number)) for number, item in enumerate(node.items, 1))
        return None if pairs is None else Merges(tuple(pairs), tuple(node.items))

    def _pair(self, node: Node, context: Context) -> tuple[str, str] | None:
        parts = node.text.split() if isinstance(node, ScalarNode) else []
        if isinstance(node, ListNode):
            parts = [part.text for part in node.items if isinstance(part, ScalarNode) and part.text]
        if len(parts) != 2 or (isinstance(node, ListNode) and len(node.items) != 2):
            context.reject(node, "two symbols, [t, h] or 't h'", help="a blank as a symbol is written ␣")
            return None
        left, right = (as_word(part.replace(" ", BLANK)) for part in parts)
        return left, right

    def schema(self) -> JsonSchema:
        symbol = {"type": ["string", "number", "boolean", "null"]}
        pair = {"type": "array", "items": symbol, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": {"anyOf": [pair, {"type": "string"}]}, "minItems": 1}


class TextToLearn(Text):
    """A text that has words."""

    def read(self, node: Node, context: Context) -> str | None:
        text = super().read(node, context)
        if text is not None and next(split_text(text), None) is None:
            context.reject(node, "a text with at least one word")
            return None
        return text


class BpeTraining(Section):
    """What merges are learned from."""

    text: str | None = key(TextToLearn(), "the text", required=True)
    merges: int | None = key(Whole(), "how many merges at most: it ends where no pair is left", required=True)


class Bpe(Section):
    """Byte-pair encoding: frequent neighbours become one symbol."""

    ONE_OF: ClassVar = ("merges", "train")

    merges: Merges | None = key(
        MergesReader(), "the merges in order, each two symbols: [[t, h], [th, e]] or ['t h', …]"
    )
    train: BpeTraining | None = key(SectionOf(BpeTraining), "learn the merges from a text")
    split: str = key(
        Choice(("words", "blanks", "none")),
        "within what is merged: words as `text` has them, pieces between blanks, or the whole text with its blanks",
        default="words",
    )
    end_of_word: str = key(Text(), "a symbol of its own after each word, such as </w>", default="none")
    ties: str = key(
        Choice(("first", "ids", "greatest")),
        "of the most frequent pairs the one met first, that of the lowest ids, or the greatest as text",
        default="first",
        without="train",
    )


class BpeReader(SectionOf):
    """The section, whose given merges are made of symbols that there are."""

    def read(self, node: Node, context: Context) -> Bpe | None:
        bpe: Bpe | None = super().read(node, context)
        before = len(context.problems)
        if bpe is not None and bpe.merges is not None:
            self._check_merges(bpe.merges, bpe.end_of_word, context.at("merges"))
        return bpe if len(context.problems) == before else None

    def _check_merges(self, merges: Merges, end_of_word: str, context: Context) -> None:
        """Each symbol is a character, the end of a word, or what a merge before has made."""
        known, seen = {end_of_word} - {"none"}, dict[tuple[str, str], int]()
        for number, (pair, node) in enumerate(zip(merges.pairs, merges.nodes, strict=True), 1):
            key = context.at(number).path
            for symbol in pair:
                if len(symbol) > 1 and symbol not in known:
                    message = f"{quote(symbol)} is no symbol: no merge before this one makes it"
                    context.problems.add(node, message, key=key, help=_SYMBOLS)
            if pair in seen:
                message = f"the merge has no effect: it is the same as number {seen[pair]}"
                context.problems.warn(node, message, key=key, help="remove it")
            seen.setdefault(pair, number)
            known.add(join(pair))


_SYMBOLS = "symbols are characters, what earlier merges make, and the end_of_word"


class Tokenizer(Section):
    """How a text becomes tokens."""

    bpe: Bpe | None = key(BpeReader(Bpe), "byte-pair encoding", required=True)
