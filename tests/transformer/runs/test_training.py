"""Training, sentence by sentence of the contract: loss, which paths have gradients, updates, several steps, errors."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import refusal
from walkthrough.library import calculate
from walkthrough.transformer.runs.training.step import TrainingError

HEAD = {name: {"init": "normal", "std": 0.7, "seed": at} for at, name in enumerate(("w_q", "w_k", "w_v"))}
LAYER = {
    "attention": {"heads": [HEAD], "mask": "causal"},
    "norm_1": {"gamma": [1.0, 0.9], "beta": [0.1, 0.0]},
    "feed_forward": {"w_1": {"init": "normal", "std": 1}, "b_1": [0.1, 0.2, 0.3], "w_2": {"init": "normal", "std": 1}},
    "norm_2": {"gamma": [1.1, 1.0]},
}
SCENARIO: dict[str, Any] = {
    "title": "t",
    "tokens": ["a", "b", "c"],
    "vocabulary": ["a", "b", "c", "d"],
    "embeddings": [[1.0, 0.5], [0.2, 1.0], [-1.0, 0.7], [0.3, 0.3]],
    "positional_encoding": "sinusoidal",
    "dimensions": {"d_k": 2, "d_v": 2, "d_ff": 3},
    "encoder": {"layers": [LAYER], "layer_norm": {"epsilon": 0.1}},
    "output_head": {"w": {"init": "normal", "std": 1}, "b": [0.0, 0.1, 0.2, 0.3], "temperature": 2},
}
PARAMETERS = {
    "embeddings",
    *(f"encoder.1.attention.head.1.w_{letter}" for letter in "qkv"),
    *(f"encoder.1.{name}" for name in ("norm_1.gamma", "norm_1.beta", "norm_2.gamma")),
    *(f"encoder.1.feed_forward.{name}" for name in ("w_1", "b_1", "w_2")),
    *(f"output_head.{name}" for name in "wb"),
}
BETWEEN = {
    "token_embedding",
    "input",
    *(f"encoder.1.attention.head.1.{name}" for name in ("query", "key", "value", "scores", "scaled_scores")),
    *(f"encoder.1.attention.head.1.{name}" for name in ("masked_scores", "weights", "output")),
    *("encoder.1.attention.output", "encoder.1.residual_1", "encoder.1.norm_1.output"),
    *(f"encoder.1.feed_forward.{name}" for name in ("hidden", "activation", "output")),
    *("encoder.1.residual_2", "encoder.1.norm_2.output", "encoder.output"),
    *("output_head.logits", "output_head.scaled_logits"),
}
TARGETS = ["b", "c", "d"]


def traced(training: dict[str, Any] | None = None, **keys: Any) -> wt.Trace:
    training = {"targets": TARGETS} | (training or {})
    return wt.trace(wt.parse_scenario(json.dumps(SCENARIO | {"training": training} | keys)))


def named(trace: wt.Trace, kind: str, prefix: str = "") -> set[str]:
    """What has a gradient or an update, parts of gradients left out."""
    start = f"{prefix}{kind}."
    return {
        path.removeprefix(start)
        for path, _ in trace.items()
        if path.startswith(start) and ".through." not in path and not path.endswith((".scaled", ".softmax.weights"))
    }


def test_loss_is_the_cross_entropy_of_the_probabilities() -> None:
    trace = traced()
    shares = trace["output_head.probabilities"].array[[0, 1, 2], [1, 2, 3]]
    np.testing.assert_allclose(trace["loss.per_token"].array[:, 0], -np.log(shares), rtol=1e-14)
    assert trace["loss.total"].array == pytest.approx(-np.log(shares).sum())
    assert trace["loss.mean"].array == pytest.approx(-np.log(shares).mean())
    assert trace["loss.perplexity"].array == pytest.approx(np.prod(shares) ** (-1 / 3), rel=1e-14)
    assert trace["loss.right_probability"].array == pytest.approx(shares.mean())
    assert [trace[f"loss.{name}"].shape for name in ("per_token", "total", "mean")] == [(3, 1), (1, 1), (1, 1)]


def test_parameters_and_what_lies_between_them_and_the_logits_have_gradients_and_nothing_else() -> None:
    trace = traced()
    assert named(trace, "update") == PARAMETERS
    assert named(trace, "gradient") == PARAMETERS | BETWEEN
    for path in PARAMETERS | BETWEEN:
        value, gradient = trace[path], trace[f"gradient.{path}"]
        assert (gradient.shape, gradient.rows, gradient.columns) == (value.shape, value.rows, value.columns)


def test_no_table_but_one_by_id_is_trained_unless_it_is_tied() -> None:
    words = dict(zip("abcd", SCENARIO["embeddings"], strict=True))
    mapping = traced(embeddings=words)
    assert "embeddings" not in named(mapping, "gradient") | named(mapping, "update")
    assert "input" in named(mapping, "gradient")
    assert "token_embedding" not in named(mapping, "gradient")
    tied = traced(embeddings=words, output_head={"tied": True})
    assert "embeddings" in named(tied, "gradient") & named(tied, "update")


@pytest.mark.parametrize("tied", [False, True])
def test_a_table_shared_by_encoder_and_decoder_has_one_gradient_in_every_step(tied: bool) -> None:
    head = {"tied": True} if tied else SCENARIO["output_head"]
    decoder = {"tokens": ["d", "a"], "layers": [{"attention": {"heads": [HEAD]}, "cross_attention": {"heads": [HEAD]}}]}
    trace = traced({"targets": ["a", "b"], "steps": 2}, decoder=decoder, output_head=head)
    users = {"token_embedding", "decoder.token_embedding"} | ({"output_head.logits"} if tied else set())
    for prefix in ("train.1.", "train.2."):
        table = f"{prefix}gradient.embeddings"
        parts = [value for value in trace if value.path.startswith(f"{table}.through.")]
        assert {value.path.rpartition("through.")[2] for value in parts} == users
        np.testing.assert_allclose(trace[table].array, sum(value.array for value in parts), rtol=1e-14)
        assert trace[f"{prefix}gradient.decoder.embeddings"] is trace[table]


def test_what_no_loss_depends_on_has_no_gradient() -> None:
    weights = [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    head = {"weights": weights, "v": [[1, 2], [0, 1], [1, 1]]}
    layer = {"attention": {"heads": [head]}}
    trace = traced(encoder={"layers": [layer], "residual": False, "norm_order": "none"})
    assert "input" in trace
    assert "input" not in named(trace, "gradient")
    assert "encoder.output" in named(trace, "gradient")


def test_only_what_a_selector_names_is_updated() -> None:
    trace = traced({"update": ["head.1.w_q", "gamma"]})
    assert named(trace, "update") == {
        "encoder.1.attention.head.1.w_q",
        "encoder.1.norm_1.gamma",
        "encoder.1.norm_2.gamma",
    }
    assert named(trace, "gradient") == PARAMETERS | BETWEEN


def test_a_mask_under_a_selector_is_no_parameter() -> None:
    trace = traced({"update": ["attention"]})
    assert named(trace, "update") == {f"encoder.1.attention.head.1.w_{letter}" for letter in "qkv"}


def test_a_matrix_that_is_not_trained_by_itself_may_be_named() -> None:
    words = dict(zip("abcd", SCENARIO["embeddings"], strict=True))
    positions = [[0.1, 0.2]] * 3
    trace = traced({"update": ["embeddings", "pe"], "steps": 2}, embeddings=words, positional_encoding=positions)
    for prefix in ("train.1.", "train.2."):
        assert named(trace, "update", prefix) == {"embeddings", "positional_encoding"}
        assert {"embeddings", "positional_encoding", "input"} <= named(trace, "gradient", prefix)
    assert trace["train.2.positional_encoding"] is trace["train.1.update.positional_encoding"]


def test_the_weights_of_a_step_are_the_updates_of_the_one_before() -> None:
    trace = traced({"steps": 3})
    assert all(path.startswith(("train.", "trained.")) or path == "training" for path, _ in trace.items())
    for path in PARAMETERS:
        for step in (2, 3):
            assert trace[f"train.{step}.{path}"] is trace[f"train.{step - 1}.update.{path}"]
    assert trace["training"].shape == (3, 3)
    losses = [trace[f"train.{step}.loss.mean"].array[0, 0] for step in (1, 2, 3)]
    assert trace["training"].array[:, 0].tolist() == losses == sorted(losses, reverse=True)


def test_by_hand_every_number_is_rounded_before_it_is_used() -> None:
    scenario = wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": TARGETS}}))
    trace = wt.trace(scenario, arithmetic="by-hand", decimals=2)
    for path in (f"gradient.{path}" for path in PARAMETERS):
        array = trace[path].array
        np.testing.assert_allclose(array, np.round(array, 2), atol=1e-12)
    old, gradient = trace["output_head.w"].array, trace["gradient.output_head.w"].array
    np.testing.assert_allclose(trace["update.output_head.w"].array, old - 0.1 * gradient, atol=0.0051)


def test_what_is_zero_but_for_rounding_is_worked_out_as_zero() -> None:
    trace = wt.trace(wt.load_scenario("cooking-training"))
    from walkthrough.explaining.worked import work_out

    value = trace["gradient.encoder.1.feed_forward.activation"]
    assert str(work_out(value, 1, 2, 3)) == "∂G[learned, 3] = 0×(−1) + 0.088×0 − 0.088×0 = 0.000"


def test_symbols_of_updates_say_which_step() -> None:
    once, twice = traced(), traced({"steps": 2})
    assert once["update.output_head.w"].kind.symbol == "W_out'"
    assert twice["train.1.output_head.w"].kind.symbol == "W_out"
    assert [twice[f"train.{step}.update.output_head.w"].kind.symbol for step in (1, 2)] == ["W_out(2)", "W_out(3)"]
    assert twice["train.2.gradient.output_head.w"].kind.title == "Gradient: Output weights"
    assert twice["train.2.update.output_head.w"].kind.title == "Update: Output weights"


def test_what_cannot_be_updated_is_an_error_that_names_what_can() -> None:
    for selector, help in (
        ("w_z", "did you mean 'w_"),
        ("scores", ""),
        ("mask", ""),
        ("token_ids", ""),
        ("encoder.2.w_q", "did you mean 'encoder.w_q'?"),
    ):
        with pytest.raises(wt.ScenarioError) as caught:
            traced({"update": ["w_q", selector]})
        (problem,) = caught.value.problems
        assert problem.message == f"no parameter is called {selector!r}"
        assert problem.key == "training.update"
        assert problem.help.startswith(help)
        assert bool(problem.help) == bool(help)


def test_a_table_with_a_row_for_each_position_is_called_position_table() -> None:
    table = [[0.5, 1.0]] * 5
    with pytest.raises(wt.ScenarioError, match="did you mean 'position_table'"):
        traced({"update": ["w_q", "positional_encoding"]}, positional_encoding=table)
    assert "update.position_table" in traced({"update": ["position_table"]}, positional_encoding=table)


def test_all_that_cannot_be_updated_is_said_at_once_with_its_place() -> None:
    text = json.dumps(SCENARIO | {"training": {"targets": TARGETS, "update": ["w_z", "w_q", "b_z"]}})
    with pytest.raises(wt.ScenarioError) as caught:
        wt.parse_scenario(text)
    places = [text[problem.column - 1 :].partition(",")[0].strip('"]}') for problem in caught.value.problems]
    assert places == ["w_z", "b_z"]


def test_an_exact_path_of_update_is_that_one_alone() -> None:
    table = [[0.1, 0.2], [0.3, 0.1], [0.2, 0.2], [1, 0]]
    decoder = {"tokens": ["d", "a"], "vocabulary": list("abcd"), "embeddings": table}
    decoder["layers"] = [{"attention": {"heads": [HEAD]}, "cross_attention": {"heads": [HEAD]}}]
    for steps in (1, 2):
        both = {"update": ["embeddings"], "targets": ["a", "b"], "steps": steps}
        trace = traced(both, decoder=decoder)
        prefix = f"train.{steps}." if steps > 1 else ""
        assert named(trace, "update", prefix) == {"embeddings"}
        assert {"embeddings", "decoder.embeddings"} <= named(trace, "gradient", prefix)
        again = traced(both | {"update": ["decoder.embeddings"]}, decoder=decoder)
        assert named(again, "update", prefix) == {"decoder.embeddings"}


def test_an_exact_path_may_be_a_table_that_is_not_trained_by_itself() -> None:
    decoder = {"tokens": ["d", "a"], "vocabulary": list("abcd"), "embeddings": SCENARIO["embeddings"]}
    decoder["layers"] = [{"attention": {"heads": [HEAD]}, "cross_attention": {"heads": [HEAD]}}]
    words = dict(zip("abcd", SCENARIO["embeddings"], strict=True))
    trace = traced({"update": ["embeddings"], "targets": ["a", "b"]}, decoder=decoder, embeddings=words)
    assert named(trace, "update") == {"embeddings"}


EXPLODING = {"learning_rate": 1e200, "steps": 5}


def test_a_loss_that_is_no_number_says_where_it_began() -> None:
    with pytest.raises(TrainingError) as caught:
        traced(EXPLODING)
    (problem,) = caught.value.problems
    assert problem.message == (
        "the loss of training step 2 is not a finite number; the first non-finite number is in "
        "train.2.encoder.1.attention.head.1.query"
    )
    assert (problem.key, problem.help) == ("training.learning_rate", "a smaller learning_rate may help")
    assert caught.value.text[problem.column - 1 :].startswith("1e+200")


def test_weights_that_lead_out_of_the_numbers_are_not_blamed_on_the_learning_rate() -> None:
    with pytest.raises(TrainingError) as caught:
        traced(embeddings=[[1e200, -1e200]] * 4)
    (problem,) = caught.value.problems
    assert problem.message.startswith("the loss of training step 1 is not a finite number; ")
    assert (problem.key, problem.help) == ("training", "")
    assert caught.value.text[problem.column - 1 :].startswith('"training"')


def test_an_unknown_number_in_front_of_the_loss_is_named() -> None:
    head = {"q": [[1, None], [0, 1], [1, 1]], "w_k": HEAD["w_k"], "w_v": HEAD["w_v"]}
    with pytest.raises(TrainingError) as caught:
        traced(encoder={"layers": [{"attention": {"heads": [head]}}]})
    (problem,) = caught.value.problems
    assert problem.message == (
        "the loss of training step 1 is unknown; the first unknown number is in encoder.1.attention.head.1.query"
    )
    assert "null" in problem.help


def test_a_word_without_any_probability_has_an_infinite_loss_and_can_still_be_learned() -> None:
    head = {"w": [[0.0] * 4] * 2, "b": [0.0, -800.0, 0.0, 0.0]}
    trace = traced(output_head=head)
    assert trace["loss.mean"].array[0, 0] == np.inf
    assert trace["gradient.output_head.b"].array[0, 1] == pytest.approx(-1 / 3)


@pytest.mark.parametrize(
    ("training", "message"),
    [
        (EXPLODING, "the first non-finite number is in train.2."),
        ({"learning_rate": "fast"}, "expected a number"),
        ({"targets": [None, None, "<pad>"]}, "no position has a target"),
    ],
)
def test_a_training_at_fault_ends_with_status_2(training: dict[str, Any], message: str) -> None:
    scenario = SCENARIO | {"training": {"targets": TARGETS} | training}
    assert message in refusal("run", "-", stdin=json.dumps(scenario))


def test_training_beside_a_generation_is_an_error_at_the_generation() -> None:
    text = json.dumps(SCENARIO | {"training": {"targets": TARGETS}, "generate": {"max_tokens": 1}})
    with pytest.raises(wt.ScenarioError, match="a scenario either trains or generates") as caught:
        wt.parse_scenario(text)
    (problem,) = caught.value.problems
    assert (text[problem.column - 1 :][:10], problem.key) == ('"generate"', "generate")


def test_a_word_that_looks_like_the_id_of_another_row_is_the_target() -> None:
    """The table has a fourth row without a word; `3` is the word of the second one."""
    keys = {"vocabulary": ["a", "3", "c"], "tokens": ["a", "3", "c"], "output_head": {"tied": True}}
    trace = traced({"targets": ["3", "c", "a"]}, **keys)
    assert trace["output_head.probabilities"].columns == ("a", "3", "c", "id 3")
    share = trace["output_head.probabilities"].array[0, 1]
    assert trace["loss.per_token"].array[0, 0] == pytest.approx(-np.log(share))


def test_by_hand_the_exact_calculation_has_no_more_steps() -> None:
    scenario = wt.parse_scenario(json.dumps(SCENARIO | {"training": {"targets": TARGETS, "steps": 3}}))
    trace = calculate(scenario, arithmetic="by-hand", most_steps=1)
    assert trace.exact is not None
    assert [value.path for value in trace.exact] == [value.path for value in trace]


@pytest.mark.torch
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_smoothed_targets_are_those_of_pytorch(reduction: str) -> None:
    """nn.CrossEntropyLoss(label_smoothing=…): spread over all words, the right one included; a row left out."""
    torch = pytest.importorskip("torch")
    targets = ["b", None, "d"]
    trace = traced({"targets": targets, "label_smoothing": 0.2, "reduction": reduction})
    logits = torch.tensor(trace["output_head.scaled_logits"].array, requires_grad=True)
    columns = torch.tensor([1, -100, 3])
    loss = torch.nn.functional.cross_entropy(logits, columns, label_smoothing=0.2, reduction=reduction)
    loss.backward()
    kept = "mean" if reduction == "mean" else "total"
    np.testing.assert_allclose(trace[f"loss.{kept}"].array, loss.item(), rtol=1e-12)
    np.testing.assert_allclose(trace["gradient.output_head.scaled_logits"].array, logits.grad, rtol=1e-12, atol=1e-15)
    smoothed = trace["loss.smoothed_targets"]
    np.testing.assert_allclose(smoothed.array[0], [0.05, 0.85, 0.05, 0.05], rtol=1e-12)
    assert np.isnan(smoothed.array[1]).all()
    assert np.isnan(trace["loss.per_token"].array[1])


@pytest.mark.parametrize("smoothing", [-0.1, 1, "much"])
def test_what_cannot_be_smoothed_is_refused(smoothing: object) -> None:
    with pytest.raises(wt.ScenarioError, match="label_smoothing"):
        traced({"label_smoothing": smoothing})


@pytest.mark.parametrize("steps", [1, 3])
def test_the_loss_after_the_last_update_is_that_of_the_updated_weights(steps: int) -> None:
    trace = traced({"steps": steps})
    last = f"train.{steps}." if steps > 1 else ""
    weights = {path: trace[f"{last}update.{path}"] for path in PARAMETERS}
    for path, updated in weights.items():
        assert trace[f"trained.{path}"] is updated
    more = traced({"steps": steps + 1})
    np.testing.assert_array_equal(trace["trained.loss.mean"].array, more[f"train.{steps + 1}.loss.mean"].array)
    assert trace["trained.loss.mean"].array < trace[f"{last}loss.mean"].array


def test_what_no_update_changes_is_not_recorded_again() -> None:
    trace = traced({"update": ["output_head"]})
    again = [value.path for value in trace if value.path.startswith("trained.")]
    assert again[0] == "trained.output_head.logits"
    assert not [path for path in again if "encoder" in path or "gradient" in path]


def test_after_training_nothing_is_dropped() -> None:
    trace = traced(dropout={"rate": 0.5, "seed": 3})
    assert not [value.path for value in trace if value.path.startswith("trained.") and "dropout" in value.path]
    plain = traced({"update": ["output_head.b"], "learning_rate": 1e-9})
    np.testing.assert_allclose(plain["trained.loss.mean"].array, plain["loss.mean"].array, rtol=1e-7)


def test_steps_after_training_are_meant_only_by_name() -> None:
    trace = traced()
    assert not [value.path for value in trace.select("scores") if value.path.startswith("trained.")]
    assert [value.path for value in trace.select("trained.scores")] == ["trained.encoder.1.attention.head.1.scores"]


def test_a_loss_that_is_no_number_after_training_is_shown() -> None:
    trace = traced({"learning_rate": 1e200})
    assert not np.isfinite(trace["trained.loss.mean"].array).any()
