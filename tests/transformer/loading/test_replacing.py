"""Other numbers for a computed step, beside a calculation in numpy in which they were put by hand."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some
from tests.transformer.model.inspection.small import Array, Choices, Patch, Small
from walkthrough.explaining.formulas import formula_text
from walkthrough.recording.selectors import SelectorError
from walkthrough.transformer.loading.changes import ChangeError, read_change
from walkthrough.transformer.runs.training.backward import NoGradientError
from walkthrough.views.report.changes import find_differences

CHOICES = [
    Choices(order, norm, column=column, seed=seed)
    for seed, (order, norm, column) in enumerate(
        product(("pre", "post", "none", "branch", "sandwich"), ("layer", "rms"), (False, True))
    )
][:: some(7, 3)]
HEAD = "decoder.2.self_attention.head.1.output"
ORDERS = pytest.mark.parametrize("choices", CHOICES, ids=lambda one: "-".join(map(str, one)))


def read(*texts: str) -> list[tuple[str, float | str]]:
    return list(map(read_change, texts))


def traced(small: Small, *what_if: str) -> wt.Trace:
    return wt.trace(wt.parse_scenario(small.yaml()), changes=read(*what_if))


def patched(path: str, change: Patch) -> Patch:
    return lambda name, array: change(name, array) if name == path else array


def one_number(array: Array, row: int, column: int, number: float) -> Array:
    array = array.copy()
    array[row, column] = number
    return array


def close(trace: wt.Trace, logits: Array) -> None:
    np.testing.assert_allclose(trace["output_head.logits"].array, logits, rtol=1e-11, atol=1e-11)


@ORDERS
def test_a_step_of_zeros(choices: Choices) -> None:
    small = Small(choices)
    close(traced(small, f"{HEAD}=0"), small.run(patched(HEAD, lambda _, x: 0 * x))["logits"])
    path = "decoder.1.feed_forward.output"
    close(traced(small, "decoder.1.feed_forward.output=0"), small.run(patched(path, lambda _, x: 0 * x))["logits"])


@ORDERS
def test_the_mean_of_its_rows(choices: Choices) -> None:
    small = Small(choices)
    mean = small.run(patched(HEAD, lambda _, x: np.tile(x.mean(axis=0), (len(x), 1))))
    close(traced(small, f"{HEAD}=mean"), mean["logits"])


@ORDERS
def test_one_number(choices: Choices) -> None:
    small = Small(choices)
    path = "decoder.1.self_attention.head.2.weights"
    trace = traced(small, f"{path}[{label(small, 2)}, {label(small, 1)}]=0.75")
    close(trace, small.run(patched(path, lambda _, x: one_number(x, 2, 1, 0.75)))["logits"])


def label(small: Small, row: int) -> str:
    word = small.tokens[row]
    return f"{word}@{row + 1}" if small.tokens.count(word) > 1 else word


@ORDERS
def test_numbers_of_another_scenario(choices: Choices, tmp_path: Path) -> None:
    small, other = Small(choices), Small(choices._replace(seed=choices.seed + 100))
    (tmp_path / "other.yaml").write_text(other.yaml(), encoding="utf-8")
    theirs: dict[str, Array] = {}
    other.run(lambda path, array: theirs.setdefault(path, array))
    trace = traced(small, f"{HEAD}=from {tmp_path / 'other.yaml'}")
    close(trace, small.run(patched(HEAD, lambda _, x: theirs[HEAD]))["logits"])
    assert formula_text(trace[HEAD]).endswith("other.yaml")


def test_several_at_once_and_one_step_twice() -> None:
    small = Small(Choices())
    path = "decoder.1.self_attention.head.2.output"

    def both(name: str, x: Array) -> Array:
        if name == path:
            return one_number(np.tile(x.mean(axis=0), (len(x), 1)), 3, 0, 2.0)
        return 0 * x if name == HEAD else x

    asked = (f"{path}=mean", f"{HEAD}=0", f"{path}[{label(small, 3)}, 1]=2")
    trace = traced(small, *asked)
    close(trace, small.run(both)["logits"])
    assert trace.changed == asked
    assert trace.before is not None
    close(trace.before, small.run()["logits"])


def test_a_replaced_step_says_what_it_is_and_can_be_worked_out() -> None:
    trace = wt.trace(wt.load_scenario("chai"), changes=read("scores=mean", "scaled_scores[chai, is]=2"))
    value = trace["encoder.1.attention.head.1.scores"]
    assert (value.operation.name, [one.kind.name for one in value.inputs]) == ("what_if", ["query", "key"])
    assert formula_text(value) == "S = mean of the rows of Q·Kᵀ"
    assert formula_text(trace["encoder.1.attention.head.1.scaled_scores"]) == "S' = S / √d_k, but S'[chai, is] = 2"
    assert (value.rows, value.columns) == (("The", "chai", "is", "hot"),) * 2
    explained = trace.explain("scores[chai, is]")
    assert explained.before is not None
    assert round(explained.before.number, 3) == 2.050
    assert explained.line.result == "0.574"


def test_all_names_of_a_step_are_meant() -> None:
    for name in ("decoder.output", "decoder.final_norm.output"):
        trace = wt.trace(wt.load_scenario("tiny-llama"), changes=read(f"{name}=0"))
        assert not trace["decoder.output"].array.any()
        assert not trace["output_head.logits"].array.any()


def test_in_every_pass_or_in_the_one_that_is_named() -> None:
    scenario = wt.load_scenario("tea-gpt")
    every = wt.trace(scenario, changes=read("head.2.output=0"))
    assert all(not value.array.any() for value in every.select("head.2.output"))
    one = wt.trace(scenario, changes=read("generate.3.head.2.output=0"))
    replaced = [value.path for value in one if value.operation is not None and value.operation.name == "what_if"]
    assert replaced == ["generate.3.decoder.1.self_attention.head.2.output"]
    first = wt.trace(scenario, changes=read("generate.1.head.2.output=0"))
    replaced = [value.path for value in first if value.operation is not None and value.operation.name == "what_if"]
    assert replaced == ["decoder.1.self_attention.head.2.output"]


@pytest.mark.parametrize("step", ["head.1.scores", "decoder.1.self_attention.head.1.scores"])
def test_a_cell_counts_in_the_passes_that_have_it(step: str) -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"), changes=read(f"{step}[is, hot]=1"))
    replaced = [value.path for value in trace if value.operation is not None and value.operation.name == "what_if"]
    assert replaced[0].startswith("generate.2.")


def test_inside_a_softmax_the_sum_follows() -> None:
    trace = wt.trace(wt.load_scenario("chai"), changes=read("softmax.exp[chai, is]=10"))
    exp, total = trace["encoder.1.attention.head.1.softmax.exp"], trace["encoder.1.attention.head.1.softmax.sum"]
    assert total.array[1, 0] == pytest.approx(exp.array[1].sum(), rel=1e-15)
    assert trace["encoder.1.attention.head.1.weights"].composite is None
    assert [one.value.path.rpartition(".")[2] for one in find_differences(trace)][:3] == ["exp", "sum", "weights"]


def test_a_sampled_word_is_drawn_from_the_new_numbers() -> None:
    spec = Small(Choices()).spec()
    spec["generate"] = {"max_tokens": 1, "sample": {"draws": [0.5]}}
    trace = wt.trace(wt.parse_scenario(json.dumps(spec)), changes=read("output_head.softmax.exp=mean"))
    assert trace["generate.1.sample.choice"].array.shape == (1, 2)


def test_by_hand_new_numbers_are_rounded_like_all_others() -> None:
    trace = wt.trace(wt.load_scenario("chai"), arithmetic="by-hand", decimals=2, changes=read("scores=mean"))
    assert trace.exact is not None
    exact = trace.exact["encoder.1.attention.head.1.scores"].array
    assert not np.array_equal(trace["encoder.1.attention.head.1.scores"].array, exact)
    np.testing.assert_allclose(trace["encoder.1.attention.head.1.scores"].array, exact, atol=0.05)
    assert np.ptp(exact, axis=0).max() == 0


def test_what_only_some_passes_read_is_replaced_in_these() -> None:
    scenario = wt.load_scenario("beam")
    trace = wt.trace(scenario, changes=read("length_penalty=mean"))
    assert [value.path for value in trace if value.operation is not None and value.operation.name == "what_if"] == [
        f"generate.{number}.length_penalty" for number in (1, 2, 3)
    ]
    with pytest.raises(ChangeError, match=r"generate\.1\.length_penalty is read by nothing"):
        wt.trace(scenario, changes=read("generate.1.length_penalty=0"))


class TestTraining:
    """Numbers in place of others stop the way back; a part of a step has no gradient here."""

    scenario = wt.load_scenario("cooking-training")

    def test_nothing_before_a_constant_is_moved(self) -> None:
        path = next(value.path for value in wt.trace(self.scenario).select("feed_forward.activation"))
        trace = wt.trace(self.scenario, changes=read(f"{path}=0"))
        assert f"gradient.{path.rpartition('.')[0]}.w_1" not in trace
        assert not trace[f"gradient.{path.rpartition('.')[0]}.w_2"].array.any()

    def test_what_a_long_training_would_forget_can_be_asked_for(self) -> None:
        scenario = wt.load_scenario("microgpt")
        trace = wt.trace(scenario, wanted=["loss.mean"], changes=read("train.2.direction.output_head.w=0"))
        old = trace["train.1.update.output_head.w"].array
        assert trace["train.2.update.output_head.w"].array.tolist() == old.tolist()
        last = [one["train.6.loss.mean"].array.item() for one in (trace, trace.before or trace)]
        assert last[0] != last[1]

    def test_after_training_alone(self) -> None:
        trace = wt.trace(self.scenario, changes=read("trained.output_head.logits=0"))
        assert not trace["trained.output_head.logits"].array.any()
        assert trace["loss.mean"].array == trace.before["loss.mean"].array  # type: ignore[union-attr]

    @pytest.mark.parametrize("asked", ["feed_forward.activation=mean", "head.1.softmax.exp=mean", "probabilities=mean"])
    def test_a_gradient_that_nobody_knows_is_an_error(self, asked: str) -> None:
        with pytest.raises(NoGradientError, match=r"; replace .* by 0 instead"):
            wt.trace(self.scenario, changes=read(asked))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("scores=0", ("scores", 0)),
        (" head.1.output = mean ", ("head.1.output", "mean")),
        ("scores=from other=2.yaml", ("scores", "from other=2.yaml")),
        ("scores[a=b, c]=−1.5", ("scores[a=b, c]", -1.5)),
        ("scores[[x], y]=1e-3", ("scores[[x], y]", 1e-3)),
    ],
)
def test_what_is_asked(text: str, change: tuple[str, float | str]) -> None:
    assert read_change(text) == change


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scores", "'scores' is not a change; write CELL=NUMBER"),
        ("=0", "'=0' is not a change"),
        (
            "scores=2",
            "a step does not become '2'; write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'; or STEP=0, STEP=mean",
        ),
        ("scores=from", "a step does not become 'from'"),
        ("scores[chai, is]=mean", "expected a finite number, found text 'mean'"),
        ("scores[chai, is]=.inf", "expected a finite number"),
        ("embeddings=0", "embeddings is given, not calculated: of given numbers only single cells can be others"),
        ("scores=from one-head", "one-head has no step encoder.1.attention.head.1.scores"),
        ("input=from tea-gpt", "input is 2×4 in tea-gpt, and 4×4 here"),
        ("scores=from tea-gpt", "tea-gpt has no step encoder.1.attention.head.1.scores"),
    ],
)
def test_what_cannot_be_is_told(text: str, message: str) -> None:
    with pytest.raises(ChangeError) as caught:
        wt.trace(wt.load_scenario("chai"), changes=read(text))
    assert message in str(caught.value)


def test_what_nothing_reads_and_what_looks_inside_cannot_be_replaced() -> None:
    head = "{q: [[1], [2]], k: [[1], [2]]}"
    unread = wt.parse_scenario(f"title: t\ntokens: [a, b]\nattention:\n  heads: [{head}, {head}]\n")
    with pytest.raises(ChangeError, match=r"head\.1\.weights is read by nothing: no number would change"):
        wt.trace(unread, changes=read("head.1.weights=0"))
    assert not wt.trace(unread, changes=read("head.2.weights=0"))["attention.head.2.weights"].array.any()
    scenario = wt.parse_scenario(Small(Choices()).yaml(inspect=["lens"]))
    for text in ("lens.input.logits=0", "lens.decoder.2.residual_2.logits=0"):
        with pytest.raises(ChangeError, match="looks inside the model, and nothing follows from it"):
            wt.trace(scenario, changes=read(text))
    trace = wt.trace(scenario, changes=read("logits=0"))  # says nothing of the lens, and means the model's own
    assert not trace["output_head.logits"].array.any()
    with pytest.raises(ChangeError, match="holds ids"):
        wt.trace(scenario, changes=read("prediction=0"))
    with pytest.raises(ChangeError, match=r"^'lens=0': lens looks inside"):  # also of what has a name in the model too
        wt.trace(scenario, changes=read("lens=0"))
    with pytest.raises(SelectorError, match="did you mean 'scores'"):
        wt.trace(scenario, changes=read("scroes=0"))


def test_what_is_inspected_is_the_model_with_the_new_numbers() -> None:
    small = Small(Choices())
    scenario = wt.parse_scenario(small.yaml(inspect=["lens", "attribution"]))
    for asked in (
        "decoder.1.residual_1=0",
        "decoder.2.self_attention.output=mean",
        f"{HEAD}=0",
        "decoder.1.norm_1.output=0",
    ):
        trace = wt.trace(scenario, changes=read(asked))
        found, logits = trace["attribution.logits"].array, trace["output_head.logits"].array[-1]
        assert np.abs(found[-1] - logits).max() <= 1e-12 * np.abs(found).max(), asked
    for asked in ("final_norm.output=0", "output_head.logits=0", "final_norm.std=mean"):
        assert "attribution.logits" not in wt.trace(scenario, changes=read(asked))
