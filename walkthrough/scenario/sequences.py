"""The sequence of a stack: its tokens and what makes them numbers, with the defaults filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.byte_pairs import BLANK, BytePairs, count_words, given_symbols, learn
from walkthrough.scenario.schema.keys import Decoder, Example, Norm, OutputHead, ScenarioSpec, Sentence, SequenceSpec
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.schema.positions import Sinusoidal
from walkthrough.scenario.schema.tokens import Bpe, Tokenizer, TokenList, Vocabulary, split_text
from walkthrough.scenario.yaml.nodes import ScalarNode


class TokenSequence(Record, eq=False):
    """Tokens, vocabulary, embeddings and positions of the encoder, the decoder, or the one stack there is.

    owner:    the section that holds them, for messages
    sentence: the section that holds its tokens, which may be an example of a training
    positions_from: the section that holds its positions
    tokenizer: what has made the tokens of a text; None where they are words, or given
    """

    owner: SequenceSpec
    sentence: Sentence
    positions_from: Sentence
    tokens: TokenList | None
    vocabulary: Vocabulary | None
    embeddings: Table | Matrix | None
    embedding_scale: str | float | None
    positional_encoding: Sinusoidal | Matrix | str | None
    segment_embedding: Matrix | None
    embedding_norm: Norm | None
    padding_token: str
    positions: list[int] | None
    tokenizer: BytePairs | None = None

    def positions_of(self, count: int) -> tuple[int, ...]:
        """The positions of so many tokens, where the file says them; further ones go on from the last."""
        if self.positions is None:
            return ()
        after = self.positions[-1] + 1
        return tuple([*self.positions, *range(after, after + count)][:count])

    @property
    def text(self) -> str:
        """The text that the tokenizer splits; empty where there is none."""
        node = self.sentence.node.get("text")
        is_split = self.tokenizer is not None and self.sentence.tokens is None and isinstance(node, ScalarNode)
        return node.text if is_split and isinstance(node, ScalarNode) else ""

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens as texts."""
        return self.tokens.words if self.tokens else ()

    def row_words(self, rows: int) -> tuple[str, ...]:
        """The words of a table by id; an id without one is called by its number, unless that is a word itself."""
        return _row_words(self.vocabulary or Vocabulary(), rows)

    @property
    def by_id(self) -> bool:
        """Whether the embeddings are a matrix by id: there is a vocabulary, and each of its ids has a row."""
        if self.vocabulary is None or not isinstance(self.embeddings, Matrix):
            return False
        return self.embeddings.rows is None or self.embeddings.rows > max(self.vocabulary.values())

    @property
    def table_size(self) -> int | None:
        """The rows of an embedding table: one for each of its words, or for each id from 0 to the largest."""
        if isinstance(self.embeddings, Table):
            return len(self.embeddings.words)
        if self.embeddings is None or not self.by_id:
            return None
        return self.embeddings.rows or max((self.vocabulary or {}).values(), default=-1) + 1

    @property
    def table_rows(self) -> tuple[int, ...]:
        """The row of the embedding table that each token takes, counted from 0."""
        rows: Mapping[str, int] = self.vocabulary or {}
        if isinstance(self.embeddings, Table):
            rows = {word: row for row, word in enumerate(self.embeddings.words)}
        return tuple(rows.get(word, 0) for word in self.words)

    @property
    def table_words(self) -> tuple[str, ...]:
        """The rows of the embedding table: words; an id without a word is its own label."""
        return self.embeddings.words if isinstance(self.embeddings, Table) else self.row_words(self.table_size or 0)

    def without_embedding(self, words: Iterable[str]) -> list[str]:
        """Those words that could not be among the tokens: without a vector, or without an id where there are ids."""
        known = set(self.vocabulary or ())
        if isinstance(self.embeddings, Table):
            known = set(self.embeddings.words) & (known if self.vocabulary is not None else set(self.embeddings.words))
        elif not self.by_id:
            known = set()
        return [word for word in words if word not in known]


@lru_cache(maxsize=8)
def _row_words(vocabulary: Vocabulary, rows: int) -> tuple[str, ...]:
    words = {number: word for word, number in vocabulary.items()}
    return tuple(
        words[row] if row in words else f"id {row}" if str(row) in vocabulary else str(row) for row in range(rows)
    )


class OutputVocabulary(Record):
    """The columns of the logits: their words, None where they have none, and their ids."""

    words: tuple[str, ...] | None
    ids: tuple[int, ...]


def output_vocabulary(
    head: OutputHead, sequence: TokenSequence, columns: int = 0, out_in: bool = False
) -> OutputVocabulary:
    """What can be predicted, in the order of the columns; a tied table's rows are its own words.

    columns: how many there are, where no vocabulary says it
    out_in:  whether weights have a row for each word
    """
    if head.tied and not head.has("vocabulary"):
        if isinstance(sequence.embeddings, Table):
            words, known = sequence.embeddings.words, sequence.vocabulary or Vocabulary()
            return OutputVocabulary(words, tuple(known.get(word, at) for at, word in enumerate(words)))
        rows = sequence.embeddings.rows if sequence.embeddings is not None and sequence.by_id else None
        if rows is not None:
            return OutputVocabulary(sequence.row_words(rows), tuple(range(rows)))
    vocabulary = head.vocabulary if head.has("vocabulary") else sequence.vocabulary
    if (ids := _ids_of_weight(head, sequence, out_in)) is not None:
        return OutputVocabulary(sequence.row_words(ids), tuple(range(ids)))
    if vocabulary is None:
        return OutputVocabulary(None, tuple(range(columns)))
    return _in_order(vocabulary)


@lru_cache(maxsize=8)
def _in_order(vocabulary: Vocabulary) -> OutputVocabulary:
    """The words by their ids."""
    ordered = tuple(sorted(vocabulary, key=vocabulary.__getitem__))
    return OutputVocabulary(ordered, tuple(vocabulary[word] for word in ordered))


def _ids_of_weight(head: OutputHead, sequence: TokenSequence, out_in: bool) -> int | None:
    """The words of a weight that has one for each id of the table, more than the vocabulary names; else None."""
    rows = sequence.table_size if isinstance(sequence.embeddings, Matrix) and sequence.by_id else None
    if head.w is None or head.has("vocabulary") or rows is None or sequence.vocabulary is None:
        return None
    words = head.w.rows if out_in else head.w.columns
    return rows if words == rows > len(sequence.vocabulary) else None


def sequence_of(keys: ScenarioSpec, example: Example | None = None) -> TokenSequence:
    """The sequence at the top level.

    example: of a training, whose sentence takes the place of the scenario's
    """
    return _sequence(keys, keys, (example or keys, example or keys))


def decoder_sequence(keys: ScenarioSpec, decoder: Decoder, example: Example | None = None) -> TokenSequence:
    """The decoder's sequence: its own keys, and for some of them the top level's where it has none.

    Without an encoder the sequence at the top level is the decoder's, all of it.
    """
    sentences = (decoder, keys) if example is None else (example.decoder or example, example)
    return _sequence(decoder, keys, sentences, shares_all=not keys.has("encoder"))


def _sequence(
    own: SequenceSpec, top: ScenarioSpec, sentences: tuple[Sentence, Sentence], shares_all: bool = False
) -> TokenSequence:
    """The sequence of a section; `sentences`: where its own tokens stand, and those of the top level."""

    def either(name: str, shared: bool) -> Any:
        return getattr(top if shared and not own.has(name) else own, name)

    sentence, above = sentences
    positions_from = above if shares_all and not sentence.has("positions") else sentence
    if shares_all and not _has_tokens(sentence) and _has_tokens(above):
        sentence = above
    section: Tokenizer | None = either("tokenizer", True)
    tokenizer = tokenizer_of(section)
    is_split = section is None or tokenizer is not None  # else what the tokens are is not known
    return TokenSequence(
        owner=own,
        sentence=sentence,
        tokens=sentence.tokens or (_tokens_of(sentence.text, tokenizer) if is_split else None),
        vocabulary=either("vocabulary", True) or (Vocabulary(tokenizer.ids) if tokenizer is not None else None),
        embeddings=either("embeddings", True),
        embedding_scale=either("embedding_scale", True),
        positional_encoding=either("positional_encoding", True),
        segment_embedding=either("segment_embedding", shares_all),
        embedding_norm=either("embedding_norm", shares_all),
        padding_token=top.padding_token,
        positions=positions_from.positions,
        positions_from=positions_from,
        tokenizer=tokenizer,
    )


def _tokens_of(text: TokenList | None, tokenizer: BytePairs | None) -> TokenList | None:
    """The tokens of a text: its words, or what a tokenizer makes of it."""
    node = text.nodes[0] if text is not None else None
    if tokenizer is None or not isinstance(node, ScalarNode):
        return text
    words = tokenizer.tokens(node.text)
    return TokenList(words, (node,) * len(words))


def tokenizer_of(section: Tokenizer | None) -> BytePairs | None:
    """The tokenizer that a section describes; None where it is faulty."""
    bpe = section.bpe if section is not None else None
    is_sound = bpe is not None and not bpe.faulty and (bpe.merges is None) != (bpe.train is None)
    if bpe is None or not is_sound:
        return None
    if bpe.train is not None and (bpe.train.faulty or None in (bpe.train.text, bpe.train.merges)):
        return None
    return _byte_pairs(bpe)


_SPLITS: dict[str, Callable[[str], Iterable[str]]] = {
    "words": split_text,
    "blanks": str.split,
    "none": lambda text: [text],
}
"""Within what pairs are merged, of a text."""


@lru_cache(maxsize=64)
def _byte_pairs(bpe: Bpe) -> BytePairs:
    """The tokenizer with the merges that are given, or learned; made once, however often it is asked for."""
    split, end = _SPLITS[bpe.split], "" if bpe.end_of_word == "none" else bpe.end_of_word.replace(" ", BLANK)
    if bpe.merges is not None:
        return BytePairs(bpe.merges.pairs, split, end, given_symbols(bpe.merges.pairs, end))
    assert bpe.train is not None
    assert bpe.train.text is not None
    assert bpe.train.merges is not None
    text = count_words(split(bpe.train.text), end)
    learned = learn(text, bpe.train.merges, bpe.ties)
    alphabet = frozenset(symbol for word in text.words for symbol in word)
    return BytePairs(tuple(one.pair for one in learned), split, end, alphabet, text, tuple(learned), bpe.ties)


def _has_tokens(sentence: Sentence) -> bool:
    return sentence.has("tokens") or sentence.has("text")
