"""How a text becomes tokens: merges are learned or given, and made in the text. Sennrich et al. 2016, §3.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain

import numpy as np

from walkthrough.operations.backward import take_columns
from walkthrough.operations.byte_pairs import (
    choose_pair,
    count_pairs,
    keep_counts,
    merge_symbols,
    merge_table,
    rank_pairs,
)
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels, distinct
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.byte_pairs import BytePairs, Joined, Learned, Pair, Symbols, join
from walkthrough.transformer.calculation import Calculation

GIVEN_WORDS = Kind("words", "f", "Words of the text", fixed=True, words="tokenizer.given_words")
WORDS = Kind("words", "f", "Words after the merge", fixed=True, words="tokenizer.words")
PAIRS = Kind("pairs", "c", "Pairs", fixed=True, words="tokenizer.pairs")
CHOICE = Kind("choice", "b", "Pair to merge", ids=(0,), fixed=True, words="tokenizer.choice")
MERGES = Kind("merges", "M", "Merges", ids=(0, 1), fixed=True, words="tokenizer.merges")
GIVEN_MERGES = MERGES._replace(words="tokenizer.given_merges")
GIVEN_SYMBOLS = Kind("symbols", "s", "Symbols of the text", ids=(1,), fixed=True, words="tokenizer.given_symbols")
RANKS = Kind("pairs", "r", "Ranks of the pairs", fixed=True, words="tokenizer.ranks")
NEXT = Kind("choice", "b", "Pair to merge", ids=(0,), fixed=True, words="tokenizer.next")
SYMBOLS = Kind("symbols", "s", "Symbols after the merge", ids=(1,), fixed=True, words="tokenizer.symbols")
TOKENS = Kind("tokens", "t", "Tokens", ids=(0,), words="tokenizer.tokens")


_LEFT_RIGHT_COUNT = ("left", "right", "count")


def record_tokenizers(calculation: Calculation, recorder: Recorder) -> None:
    """Records how the merges of a scenario are learned, and how its texts are split by them.

    Counts and ranks are whole in any arithmetic, so nothing is rounded here.
    """
    exact = recorder.rounding and Rounding(0)
    recorder = Recorder(recorder.trace, rounding=exact, parameters=recorder.parameters)
    merges: dict[BytePairs, Value | None] = {}
    for number, one in enumerate(calculation.scenario.examples, 1):
        example = f"example.{number}." if one.example is not None else ""
        for prefix, sequence in (("", one.sequence), ("decoder.", one.target)):
            if sequence is None or sequence.tokenizer is None:
                continue
            part = _Tokenizer(calculation, recorder, sequence.tokenizer, sequence.vocabulary or {})
            if sequence.tokenizer not in merges:
                merges[sequence.tokenizer] = part.record_merges(f"{prefix}tokenizer")
            if sequence.text:
                part.record_tokens(f"{example}{prefix}tokenizer", sequence.text, merges[sequence.tokenizer])


def _labels(parts: Iterable[Symbols]) -> Labels:
    """Words or pairs, the symbols of each apart."""
    return tuple(map(" ".join, parts))


def _symbol_labels(words: Iterable[Symbols]) -> Labels:
    """The symbols of words, one after the other."""
    return distinct(chain.from_iterable(words))


class _Tokenizer:
    """One tokenizer, with the ids of its symbols; a vocabulary may lack some of them."""

    def __init__(
        self, calculation: Calculation, recorder: Recorder, tokenizer: BytePairs, ids: Mapping[str, int]
    ) -> None:
        self.calculation = calculation
        self.recorder = recorder
        self.tokenizer = tokenizer
        self.ids = ids
        self.names = {number: symbol for symbol, number in ids.items()}

    def record_merges(self, path: str) -> Value | None:
        """The merges, m×3: how each was learned, or as they are given; None where there was no pair to learn."""
        recorder, text = self.recorder.under(path), self.tokenizer.text
        left, right = ([self._id(pair[side]) for pair in self.tokenizer.merges] for side in (0, 1))
        if text is None:
            rows = [(*pair, math.nan) for pair in zip(left, right, strict=True)]
            return self._given(recorder, GIVEN_MERGES, rows, columns=_LEFT_RIGHT_COUNT)
        counts = [(count,) for count in text.counts]
        words = self._given(recorder.under("train.0"), GIVEN_WORDS, counts, _labels(text.words))
        choices = []
        for number, one in enumerate(self.tokenizer.learned, 1):
            choice, words = self._learn(recorder.under(f"train.{number}"), one, words)
            choices.append(choice)
        if not choices:
            return None
        settings = {"left": tuple(left), "right": tuple(right)}
        merges = recorder.record(MERGES, merge_table, tuple(choices), settings, columns=_LEFT_RIGHT_COUNT)
        merges.names = self.names
        return merges

    def _learn(self, recorder: Recorder, one: Learned, words: Value) -> tuple[Value, Value]:
        """A choice, 1×2, and the words after it."""
        places = one.before.places()
        counted = {"places": tuple(tuple(of_pair.items()) for of_pair in places.values())}
        pairs = recorder.record(PAIRS, count_pairs, (words,), counted, rows=partial(_labels, places))
        at = {pair: place for place, pair in enumerate(places)}
        order = tuple(at[pair] for pair in self.tokenizer.prefer(places, one.ids))
        ids = self._ids_to_be(places)
        settings = {"ids": tuple(ids.values()), "order": order, "lowest": False}
        choice = recorder.record(CHOICE, choose_pair, (pairs,), settings, columns=("token", "count"))
        choice.names = {int(number): join(pair) for pair, number in ids.items() if not math.isnan(number)}
        return choice, recorder.record(WORDS, keep_counts, (words, choice), rows=partial(_labels, one.after.words))

    def record_tokens(self, path: str, text: str, merges: Value | None) -> Value:
        """The tokens of a text, n×1: its characters, and the merges made among them one after the other."""
        recorder, words = self.recorder.under(path), self.tokenizer.words(text)
        rows = [(number, self._id(symbol)) for number, word in enumerate(words, 1) for symbol in word]
        labels = _symbol_labels(words)
        symbols = self._given(recorder.under("encode.0"), GIVEN_SYMBOLS, rows, labels, ("word", "id"))
        for number, one in enumerate(self.tokenizer.encode(text), 1):
            assert merges is not None
            symbols = self._join(recorder.under(f"encode.{number}"), one, words, symbols, merges)
            words = one.words
        tokens = recorder.record(TOKENS, take_columns, (symbols,), {"start": 1, "stop": 2})
        tokens.names = self.names
        return tokens

    def _join(self, recorder: Recorder, one: Joined, words: Sequence[Symbols], symbols: Value, merges: Value) -> Value:
        """The symbols after a merge, t×2."""
        first = self._first_rows(words)
        rows = tuple(first[pair] if self.ids.keys() >= {*pair} else None for pair in one.ranks)
        looked_up = {"ranks": tuple(one.ranks.values()), "rows": rows}
        pairs = recorder.record(RANKS, rank_pairs, (symbols, merges), looked_up, rows=partial(_labels, one.ranks))
        ids = tuple(self._id(join(pair)) for pair in one.ranks)
        ranked = tuple(at for at, rank in enumerate(one.ranks.values()) if rank is not None)
        chosen = {"ids": ids, "order": ranked, "lowest": True}
        choice = recorder.record(NEXT, choose_pair, (pairs,), chosen, columns=("token", "rank"))
        choice.names = self.names
        begins = accumulate((len(word) for word in words), initial=0)
        starts = tuple(begin + at for begin, of_word in zip(begins, one.starts, strict=False) for at in of_word)
        lengths = (after - start for start, after in zip(starts, (*starts[1:], symbols.shape[0]), strict=True))
        merged = tuple(at for at, length in enumerate(lengths) if length == 2)
        settings = {"starts": starts, "merged": merged}
        labels = partial(_symbol_labels, one.words)
        after = recorder.record(SYMBOLS, merge_symbols, (symbols, choice), settings, rows=labels)
        after.names = self.names
        return after

    def _given(
        self,
        recorder: Recorder,
        kind: Kind,
        rows: Sequence[tuple[float, ...]],
        labels: Iterable[str] | None = None,
        columns: tuple[str, ...] | None = None,
    ) -> Value:
        """What no operation computes."""
        texts = tuple(labels) if labels is not None else None
        axes = Axis("rows", len(rows), texts), Axis("columns", len(rows[0]), columns)
        made = recorder.record_given(kind, np.array(rows, dtype=np.float64), axes=axes)
        if kind.ids:
            made.names = self.names
        return made

    def _id(self, symbol: str) -> float:
        return self.ids.get(symbol, math.nan)

    def _ids_to_be(self, pairs: Iterable[Pair]) -> dict[Pair, float]:
        """The id of what each pair would make: beyond all others where it is never made; unknown to a vocabulary."""
        if self.ids != self.tokenizer.ids:
            return {pair: self._id(join(pair)) for pair in pairs}
        made = dict(self.ids)
        return {pair: made.setdefault(join(pair), len(made)) for pair in pairs}

    def _first_rows(self, words: Iterable[Symbols]) -> dict[Pair, int]:
        """The row in which each pair first begins."""
        found: dict[Pair, int] = {}
        row = 0
        for word in words:
            for at in range(len(word) - 1):
                found.setdefault((word[at], word[at + 1]), row + at)
            row += len(word)
        return found
