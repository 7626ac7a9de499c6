"""Mixture of experts, routing by groups and the clamped gate: paths, counts, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.transformer.model.test_modern import WORDS, D, X, drawn, refused, same, traced
from walkthrough.sizes.components import sizes
from walkthrough.views import formats
from walkthrough.views.options import Options

E, D_FF = 4, 5
CLAMPED = {"clamped_swiglu": {"alpha": 1.3, "limit": 0.4}}


def expert(gated: bool = True, biased: bool = True) -> dict[str, Any]:
    made = {"w_1": drawn(D, D_FF), "w_2": drawn(D_FF, D)}
    made |= {"w_gate": drawn(D, D_FF)} if gated else {}
    made |= {"b_1": drawn(D_FF), "b_2": drawn(D)} if biased else {}
    return made | ({"b_gate": drawn(D_FF)} if biased and gated else {})


WIDE = {"w_1": drawn(D, D_FF), "w_2": drawn(D_FF, D + 1)}
"""An expert whose output is too wide for the residual."""


def router(**keys: Any) -> dict[str, Any]:
    return {"w": drawn(D, E), **keys}


def test_rows_count_by_their_weight_within_an_expert_alone_also_after_updates() -> None:
    part = {"experts": [expert() for _ in range(E)], "router": router(choice_bias=[0.5, 0, 0.2, 0])}
    trace = traced(
        decoder={"norm_order": "none", "layers": [{"feed_forward": part}]},
        output_head={"w": drawn(D, 4), "vocabulary": WORDS},
        training={"targets": WORDS},
    )
    at = "decoder.1.feed_forward."
    for constant in ("chosen", "choice_scores", "choice_bias"):
        assert f"gradient.{at}router.{constant}" not in trace
    weighed = {value.path: value.weight for value in trace if value.weight is not None}
    assert weighed[f"trained.{at}expert.2.output"] == (trace[f"trained.{at}router.weights"], 1)
    assert {path.split(at)[0] for path in weighed} == {"", "trained."}
    assert all(f"{at}expert." in path for path in weighed)


@pytest.mark.parametrize("tokens", [1, slow(D)])
@pytest.mark.parametrize("key", ["quantize", slow("b")])
def test_rows_of_a_calculated_weight_of_an_expert_count_by_no_word(tokens: int, key: str) -> None:
    weights = {
        "quantize": {"values": drawn(D, D), "quantize": "absmax"},
        "b": {"base": drawn(D, D), "a": drawn(D, 1), "b": drawn(1, D), "alpha": 1},
    }
    part = {
        "experts": [{"w_1": weights[key], "w_2": drawn(D, D)} for _ in range(2)],
        "router": {"w": drawn(D, 2), "top_k": 1},
    }
    layers = [{"feed_forward": part}]
    trace = traced(
        tokens=["a", "b", "c", "d"][:tokens],
        embeddings=X[:tokens].tolist(),
        encoder={"norm_order": "none", "layers": layers},
    )
    at = "encoder.1.feed_forward.expert."
    weighed = {value.path.removeprefix(at) for value in trace if value.weight is not None}
    assert weighed == {f"{number}.{step}" for number in (1, 2) for step in ("hidden", "activation", "output")}
    assert formats.to_bytes(trace, Options(), "html")


def test_of_equal_scores_the_first_is_chosen() -> None:
    part = {"experts": [expert() for _ in range(E)], "router": {"w": np.zeros((D, E)).tolist()}}
    trace = traced(embeddings=X.tolist(), encoder={"norm_order": "none", "layers": [{"feed_forward": part}]})
    assert trace["encoder.1.feed_forward.router.chosen"].array.tolist() == [[1, 1, 0, 0]] * 4


def test_steps_stand_only_where_they_are_asked_for() -> None:
    def names(**keys: Any) -> set[str]:
        part = {"experts": [expert() for _ in range(E)], "router": router(**keys)}
        trace = traced(embeddings=X.tolist(), encoder={"norm_order": "none", "layers": [{"feed_forward": part}]})
        start = "encoder.1.feed_forward.router."
        return {path.removeprefix(start) for path in trace.values if path.startswith(start)}

    assert {"logits", "softmax.exp", "softmax.sum", "scores", "chosen", "kept", "sum", "weights"} <= names()
    assert not names(normalize=False) & {"sum", "choice_scores"}
    after = names(scores="softmax_of_chosen")
    assert {"logits", "chosen", "kept_logits", "softmax.exp", "softmax.sum", "weights"} <= after
    assert not after & {"scores", "kept", "sum"}
    assert "choice_scores" in names(choice_bias=[0, 1, 2, 3])
    assert "softmax.exp" not in names(scores="sigmoid")


def test_repeated_experts_have_seeds_of_their_own() -> None:
    part = {
        "experts": {"repeat": 3, "expert": {name: {"init": "normal"} for name in ("w_1", "w_2")}},
        "router": {"w": {"init": "normal"}},
    }
    trace = traced(dimensions={"d_ff": 3}, encoder={"norm_order": "none", "layers": [{"feed_forward": part}]})
    weights = [trace[f"encoder.1.feed_forward.expert.{number}.w_1"].array for number in (1, 2, 3)]
    assert not np.array_equal(weights[0], weights[1])
    assert trace["encoder.1.feed_forward.router.w"].shape == (6, 3)


def test_experts_of_a_file_have_their_number_in_the_name(tmp_path: Any) -> None:
    made = {f"e{e}.{name}": np.array(drawn(D, D)) for e in range(2) for name in ("w_1", "w_2")}
    np.savez(tmp_path / "w.npz", **made)
    part = {
        "experts": {"repeat": 2, "expert": {name: {"tensor": f"e{{e}}.{name}"} for name in ("w_1", "w_2")}},
        "router": {"w": drawn(D, 2), "top_k": 1},
    }
    spec = {"title": "t", "tokens": ["a"], "embeddings": drawn(1, D), "weights_file": "w.npz",
            "encoder": {"norm_order": "none", "layers": [{"feed_forward": part}]}}  # fmt: skip
    (tmp_path / "s.yaml").write_text(json.dumps(spec), encoding="utf-8")
    trace = wt.trace(wt.load_scenario(tmp_path / "s.yaml"))
    same(trace["encoder.1.feed_forward.expert.2.w_1"].array, made["e1.w_1"])


def test_shapes_counts_what_one_token_uses() -> None:
    part = {"experts": [expert(biased=False) for _ in range(E)], "router": router(), "shared": expert(biased=False)}
    spec = {"title": "t", "tokens": ["a"], "embeddings": drawn(1, D), "encoder": {"layers": [{"feed_forward": part}]}}
    (component,) = (one for one in sizes(wt.parse_scenario(json.dumps(spec))).components if "feed" in one.path)
    assert component.parameters == D * E + (E + 1) * 3 * D * D_FF
    assert component.used == D * E + (2 + 1) * 3 * D * D_FF


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"experts": [expert()], "router": {"w": drawn(D, 1)}}, "top_k is 2, but there is 1 expert"),
        ({"experts": [expert(), expert()]}, "experts is given without a router"),
        ({"router": router(), **expert()}, "router is given without experts"),
        ({"shared": expert(), **expert()}, "shared is given without experts"),
        ({"w_shared_gate": drawn(D, 1), **expert()}, "w_shared_gate is given without a shared"),
        ({"experts": [expert(), expert()], "router": {"w": drawn(D, 3)}}, "w is 6×3, expected d_model×experts = 6×2"),
        ({"experts": [expert(), {"w_1": drawn(D, 3), "w_2": drawn(3, D)}], "router": {"w": drawn(D, 2)}}, "expected"),
        ({"experts": [expert(), expert()], "router": {"top_k": 1}}, "w is missing"),
        ({"experts": [expert(), expert()], "router": {"w": drawn(D, 2)}, "w_1": drawn(D, 3)}, "both experts and w_1"),
        ({"experts": [expert(), {**expert(), "activation": "relu"}], "router": {"w": drawn(D, 2)}}, "unknown key"),
        (
            {
                "experts": [expert(), expert()],
                "router": {"w": drawn(D, 2), "scores": "softmax_of_chosen", "normalize": True},
            },
            "normalize cannot be combined with softmax_of_chosen",
        ),
        (
            {"experts": [expert(), expert()], "router": {"w": drawn(D, 2), "choice_bias": [1, 2, 3]}},
            "choice_bias has 3 numbers, expected experts = 2",
        ),
        ({**expert(gated=False), "activation": CLAMPED}, "clamped_swiglu is given without a w_gate"),
        (
            {"experts": [WIDE, expert()], "router": {"w": drawn(D, 2)}},
            "experts.1.w_2\n     = help: w_2 and b_2 say d_model = 6",
        ),
        ({"experts": [WIDE], "router": {"w": drawn(D, 1)}}, "the residual adds an output of width 7 to an input of"),
        ({**expert(), "activation": {"clamped_swiglu": {"limit": 0}}}, "expected a number above 0"),
    ],
)
def test_what_is_refused(part: dict[str, Any], said: str) -> None:
    message = refused(embeddings=X.tolist(), encoder={"layers": [{"feed_forward": part}]})
    assert said in message
    assert message.startswith("<text>:1:")
    assert "w_gate is missing" not in message


def test_experts_without_a_router_miss_nothing_else() -> None:
    message = refused(embeddings=X.tolist(), encoder={"layers": [{"feed_forward": {"experts": [expert()]}}]})
    assert "experts is given without a router" in message
    assert "is missing" not in message
    none = {"experts": [], "router": {"w": drawn(D, 2)}}
    assert "is missing" not in refused(embeddings=X.tolist(), encoder={"layers": [{"feed_forward": none}]})


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n_group": 2}, "n_group is given without a topk_group"),
        ({"topk_group": 2}, "topk_group is given without a n_group"),
        ({"n_group": 4, "topk_group": 1}, "n_group is 4, which 6 experts cannot be shared among evenly"),
        ({"n_group": 7, "topk_group": 1}, "n_group is 7, which 6 experts cannot be shared among evenly"),
        ({"n_group": 6, "topk_group": 1}, "n_group is 6, but there are 6 experts: a group has two at least"),
        ({"n_group": 2, "topk_group": 3}, "topk_group is 3, but there are 2 groups"),
        ({"n_group": 3, "topk_group": 1, "top_k": 3}, "top_k is 3, but the chosen groups have 2 experts"),
        ({"n_group": 0, "topk_group": 1}, "expected a whole number from 1 to 1000000, found the number 0"),
    ],
)
def test_groups_that_do_not_fit_are_refused(keys: dict[str, Any], said: str) -> None:
    part = {"experts": [expert() for _ in range(6)], "router": {"w": drawn(D, 6), **keys}}
    message = refused(encoder={"layers": [{"feed_forward": part}]})
    assert said in message
    assert message.startswith("<text>:1:")
    assert message.count("<text>") == 1
