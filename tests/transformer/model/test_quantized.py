"""Quantized matrices, beside numpy's and PyTorch's arithmetic and exact fractions."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.transformer.model.test_modern import refused
from walkthrough.operations.definition import Array
from walkthrough.sizes.components import sizes

UNIT = [[1, 0], [0, 1]]
TRIED = [
    {"bits": 8, "per": "tensor"},
    {"bits": 4, "per": "row"},
    {"bits": 3, "per": "column"},
    {"bits": 2, "per": {"group": 2}},
    {"bits": 5, "group": 1},
]
BOTH = pytest.mark.parametrize("method", ["absmax", "zero_point"])


def sharing(w: Array, how: dict[str, Any]) -> Array:
    """For each number how many share its scale: the number of its share."""
    rows, columns = np.indices(w.shape)
    size = how.get("group") or (how["per"]["group"] if isinstance(how["per"], dict) else None)
    if size:
        return np.asarray(rows * 1000 + columns // size)
    return np.asarray({"tensor": rows * 0, "row": rows, "column": columns}[how["per"]])


def nearest(quotients: Array) -> Array:
    """numpy's rounding, where the decimals of the quotients are those of the numbers that people write."""
    return np.round(np.round(quotients, 12))


def stands_for(w: Array, method: str, how: dict[str, Any]) -> dict[str, Array]:
    """What a matrix is kept as, and stands for, share by share with numpy's own rounding."""
    found = {name: np.empty_like(w) for name in ("scale", "zero_point", "quantized", "")}
    bits, shares = how["bits"], sharing(w, how)
    for share in np.unique(shares):
        own = w[shares == share]
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        if method == "absmax":
            scale, zero = np.abs(own).max() / high or 1.0, 0.0
            kept = nearest(own / scale)
        else:
            scale = (max(own.max(), 0) - min(own.min(), 0)) / (2**bits - 1) or 1.0
            zero = low - nearest(min(own.min(), 0) / scale)
            kept = np.clip(nearest(own / scale) + zero, low, high)
        for name, numbers in zip(found, (scale, zero, kept, (kept - zero) * scale), strict=True):
            found[name][shares == share] = numbers
    return found


def feed_forward(w: Any, **more: Any) -> dict[str, Any]:
    """The matrix as the first weight of a feed-forward layer."""
    columns = len((w.get("values") or UNIT)[0]) if isinstance(w, dict) else len(w[0])
    rows = len(w.get("values") or UNIT) if isinstance(w, dict) else len(w)
    return {
        "title": "t",
        "tokens": ["x", "y"],
        "embeddings": np.eye(2, rows).tolist(),
        "encoder": {
            "norm_order": "none",
            "layers": [{"feed_forward": {"w_1": w, "w_2": np.eye(columns, rows).tolist()}}],
        },
        **more,
    }


def traced(scenario: dict[str, Any], **options: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps(scenario)), **options)


def kept(w: Any, quantize: Any, name: str = "quantized", **options: Any) -> Array:
    """What becomes of a matrix."""
    path = f"encoder.1.feed_forward.w_1.{name}".removesuffix(".")
    return traced(feed_forward({"values": w, "quantize": quantize}), **options)[path].array


@BOTH
@pytest.mark.parametrize("how", TRIED, ids=str)
def test_a_matrix_is_kept_as_numpy_keeps_it(how: dict[str, Any], method: str) -> None:
    w = np.random.default_rng(1).normal(0, 0.5, (4, 6)).round(2)
    w[1] = 0
    trace = traced(feed_forward({"values": w.tolist(), "quantize": {"method": method, **how}}))
    path = "encoder.1.feed_forward.w_1"
    np.testing.assert_array_equal(trace[f"{path}.original"].array, w)
    assert (f"{path}.zero_point" in trace) == (method == "zero_point")
    for name, numbers in stands_for(w, method, how).items():
        if (value := trace.get(f"{path}.{name}".removesuffix("."))) is not None:
            wide = np.repeat(value.array, 6 // value.array.shape[1], axis=1)
            np.testing.assert_array_equal(np.broadcast_to(wide, w.shape), numbers)
    half_steps = np.repeat(trace[f"{path}.scale"].array, 6 // trace[f"{path}.scale"].shape[1], axis=1) / 2
    assert (np.abs(trace[path].array - w) <= half_steps * (1 + 1e-12)).all()


@pytest.mark.parametrize("bits", range(2, 9))
@pytest.mark.parametrize("largest", ["0.6", slow("0.7"), slow("1.27"), slow("2.1")])
def test_halves_are_those_of_the_numbers_as_they_are_written(largest: str, bits: int) -> None:
    """0.1 ÷ (0.6 ÷ 3) is a half, although float64 makes 0.5000000000000001 of it."""
    w = [Fraction(largest) * at / 40 for at in range(-40, 41)]
    whole = [round(number / (Fraction(largest) / (2 ** (bits - 1) - 1))) for number in w]
    assert kept([[float(number) for number in w]], {"bits": bits}).tolist() == [whole]


def test_two_halves_that_are_both_rounded_away_stay_within_the_limits() -> None:
    w, how = [[-1.5, 1.5]], {"method": "zero_point", "bits": 2}
    assert (kept(w, how, "scale"), kept(w, how, "zero_point")) == (1, 0)
    assert kept(w, how).tolist() == [[-2, 1]]  # 1.5 is 2, which two bits do not hold


@pytest.mark.parametrize(("method", "whole"), [("absmax", 0), ("zero_point", -8)])
def test_a_share_of_zeros_stands_for_zeros(method: str, whole: int) -> None:
    how = {"method": method, "bits": 4, "per": "row"}
    w = [[0, 0], [1, 0.5]]
    assert kept(w, how, "scale")[0] == 1
    assert kept(w, how)[0].tolist() == [whole, whole]
    assert kept(w, how, "")[0].tolist() == [0, 0]
    assert not np.signbit(kept([[-0.001, 1]], "absmax")).any(), "no −0"


def test_numbers_on_one_side_of_zero_reach_from_zero() -> None:
    above = {"method": "zero_point", "bits": 4}
    assert kept([[3, 1.5]], above, "scale") == 3 / 15
    assert kept([[3, 1.5]], above, "zero_point") == -8
    assert kept([[-3, -1.5]], above, "zero_point") == 7


def test_by_hand_the_scale_is_rounded_before_it_divides() -> None:
    w = [[0.66, 1.27], [0.31, -0.2]]
    scale = kept(w, {"bits": 4}, "scale", arithmetic="by-hand", decimals=2)
    assert scale == 0.18  # of 0.18142…
    np.testing.assert_array_equal(kept(w, {"bits": 4}, arithmetic="by-hand", decimals=2), np.round(np.array(w) / 0.18))


def quantized(array: Any, method: str = "absmax", **how: Any) -> dict[str, Any]:
    return {"values": np.asarray(array).tolist(), "quantize": {"method": method, **how}}


@pytest.mark.parametrize("out_in", [False, True], ids=["row", "column"])
def test_a_model_runs_on_with_what_is_left(out_in: bool) -> None:
    """Joined weights and biases, a table that is the output head too, rows as they are written."""
    rng = np.random.default_rng(4)
    draw = lambda *shape: rng.normal(0, 0.6, shape).round(3)  # noqa: E731
    how: dict[str, Any] = {"bits": 4, "per": "row"}
    w = {name: draw(4, 4) for name in ("w_q", "w_k", "w_v", "w_o")}
    table, bias = draw(3, 4), draw(4)
    turned = lambda array: array.T if out_in else array  # noqa: E731
    attention = {name: quantized(turned(array), **how) for name, array in w.items()}
    scenario = {
        "title": "t",
        "matrix_convention": "column" if out_in else "row",
        "tokens": ["a", "b", "a"],
        "vocabulary": ["a", "b", "c"],
        "embeddings": quantized(table, "zero_point"),
        "encoder": {
            "norm_order": "none",
            "layers": [{"attention": {"num_heads": 2, **attention, "b_q": quantized(bias, **how)}}],
        },
        "output_head": {"tied": True},
    }
    left = {name: turned(stands_for(turned(array), "absmax", how)[""]) for name, array in w.items()}
    rows = stands_for(table, "zero_point", {"bits": 8, "per": "tensor"})[""]
    x = rows[[0, 1, 0]]
    q = x @ left["w_q"] + stands_for(bias[None], "absmax", how)[""]
    k, v = x @ left["w_k"], x @ left["w_v"]
    heads = []
    for part in (slice(0, 2), slice(2, 4)):
        weights = np.exp(q[:, part] @ k[:, part].T / np.sqrt(2))
        heads.append(weights / weights.sum(1, keepdims=True) @ v[:, part])
    trace = traced(scenario)
    y = x + np.hstack(heads) @ left["w_o"]
    np.testing.assert_allclose(trace["output_head.logits"].array, y @ rows.T, rtol=0, atol=1e-12)
    path = "encoder.1.attention.w_q"
    np.testing.assert_array_equal(trace[path].array, turned(left["w_q"]))
    assert trace[f"{path}.scale"].shape == (4, 1)


def test_a_generation_quantizes_once() -> None:
    scenario = feed_forward(quantized([[1, 0.3], [0.2, 1]])) | {
        "tokens": ["x"],
        "vocabulary": ["x", "y"],
        "output_head": {"tied": True},
        "generate": {"max_tokens": 3},
    }
    scenario["decoder"] = scenario.pop("encoder")
    made = [value.path for value in traced(scenario) if ".w_1" in value.path]
    path = "decoder.1.feed_forward.w_1"
    assert made == [f"{path}.original", f"{path}.scale", f"{path}.quantized", path]


def training(**more: Any) -> dict[str, Any]:
    """One quantized weight, one with a low-rank change of a quantized base, and one as it is."""
    base, a, b = quantized([[1, 0.2, -0.3], [0.3, 0.1, 0.7]], bits=4, per="row"), [[0.1], [0.2]], [[0.1, 0.2, 0.3]]
    scenario = feed_forward(quantized([[0.635, 1.27], [0.005, -0.2]]))
    scenario["output_head"] = {"vocabulary": list("uvw"), "w": {"base": base, "a": a, "b": b, "alpha": 2}}
    scenario["training"] = {"targets": ["v", "w"], "learning_rate": 0.1, "steps": 2, **more}
    return scenario


def updated(trace: wt.Trace, step: str = "") -> list[str]:
    before = f"{step}update."
    return sorted(value.path.removeprefix(before) for value in trace if value.path.startswith(before))


@pytest.mark.torch
def test_training_changes_no_quantized_matrix() -> None:
    torch = pytest.importorskip("torch")
    trace = traced(training())
    parameters = ["encoder.1.feed_forward.w_2", "output_head.w.a", "output_head.w.b"]
    assert updated(trace, "train.1.") == parameters
    tensor = lambda array: torch.tensor(np.asarray(array), dtype=torch.float64)  # noqa: E731
    trained = {name: tensor(trace[f"train.1.{name}"].array).requires_grad_() for name in parameters}
    w_2, a, b = trained.values()
    x, w_1, base = (
        tensor(trace[f"train.1.{name}"].array)
        for name in ("token_embedding", "encoder.1.feed_forward.w_1", "output_head.w.base")
    )
    for step in (1, 2):
        y = x + torch.relu(x @ w_1) @ w_2
        loss = torch.nn.functional.cross_entropy(y @ (base + 2 * a @ b), torch.tensor([1, 2]))
        assert trace[f"train.{step}.loss.mean"].array.item() == pytest.approx(loss.item(), rel=1e-12)
        for name, gradient in zip(trained, torch.autograd.grad(loss, list(trained.values())), strict=True):
            found = trace[f"train.{step}.gradient.{name}"].array
            np.testing.assert_allclose(found, gradient.numpy(), rtol=0, atol=1e-12)
            with torch.no_grad():
                trained[name] -= 0.1 * gradient


@pytest.mark.parametrize("named", ["w_1", "encoder.1.feed_forward.w_1", "encoder.1.feed_forward.w_1.original"])
def test_a_quantized_matrix_that_training_names_is_an_error(named: str) -> None:
    with pytest.raises(wt.ScenarioError, match=rf"'{named}' is quantized, and not trained\n(.*\n)*.*training.update"):
        traced(training(update=["w_2", named]))
    ours = ["output_head.w.a", "output_head.w.b"]
    assert updated(traced(training(update=["output_head"], steps=1))) == ours, "what can be trained of a part is"


def test_a_base_that_training_names_is_an_error() -> None:
    scenario = training(update=["output_head.w.base"])
    scenario["output_head"]["w"]["base"] = scenario["output_head"]["w"]["base"]["values"]
    with pytest.raises(wt.ScenarioError, match="is the base of a low-rank change, and not trained"):
        traced(scenario)


@pytest.mark.parametrize(
    ("w", "message"),
    [
        (
            {"quantize": "absmin"},
            "2:13: expected absmax or zero_point or a mapping such as {bits: 4}, found text 'absmin'",
        ),
        ({"quantize": {"bits": 1}}, "expected a whole number from 2 to 8, found the number 1"),
        ({"quantize": {"bits": 9}}, "expected a whole number from 2 to 8, found the number 9"),
        ({"quantize": {"per": "rows"}}, "expected tensor or row or column or {group: N}, found text 'rows'"),
        ({"quantize": {"group": 3}}, "a row has 2 numbers, which groups of 3 do not share evenly"),
        ({"quantize": {"per": {"group": 3}}}, "w_1.quantize.per.group"),
        ({"quantize": {"group": 2, "per": "row"}}, "group cannot be combined with per"),
        ({"quantize": {"bit": 4}}, "unknown key 'bit'"),
        ({"quantize": None}, "expected a mapping with keys such as method, bits, per, found nothing (null)"),
        ({}, "quantize is missing"),
        ({"values": None, "quantize": "absmax"}, "expected a list of rows, found nothing (null)"),
        ({"values": [1, 2], "quantize": "absmax"}, "expected a list of rows, found a list of numbers"),
        ({"values": {"init": "ones"}, "quantize": "absmax"}, "expected a list of rows, found a mapping"),
        ({"values": [[1, 2], [3]], "quantize": "absmax"}, "row 2 has 1 number, the others have 2"),
        ({"values": [[1, 2]], "quantize": "absmax"}, "w_1 is 1×2, expected d_model×d_ff = 2×2"),
        ({"quantize": "absmax", "init": "ones"}, "unknown key 'init'"),
    ],
)
def test_what_does_not_fit_is_told(w: dict[str, Any], message: str) -> None:
    part = {"feed_forward": {"w_1": {"values": UNIT} | w, "w_2": UNIT}}
    assert message.removeprefix("2:13: ") in refused(embeddings=UNIT, encoder={"layers": [part]})


def test_a_group_that_does_not_divide_a_row_is_told_where_the_row_is_as_long_as_others_say() -> None:
    made = {"init": "normal", "quantize": {"group": 3}}
    for w_1 in (made, {"base": made, "a": [[1], [1]], "b": [[1, 1]], "alpha": 1}):
        message = refused(embeddings=UNIT, encoder={"layers": [{"feed_forward": {"w_1": w_1, "w_2": UNIT}}]})
        assert "a row has 2 numbers, which groups of 3 do not share evenly" in message


def test_a_method_without_numbers_is_told() -> None:
    part = {"feed_forward": {"w_1": {"quantize": "absmax"}, "w_2": UNIT}}
    assert "values is missing: the numbers, in lists" in refused(embeddings=UNIT, encoder={"layers": [part]})


@pytest.mark.parametrize("name", ["a", "b"])
def test_factors_of_a_low_rank_change_are_not_quantized(name: str) -> None:
    factors = {"a": [[1], [2]], "b": [[1, 2]]}
    w = {"base": UNIT, **factors, name: quantized(factors[name]), "alpha": 1}
    message = refused(embeddings=UNIT, encoder={"layers": [{"feed_forward": {"w_1": w, "w_2": UNIT}}]})
    assert f"{name} is quantized: only the base can be, as a and b are trained" in message


@pytest.mark.parametrize("made", [quantized(UNIT), {"base": UNIT, "a": [[1], [1]], "b": [[1, 1]], "alpha": 1}])
def test_a_mask_is_used_as_it_is(made: dict[str, Any]) -> None:
    head = dict.fromkeys(("w_q", "w_k", "w_v"), UNIT)
    layer = {"attention": {"heads": [head], "mask": made}}
    assert "a mask is not quantized, and has no low-rank change" in refused(
        embeddings=UNIT, encoder={"layers": [layer]}
    )
    dropout = {"rate": 0.5, "masks": {"input": made}}
    assert "a mask is not quantized" in refused(**(training() | {"dropout": dropout}))


def test_numbers_of_a_rule_and_of_a_file_can_be_quantized(tmp_path: Path) -> None:
    w = np.random.default_rng(7).normal(0, 0.02, (2, 2))
    np.save(tmp_path / "w.npy", w)
    for made in ({"init": "normal", "seed": 7}, {"file": str(tmp_path / "w.npy")}):
        trace = traced(feed_forward({**made, "quantize": {"bits": 4, "per": "row"}}))
        found = trace["encoder.1.feed_forward.w_1"].array
        np.testing.assert_array_equal(found, stands_for(w, "absmax", {"bits": 4, "per": "row"})[""])


def test_the_parameters_of_a_quantized_model_are_as_many() -> None:
    models = feed_forward([[1, 2], [3, 4]]), feed_forward(quantized([[1, 2], [3, 4]], per="row"))
    found = [sizes(wt.parse_scenario(json.dumps(model))) for model in models]
    assert [sum(part.parameters for part in one.components) for one in found] == [8, 8]
