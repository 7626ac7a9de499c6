"""The parts since 2017: what they calculate, under which paths, and what they refuse."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.draws import generator
from walkthrough.operations.positions.distance import slopes_of
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.sizes.components import sizes

RNG = generator(5)
WORDS = ["a", "b", "c", "d"]
D = 6
X = RNG.normal(size=(4, D))
HEAD = "attention.head.{}."


def drawn(*shape: int) -> list[Any]:
    numbers: list[Any] = RNG.normal(size=shape).round(2).tolist()
    return numbers


def traced(**keys: Any) -> wt.Trace:
    start = {"title": "t", "tokens": WORDS, "embeddings": X.tolist()}
    return wt.trace(wt.parse_scenario(json.dumps(start | keys)))


def refused(**keys: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        traced(**keys)
    return str(caught.value)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


W_Q, W_K, W_V, W_O = drawn(6, 12), drawn(6, 6), drawn(6, 6), drawn(12, 6)
GROUPED = {"num_heads": 4, "num_kv_heads": 2, "w_q": W_Q, "w_k": W_K, "w_v": W_V, "w_o": W_O}


class TestSharedKeys:
    def test_shared_steps_are_recorded_once_and_answer_to_every_path(self) -> None:
        trace = traced(
            attention={**GROUPED, "b_k": drawn(6), "key_norm": {"gamma": drawn(3)}, "rotary": {"dimensions": 2}}
        )
        names = ["w_k", "b_k", "key", "key_norm.mean_square", "key_norm.rms", "key_norm.normalized", "key_norm.output"]
        for name in (*names, "key_rotated", "w_v", "value"):
            assert trace[HEAD.format(2) + name] is trace[HEAD.format(1) + name]
            assert trace[HEAD.format(4) + name] is trace[HEAD.format(3) + name]
            assert trace[HEAD.format(3) + name] is not trace[HEAD.format(1) + name]
            assert trace[HEAD.format(2) + name].path == HEAD.format(1) + name
        assert trace[HEAD.format(2) + "query"].path == HEAD.format(2) + "query"

    def test_a_head_names_the_one_it_shares_with(self) -> None:
        head = {"w_q": drawn(6, 2), "w_k": drawn(6, 2), "w_v": drawn(6, 3)}
        before = traced(attention={"heads": [head, {"w_q": drawn(6, 2), "kv": 1}]})
        assert before[HEAD.format(2) + "value"].path == HEAD.format(1) + "value"
        behind = traced(attention={"heads": [{"w_q": drawn(6, 2), "kv": 2}, head]})
        assert behind[HEAD.format(2) + "w_k"].path == HEAD.format(1) + "w_k"
        same(behind[HEAD.format(1) + "key"].array, X @ np.array(head["w_k"]))

    def test_gradients_and_updates_answer_to_every_path(self) -> None:
        trace = traced(
            attention=GROUPED,
            output_head={"w": drawn(6, 3), "vocabulary": ["x", "y", "z"]},
            training={"targets": ["x", "y", "z", "x"], "steps": 2},
        )
        for name in ("w_k", "w_v", "key", "value"):
            own, other = (trace[f"train.2.gradient.{HEAD.format(head)}{name}"] for head in (1, 2))
            assert own is other
        for name in ("w_k", "w_v"):
            assert trace[f"train.1.update.{HEAD.format(2)}{name}"] is trace[f"train.2.{HEAD.format(1)}{name}"]

    def test_generation_has_them_in_every_pass(self) -> None:
        trace = wt.trace(wt.load_scenario("tiny-llama"))
        second = "generate.2.decoder.1.self_attention.head.{}.key_rotated"
        assert trace[second.format(2)] is trace[second.format(1)]
        assert trace[second.format(1)].shape == (3, 2)

    def test_in_cross_attention_too(self) -> None:
        layer = {"attention": {**GROUPED}}
        cross = {"self_attention": {**GROUPED}, "cross_attention": {**GROUPED}}
        trace = traced(
            encoder={"layers": [layer]}, decoder={"tokens": WORDS[:2], "embeddings": drawn(2, 6), "layers": [cross]}
        )
        path = "decoder.1.cross_attention.head.{}.key"
        assert trace[path.format(2)] is trace[path.format(1)]
        assert trace[path.format(1)].shape == (4, 3)

    def test_shapes_of_init_follow(self) -> None:
        made = {name: {"init": "normal"} for name in ("w_q", "w_k", "w_v", "w_o")}
        trace = traced(attention={"num_heads": 3, "num_kv_heads": 1, **made})
        assert trace[HEAD.format(3) + "w_k"].shape == (6, 2)
        trace = traced(attention={"num_heads": 3, "num_kv_heads": 1, **made, "w_k": drawn(6, 4)})
        assert trace[HEAD.format(2) + "w_q"].shape == (6, 4)

    def test_parameters_are_counted_once(self) -> None:
        text = json.dumps({"title": "t", "tokens": WORDS, "embeddings": X.tolist(), "attention": GROUPED})
        (attention,) = sizes(wt.parse_scenario(text)).components[1:]
        assert attention.parameters == 6 * 12 + 2 * 6 * 6 + 12 * 6
        assert attention.formula == "D·h·d_k + 2·D² + D·h·d_v"

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"num_kv_heads": 3}, "num_kv_heads is 3, which 4 heads (num_heads) cannot share evenly"),
            ({"w_k": drawn(6, 5)}, "w_k is 6×5, expected d_model×(kv_heads·d_k) = 6×6"),
            ({"w_v": drawn(6, 5)}, "w_v is 5 wide, which 2 heads cannot share evenly"),
            ({"w_o": drawn(6, 6)}, "w_o is 6×6, expected (heads·d_v)×d_model = 12×d_model"),
        ],
    )
    def test_what_cannot_be_shared(self, changed: dict, said: str) -> None:
        assert said in refused(attention={**GROUPED, **changed})

    @pytest.mark.parametrize(
        ("kv", "said"),
        [
            (1, "both kv and w_k are given"),
            (2, "this head itself"),
            (3, "but head 3 has no keys of its own: it shares those of head 1"),
            (4, "kv is 4, but there are 3 heads"),
        ],
    )
    def test_whom_a_head_cannot_share_with(self, kv: int, said: str) -> None:
        own = {"w_q": drawn(6, 2), "w_k": drawn(6, 2), "w_v": drawn(6, 2)}
        second = {**own, "kv": kv} if kv == 1 else {"w_q": drawn(6, 2), "kv": kv}
        assert said in refused(attention={"heads": [own, second, {"w_q": drawn(6, 2), "kv": 1}]})


HEADED = {"w_q": drawn(6, 6), "w_k": drawn(6, 6), "w_v": drawn(6, 2)}


class TestRotary:
    def test_angles_are_recorded_once_a_layer(self) -> None:
        layer = {"attention": {**GROUPED, "rotary": {"dimensions": 2}}}
        trace = traced(encoder={"layers": [layer, layer]})
        angles = [value.path for value in trace.select("rotary.angle")]
        assert angles == ["encoder.1.attention.rotary.angle", "encoder.2.attention.rotary.angle"]

    @pytest.mark.parametrize(
        ("rotary", "said"),
        [
            ({"dimensions": 3}, "dimensions is 3, expected an even number"),
            ({"dimensions": 8}, "rotary rotates the first 8 features of each head, but d_k is 6"),
            ({"layout": "split"}, "expected halves or interleaved"),
            (
                {"scaling": {"longrope": {"factor": 4}}},
                "longrope is not supported; supported are linear, llama3 and yarn",
            ),
            ({"scaling": "dynamic"}, "dynamic"),
            ({"scaling": {"llama3": {"factor": 8}}}, "low_freq_factor is missing"),
            ({"scaling": {"yarn": {"factor": 8, "mscale": 1}}}, "mscale is given without a mscale_all_dim"),
            ({"scaling": {}}, "scaling needs either linear or llama3"),
            ({"theta": 5}, "it is called base here"),
        ],
    )
    def test_what_is_refused(self, rotary: dict, said: str) -> None:
        message = refused(attention={"heads": [HEADED], "rotary": rotary})
        assert said in message
        assert "none is given" not in message or not rotary["scaling"]

    def test_an_odd_width_turns_no_pairs(self) -> None:
        head = {"w_q": drawn(6, 3), "w_k": drawn(6, 3), "w_v": drawn(6, 2)}
        assert "d_k is 3: set how many with dimensions: 2" in refused(attention={"heads": [head], "rotary": {}})

    def test_heads_of_two_widths_have_no_common_angles(self) -> None:
        small = {"w_q": drawn(6, 2), "w_k": drawn(6, 2), "w_v": drawn(6, 2)}
        said = refused(attention={"heads": [HEADED, small], "rotary": {}})
        assert "rotary rotates 6 features in one head and 2 in another" in said
        trace = traced(attention={"heads": [HEADED, small], "rotary": {"dimensions": 2}})
        assert trace["attention.rotary.angle"].shape == (4, 1)

    @pytest.mark.parametrize("key", [{"rotary": {}}, {"window": 2}, {"alibi": True}])
    def test_positions_are_for_self_attention(self, key: dict) -> None:
        layer = {"cross_attention": {"heads": [HEADED], **key}}
        decoder = {"tokens": ["a"], "embeddings": drawn(1, 6), "layers": [layer]}
        said = refused(encoder={"layers": [{"feed_forward": {"output": drawn(4, 6)}}]}, decoder=decoder)
        assert "for self-attention: in cross-attention queries and keys come from two sequences" in said


class TestNormsOfQueriesAndKeys:
    def test_they_come_before_the_rotation(self) -> None:
        trace = traced(attention={"heads": [HEADED], "query_norm": {}, "rotary": {"dimensions": 2}})
        assert trace.only("query_rotated").inputs[0].path == HEAD.format(1) + "query_norm.output"

    def test_a_gamma_of_another_width(self) -> None:
        said = refused(attention={**GROUPED, "key_norm": {"gamma": [1, 2]}})
        assert "gamma has 2 numbers, expected d_k = 3" in said


class TestWindow:
    @pytest.mark.parametrize("mask", ["none", "causal", "padding"])
    def test_distance_is_part_of_the_mask(self, mask: str) -> None:
        trace = traced(attention={"heads": [HEADED], "window": 2, "mask": mask}, padding_token="d")
        i, j = np.indices((4, 4))
        visible = abs(i - j) < 2
        visible &= (j <= i) if mask == "causal" else (j < 3) if mask == "padding" else True
        if mask == "padding":
            assert visible.any(axis=1).all()
        same(trace["attention.mask"].array, visible)
        assert np.isneginf(trace.only("masked_scores").array[~visible]).all()

    def test_a_finite_value_is_added_once(self) -> None:
        keys = {"heads": [HEADED], "window": 1, "mask": "causal", "mask_value": -1000.0}
        trace = traced(attention=keys)
        same(trace.only("masked_scores").array, trace.only("scaled_scores").array - 1000.0 * (1 - np.eye(4)))

    def test_a_row_that_sees_nothing_is_an_error(self) -> None:
        said = refused(attention={"heads": [HEADED], "window": 1, "mask": "padding"}, padding_token="c")
        assert "the mask hides every column from 'c' (row 3)" in said


class TestDistance:
    def test_slopes(self) -> None:
        same(slopes_of(8), [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256])
        same(slopes_of(4), [1 / 4, 1 / 16, 1 / 64, 1 / 256])
        same(slopes_of(1), [1 / 256])
        same(slopes_of(3), [1 / 16, 1 / 256, 1 / 4])
        same(slopes_of(6), [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8])

    def test_false_is_none(self) -> None:
        assert not any("biased" in path for path, _ in traced(attention={"heads": [HEADED], "alibi": False}).items())

    def test_what_is_refused(self) -> None:
        assert "alibi has 2 slopes, expected one for each of 1 heads" in refused(
            attention={"heads": [HEADED], "alibi": [1, 2]}
        )

    def test_epsilon_is_that_of_pytorch_where_nothing_is_said(self) -> None:
        stack = {"norm": "rms", "norm_order": "pre", "layers": [{"feed_forward": {"output": drawn(4, 6)}}]}
        assert traced(encoder=stack)["encoder.1.norm_2.rms"].settings["epsilon"] == 1e-5

    @pytest.mark.parametrize(
        ("norm", "options", "said"),
        [
            ({"beta": drawn(6)}, {}, "norm: rms has no beta"),
            ({}, {"variance": "sample"}, "norm: rms has no variance"),
            ({}, {"epsilon_in": "std"}, "norm: rms has no epsilon_in"),
        ],
    )
    def test_what_belongs_to_layer_norm_is_refused(self, norm: dict, options: dict, said: str) -> None:
        layer = {"feed_forward": {"output": drawn(4, 6)}, "norm_2": norm}
        assert said in refused(encoder={"norm": "rms", "layer_norm": options, "layers": [layer]})


class TestGate:
    PART = {name: drawn(6, 5) for name in ("w_gate", "w_1")} | {"w_2": drawn(5, 6), "b_gate": drawn(5)}

    def paths(self, **changed: Any) -> wt.Trace:
        layer = {"feed_forward": {**self.PART, **changed}}
        return traced(encoder={"norm_order": "none", "residual": False, "layers": [layer]})

    def test_a_bias_needs_its_gate(self) -> None:
        layer = {"feed_forward": {name: self.PART[name] for name in ("w_1", "w_2", "b_gate")}}
        assert "b_gate is given without a w_gate" in refused(encoder={"layers": [layer]})

    def test_a_gate_of_another_width(self) -> None:
        with pytest.raises(ScenarioError, match="w_gate is 6×4, expected d_model×d_ff = 6×5"):
            self.paths(w_gate=drawn(6, 4))
