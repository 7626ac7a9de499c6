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
