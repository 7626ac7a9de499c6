"""Tensors as people have them: known names, heads as an axis, joined, fused, transposed; the rest stops nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared
from walkthrough.checkpoints.families import FAMILIES
from walkthrough.comparing.matching.layouts import LAYOUTS
from walkthrough.recording.trace import Trace

NORMAL = "{init: normal, std: 1, seed: %d}"
HEADS, N, D, EACH = 4, 3, 8, 2
UNDER = "decoder.1.self_attention."


def model(heads: int = HEADS, kv: int = 2, more: str = "") -> Trace:
    """A pre-LN decoder with a gated feed-forward part; its keys and values are shared."""
    gates = f"w_gate: {NORMAL % 5}, w_1: {NORMAL % 6}, w_2: {NORMAL % 7}, activation: silu"
    return wt.trace(
        wt.parse_scenario(
            f"""
title: t
tokens: [a, b, c]
embeddings: [[1, 0.5, -1, 2, 0.3, 1, 0.2, -1], [0.4, 1, 2, 0.1, 1, 1, 0, -1], [0.7, 0.3, 0.1, 0.9, -1, 2, 1, 0.5]]
dimensions: {{d_model: {D}, d_k: {EACH}, d_v: {EACH}, d_ff: 6}}
decoder:
  norm_order: pre
  layers:
    - self_attention: {{num_heads: {heads}, num_kv_heads: {kv}, w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3},
                        w_o: {NORMAL % 4}{more}}}
      feed_forward: {{{gates}}}
"""
        )
    )


MODEL = model(more=f", b_q: {NORMAL % 8}, b_k: {NORMAL % 9}, b_v: {NORMAL % 10}, b_o: {NORMAL % 11}")


def stacked(name: str, trace: Trace = MODEL, heads: int = HEADS) -> np.ndarray:
    return np.stack([trace[f"{UNDER}head.{head}.{name}"].array for head in range(1, heads + 1)])


def side_by_side(x: np.ndarray) -> np.ndarray:
    return np.hstack(list(x))


QUERY, KEY, VALUE = (stacked(name) for name in ("query", "key", "value"))
SHAPES = {
    "heads first": ("query", QUERY),
    "heads second": ("query", QUERY.transpose(1, 0, 2)),
    "a batch of one": ("query", QUERY[None]),
    "joined": ("query", side_by_side(QUERY)[None]),
    "keys repeated for all heads": ("key", KEY),
    "keys of their own heads": ("key", KEY[::2]),
    "keys of their own heads, second": ("key", KEY[::2].transpose(1, 0, 2)[None]),
    "keys joined": ("key", side_by_side(KEY[::2])),
    "fused": ("query", np.hstack([side_by_side(QUERY), side_by_side(KEY[::2]), side_by_side(VALUE[::2])])),
    "batch in the middle": (UNDER + "output", MODEL[UNDER + "output"].array[:, None]),
    "a weight out×in": ("w_q", side_by_side(stacked("w_q")).T),
    "weights by head": ("w_q", stacked("w_q")),
}


@pytest.mark.parametrize(("path", "array"), SHAPES.values(), ids=list(SHAPES))
def test_shapes_are_taken_as_they_fit(path: str, array: np.ndarray) -> None:
    found = compared(MODEL, {"mine": array}, {"mine": path})
    assert not found.not_compared
    assert found.first is None
    assert {step.outcome for step in found.steps} == {"same"}


def test_one_tensor_for_shared_heads_counts_once() -> None:
    assert len(compared(MODEL, {"mine": KEY}, {"mine": "key"}).steps) == 2
    wrong = KEY.copy()
    wrong[1] += 1  # the second head's own copy of what it shares
    found = compared(MODEL, {"mine": wrong}, {"mine": "key"})
    assert [(step.value.path, step.outcome) for step in found.steps] == [
        (UNDER + "head.1.key", "same"),
        (UNDER + "head.1.key", "differs"),
        (UNDER + "head.3.key", "same"),
    ]


@pytest.mark.parametrize("axis", [0, 1])
def test_where_there_are_as_many_heads_as_tokens_the_reading_that_agrees_is_taken(axis: int) -> None:
    trace = model(heads=3, kv=3)
    query = np.moveaxis(stacked("query", trace, 3), 0, axis)
    found = compared(trace, {"mine": query}, {"mine": "query"})
    assert found.first is None
    assert "ways to read its shape: this one agrees)" in found.steps[0].theirs.words
    wrong = compared(trace, {"mine": query + 0.1}, {"mine": "query"}).first
    assert wrong is not None
    assert "ways to read its shape: none agrees, and this one is" in wrong.theirs.words


@pytest.mark.usefixtures("no_causes")
def test_a_square_matrix_that_is_no_weight_is_not_turned_to_agree() -> None:
    weights = stacked("weights")
    found = compared(MODEL, {"mine": weights.transpose(0, 2, 1)}, {"mine": UNDER + "head.*.weights"})
    assert found.first is not None


def test_numbers_in_names_count_from_0() -> None:
    names = {
        "blocks.{i}.heads.{h}.q": "decoder.{i}.self_attention.head.{h}.query",
        "blocks.{i}.out": "decoder.{i}.output",
    }
    tensors = {f"blocks.0.heads.{head}.q": QUERY[head] for head in range(HEADS)}
    found = compared(MODEL, tensors, {"blocks.{i}.heads.{h}.q": names["blocks.{i}.heads.{h}.q"]})
    assert [step.value.path for step in found.steps] == [f"{UNDER}head.{head}.query" for head in range(1, HEADS + 1)]
    assert found.first is None
    assert compared(MODEL, tensors, names).never_called == ("blocks.0.out",)


LENS = {
    "hook_resid_pre": MODEL["input"].array,
    "attn.hook_q": QUERY.transpose(1, 0, 2),
    "attn.hook_k": KEY[::2].transpose(1, 0, 2),
    "attn.hook_v": VALUE[::2].transpose(1, 0, 2),
    "attn.hook_attn_scores": stacked("masked_scores"),
    "attn.hook_pattern": stacked("weights"),
    "attn.hook_z": stacked("output").transpose(1, 0, 2),
    "hook_attn_out": MODEL[f"{UNDER}output"].array,
    "hook_resid_mid": MODEL["decoder.1.residual_1"].array,
    "ln1.hook_normalized": MODEL["decoder.1.norm_1.output"].array,
    "mlp.hook_pre": MODEL["decoder.1.feed_forward.gate"].array,
    "mlp.hook_pre_linear": MODEL["decoder.1.feed_forward.hidden"].array,
    "mlp.hook_post": MODEL["decoder.1.feed_forward.gated"].array,
    "hook_mlp_out": MODEL["decoder.1.feed_forward.output"].array,
    "hook_resid_post": MODEL["decoder.1.residual_2"].array,
}
LENS = {f"blocks.0.{name}": array[None] for name, array in LENS.items()}
LENS["ln_final.hook_normalized"] = MODEL["decoder.output"].array[None]
for _letter, _step in (("Q", 1), ("K", 2), ("V", 2)):
    LENS[f"blocks.0.attn.W_{_letter}"] = stacked(f"w_{_letter.lower()}")[::_step]
    LENS[f"blocks.0.attn.b_{_letter}"] = stacked(f"b_{_letter.lower()}")[::_step, 0]
LENS["blocks.0.attn.W_O"] = MODEL[f"{UNDER}w_o"].array.reshape(HEADS, EACH, D)
LENS["blocks.0.attn.b_O"] = MODEL[f"{UNDER}b_o"].array[0]


@pytest.mark.parametrize("layout", ["", "transformer_lens"])
def test_names_of_transformer_lens(layout: str) -> None:
    """Its activations are [batch, position, head, d_head], its weights [head, d_model, d_head]."""
    found = wt.compare(MODEL, LENS, layout or None)
    assert found.first is None
    assert not found.not_compared
    assert {step.theirs.name for step in found.steps} == set(LENS)


def test_names_of_a_torch_module() -> None:
    trace = wt.trace(wt.load_scenario("cooking-multihead"))
    layer = "encoder.1."
    tensors = {
        "layers.0.self_attn": trace[layer + "attention.output"].array,
        "layers.0.norm1": trace[layer + "norm_1.output"].array,
        "layers.0": trace["encoder.output"].array,
        "layers.0.self_attn.in_proj_weight": np.vstack(
            [side_by_side(np.stack([trace[f"{layer}attention.head.{h}.w_{x}"].array for h in (1, 2)])).T for x in "qkv"]
        ),
    }
    found = wt.compare(trace, tensors)
    assert found.first is None
    assert not found.not_compared
    assert len(found.steps) == 9


@pytest.mark.usefixtures("no_causes")
def test_scores_that_differ_by_a_constant_a_row_are_the_same() -> None:
    trace = model(more=", alibi: true")
    moved = stacked("masked_scores", trace) + np.arange(3.0)[:, None]
    found = compared(trace, {"mine": moved}, {"mine": UNDER + "head.*.masked_scores"})
    assert found.first is None
    assert found.steps[0].note == "each row differs by a constant, which the softmax does not see"
    bent = moved.copy()
    bent[0, 2, 0] += 1
    assert compared(trace, {"mine": bent}, {"mine": UNDER + "head.*.masked_scores"}).first is not None
    found = compared(trace, {"mine": stacked("masked_scores", trace) * 1e300}, {"mine": UNDER + "head.*.masked_scores"})
    assert found.first is not None
    visible = stacked("scaled_scores", trace)
    assert compared(trace, {"mine": visible}, {"mine": UNDER + "head.*.masked_scores"}).first is not None


def test_scores_that_were_not_divided_do_not_differ_by_a_constant() -> None:
    """A large constant leaves few digits of a score; it must not explain whatever is left."""
    trace = wt.trace(
        wt.parse_scenario("""
title: Scores that are large and near each other
tokens: [a, b]
embeddings: [[1], [2]]
attention: {heads: [{scores: [[80, 82.5], [81, 79]], d_k: 64}]}
""")
    )
    found = wt.compare(trace, {"scaled_scores": trace["attention.head.1.scores"].array.astype(np.float16)})
    assert found.first is not None
    assert found.cause == "not divided by √d_k"


def test_float32_on_the_way_is_the_same_and_an_epsilon_is_seen() -> None:
    path = "decoder.1.norm_1.output"
    x = MODEL["input"].array
    centered = x - x.mean(axis=1, keepdims=True)
    variance = (centered**2).mean(axis=1, keepdims=True)
    right = (centered / np.sqrt(variance + 1e-5)).astype(np.float32)
    wrong = (centered / (np.sqrt(variance) + 1e-5)).astype(np.float32)
    found = compared(MODEL, {path: right.astype(np.float64)})
    assert found.steps[0].note == "off by no more than rounding to float32 explains"
    for kind in (np.float32, np.float64):
        assert compared(MODEL, {path: right.astype(kind)}).first is None
        found = compared(MODEL, {path: wrong.astype(kind)})
        assert (found.cause or "").startswith("epsilon is added to the standard deviation")


def test_json_says_why_a_tensor_is_not_compared(tmp_path: Path) -> None:
    from walkthrough.views import json as json_view
    from walkthrough.views.report.comparison import report

    found = compared(MODEL, {"input": MODEL["input"].array, "scores": np.zeros((2, 3, 8)), "mine": np.zeros(5)})
    document = json.loads(json_view.text([report(found)]))
    assert [step["outcome"] for step in document["steps"]] == ["same"]
    assert [(one["theirs"], one["shape"]) for one in document["not_compared"]] == [("scores", [2, 3, 8]), ("mine", [5])]
    assert "expected 4×3×3" in document["not_compared"][0]["why"]


def test_a_name_that_families_mean_differently_has_all_their_meanings() -> None:
    """Llama's post_attention_layernorm stands before the feed-forward network, Gemma's after attention."""
    together = LAYOUTS["transformers"]
    for family in FAMILIES.values():
        for name, path in family.computed.items():
            assert {*path.split("|")} <= {*together[name].split("|")}, name
