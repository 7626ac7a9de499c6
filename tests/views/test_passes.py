"""The passes of a model, of which one is shown: what belongs to each, and what it takes from elsewhere."""

from __future__ import annotations

import re
from functools import cache

import pytest

import walkthrough as wt
from tests.examples import slow
from tests.views.samples import bundled_trace
from walkthrough.recording.selectors import within_pass
from walkthrough.views.page import thinning
from walkthrough.views.passes import last_pass, passes_of, shown_with


@cache
def training() -> wt.Trace:
    """A long one, of which a page shows some steps."""
    return wt.trace(wt.parse_scenario(wt.load_scenario("specialise").source.text.replace("steps: 300", "steps: 30")))


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("chai", [""]),
        ("tea-gpt", [f"generate.{number}" for number in range(1, 6)]),
        ("beam", ["generate.1", "generate.2", "generate.3"]),
        ("cooking-training", ["train.1", "trained"]),
        ("warmup", ["train.1", "train.2", "train.3", "train.4", "trained"]),
        slow("microgpt", [*(f"train.{number}" for number in range(1, 7)), "trained"]),
    ],
)
def test_each_generated_word_and_each_training_step_is_a_pass(name: str, called: list[str]) -> None:
    assert [one.called for one in passes_of(list(bundled_trace(name)))] == called


def test_of_several_sentences_the_first_is_shown_and_of_hypotheses_the_one_that_is_chosen() -> None:
    first, last = passes_of(list(bundled_trace("two-sentences")))
    assert [value.path for value in first.values][:2] == ["embeddings", "example.1.token_embedding"]
    assert first.values[-1].path == "example.1.loss.total"
    assert (last.prefix, last.values[-1].path) == ("trained.example.1.", "trained.example.1.loss.total")
    assert [one.prefix for one in passes_of(list(bundled_trace("beam")))] == [
        "", "generate.2.beam.2.", "generate.3.beam.1."
    ]  # fmt: skip


def test_a_pass_of_a_training_ends_where_its_gradients_begin() -> None:
    first = passes_of(list(bundled_trace("warmup")))[0]
    paths = [value.path for value in first.values]
    assert (paths[0], paths[-1]) == ("train.1.token_ids", "train.1.loss.perplexity")
    assert not re.search(r"gradient|moment|direction|learning_rate|update", " ".join(paths))


def test_a_pass_has_the_parameters_that_it_reads_and_what_was_calculated_once() -> None:
    last = last_pass(list(bundled_trace("not-on-your-life")))
    paths = [value.path for value in last.values]
    assert "encoder.1.norm_2.output" in paths
    assert paths.index("decoder.1.self_attention.head.1.w_q") + 1 == paths.index(
        "generate.6.decoder.1.self_attention.head.1.query"
    )
    trained = {value.path for value in last_pass(list(training())).values}
    assert {"train.30.update.attention.head.1.w_q", "train.1.embeddings", "train.30.token_embedding"} <= trained
    assert not any(".gradient." in path for path in trained)


def test_passes_of_one_structure_correspond_step_by_step() -> None:
    passes = passes_of(list(training()))
    assert len({one.structure for one in passes}) == 1
    assert len({one.structure for one in passes_of(list(bundled_trace("key-cache")))}) == 3  # the cache grows
    for value, other in zip(passes[-1].values, passes[-1].counterparts(passes[3]), strict=True):
        assert within_pass(value.path).removeprefix("update.") == within_pass(other.path).removeprefix("update.")
    others = [value.path for value in passes[-1].counterparts(passes[3])]
    assert {"train.4.token_embedding", "train.3.update.attention.head.1.w_q", "train.1.embeddings"} <= {*others}


def test_a_step_is_shown_with_its_pass_and_what_is_recorded_once_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = bundled_trace("tea-gpt")
    passes = passes_of(list(trace))
    shown = {path: shown_with(trace[path], passes) for path in ("input", "generate.3.input", "embeddings", "generated")}
    assert shown == {"input": 0, "generate.3.input": 2, "embeddings": None, "generated": None}
    monkeypatch.setattr(thinning, "_MOST_NUMBERS", 40_000)
    thinned = thinning.thin(training(), ()).selection.values
    kept = passes_of(thinned)
    given = next(value for value in thinned if value.path == "train.20.update.attention.head.1.w_q")
    assert kept[shown_with(given, kept) or 0].name == "21"
