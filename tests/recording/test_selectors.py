"""Selectors: words of a path in order; a number belongs to the word before it."""

from __future__ import annotations

import pytest

from walkthrough.recording.selectors import is_selected, no_match, no_path, parse_words, resolve, within_pass

QUERY = "encoder.1.attention.head.2.query"


@pytest.mark.parametrize(
    ("selector", "path", "fits"),
    [
        ("query", QUERY, True),
        ("QUERY", QUERY, True),
        ("q", QUERY, True),
        ("Q", QUERY, True),
        ("head.2.Q", QUERY, True),
        (" encoder.query ", QUERY, True),
        ("encoder.1.query", QUERY, True),
        ("attention.head.2", QUERY, True),
        ("head", QUERY, True),
        ("head.1.query", QUERY, False),
        ("encoder.2.query", QUERY, False),
        ("encoder.12", QUERY, False),
        ("query.encoder", QUERY, False),
        ("query.2", QUERY, False),
        ("quer", QUERY, False),
        ("key", QUERY, False),
        ("", QUERY, False),
        (".", QUERY, False),
        ("encoder..query", QUERY, False),
        ("k", "encoder.1.attention.head.1.key", True),
        ("v", "encoder.1.attention.head.1.value", True),
        ("v", "encoder.1.attention.head.1.w_v", False),
        ("ffn", "encoder.1.feed_forward.hidden", True),
        ("PE", "positional_encoding", True),
        ("scores", "encoder.1.attention.head.1.scaled_scores", False),
        ("softmax.exp", "encoder.1.attention.head.1.softmax.exp", True),
        ("encoder.encoder", "encoder.1.encoder", True),
        ("encoder.encoder", "encoder.1.attention", False),
        ("generate.1.encoder.2", "generate.1.encoder.2.output", True),
        *((kind, f"decoder.2.{kind}.head.1.query", True) for kind in ("self_attention", "cross_attention")),
        ("attention", "decoder.2.self_attention.head.1.query", True),
        ("attention", "decoder.2.cross_attention.output", True),
        ("self_attention", "decoder.2.cross_attention.output", False),
        ("cross_attention", QUERY, False),
        *(("norm", f"{name}.mean", True) for name in ("encoder.1.norm_1", "decoder.2.norm_3", "encoder.final_norm")),
        ("norm", "embedding_norm.output", True),
        ("ln.mean", "encoder.1.norm_2.mean", True),
        ("encoder.1.ln", "encoder.final_norm.mean", False),
        ("norm_1", "encoder.1.norm_2.mean", False),
        ("norm", "encoder.1.normalized", False),
        ("residual", "encoder.3.residual_2", True),
        ("residual_1", "encoder.3.residual_2", False),
    ],
)
def test_words_of_a_path_in_order(selector: str, path: str, fits: bool) -> None:
    assert is_selected(path, parse_words(selector)) is fits


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("embeddings", ["a"]),
        ("decoder.embeddings", ["b"]),
        ("decoder", ["b"]),
        ("shared", ["a"]),
        ("dings", []),
    ],
)
def test_an_exact_name_wins(selector: str, found: list[str]) -> None:
    assert resolve(selector, {"a": ["embeddings", "shared"], "b": ["decoder.embeddings"]}.items()) == found


def test_a_path_within_its_pass() -> None:
    assert within_pass("train.12.update.output_head.w") == "update.output_head.w"
    assert within_pass("generate.2.input") == "input"
    assert within_pass("encoder.1.train.2.x") == "encoder.1.train.2.x"


def test_words_and_their_numbers() -> None:
    assert parse_words("Encoder.1.Head.2.Q") == (("encoder", "1"), ("head", "2"), ("query", ""))
    assert parse_words("1.2") == (("1", "2"),)


PATHS = ["encoder.1.attention.head.1.scores", "encoder.1.attention.head.1.weights", "encoder.1.feed_forward.hidden"]
PATHS += ["tokenizer.train.1.pairs"]


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("scoers", "no step is called 'scoers'; did you mean 'scores' or 'encoder'?"),
        ("Weigths", "no step is called 'Weigths'; did you mean 'weights'?"),
        ("atention", "no step is called 'atention'; did you mean 'attention'?"),
        ("encoder.1.scoers", "no step is called 'encoder.1.scoers'; did you mean 'encoder.1.scores'?"),
        ("enc.1.Weigths", "no step is called 'enc.1.Weigths'; did you mean 'encoder.1.weights'?"),
        ("encoder.3.scores", "no step is called 'encoder.3.scores'; did you mean 'encoder.scores'?"),
        ("residuals", "no step is called 'residuals'"),
        ("encoder.1.q", "no step is called 'encoder.1.q'"),
        ("xyz", "no step is called 'xyz'"),
        (
            "lens.prediction",
            "no step is called 'lens.prediction'; it is there where inspect: [lens] asks for it, and it applies",
        ),
        ("pairs", "no step is called 'pairs'; did you mean 'tokenizer.pairs'?"),
        ("train.1.pairs", "no step is called 'train.1.pairs'; did you mean 'tokenizer.train.1.pairs'?"),
    ],
)
def test_the_error_names_what_is_near(selector: str, message: str) -> None:
    assert str(no_match(selector, PATHS)) == message


@pytest.mark.parametrize("selector", ["\x1b[31mred", "a\nb", "\u202escores"])
def test_the_error_is_harmless_text(selector: str) -> None:
    assert str(no_match(selector, PATHS)).isprintable()


def test_words_in_place_of_a_whole_path_are_told_apart_from_a_misspelling() -> None:
    assert str(no_path("scores", ["input", "head.1.scores"])) == (
        "'scores' is not a full path, such as head.1.scores; select('scores') takes words of a path"
    )
    assert str(no_path("scors", ["input", "head.1.scores"])) == "no step is called 'scors'; did you mean 'scores'?"


def test_norm_means_the_norms_of_the_model_and_not_that_of_a_clipped_gradient() -> None:
    paths = ["encoder.1.norm_1.output", "clip.norm", "train.2.clip.norm"]
    assert [path for path in paths if is_selected(path, parse_words("norm"))] == ["encoder.1.norm_1.output"]
    assert [path for path in paths if is_selected(path, parse_words("clip.norm"))] == ["clip.norm", "train.2.clip.norm"]
