"""An output gate: what the heads found is multiplied by a sigmoid of the input before W_O."""

from __future__ import annotations

import json

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import D, X, drawn, refused, same, traced
from walkthrough.scenario.yaml.problems import ScenarioError

JOINED = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D)}
HEADS = {"heads": [{f"w_{letter}": drawn(D, 2) for letter in "qkv"} for _ in (1, 2)], "w_o": drawn(4, D)}
GATE = {"w_gate": drawn(D, 4), "b_gate": drawn(4)}


def test_without_a_projection_the_gated_heads_are_the_output() -> None:
    bare = {key: one for key, one in JOINED.items() if key != "w_o"}
    trace = traced(attention={**bare, **GATE})
    assert trace["attention.output"] is trace["attention.concat"]
    assert trace["attention.concat"].inputs == (trace["attention.head.1.gated"], trace["attention.head.2.gated"])


def test_an_attribution_says_what_the_heads_behind_their_gate_push() -> None:
    trace = traced(
        decoder={"norm_order": "none", "layers": [{"attention": {**JOINED, **GATE}}]},
        output_head={"w": drawn(D, 4), "vocabulary": ["a", "b", "c", "d"]},
        inspect=["attribution"],
    )
    rows = trace["attribution.logits"]
    heads = ("decoder.1.self_attention.head.1", "decoder.1.self_attention.head.2")
    assert rows.rows == ("input", *heads, "sum")
    same(rows.array[-1], trace["output_head.logits"].array[-1])


def test_queries_of_a_cross_attention_are_what_it_reads() -> None:
    decoder = {"tokens": ["e"], "embeddings": {"e": X[0].tolist()}, "norm_order": "none", "residual": False}
    layers = [{"cross_attention": {**JOINED, **GATE}}]
    trace = traced(encoder={"output": drawn(4, D)}, decoder={**decoder, "layers": layers})
    gates = [trace[f"decoder.1.cross_attention.head.{head}.gate"].array for head in (1, 2)]
    same(np.hstack(gates), X[:1] @ np.array(GATE["w_gate"]) + np.array(GATE["b_gate"]))


@pytest.mark.parametrize("changed", ["quantize", "adapter"])
def test_a_gate_that_is_derived_is_derived_once(changed: str) -> None:
    how = {
        "quantize": {"bits": 8},
        "adapter": {"base": GATE["w_gate"], "a": drawn(D, 2), "b": drawn(2, 4), "alpha": 2},
    }[changed]
    values = {"values": GATE["w_gate"], "quantize": how} if changed == "quantize" else how
    trace = traced(attention={**JOINED, "w_gate": values})
    whole = trace["attention.w_gate"].array
    same(trace["attention.head.2.gate"].array, trace["input"].array @ whole[:, 2:])


def test_it_is_refused_where_it_has_nothing_to_read() -> None:
    given = {"heads": [{"q": drawn(2, 3), "k": drawn(2, 3), "v": drawn(2, 4)}], "w_gate": GATE["w_gate"]}
    with pytest.raises(ScenarioError, match="w_gate reads the rows of the queries, and the file gives none"):
        wt.parse_scenario(json.dumps({"title": "t", "attention": given}))
    assert "b_gate is given without a w_gate" in refused(attention={**JOINED, "b_gate": [1, 2, 3, 4]})
    message = refused(attention={**JOINED, "w_gate": drawn(D, 3)})
    assert "w_gate is 6×3, expected d_model×(heads·d_v) = 6×4" in message
