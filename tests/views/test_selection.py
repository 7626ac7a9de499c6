"""A live reader holds the chosen steps and their operands."""

import re

from tests.views.samples import bundled_trace
from walkthrough.views.selection import first_pass, selection_of


def test_without_a_choice_everything_is_held_and_nothing_is_taken_as_given() -> None:
    trace = bundled_trace("chai")
    held = selection_of(trace)
    assert held.values == tuple(trace)
    assert not held.as_given


def test_operands_that_are_not_chosen_are_taken_as_given() -> None:
    trace = bundled_trace("chai")
    held = selection_of(trace, ["scores", "weights"])
    names = [value.path.rpartition(".")[2] for value in held.values]
    assert names == ["query", "key", "scores", "exp", "sum", "weights"]
    assert {value.kind.name for value in held.as_given} == {"query", "key", "exp", "sum"}
    assert held.is_given(trace.select("query")[0])
    assert not held.is_given(trace.select("scores")[0])


def test_of_several_sentences_the_first_is_the_first_pass() -> None:
    found = first_pass(list(bundled_trace("two-sentences")))
    assert [value.path for value in found][:2] == ["example.1.token_embedding", "example.1.output_head.logits"]
    assert found[-1].path == "example.1.loss.total"


def test_the_first_pass_of_a_training_ends_where_its_gradients_begin() -> None:
    paths = [value.path for value in first_pass(list(bundled_trace("warmup")))]
    assert (paths[0], paths[-1]) == ("train.1.token_ids", "train.1.loss.perplexity")
    assert not re.search(r"gradient|moment|direction|learning_rate|update", " ".join(paths))
