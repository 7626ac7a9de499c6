"""What has to be compared before a verdict is green: nothing passes by matching nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke, run
from tests.cli.test_schemas import check
from walkthrough.errors import ArgumentError
from walkthrough.recording import SelectorError

Arrays = dict[str, np.ndarray]
LAYER = "encoder.1."
MODULES = ("token_embedding", "attention.output", "feed_forward.output", "norm_1.output", "norm_2.output")
"""What a module of torch gives, of which no single head and no hidden layer has a module."""


@pytest.fixture(scope="module")
def right() -> Arrays:
    """All computed steps of a layer with a model's head."""
    trace = wt.trace(wt.load_scenario("one-block"))
    return {value.path: value.array for value in trace if value.operation is not None}


def of_modules(right: Arrays) -> Arrays:
    return {path: array for path, array in right.items() if path.endswith(MODULES)}


def test_the_outputs_of_parts_and_norms_are_all_that_is_required(right: Arrays) -> None:
    given = of_modules(right)
    found = wt.assert_same("one-block", given)
    assert (found.ok, found.missing, found.faults) == (True, (), ())


def test_what_the_model_itself_returns_has_to_be_a_step_where_the_scenario_has_an_output_head() -> None:
    """Logits of another shape may be wrong ones."""
    trace = wt.trace(wt.load_scenario("first-step"))
    given = {value.path: value.array for value in trace if value.operation is not None}
    with pytest.raises(AssertionError, match=r"Required, but not compared:\n +output\n"):
        wt.assert_same(trace, given | {"output": np.zeros((1, 3))})
    assert wt.assert_same(trace, given | {"output": np.zeros((1, 3))}, require="all").missing == ()
    assert wt.assert_same(trace, given | {"output": np.array(0.5)}).missing == ()  # a loss


@pytest.mark.parametrize("name", ["output", "logits"])
def test_the_head_of_a_classifier_that_a_scenario_has_not_is_said_not_to_be_judged(name: str, right: Arrays) -> None:
    given = {**of_modules(right), name: np.zeros((2, 3))}
    found = wt.assert_same("one-block", given)
    assert (found.missing, found.not_compared[0].theirs) == ((), name)
    assert f"{name} (2×3): the model returns it, but it is no step of the scenario" in str(found)
    del given[LAYER + "norm_2.output"]  # the last step: nothing else shows what becomes of it
    assert name in wt.compare("one-block", given).missing


@pytest.mark.parametrize("left_out", ["attention.output", "feed_forward.output", "final_norm.output"])
def test_a_part_or_a_norm_that_was_not_compared_is_missing(left_out: str) -> None:
    trace = wt.trace(wt.load_scenario("fuchs"))
    steps = {value.path: value.array for value in trace if value.operation is not None}
    given = {path: steps[path] for path in steps if path.endswith((*MODULES, "final_norm.output"))}
    assert wt.assert_same(trace, given).ok
    given = {path: array for path, array in given.items() if not path.endswith(left_out)}
    found = wt.compare(trace, given, require="all")
    assert {path for path in steps if path.endswith(left_out)} <= set(found.missing)
    assert all(f".{left_out.removesuffix('output')}" in path for path in found.missing)
    assert not found.ok
    with pytest.raises(AssertionError, match="Required, but not compared") as caught:
        wt.assert_same(trace, given, require="all")
    assert found.missing[0] in str(caught.value)
    assert wt.assert_same(trace, given, require=1).ok


def test_every_projection_itself_will_do(right: Arrays) -> None:
    """Without the output of an attention, each head's query, key and value and W_O's product are asked for."""
    names = ("query", "key", "value", "concat", "hidden", "output")
    given = {path: array for path, array in right.items() if path.endswith(names)}
    assert wt.compare("one-block", given | of_modules(right), require="all").missing == ()
    without = {path: array for path, array in given.items() if not path.endswith((".attention.output", "1.key"))}
    found = wt.compare("one-block", of_modules(right) | without, require="all")
    assert found.missing == ()


def test_of_joined_heads_every_one_is_asked_for() -> None:
    """Without W_O an attention ends with its heads, whose outputs stand for it together."""
    text = (
        "title: x\ntokens: [a, b]\nembeddings: {a: [1, 2], b: [0, 1]}\nattention:\n  heads:\n"
        + "    - {w_q: [[1], [3]], w_k: [[1], [0]], w_v: [[1], [0]]}\n" * 2
    )
    trace = wt.trace(wt.parse_scenario(text))
    outputs = {f"attention.head.{head}.output": trace[f"attention.head.{head}.output"].array for head in (1, 2)}
    lookup = {path: trace[path].array for path in ("token_embedding", "input") if path in trace}
    assert wt.compare(trace, outputs | lookup, require="all").missing == ()
    del outputs["attention.head.2.output"]
    missing = wt.compare(trace, outputs | lookup, require="all").missing
    assert missing == tuple(f"attention.head.{head}.{name}" for head in (1, 2) for name in ("query", "key", "value"))


def test_probabilities_stand_for_the_logits() -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    first = [value for value in trace if value.operation is not None and not value.path.startswith("generate.")]
    given = {value.path: value.array for value in first}
    assert wt.compare(trace, given, require="all").missing == ()
    del given["output_head.logits"]
    assert wt.compare(trace, given, require="all").missing == ()
    given = {path: array for path, array in given.items() if not path.startswith("output_head.")}
    assert wt.compare(trace, given, require="all").missing == ("output_head.logits",)


def test_scaled_embeddings_stand_for_those_that_were_looked_up() -> None:
    text = (
        "title: t\ntokens: [tea, hot]\nvocabulary: [tea, hot]\nembeddings: [[1, 2], [0, 1]]\nembedding_scale: 3\n"
        "encoder: {layers: [{feed_forward: {w_1: [[1], [2]], w_2: [[1, 2]]}}]}\n"
    )
    trace = wt.trace(wt.parse_scenario(text))
    given = {value.path: value.array for value in trace if value.operation is not None}
    del given["token_embedding"]
    assert wt.compare(trace, given, require="all").missing == ()
    del given["scaled_embedding"]
    assert wt.compare(trace, given, require="all").missing == ("token_embedding",)


def test_further_passes_are_asked_for_only_where_something_of_them_was_given() -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    given = {value.path: value.array for value in trace if value.operation is not None}
    first = {path: array for path, array in given.items() if not path.startswith("generate.")}
    one_more = {"generate.2.output_head.logits": given["generate.2.output_head.logits"]}
    missing = wt.compare(trace, first | one_more, require="all").missing
    assert missing
    assert all(path.startswith("generate.2.") for path in missing)


def test_of_examples_the_gradients_of_a_step_are_required_since_no_call_is_one_pass() -> None:
    text = (
        "title: t\nvocabulary: [tea, hot]\nembeddings: [[1, 2], [0, 1]]\noutput_head: {w: [[1, 2], [3, 0]]}\n"
        "training: {steps: 2, examples: [{tokens: [tea], targets: [hot]}, {tokens: [hot], targets: [tea]}]}\n"
    )
    trace = wt.trace(wt.parse_scenario(text))
    given = {path: trace[path].array for path in trace.values if path.startswith(("train.1.gradient", "train.1.up"))}
    returned = {f"output{again}": np.zeros((1, 1, 2)) for again in ("", "@2", "@3", "@4")}
    assert wt.assert_same(trace, given | returned).missing == ()
    del given["train.1.gradient.output_head.w"]  # PyTorch has none: the update says enough
    assert wt.assert_same(trace, given).missing == ()
    del given["train.1.update.output_head.w"]
    found = wt.compare(trace, given)
    assert (found.ok, found.missing) == (False, ("train.1.gradient.output_head.w",))


def test_a_number_counts_steps_that_are_not_trivial(right: Arrays) -> None:
    trace = wt.trace(wt.load_scenario("one-block"))
    given = {value.path: value.array for value in trace if value.operation is None} | of_modules(right)
    count = len(given) - sum(value.operation is None for value in trace) - ("token_embedding" in given)
    found = wt.compare("one-block", given, require=count)
    assert (found.ok, found.trivial) == (True, len(given) - count)
    found = wt.compare("one-block", given, require=count + 1)
    assert (found.ok, found.missing) == (False, ())
    assert f"Required are {count + 1} steps; compared were {count} steps that are not trivial." in str(found)


def test_selectors_say_which_steps(right: Arrays) -> None:
    found = wt.compare("one-block", {"input": right[LAYER + "norm_1.output"] * 0, **of_modules(right)}, require="norm")
    assert all(".norm_" in path for path in found.missing)
    assert LAYER + "norm_1.std" in found.missing
    assert LAYER + "norm_1.output" not in found.missing
    assert wt.compare("one-block", right, require=["weights", "feed_forward"]).missing == ()
    with pytest.raises(SelectorError, match="wieghts"):
        wt.compare("one-block", right, require=["wieghts"])
    with pytest.raises(ArgumentError, match="a number of steps from 1"):
        wt.assert_same("one-block", right, require=0)


def test_what_is_trivial_alone_is_not_right() -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    given = {path: trace[path].array for path in ("embeddings", "token_embedding", "token_ids") if path in trace}
    found = wt.compare(trace, given)
    assert (found.ok, found.faults, found.trivial) == (False, (), len(given))
    assert "All that was compared is trivial" in str(found)


def test_an_entry_that_no_tensor_has_stops_nothing_and_is_a_finding(right: Arrays) -> None:
    names = {
        "mixer.{i}": "encoder.{i}.attention.output",
        "norms.{i}": "encoder.{i}.norm_1.output",
        "end": "norm_2.output",
    }
    given = {"mixer.0": right[LAYER + "attention.output"]}
    found = wt.compare("one-block", given, names)
    assert found.never_called == ("norms.0", "end")
    assert (found.ok, len(found.steps), found.faults) == (False, 1, ())
    assert "norms.0 was never called" in str(found)
    assert "{i}" not in str(found)


def test_one_layer_of_an_entry_that_was_never_called_is_named() -> None:
    trace = wt.trace(wt.load_scenario("tea-gpt"))
    paths = sorted(path for path in trace.values if path.startswith("decoder.") and path.endswith("head.1.query"))
    layers, heads = len(paths), 2
    assert layers >= 1
    names = {"blocks.{i}.q.{h}": "decoder.{i}.self_attention.head.{h}.query"}
    given = {
        f"blocks.{layer}.q.{head}": trace[f"decoder.{layer + 1}.self_attention.head.{head + 1}.query"].array
        for layer in range(layers)
        for head in range(heads)
    }
    assert wt.compare(trace, given, names).never_called == ()
    del given["blocks.0.q.1"]
    assert wt.compare(trace, given, names).never_called == ("blocks.0.q.1",)


def test_where_nothing_was_compared_an_assertion_fails_and_the_status_is_2(tmp_path: Path, right: Arrays) -> None:
    np.savez(tmp_path / "a.npz", nothing=np.zeros((3, 7)))
    (tmp_path / "names.yaml").write_text("mine: weights\n")
    done = run("compare", "one-block", str(tmp_path / "a.npz"), "--names", str(tmp_path / "names.yaml"))
    assert done.returncode == 2
    assert "mine was never called" in done.stderr
    for given in ({}, {"nothing": np.zeros((3, 7))}):
        with pytest.raises(AssertionError, match="nothing could be compared with one-block"):
            wt.assert_same("one-block", given)
    with pytest.raises(AssertionError, match="the dict has no tensors"):
        wt.assert_same("one-block", {})
    with pytest.raises(ValueError, match="nothing could be compared"):
        wt.compare("one-block", {"nothing": right[LAYER + "norm_1.output"][:1, :1]})


def saved(folder: Path, arrays: Arrays, name: str = "a.npz") -> str:
    np.savez(folder / name, **arrays)
    return str(folder / name)


@pytest.mark.parametrize(
    ("change", "options", "status"),
    [
        (lambda given: given, [], 0),
        (lambda given: given, ["--require", "all"], 0),
        (lambda given: given, ["--require", "3", "--require", "norm_1.output"], 0),
        (lambda given: given, ["--require", "300"], 1),
        (lambda given: given | {"token_embedding": given["token_embedding"] + 1}, [], 1),
        (lambda given: {name: array + 1e-4 for name, array in given.items()}, ["--tolerance", "1e-3"], 0),
        (lambda given: {"token_embedding": given["token_embedding"]}, [], 1),
        (lambda given: given, ["--require", "wieghts"], 2),
        (lambda given: given, ["--tolerance", "nan"], 2),
    ],
)
def test_the_status_says_what_was_required(
    tmp_path: Path, right: Arrays, change: Callable[[Arrays], Arrays], options: list[str], status: int
) -> None:
    file = saved(tmp_path, change({"token_embedding": right["token_embedding"], **of_modules(right)}))
    done = run("compare", "one-block", file, *options)
    assert done.returncode == status, done.stderr


def test_the_json_says_all_of_it(tmp_path: Path, right: Arrays) -> None:
    file = saved(tmp_path, {"token_embedding": right["token_embedding"], "mine": right[LAYER + "norm_1.output"]})
    (tmp_path / "names.yaml").write_text("mine: norm_1.output\nother: norm_2.output\n")
    more = ["--names", str(tmp_path / "names.yaml"), "--require", "norm_2.output", "--format", "json"]
    found = check("compare", "compare", "one-block", file, *more, status=(1,))
    assert {key: found[key] for key in ("ok", "faults", "never_called", "missing", "trivial")} == {
        "ok": False,
        "faults": [],
        "never_called": ["other"],
        "missing": [LAYER + "norm_2.output"],
        "trivial": 1,
    }


def test_several_files_are_one_and_no_name_stands_twice(tmp_path: Path, right: Arrays) -> None:
    files = [saved(tmp_path, {path: array}, f"{number}.npz") for number, (path, array) in enumerate(right.items())]
    done = invoke("compare", "one-block", *files, "--format", "json")
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)["steps"]) == len(right)
    again = run("compare", "one-block", *files, files[0])
    assert again.returncode == 2
    assert "a name means one tensor" in " ".join(again.stderr.split())


def test_within_a_tolerance_numbers_are_the_same_and_beyond_it_the_cause_is_found() -> None:
    trace = wt.trace(wt.load_scenario("cooking"))
    scores = trace.only("scores").array
    noise = np.random.default_rng(3).uniform(-1, 1, scores.shape)
    rows = np.maximum(1, np.abs(scores).max(axis=1, keepdims=True))
    near = {"scores": scores + 0.9e-3 * noise / np.abs(noise).max() * rows}
    assert not wt.compare(trace, near).ok
    assert wt.compare(trace, near, require=1, tolerance=1e-3).ok
    assert not wt.compare(trace, near, tolerance=1e-4).ok
    assert wt.compare(trace, {"scores": scores.astype(np.float32)}, require=1).ok
    assert not wt.compare(trace, {"scores": scores + 1e-7 * noise}, tolerance=1e-9).ok
    unscaled = {"scores": scores, "scaled_scores": scores + 1e-4 * noise}
    (fault,) = wt.compare(trace, unscaled, tolerance=1e-3).faults
    assert fault.kind == "not_scaled"
    with pytest.raises(ValueError, match="tolerance"):
        wt.compare(trace, near, tolerance=-1)


def test_a_call_of_five_thousand_digits_is_a_name() -> None:
    """Python turns no text of so many digits into a number."""
    trace = wt.trace(wt.load_scenario("one-head"))
    name = "attention.head.1.scores"
    compared = wt.compare(trace, {name: trace[name].array, f"{name}@{'9' * 5000}": trace[name].array})
    assert [step.value.path for step in compared.steps] == [name]
    assert [one.theirs for one in compared.not_compared] == [f"{name}@{'9' * 5000}"]
