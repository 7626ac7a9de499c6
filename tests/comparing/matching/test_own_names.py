"""Names of one's own are read off the scenario: which tensor is which matrix, and so which module computes what."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt

ATTENTION = "decoder.1.self_attention"
TEXT = """
title: Names of somebody's own
weights_file: own.npz
tokens: [a, b, a]
vocabulary: [a, b, c]
embeddings: {tensor: lex}
decoder:
  norm_order: pre
  layers:
    - norm_1: {gamma: {tensor: tier.calm.g}}
      self_attention:
        num_heads: 2
        w_q: {tensor: tier.look.all, columns: [1, 4]}
        w_k: {tensor: tier.look.all, columns: [5, 8]}
        w_v: {tensor: tier.look.all, columns: [9, 12]}
        w_o: {tensor: tier.look.out.w, transpose: true}
output_head: {w: {tensor: say.w}}
generate: {max_tokens: 2}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    draw = np.random.default_rng(3).normal
    shapes = {"lex": (3, 4), "tier.calm.g": (4,), "tier.look.all": (4, 12), "tier.look.out.w": (4, 4), "say.w": (4, 3)}
    np.savez(tmp_path / "own.npz", **{name: draw(size=shape) for name, shape in shapes.items()})  # type: ignore[arg-type]
    file = tmp_path / "own.yaml"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_a_module_is_what_its_tensor_makes_it(path: Path) -> None:
    trace = wt.trace(wt.load_scenario(path))
    weights = np.stack([trace[f"{ATTENTION}.head.{head}.weights"].array for head in (1, 2)])
    theirs = {
        "tier.calm": trace["decoder.1.norm_1.output"].array,
        "tier.look.out": trace[f"{ATTENTION}.output"].array,
        "tier.look": trace[f"{ATTENTION}.output"].array,
        "tier.look.even": weights,
        "tier": trace["decoder.1.residual_1"].array,
        "say": trace["output_head.logits"].array,
        "tier.look@2": trace[f"generate.2.{ATTENTION}.output"].array,
        "output": trace["output_head.probabilities"].array,
        "output@2": np.log(trace["generate.2.output_head.probabilities"].array),
    }
    found = wt.compare(trace, theirs)
    assert found.first is None, found
    assert {one.theirs.name: one.value.path for one in found.steps} == {
        "tier.calm": "decoder.1.norm_1.output",
        "tier.look.out": f"{ATTENTION}.output",
        "tier.look": f"{ATTENTION}.output",
        "tier.look.even": f"{ATTENTION}.head.2.weights",
        "tier": "decoder.1.residual_1",
        "say": "output_head.logits",
        "tier.look@2": f"generate.2.{ATTENTION}.output",
        "output": "output_head.probabilities",
        "output@2": "generate.2.output_head.probabilities",
    }


def test_a_tensor_is_cut_and_turned_as_the_scenario_does_it_and_never_otherwise(path: Path) -> None:
    with np.load(path.parent / "own.npz") as file:
        arrays = dict(file)
    assert wt.compare(path, arrays).first is None
    arrays["tier.look.out.w"] = arrays["tier.look.out.w"].T
    first = wt.compare(path, arrays).first
    assert first is not None
    assert first.value.path == f"{ATTENTION}.w_o"


def test_a_tied_table_may_go_by_the_name_of_the_head(path: Path) -> None:
    path.write_text(
        TEXT.replace("{tensor: lex}", "{tensor: say.w, transpose: true}").replace(
            "{w: {tensor: say.w}}", "{tied: true}"
        )
    )
    trace = wt.trace(wt.load_scenario(path))
    found = wt.compare(
        trace, {"say": trace["output_head.logits"].array, "say@2": trace["generate.2.output_head.logits"].array}
    )
    assert [(one.value.path, one.outcome) for one in found.steps] == [
        ("output_head.logits", "same"),
        ("generate.2.output_head.logits", "same"),
    ]


@pytest.mark.usefixtures("no_causes")
def test_an_entry_of_a_names_file_holds_for_all_calls(path: Path) -> None:
    trace = wt.trace(wt.load_scenario(path))
    theirs = {
        "any": trace["decoder.1.residual_1"].array,
        "any@2": trace["generate.2.decoder.1.residual_1"].array + 1,
        "output": trace["output_head.logits"].array,
        "output@2": trace["generate.2.output_head.logits"].array,
    }
    first = wt.compare(trace, theirs, {"any": "decoder.1.residual_1"}).first
    assert first is not None
    assert (first.theirs.name, first.value.path) == ("any@2", "generate.2.decoder.1.residual_1")
    ignored = wt.compare(trace, theirs).not_compared
    assert {one.theirs for one in ignored} == {"any", "any@2"}


ATTENTIONS = {"up": "encoder.1.attention", "down": "decoder.1.self_attention"}
TWO_STACKS = """
title: Two stacks that share a table
weights_file: two.npz
tokens: [a, b, c]
vocabulary: [a, b, c]
embeddings: {tensor: lex.w}
encoder:
  layers:
    - attention:
        {num_heads: 2, w_q: {tensor: up.q.w}, w_k: {tensor: up.k.w}, w_v: {tensor: up.v.w},
         w_o: {tensor: up.o.w}}
      norm_1: {gamma: {tensor: up_end.g}}
decoder:
  tokens: [a, b, c]
  layers:
    - self_attention:
        {num_heads: 2, w_q: {tensor: down.q.w}, w_k: {tensor: down.k.w}, w_v: {tensor: down.v.w},
         w_o: {tensor: down.o.w}}
      norm_1: {gamma: {tensor: down_end.g}}
"""


@pytest.fixture
def two_stacks(tmp_path: Path) -> wt.Trace:
    draw = np.random.default_rng(4).normal
    weights = {"lex.w": draw(size=(3, 4))}
    for name in ("up", "down"):
        weights |= {f"{name}.{one}.w": 2 * draw(size=(4, 4)) for one in "qkvo"} | {f"{name}_end.g": np.ones(4)}
    np.savez(tmp_path / "two.npz", **weights)  # type: ignore[arg-type]
    (tmp_path / "two.yaml").write_text(TWO_STACKS, encoding="utf-8")
    return wt.trace(wt.load_scenario(tmp_path / "two.yaml"))


@pytest.mark.usefixtures("no_causes")
def test_a_module_that_several_steps_use_may_be_called_for_each(two_stacks: wt.Trace) -> None:
    table = two_stacks["token_embedding"].array
    tensors = {"output": table, "lex": table, "lex@2": table}
    taken = {one.theirs.name: one.value.path for one in wt.compare(two_stacks, tensors).steps}
    assert taken.items() >= {"lex": "token_embedding", "lex@2": "decoder.token_embedding"}.items()
    found = wt.compare(two_stacks, {"down.o": table, **tensors, "lex@3": table})
    why = {one.theirs: one.why for one in found.not_compared}
    assert why["lex"].startswith("lex was called 3 times while the model ran once")


@pytest.mark.usefixtures("no_causes")
def test_a_wrong_attention_is_not_taken_for_the_norm_that_its_numbers_are_nearer_to(two_stacks: wt.Trace) -> None:
    small = two_stacks["decoder.1.self_attention.output"].array / 50
    found = wt.compare(two_stacks, {"down": small, "up_end": two_stacks["encoder.1.norm_1.output"].array})
    assert found.first is not None
    assert found.first.value.path == "decoder.1.self_attention.output"
    other = two_stacks["decoder.1.norm_1.output"].array[[1, 2, 0]]  # the norm was in the module, and the rows are wrong
    found = wt.compare(two_stacks, {"down": other})
    assert found.first is not None
    assert found.first.value.path == "decoder.1.norm_1.output"


def test_a_module_of_another_shape_is_told_the_shape_and_not_covered(two_stacks: wt.Trace) -> None:
    right = {
        "lex": two_stacks["token_embedding"].array,
        "lex@2": two_stacks["decoder.token_embedding"].array,
        **{f"{name}.o": two_stacks[f"{path}.output"].array for name, path in ATTENTIONS.items()},
        "up_end": two_stacks["encoder.1.norm_1.output"].array,
        "down_end": two_stacks["decoder.1.norm_1.output"].array,
    }
    wt.assert_same(two_stacks, right)
    wide = np.zeros((2, 3, 5))
    found = wt.compare(two_stacks, right | {"down.q": wide, "up": wide[0, :2, :4]}, require="all")
    assert not found.ok
    assert found.missing == tuple(f"decoder.1.self_attention.head.{head}.query" for head in (1, 2))
    shapes = "2×3×2 or 3×2×2 or 3×4 or 6×2"
    assert [one.why for one in found.not_compared] == [
        f"expected {shapes} for decoder.1.self_attention.head.1.query",
        "expected 3×4 for encoder.1.attention.output",
    ]


@pytest.mark.usefixtures("no_causes")
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_module_of_the_embeddings_and_all_layers_returns_the_last_state(stack: str, tmp_path: Path) -> None:
    """A classifier with a wrong base passed, as its head is no step."""
    names = {"w_q": "layers.0.q.w", "w_k": "layers.0.k.w", "w_v": "layers.0.v.w", "w_o": "layers.0.o.w"}
    draw = np.random.default_rng(4).normal
    np.savez(tmp_path / "own.npz", **{f"base.{name}": draw(size=(3, 3)) for name in ("lex.w", *names.values())})
    keys = ", ".join(f"{key}: {{tensor: base.{name}}}" for key, name in names.items())
    attention = {"encoder": "attention", "decoder": "self_attention"}[stack]
    (tmp_path / "own.yaml").write_text(
        "title: t\nweights_file: own.npz\ntokens: [a, b]\nvocabulary: [a, b, c]\nembeddings: {tensor: base.lex.w}\n"
        f"{stack}: {{layers: [{{{attention}: {{num_heads: 1, {keys}}}}}]}}\n"
    )
    right = wt.trace(wt.load_scenario(tmp_path / "own.yaml"))
    last = right[f"{stack}.output"]
    given = {"base.layers.0": last.array, "base": last.array, "output": np.zeros((1, 2))}
    assert wt.assert_same(right, given).ok
    found = wt.compare(right, given | {"base": last.array / 2})
    assert [(one.value.path, one.theirs.name) for one in found.steps if one.differs] == [(last.path, "base")]
