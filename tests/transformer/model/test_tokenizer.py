"""How a text becomes tokens, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from walkthrough import ScenarioError, parse_scenario, trace
from walkthrough.recording.values import Value

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
"""The example of Sennrich et al. (2016)."""
LEARNED = f"""\
title: t
text: lowest
tokenizer:
  bpe:
    train: {{text: {TEXT}, merges: 10}}
    end_of_word: </w>
"""
GIVEN = """\
title: t
text: the hat
tokenizer: {bpe: {merges: [[t, h], 'th e', [a, t]]}}
"""


def cells(value: Value) -> list[list[object]]:
    """Its numbers, ids as the symbols that they stand for."""

    def cell(number: float, column: int) -> object:
        if np.isnan(number):
            return None
        return (value.names or {})[int(number)] if value.is_word(column) else number

    return [[cell(number, column) for column, number in enumerate(row)] for row in value.array.tolist()]


def counts(value: Value) -> dict[str, object]:
    """Of a step with one column, its numbers by their rows."""
    return dict(zip(value.rows, (number for (number,) in cells(value)), strict=True))


def faults(text: str) -> list[tuple[int, int, str, str]]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    return [(one.line, one.column, one.message, one.key) for one in caught.value.problems]


def test_words_are_counted_in_the_order_met() -> None:
    words = trace(parse_scenario(LEARNED))["tokenizer.train.0.words"]
    assert counts(words) == {"l o w </w>": 5, "l o w e r </w>": 2, "n e w e s t </w>": 6, "w i d e s t </w>": 3}
    assert words.operation is None


def test_pairs_are_counted_in_words_and_the_most_frequent_is_merged() -> None:
    """The paper's own merges, but for the ties: e s, s t and t </w> all stand there nine times."""
    found = trace(parse_scenario(LEARNED))
    pairs, choice, words = (found[f"tokenizer.train.1.{name}"] for name in ("pairs", "choice", "words"))
    assert list(counts(pairs).items())[:4] == [("l o", 7), ("o w", 7), ("w </w>", 5), ("w e", 8)]
    assert {pair for pair, count in counts(pairs).items() if count == 9} == {"e s", "s t", "t </w>"}
    assert (choice.columns, cells(choice)) == (("token", "count"), [["es", 9]])
    assert counts(words) == {"l o w </w>": 5, "l o w e r </w>": 2, "n e w es t </w>": 6, "w i d es t </w>": 3}
    assert cells(found["tokenizer.merges"])[:5] == [
        *(["e", "s", 9], ["es", "t", 9], ["est", "</w>", 9]),
        *(["l", "o", 7], ["lo", "w", 7]),
    ]
    merges = found["tokenizer.merges"]
    assert (merges.rows, merges.columns) == (tuple(map(str, range(1, 11))), ("left", "right", "count"))


def test_a_word_that_holds_a_pair_twice_counts_twice() -> None:
    found = trace(parse_scenario("title: t\ntokenizer: {bpe: {train: {text: aaa ba aaa, merges: 1}}}"))
    assert counts(found["tokenizer.train.1.pairs"]) == {"a a": 4, "b a": 1}
    assert list(counts(found["tokenizer.train.1.words"])) == ["aa a", "b a"]
    assert [value.path for value in found if "encode" in value.path] == []


def test_ids_are_of_single_symbols_in_order_and_then_of_merged_ones() -> None:
    found = trace(parse_scenario(LEARNED))
    names = found["tokenizer.tokens"].names
    assert names is not None
    assert list(names.values()) == [
        *("</w>", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w"),
        *("es", "est", "est</w>", "lo", "low", "ne", "new", "newest</w>", "low</w>", "wi"),
    ]


def test_a_text_is_split_by_the_merges_of_lowest_rank_first() -> None:
    found = trace(parse_scenario(LEARNED))
    start = found["tokenizer.encode.0.symbols"]
    assert start.columns == ("word", "id")
    assert cells(start) == [[1, symbol] for symbol in (*"lowest", "</w>")]
    pairs = found["tokenizer.encode.1.pairs"]
    assert counts(pairs) == {"l o": 4, "o w": None, "w e": None, "e s": 1, "s t": None, "t </w>": None}
    assert pairs.unknown
    assert cells(found["tokenizer.encode.1.choice"]) == [["es", 1]]
    assert found["tokenizer.encode.1.choice"].columns == ("token", "rank")
    assert [symbol for _, symbol in cells(found["tokenizer.encode.1.symbols"])] == ["l", "o", "w", "es", "t", "</w>"]
    assert cells(found["tokenizer.tokens"]) == [["low"], ["est</w>"]]
    assert found["token_ids"] is found["tokenizer.tokens"]
    assert "tokenizer.encode.6.pairs" not in found


def test_given_merges_have_no_count() -> None:
    found = trace(parse_scenario(GIVEN))
    merges = found["tokenizer.merges"]
    assert cells(merges) == [["t", "h", None], ["th", "e", None], ["a", "t", None]]
    assert merges.operation is None
    assert [word for (word,) in cells(found["tokenizer.tokens"])] == ["the", "h", "at"]


def test_a_merge_is_made_everywhere_before_the_next() -> None:
    found = trace(parse_scenario(GIVEN.replace("the hat", "that thth")))
    assert cells(found["tokenizer.encode.1.symbols"]) == [[1, "th"], [1, "a"], [1, "t"], [2, "th"], [2, "th"]]


@pytest.mark.parametrize(
    ("split", "tokens"),
    [("words", ["a", "b", "!", "a", "b"]), ("blanks", ["a", "b!", "a", "b"]), ("none", ["a␣", "b!", "␣", "a␣", "b"])],
)
def test_pairs_are_merged_within_what_the_text_is_split_into(split: str, tokens: list[str]) -> None:
    merges = "[[a, ' '], [b, '!']]"
    given = f"title: t\ntext: a b! a b\ntokenizer: {{bpe: {{merges: {merges}, split: {split}}}}}"
    assert [word for (word,) in cells(trace(parse_scenario(given))["tokenizer.tokens"])] == tokens


def test_tokens_are_embedded_by_their_ids() -> None:
    """Without a vocabulary the tokenizer gives the ids: a, b, then ab."""
    text = "title: t\ntext: abb\ntokenizer: {bpe: {merges: [[a, b]]}}\nembeddings: [[1], [2], [3]]\n"
    found = trace(parse_scenario(text))
    assert found["token_ids"].array.tolist() == [[2], [1]]
    assert found["token_embedding"].array.tolist() == [[3], [2]]
    assert found["input"].rows == ("ab", "b")


def test_ids_of_a_vocabulary_win_and_what_it_lacks_is_unknown() -> None:
    text = "title: t\ntext: abb\ntokenizer: {bpe: {merges: [[a, b]]}}\nvocabulary: {ab: 7, b: 3}\n"
    found = trace(parse_scenario(text))
    assert cells(found["tokenizer.encode.0.symbols"]) == [[1, None], [1, "b"], [1, "b"]]
    assert cells(found["tokenizer.merges"]) == [[None, "b", None]]
    assert cells(found["tokenizer.encode.1.pairs"]) == [[1], [None]]
    assert found["token_ids"].array.tolist() == [[7], [3]]


def test_a_decoder_has_its_own_text_and_the_tokenizer_of_the_top() -> None:
    text = """\
title: t
text: ab
tokenizer: {bpe: {train: {text: ab ab b, merges: 1}}}
embeddings: [[1, 0], [0, 1], [1, 1]]
encoder: {norm_order: none, layers: [{feed_forward: {w_1: [[1], [1]], w_2: [[1, 1]]}}]}
decoder:
  text: aab
  norm_order: none
  layers: [{feed_forward: {w_1: [[1], [1]], w_2: [[1, 1]]}}]
"""
    found = trace(parse_scenario(text))
    assert "decoder.tokenizer.merges" not in found
    assert [word for (word,) in cells(found["decoder.tokenizer.tokens"])] == ["a", "ab"]
    assert found["decoder.token_ids"].array.tolist() == [[0], [2]]
    own = text.replace("  text: aab", "  tokenizer: {bpe: {merges: [[a, a], [b, b]]}}\n  text: aab")
    found = trace(parse_scenario(own.replace("[1, 1]]\nenc", "[1, 1], [2, 2]]\nenc")))
    assert [word for (word,) in cells(found["decoder.tokenizer.tokens"])] == ["aa", "b"]


def test_whole_numbers_are_not_rounded_by_hand() -> None:
    text = LEARNED.replace(TEXT, "lowest " * 23).replace(
        "title: t", "title: t\nrounding: {steps: {tokenizer: 1 significant}}"
    )
    found = trace(parse_scenario(text), arithmetic="by-hand")
    assert counts(found["tokenizer.train.1.pairs"])["l o"] == 23


def test_a_word_selects_these_steps_only_where_it_says_tokenizer() -> None:
    found = trace(parse_scenario(LEARNED))
    assert {value.path for value in found.select("tokenizer.merges")} == {"tokenizer.merges"}
    assert len(found.select("tokenizer.train.2")) == 3
    with pytest.raises(LookupError):
        found.select("pairs")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("the hat", "the cat", (2, 7, "the character 'c' is no symbol of the tokenizer", "text")),
        (
            "[a, t]",
            "[ab, t]",
            (3, 44, "'ab' is no symbol: no merge before this one makes it", "tokenizer.bpe.merges.3"),
        ),
        (
            "[t, h]",
            "[t]",
            (3, 28, "expected two symbols, [t, h] or 't h', found a list of 1", "tokenizer.bpe.merges.1"),
        ),
        (
            "]}}",
            "], ties: last}}",
            (3, 59, "expected first or ids or greatest, found text 'last'", "tokenizer.bpe.ties"),
        ),
        (
            "]}}",
            "], train: {text: a, merges: 1}}}",
            (3, 13, "bpe needs either merges or train, but merges and train are given", "tokenizer.bpe"),
        ),
        (
            "merges: [[t, h], 'th e', [a, t]]",
            "train: {text: ' ', merges: 0}",
            (3, 33, "expected a text with at least one word, found text ' '", "tokenizer.bpe.train.text"),
        ),
        (
            "merges: [[t, h], 'th e', [a, t]]",
            'train: {text: "\u200b", merges: 1}',
            (3, 33, "expected a text with at least one word, found text '\\u200b'", "tokenizer.bpe.train.text"),
        ),
        (
            "merges: [[t, h], 'th e', [a, t]]",
            "train: {merges: 1}",
            (3, 19, "text is missing: the text", "tokenizer.bpe.train.text"),
        ),
        (
            "[t, h]",
            "[none, h]",
            (3, 28, "'none' is no symbol: no merge before this one makes it", "tokenizer.bpe.merges.1"),
        ),
        ("{bpe: {", "{wordpiece: {", (3, 13, "unknown key 'wordpiece'", "tokenizer.wordpiece")),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, fault: tuple[int, int, str, str]) -> None:
    assert fault in faults(GIVEN.replace(old, new))


def test_a_merge_that_is_there_already_is_warned_of() -> None:
    (warning,) = parse_scenario(GIVEN.replace("[a, t]", "[a, t], [t, h]")).warnings
    assert (warning.line, warning.message) == (3, "the merge has no effect: it is the same as number 1")


def test_what_is_not_asked_for_is_not_recorded() -> None:
    text = "title: t\ntext: abb\ntokenizer: {bpe: {merges: [[a, b]]}}\nembeddings: [[1], [2], [3]]\n"
    scenario = parse_scenario(text)
    assert not [path for path in trace(scenario, wanted=["input"]).values if path.startswith("tokenizer.")]
    asked = trace(scenario, wanted=["tokenizer.tokens"])
    assert asked["tokenizer.tokens"].array.tolist() == [[2], [1]]
    assert trace(scenario, wanted=["token_ids"])["token_ids"].array.tolist() == [[2], [1]]
