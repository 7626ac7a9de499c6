"""Weights with a low-rank change, against PyTorch's arithmetic and arithmetic of its own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import refused

D, HEADS, RANK, ALPHA, WORDS, RATE = 4, 2, 2, 3.0, 5, 0.1
ADAPTED = {
    "encoder.1.attention.w_q": D,
    "encoder.1.attention.w_v": D,
    "encoder.1.feed_forward.w_1": 6,
    "output_head.w": 5,
}
SHORT = {"w_1": [[1, 0], [0, 1]], "w_2": [[1, 0], [0, 1]]}


class Drawn:
    """A model whose weights are drawn, four of them with a change; as a file gives them, and as arrays in×out."""

    def __init__(self, out_in: bool, **training: Any) -> None:
        self.out_in = out_in
        rng = np.random.default_rng(1)
        self.draw = lambda *shape: rng.normal(0, 0.5, shape).round(2)
        self.x, self.k, self.w_o, self.w_2 = self.draw(3, D), self.draw(D, D), self.draw(D, D), self.draw(6, D)
        self.bases, self.factors = {}, {}
        for path, out in ADAPTED.items():
            self.bases[path], self.factors[path] = self.draw(D, out), (self.draw(D, RANK), self.draw(RANK, out))
        self.trace = wt.trace(wt.parse_scenario(json.dumps(self.scenario(**training))))

    def turned(self, array: Any) -> Any:
        return np.asarray(array).T if self.out_in else np.asarray(array)

    def written(self, path: str) -> dict[str, Any]:
        (a, b), base = self.factors[path], self.bases[path]
        parts = {name: self.turned(one).tolist() for name, one in (("base", base), ("a", a), ("b", b))}
        return {**parts, "alpha": ALPHA, "r": RANK}

    def scenario(self, **training: Any) -> dict[str, Any]:
        w_q, w_v, w_1, w_out = map(self.written, ADAPTED)
        attention = {"w_q": w_q, "w_k": self.turned(self.k).tolist(), "w_v": w_v, "w_o": self.turned(self.w_o).tolist()}
        layer = {
            "attention": {"num_heads": HEADS, **attention},
            "feed_forward": {"w_1": w_1, "w_2": self.turned(self.w_2).tolist()},
        }
        return {
            "title": "t",
            "matrix_convention": "column" if self.out_in else "row",
            "tokens": ["x", "y", "z"],
            "embeddings": self.x.tolist(),
            "encoder": {"norm_order": "none", "layers": [layer]},
            "output_head": {"vocabulary": list("abcde"), "w": w_out},
            "training": {"targets": ["a", "b", "e"], "learning_rate": RATE, **training},
        }


@pytest.mark.torch
@pytest.mark.parametrize("out_in", [False, True], ids=["row", "column"])
def test_factors_are_trained_as_pytorch_trains_them_and_bases_are_not(out_in: bool) -> None:
    torch = pytest.importorskip("torch")
    drawn = Drawn(out_in, steps=2, update=list(ADAPTED))
    trace = drawn.trace
    tensor = lambda array: torch.tensor(array, dtype=torch.float64)  # noqa: E731
    factors = {path: [tensor(one).requires_grad_() for one in pair] for path, pair in drawn.factors.items()}
    for step in ("train.1", "train.2"):
        w_q, w_v, w_1, w_out = (tensor(drawn.bases[path]) + ALPHA / RANK * a @ b for path, (a, b) in factors.items())
        q, k, v = tensor(drawn.x) @ w_q, tensor(drawn.x @ drawn.k), tensor(drawn.x) @ w_v
        heads = []
        for at in range(0, D, D // HEADS):
            part = slice(at, at + D // HEADS)
            scores = q[:, part] @ k[:, part].T / np.sqrt(D // HEADS)
            heads.append(torch.softmax(scores, 1) @ v[:, part])
        y = tensor(drawn.x) + torch.cat(heads, 1) @ tensor(drawn.w_o)
        y = y + torch.relu(y @ w_1) @ tensor(drawn.w_2)
        loss = torch.nn.functional.cross_entropy(y @ w_out, torch.tensor([0, 1, 4]))
        assert trace[f"{step}.loss.mean"].array.item() == pytest.approx(loss.item(), rel=1e-12)
        loss.backward()
        for path, pair in factors.items():
            for name, factor in zip("ab", pair, strict=True):
                ours = drawn.turned(trace[f"{step}.gradient.{path}.{name}"].array)
                np.testing.assert_allclose(ours, factor.grad.numpy(), rtol=0, atol=1e-12)
                with torch.no_grad():
                    factor -= RATE * factor.grad
                factor.grad = None
                updated = drawn.turned(trace[f"{step}.update.{path}.{name}"].array)
                np.testing.assert_allclose(updated, factor.detach().numpy(), rtol=0, atol=1e-12)
    assert not any(
        ".base" in value.path for value in trace if value.path.startswith(("train.1.update", "train.2.update"))
    )


def test_several_sentences_train_the_factors() -> None:
    """Each sentence's gradient of a factor is the whole weight's, times the other factor; a step's is their sum."""
    examples = [{"tokens": ["x", "y"], "targets": ["y", "x"]}, {"tokens": ["y"], "targets": ["y"]}]
    base, a, b = [[1, 0.5], [0.2, 1]], [[1], [2]], [[0.5, -1]]
    found = []
    for weight in ({"base": base, "a": a, "b": b, "alpha": 3}, (np.array(base) + 3 * np.array(a) @ b).tolist()):
        parts = {
            "title": "t",
            "vocabulary": ["x", "y"],
            "embeddings": [[1, -2], [0.3, 2]],
            "output_head": {"w": weight},
            "training": {"examples": examples, "learning_rate": RATE},
        }
        found.append(wt.trace(wt.parse_scenario(json.dumps(parts))))
    adapted, plain = found
    for prefix in ("example.1.", "example.2.", ""):
        whole = plain[f"{prefix}gradient.output_head.w"].array
        for name, wanted in {"a": 3 * whole @ np.transpose(b), "b": 3 * np.transpose(a) @ whole}.items():
            np.testing.assert_allclose(adapted[f"{prefix}gradient.output_head.w.{name}"].array, wanted, atol=1e-12)
    updated = a - RATE * adapted["gradient.output_head.w.a"].array
    np.testing.assert_allclose(adapted["update.output_head.w.a"].array, updated, atol=1e-15)


def test_all_is_all_but_the_bases() -> None:
    updated = {path for value in Drawn(False).trace for path in (value.path, *value.also) if path.startswith("update.")}
    adapted = {f"update.{path}.{name}" for path in ADAPTED for name in "ab"}
    others = {"encoder.1.attention.w_o", "encoder.1.feed_forward.w_2"}
    heads = {f"encoder.1.attention.head.{head}.w_k" for head in (1, 2)}
    assert updated == adapted | {f"update.{path}" for path in others | heads}


def test_the_steps_of_a_joined_weight_are_those_of_the_attention() -> None:
    trace = Drawn(False).trace
    path = "encoder.1.attention.w_q"
    change = trace[f"{path}.delta"].array
    np.testing.assert_allclose(change, ALPHA / RANK * trace[f"{path}.a"].array @ trace[f"{path}.b"].array, rtol=1e-14)
    np.testing.assert_array_equal(trace[path].array, trace[f"{path}.base"].array + change)
    for head in (1, 2):
        part = trace[f"encoder.1.attention.head.{head}.w_q"].array
        np.testing.assert_array_equal(part, trace[path].array[:, 2 * head - 2 : 2 * head])


def test_a_generation_makes_the_weight_once() -> None:
    adapted = {"base": [[1, 0], [0, 1]], "a": [[1], [2]], "b": [[1, 0]], "alpha": 1}
    text = {
        "title": "t",
        "tokens": ["x"],
        "vocabulary": ["x", "y"],
        "embeddings": [[1, 0], [0, 2]],
        "decoder": {"layers": [{"feed_forward": SHORT | {"w_1": adapted}}]},
        "output_head": {"tied": True},
        "generate": {"max_tokens": 3},
    }
    trace = wt.trace(wt.parse_scenario(json.dumps(text)))
    made = [value.path for value in trace if value.path.endswith(("w_1", "w_1.delta"))]
    assert made == ["decoder.1.feed_forward.w_1.delta", "decoder.1.feed_forward.w_1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": [[1, 2], [2, 3], [1, 1]]}, "a is 3×2, expected d_model×r = 2×2"),
        ({"r": 3}, "r is 3, expected 1: a and b say r = 1"),
        ({"alpha": "x"}, "expected a number"),
        ({"b": None}, "b is missing: r×out; with matrix_convention: column out×r"),
        ({"a": {"base": [[1], [1]], "a": [[1], [1]], "b": [[1]], "alpha": 1}}, "a has a change of its own"),
        ({"c": 1}, "unknown key 'c'"),
        ({"base": None}, "base is missing: the matrix that is changed"),
        ({"a": {"init": "ones"}, "b": {"init": "ones"}}, "set it with r: … beside a and b"),
    ],
)
def test_what_does_not_fit_is_told(change: dict[str, Any], message: str) -> None:
    adapted = {"base": [[1, 0], [0, 1]], "a": [[1], [2]], "b": [[1, 0]], "alpha": 1} | change
    adapted = {name: value for name, value in adapted.items() if value is not None}
    part = {"embeddings": [[1, 2]] * 4, "encoder": {"layers": [{"feed_forward": SHORT | {"w_1": adapted}}]}}
    assert message in refused(**part)


def test_a_vector_has_no_low_rank_change() -> None:
    bias = {"b_1": {"base": [1, 2], "a": [[1]], "b": [[1, 2]], "alpha": 1}}
    part = {"embeddings": [[1, 2], [2, 1]], "encoder": {"layers": [{"feed_forward": SHORT | bias}]}}
    assert "a low-rank change is one of a matrix, not of a vector" in refused(**part)
