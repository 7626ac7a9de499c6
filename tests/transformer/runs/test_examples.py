"""Several sentences to train on: PyTorch's loss over all positions at once, its gradients and its Adam; batches."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.judging.names import check_names, few_steps
from walkthrough.library import calculate

STEPS, RATE = 3, 0.05
WORDS = ["a", "b", "c", "d", "<pad>"]
EXAMPLES: list[dict[str, Any]] = [
    {"tokens": ["a", "b", "c"], "decoder": {"tokens": ["d", "a"]}, "targets": ["a", "b"]},
    {"tokens": ["d"], "decoder": {"tokens": ["d", "b", "c"]}, "targets": ["b", None, "a"]},
    {"tokens": ["b", "b", "<pad>"], "decoder": {"tokens": ["d", "c", "a", "b"]}, "targets": ["c", "a", "b", "<pad>"]},
]


def weight(rows: int, columns: int, seed: int) -> list[list[float]]:
    return np.random.default_rng(seed).normal(size=(rows, columns)).round(2).tolist()  # type: ignore[no-any-return]


def attention(seed: int, **keys: Any) -> dict[str, Any]:
    """Two heads over four features."""
    weights = {name: weight(4, 4, seed + at) for at, name in enumerate(("w_q", "w_k", "w_v", "w_o"))}
    return {"num_heads": 2, **weights, **keys}


def network(seed: int) -> dict[str, Any]:
    return {"w_1": weight(4, 3, seed), "w_2": weight(3, 4, seed + 1)}


def scenario(**training: Any) -> dict[str, Any]:
    """An encoder and a decoder of one layer, with a table for both sentences and the output head."""
    decoder = {"self_attention": attention(20), "cross_attention": attention(30, mask="padding")}
    return {
        "title": "t",
        "vocabulary": WORDS,
        "embeddings": weight(5, 4, 1),
        "positional_encoding": weight(4, 4, 2),
        "encoder": {"layers": [{"attention": attention(10, mask="padding"), "feed_forward": network(14)}]},
        "decoder": {"layers": [{**decoder, "feed_forward": network(40)}]},
        "output_head": {"tied": True},
        "training": {"steps": STEPS, "learning_rate": RATE, "optimizer": "adam", "examples": EXAMPLES, **training},
    }


def traced(keys: dict[str, Any], **options: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps(keys)), **options)


def numbers(trace: wt.Trace, *paths: str) -> list[float]:
    return [float(trace[path].array[0, 0]) for path in paths]


class Torch:
    """The same model by the oracle's PyTorch, whose parameters all examples have in common."""

    def __init__(self, keys: dict[str, Any]) -> None:
        self.torch: Any = pytest.importorskip("torch")
        self.keys = keys
        self.p: dict[str, Any] = {}
        self.tables: dict[int, Any] = {}
        self.loss(EXAMPLES)  # finds the parameters
        self.optimizer = self.torch.optim.Adam(self.p.values(), lr=RATE)

    def logits(self, example: dict[str, Any]) -> Any:
        from tests.oracle.training import LeafTape, run

        decoder = {**self.keys["decoder"], **example["decoder"]}
        spec = {**self.keys, "padding_token": "<pad>", "tokens": example["tokens"], "decoder": decoder}
        tape = LeafTape(spec, self.p, self.tables)
        run(tape, spec)
        return tape.values["output_head.logits"]

    def loss(self, examples: list[dict[str, Any]], reduction: str = "mean", smoothing: float = 0.0) -> Any:
        """CrossEntropyLoss over all positions at once."""
        logits = self.torch.cat([self.logits(one) for one in examples])
        targets = [-100 if one in (None, "<pad>") else WORDS.index(one) for each in examples for one in each["targets"]]
        of_all = self.torch.nn.CrossEntropyLoss(reduction=reduction, label_smoothing=smoothing)
        return of_all(logits, self.torch.tensor(targets))


@pytest.mark.torch
@pytest.mark.parametrize(
    ("size", "more"),
    [
        (1, {}),
        (2, {"label_smoothing": 0.1, "clip": 0.5}),
        ("all", {}),
        (3, {"reduction": "sum"}),
    ],
)
def test_loss_gradients_and_updates_are_those_of_pytorch(size: int | str, more: dict[str, Any]) -> None:
    """An encoder and a decoder, one table for both and the head; a batch of two begins again within a step."""
    keys = scenario(batch_size=size, **more)
    theirs, trace = Torch(keys), traced(keys)
    reduction, smoothing = more.get("reduction", "mean"), more.get("label_smoothing", 0.0)
    count = 3 if size == "all" else int(size)
    for number in range(1, STEPS + 1):
        batch = [(at % 3, EXAMPLES[at % 3]) for at in range((number - 1) * count, number * count)]
        at = f"train.{number}."
        loss = theirs.loss([example for _, example in batch], reduction, smoothing)
        theirs.optimizer.zero_grad()
        loss.backward()
        assert numbers(trace, f"{at}loss.{'total' if reduction == 'sum' else reduction}") == [
            pytest.approx(loss.item(), rel=1e-11)
        ]
        for name, tensor in theirs.p.items():
            if (path := f"{at}gradient.{name}") in trace:
                np.testing.assert_allclose(trace[path].array, tensor.grad.numpy(), atol=1e-11, err_msg=path)
        for place, _ in batch:  # what an example adds to a gradient is its own derivative
            assert f"{at}example.{place + 1}.gradient.embeddings" in trace
        if "clip" in more:
            theirs.torch.nn.utils.clip_grad_norm_(theirs.p.values(), more["clip"])
        theirs.optimizer.step()
        updated = trace[f"{at}update.embeddings"].array
        np.testing.assert_allclose(updated, theirs.p["embeddings"].detach().numpy(), atol=1e-9)
    assert numbers(trace, "trained.loss.mean") == [pytest.approx(theirs.loss(EXAMPLES, "mean", smoothing).item())]
    assert numbers(trace, "trained.loss.total") == [pytest.approx(theirs.loss(EXAMPLES, "sum", smoothing).item())]


@pytest.mark.torch
def test_each_example_has_its_share_of_the_gradient() -> None:
    """The derivative of the step's loss through one example: of its own loss over all targets of the batch."""
    keys = scenario(steps=1)
    theirs, trace = Torch(keys), traced(keys)
    shares = []
    for number, example in enumerate(EXAMPLES, 1):
        theirs.optimizer.zero_grad()
        (theirs.loss([example], "sum") / 7).backward()
        shares.append(trace[f"example.{number}.gradient.embeddings"])
        np.testing.assert_allclose(shares[-1].array, theirs.p["embeddings"].grad.numpy(), atol=1e-12)
        total = numbers(trace, f"example.{number}.loss.total")
        assert total == [pytest.approx(theirs.loss([example], "sum").item())]
    assert trace["gradient.embeddings"].inputs == tuple(shares)
    totals = [trace[f"example.{number}.loss.total"] for number in (1, 2, 3)]
    assert list(trace["loss.total"].inputs) == totals
    assert trace["loss.mean"].settings == {"divisor": 7.0}


def test_weights_stand_once_and_sentences_in_their_example() -> None:
    trace = traced(scenario(steps=2, batch_size=2))
    given = {value.path for value in trace if value.operation is None}
    assert "train.1.encoder.1.attention.head.1.w_q" in given
    assert "train.1.position_table" in given
    assert {"train.1.example.1.token_ids", "train.1.example.2.decoder.token_ids"} <= given
    assert not any("example" in path and path.rpartition(".")[2].startswith("w_") for path in given)
    assert [path for path in given if path.endswith("embeddings")] == ["train.1.embeddings"]
    assert trace["train.2.decoder.embeddings"] is trace["train.1.update.embeddings"]
    assert {path.split(".")[3] for path in trace.values if path.startswith("train.2.example")} == {"1", "3"}
    assert trace["train.2.example.1.token_ids"] is trace["train.1.example.1.token_ids"]


def test_of_one_example_a_step_its_gradient_and_loss_are_the_steps() -> None:
    trace = traced(scenario(steps=3, batch_size=1))
    assert trace["train.2.gradient.embeddings"] is trace["train.2.example.2.gradient.embeddings"]
    assert trace["train.2.loss.total"] is trace["train.2.example.2.loss.total"]
    assert "train.2.example.1.input" not in trace


def test_the_table_of_the_run_is_of_whole_batches() -> None:
    trace = traced(scenario(steps=2))
    found = trace["training"].array[:, :2]
    for row, number in zip(found, (1, 2), strict=True):
        shares = []
        for at, example in enumerate(EXAMPLES, 1):
            p = trace[f"train.{number}.example.{at}.output_head.probabilities"].array
            shares += [
                p[row_, WORDS.index(word)]
                for row_, word in enumerate(example["targets"])
                if word not in (None, "<pad>")
            ]
        assert row == pytest.approx([-np.log(shares).mean(), np.mean(shares)])


def test_dropout_draws_on_from_one_example_to_the_next() -> None:
    trace = traced(scenario(steps=1) | {"dropout": {"rate": 0.5, "seed": 3}})
    random = np.random.default_rng(3)
    masks = [value for value in trace if value.kind.symbol == "M_D"]
    assert {value.path.split(".")[1] for value in masks} == {"1", "2", "3"}
    for value in masks:
        np.testing.assert_array_equal(value.array, random.random(value.shape) >= 0.5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_position_without_a_target_has_no_loss_and_breaks_nothing(smoothing: float) -> None:
    trace = traced(scenario(steps=1, label_smoothing=smoothing))
    lost = trace["example.2.loss.per_token"]
    assert np.isnan(lost.array[:, 0]).tolist() == [False, True, False]
    assert lost.unknown
    assert not trace["example.1.loss.per_token"].unknown
    assert not trace["loss.mean"].unknown


def problems(keys: dict[str, Any]) -> dict[str, str]:
    """What is said, by the key that it is said of."""
    with pytest.raises(wt.ScenarioError) as error:
        wt.parse_scenario(json.dumps(keys, indent=1))
    assert all(problem.line > 1 and problem.column > 0 for problem in error.value.problems)
    return {problem.key: problem.message for problem in error.value.problems}


def test_all_that_is_wrong_is_said_at_once() -> None:
    keys = scenario(batch_size=4, targets=["a"])
    keys |= {"tokens": ["a"], "segment_embedding": weight(3, 4, 3), "dropout": {"rate": 0.1, "masks": {"x": [[1]]}}}
    keys["encoder"]["layers"][0]["attention"]["mask"] = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    keys["decoder"]["positions"] = [0, 1]
    keys["training"]["examples"] = [
        EXAMPLES[0],
        {"text": "a e", "targets": ["a", "b"], "decoder": {"tokens": ["a"], "positions": [0, 1]}},
        {"tokens": ["a", "b", "c", "d", "a"], "targets": ["a"]},
    ]
    found = problems(keys)
    assert found["tokens"] == "tokens cannot be combined with training.examples: these are the sentences"
    assert found["decoder.positions"].startswith("decoder.positions cannot be combined with training.examples")
    assert (
        found["training"]
        == "training needs either targets or examples or gradients, but targets and examples are given"
    )
    assert found["training.batch_size"] == "batch_size is 4, but the examples are only 3"
    alone = "has numbers for each token of one sentence, and the examples have others"
    assert found["segment_embedding"] == f"segment_embedding {alone}"
    assert found["encoder.layers.1.attention.mask"] == f"mask {alone}"
    assert found["dropout.masks"] == "masks cannot be combined with examples: each example would need its own"
    assert found["vocabulary"] == "the token 'e' is not in the vocabulary"
    assert found["training.examples.2.targets"] == "targets has 2 entries, expected 1: one for each token"
    assert found["training.examples.2.decoder.positions"] == "positions has 2 entries, expected 1: one for each token"
    assert found["training.examples.3.decoder"].startswith("decoder is missing: ")
    assert found["positional_encoding"].endswith("has 4 rows, expected at least 5, one for each position")


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"embeddings": weight(3, 4, 1)}, "embeddings"),
        ({"encoder": {"output": weight(3, 4, 1)}}, "encoder.output"),
        ({"output_head": {"logits": weight(2, 5, 1)}}, "output_head.logits"),
    ],
)
def test_numbers_for_the_tokens_of_one_sentence_are_refused(given: dict[str, Any], key: str) -> None:
    keys = scenario(examples=[{**EXAMPLES[0]}, {**EXAMPLES[0], "tokens": ["b", "c", "a"]}], steps=1)
    del keys["vocabulary"], keys["positional_encoding"]
    keys = {**keys, "embeddings": dict(zip(WORDS, weight(5, 4, 1), strict=True)), **given}
    keys["output_head"] = {**keys["output_head"], "vocabulary": WORDS}
    if "logits" not in keys["output_head"]:
        keys["output_head"] |= {"w": weight(4, 5, 9), "tied": False}
    assert key in problems(keys)


def test_a_table_of_positions_to_be_made_is_long_enough_for_the_longest() -> None:
    keys = scenario(steps=1) | {"positional_encoding": {"init": "normal"}}
    assert traced(keys)["position_table"].shape == (4, 4)


def test_a_sentence_of_a_decoder_alone_stands_in_the_example_or_under_its_decoder() -> None:
    keys = scenario(steps=1, examples=[{"tokens": ["a", "b"], "targets": ["b", "c"]}])
    del keys["encoder"], keys["decoder"]["layers"][0]["cross_attention"]
    one = traced(keys)
    keys["training"]["examples"] = [{"decoder": {"tokens": ["a", "b"]}, "targets": ["b", "c"]}]
    np.testing.assert_array_equal(traced(keys)["loss.mean"].array, one["loss.mean"].array)


def test_a_print_of_a_later_step_names_an_example_of_its_batch() -> None:
    """Of nine steps with one of three examples each, four are calculated to know the names of all."""
    keys = scenario(steps=9, batch_size=1)
    found = wt.parse_scenario(json.dumps(keys | {"published": {"train.9.example.3.loss.total": [[1]]}}))
    assert few_steps(found) == 4
    check_names(found, partial(calculate, most_steps=few_steps(found)))
    found = wt.parse_scenario(json.dumps(keys | {"published": {"train.8.example.3.loss.total": [[1]]}}))
    with pytest.raises(wt.ScenarioError, match="no step is called"):
        check_names(found, partial(calculate, most_steps=few_steps(found)))


def test_a_position_without_a_target_is_not_blamed_for_a_loss_that_is_no_number() -> None:
    examples = [{"tokens": ["a", "b"], "targets": ["a", None]}, {"tokens": ["c"], "targets": ["a"]}]
    keys = {
        "title": "t",
        "vocabulary": ["a", "b", "c"],
        "embeddings": [[1, 0], [0, 1], [1e200, -1e200]],
        "output_head": {"w": [[1e200, 0, 0], [0, 1e200, 0]]},
        "training": {"examples": examples},
    }
    with pytest.raises(wt.ScenarioError, match=r"the first non-finite number is in example\.2\.output_head\.logits"):
        traced(keys)
