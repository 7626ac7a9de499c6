"""The gated delta rule: paths, counts, what is refused; PyTorch's numbers and gradients are in tests/oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import D, X, drawn, refused, same, traced
from walkthrough.sizes.components import sizes
from walkthrough.transformer.shapes import shape_trace

PATH = "decoder.1.linear_attention."
KEYS, HEADS, D_K, D_V = 2, 4, 3, 2
PLAIN = {"w_q": drawn(D, 2), "w_k": drawn(D, 2), "w_v": drawn(D, 3), "w_beta": drawn(D, 1)}
"""One head without decay."""
FULL: dict[str, Any] = {
    "num_heads": HEADS,
    "num_key_heads": KEYS,
    "w_q": drawn(D, KEYS * D_K),
    "w_k": drawn(D, KEYS * D_K),
    "w_v": drawn(D, HEADS * D_V),
    "conv_q": drawn(3, KEYS * D_K),
    "conv_k": drawn(3, KEYS * D_K),
    "conv_v": drawn(3, HEADS * D_V),
    "w_beta": drawn(D, HEADS),
    "w_alpha": drawn(D, HEADS),
    "b_alpha": drawn(HEADS),
    "a_log": drawn(HEADS),
    "output_norm": {"gamma": drawn(D_V)},
    "w_gate": drawn(D, HEADS * D_V),
    "w_o": drawn(HEADS * D_V, D),
}
"""All that Qwen3-Next has: shared keys, convolutions, decay, gated norm."""


def decoder(part: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"norm_order": "none", "residual": "w_o" in part, "layers": [{"linear_attention": part}], **keys}


def test_what_is_kept_read_and_written_is_recorded_token_by_token() -> None:
    trace = traced(decoder=decoder(FULL))
    head, other = f"{PATH}head.3.", f"{PATH}head.4."
    state = np.zeros((D_K, D_V))
    for number in range(1, 5):
        step = {
            name: trace[f"{head}token.{number}.{name}"].array for name in ("key", "value", "alpha", "beta", "query")
        }
        kept = step["alpha"] * state
        error = step["value"] - step["key"] @ kept
        state = kept + step["key"].T @ (step["beta"] * error)
        if number > 1:
            same(trace[f"{head}token.{number}.kept"].array, kept)
            same(trace[f"{head}token.{number}.error"].array, error)
        same(trace[f"{head}token.{number}.state"].array, state)
        same(trace[f"{head}token.{number}.answer"].array, step["query"] @ state)
    assert f"{head}token.1.kept" not in trace
    for name in ("query", "key", "query_norm.length", "key_norm.output", "scaled_query"):
        assert trace[head + name] is trace[other + name], name
    lengths = np.sqrt(np.square(trace[f"{head}key"].array).sum(axis=1) + 1e-6)
    same(lengths, trace[f"{head}key_norm.length"].array[:, 0])


def test_column_weights_are_the_same() -> None:
    turned = {key: np.transpose(FULL[key]).tolist() for key in FULL if key.startswith("w_")}
    wide = {"norm_order": "none", "layers": [{"linear_attention": {**FULL, **turned}}]}
    same(
        traced(decoder=wide, matrix_convention="column")[f"{PATH}output"].array,
        traced(decoder=decoder(FULL))[f"{PATH}output"].array,
    )


def test_weights_made_by_init_divide_d_model() -> None:
    made = {name: {"init": "normal"} for name in ("w_q", "w_k", "w_v", "w_beta", "w_gate", "w_o")}
    trace = traced(decoder=decoder({**made, "num_heads": 2}))
    assert trace[f"{PATH}w_k"].shape == (6, 6)
    assert trace[f"{PATH}head.2.token.1.state"].shape == (3, 3)


def test_its_size_does_not_depend_on_the_length() -> None:
    scenario = wt.parse_scenario(
        str({"title": "t", "tokens": ["a", "b", "c", "d"], "embeddings": X.tolist(), "decoder": decoder(FULL)})
    )
    found = next(one for one in sizes(scenario).components if one.path == PATH.rstrip("."))
    counted = sum(np.size(value) for key, value in FULL.items() if isinstance(value, list))
    assert found.parameters == counted + D_V
    assert shape_trace(scenario).get(f"{PATH}head.4.token.4.state").shape == (D_K, D_V)  # type: ignore[union-attr]


REFUSED = {
    "num_key_heads is 3, which 4 heads (num_heads) cannot share evenly": {**FULL, "num_key_heads": 3},
    "w_v is 4 wide, which 3 heads cannot share evenly": {
        **PLAIN,
        "w_v": drawn(D, 4),
        "num_heads": 3,
        "num_key_heads": 1,
    },
    "a_log has 4 numbers, expected heads = 3": {**FULL, "num_heads": 3, "num_key_heads": 3},
    "w_beta is missing: d_model×heads": {key: PLAIN[key] for key in ("w_q", "w_k", "w_v")},
    "w_k is missing": {key: PLAIN[key] for key in ("w_q", "w_v", "w_beta")},
    "b_alpha is given without a w_alpha": {**PLAIN, "b_alpha": [1]},
    "a_log is given without a w_alpha": {**PLAIN, "a_log": [1]},
    "conv_k is 2×3, expected kernel×d_k = kernel×2": {**PLAIN, "conv_k": drawn(2, 3)},
    "conv_k is 4×2, expected kernel×d_k = 3×2": {
        **PLAIN,
        "conv_q": drawn(3, 2),
        "conv_k": drawn(4, 2),
        "conv_v": drawn(3, 3),
    },
    "w_gate is 6×4, expected d_model×d_v = 6×3": {**PLAIN, "w_gate": drawn(D, 4)},
    "linear attention is causal": {**PLAIN, "mask": "causal"},
    "linear attention has joined weights": {**PLAIN, "heads": []},
    "it is called a_log here": {**PLAIN, "A_log": [1]},
    "output_norm norms each head by itself": {**PLAIN, "output_norm": {"over": "all"}},
    "norm: rms has no beta": {**PLAIN, "output_norm": {"beta": [1, 1, 1]}},
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused(message: str) -> None:
    found = refused(decoder=decoder(REFUSED[message]))
    assert message in found
    assert "decoder.layers.1.linear_attention" in found


def test_heads_that_nothing_makes_as_wide_as_the_residual_are_refused() -> None:
    assert "give a w_o that is d_v×d_model = 3×6, or set residual: false" in refused(
        decoder=decoder(PLAIN, final_norm="none") | {"residual": True}
    )


def test_it_takes_the_place_of_an_attention() -> None:
    both = {
        "linear_attention": PLAIN,
        "self_attention": {"num_heads": 1, **{k: PLAIN[k] for k in ("w_q", "w_k", "w_v")}},
    }
    message = refused(decoder={"norm_order": "none", "residual": False, "layers": [both]})
    assert "linear_attention and attention are given: linear attention takes its place" in message


def test_an_epsilon_without_a_length_does_nothing() -> None:
    scenario = {"title": "t", "tokens": ["a"], "embeddings": [X[0].tolist()],
                "decoder": decoder({**PLAIN, "qk_norm": "none", "epsilon": 0.1})}  # fmt: skip
    assert "epsilon" in str(wt.parse_scenario(str(scenario)).warnings)


def test_an_attribution_says_what_each_head_pushes() -> None:
    trace = traced(
        decoder=decoder(FULL),
        output_head={"w": drawn(D, 4), "vocabulary": ["a", "b", "c", "d"]},
        inspect=["attribution"],
    )
    pushed = trace["attribution.logits"]
    assert pushed.rows == ("input", *(f"{PATH}head.{number}" for number in range(1, HEADS + 1)), "sum")
    same(pushed.array[-1], trace["output_head.logits"].array[-1])


def test_another_number_in_a_state_changes_what_is_read_afterwards() -> None:
    scenario = wt.parse_scenario(
        str({"title": "t", "tokens": ["a", "b"], "embeddings": X[:2].tolist(), "decoder": decoder(PLAIN)})
    )
    state, answer = (f"{PATH}head.1.token.{number}" for number in ("1.state", "2.answer"))
    before, after = wt.trace(scenario), wt.trace(scenario, changes={state: 0})
    assert np.abs(before[answer].array - after[answer].array).max() > 1e-6
    value, beta, key, query = (
        after[f"{PATH}head.1.token.2.{name}"].array for name in ("value", "beta", "key", "query")
    )
    same(after[answer].array, query @ key.T @ (beta * value))
