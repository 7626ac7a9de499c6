"""The parts of a layer in plain PyTorch float64 operations, each intermediate value put on a tape under its path."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .agree import agree

Spec = dict[str, Any]
FLOAT = torch.float64
WORDS = {"q": "query", "k": "key", "v": "value"}
ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "sigmoid": torch.sigmoid,
    "none": lambda x: x,
}


@dataclass
class Tape:
    """Values by path, and the settings of the whole scenario that the parts look at."""

    column: bool = False
    shifted: bool = False
    padding_token: str | None = None
    d_k: int | None = None
    values: dict[str, Tensor] = field(default_factory=dict)

    def __call__(self, path: str, value: Tensor) -> Tensor:
        assert path not in self.values, path
        self.values[path] = value
        return value

    def given(self, path: str, spec: Spec, key: str) -> Tensor | None:
        """A matrix or vector of the file, recorded as it is written; None where the file has none."""
        return self(f"{path}.{key}", numbers(spec[key])) if spec.get(key) is not None else None

    def weight(self, path: str, spec: Spec, key: str) -> Tensor | None:
        """A weight of the file, recorded as it is written and returned as in×out."""
        return self.turned(self.given(path, spec, key))

    def table(self, written: Any) -> Tensor:
        """The embeddings as the file gives them: a mapping from words, or rows."""
        return numbers(list(written.values()) if isinstance(written, dict) else written)

    def turned(self, written: Tensor | None) -> Tensor | None:
        return written.T if self.column and written is not None else written


def numbers(written: Any) -> Tensor:
    """Nested lists as a tensor; an unknown (null) as nan, which everything that depends on it becomes too."""
    if isinstance(written[0], list):
        return torch.stack([numbers(row) for row in written])
    return torch.tensor([math.nan if number is None else float(number) for number in written], dtype=FLOAT)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    return x @ weight if bias is None else x @ weight + bias


def softmax(tape: Tape, path: str, x: Tensor) -> Tensor:
    """Recorded as e^x and its row sums; from the row maximum where it is asked for or e^x would overflow."""
    scores = x
    if tape.shifted or bool(torch.exp(x).isinf().any()):
        x = tape(f"{path}.softmax.shifted", x - x.max(dim=1, keepdim=True).values)
    exp = tape(f"{path}.softmax.exp", torch.exp(x))
    weights = exp / tape(f"{path}.softmax.sum", exp.sum(dim=1, keepdim=True))
    agree(weights, functional.softmax(scores, dim=1), f"{path}.softmax", scores)
    return weights


def norm(tape: Tape, path: str, spec: Spec, options: Spec, x: Tensor) -> Tensor:
    epsilon, width = float(options.get("epsilon", 1e-5)), x.shape[1]
    sample, in_std = options.get("variance") == "sample", options.get("epsilon_in") == "std"
    mean = tape(f"{path}.mean", x.mean(dim=1, keepdim=True))
    centered = tape(f"{path}.centered", x - mean)
    squares = (centered * centered).sum(dim=1, keepdim=True)
    variance = tape(f"{path}.variance", squares / (width - 1 if sample else width))
    std = variance.sqrt() + epsilon if in_std else (variance + epsilon).sqrt()
    output = centered / tape(f"{path}.std", std)
    gamma, beta = tape.given(path, spec, "gamma"), tape.given(path, spec, "beta")
    if gamma is not None or beta is not None:
        tape(f"{path}.normalized", output)
    output = output if gamma is None else output * gamma
    output = output if beta is None else output + beta
    if not sample and not in_std:
        agree(output, functional.layer_norm(x, (width,), gamma, beta, epsilon), path, x / std)
    return tape(f"{path}.output", output)


def feed_forward(tape: Tape, path: str, spec: Spec, x: Tensor) -> Tensor:
    if "output" in spec:
        return tape(f"{path}.output", numbers(spec["output"]))
    w_1, w_2 = tape.weight(path, spec, "w_1"), tape.weight(path, spec, "w_2")
    assert w_1 is not None
    assert w_2 is not None
    name = spec.get("activation", "relu")
    hidden = tape(f"{path}.hidden", linear(x, w_1, tape.given(path, spec, "b_1")))
    activation = ACTIVATIONS[name](hidden)
    if name != "none":  # with none the two are one value, and SPEC does not say whether it answers to both names
        tape(f"{path}.activation", activation)
    return tape(f"{path}.output", linear(activation, w_2, tape.given(path, spec, "b_2")))


def attention(tape: Tape, path: str, spec: Spec, x: Tensor | None, source: Tensor | None, hides: Any) -> Tensor | None:
    """`hides` gives the hidden places (n×m) of a `mask` setting; None is returned where no value was given."""
    if "output" in spec:
        return tape(f"{path}.output", numbers(spec["output"]))
    hidden, value = hides(spec.get("mask")), float(spec.get("mask_value", -math.inf))
    mask = hidden, value, spec.get("mask_first", False)
    outputs = []
    for number, head in enumerate(_separate(tape, spec), 1):
        outputs.append(_head(tape, f"{path}.head.{number}", head, (x, source), mask, spec))
    if any(output is None for output in outputs):
        return None
    output = outputs[0] if len(outputs) == 1 else tape(f"{path}.concat", torch.cat(outputs, dim=1))
    w_o, b_o = tape.weight(path, spec, "w_o"), tape.given(path, spec, "b_o")
    return tape(f"{path}.output", output if w_o is None else linear(output, w_o, b_o))


def _separate(tape: Tape, spec: Spec) -> list[Spec]:
    """The heads as the file gives them, or the joined matrices cut into even parts: outputs are cut, never inputs."""
    if "num_heads" not in spec:
        return list(spec["heads"])
    heads: list[Spec] = [{} for _ in range(spec["num_heads"])]
    for key in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v"):
        if spec.get(key) is not None:
            joined = numbers(spec[key])
            parts = joined.chunk(len(heads), dim=0 if tape.column or joined.dim() == 1 else 1)
            assert len({part.shape for part in parts}) == 1, key
            for head, part in zip(heads, parts, strict=True):
                head[key] = part.tolist()
    return heads


def _head(tape: Tape, path: str, head: Spec, streams: Any, mask: Any, spec: Spec) -> Tensor | None:
    made = {}
    for letter, stream in zip("qkv", (streams[0], streams[1], streams[1]), strict=True):
        if letter in head:
            made[letter] = tape(f"{path}.{WORDS[letter]}", numbers(head[letter]))
        elif f"w_{letter}" in head and not (letter != "v" and {"scores", "weights"} & head.keys()):
            weight, bias = tape.weight(path, head, f"w_{letter}"), tape.given(path, head, f"b_{letter}")
            made[letter] = tape(f"{path}.{WORDS[letter]}", linear(stream, weight, bias))
    if "weights" in head:
        attended = tape(f"{path}.weights", numbers(head["weights"]))
    else:
        scores = tape(f"{path}.scores", numbers(head["scores"]) if "scores" in head else made["q"] @ made["k"].T)
        scale = head.get("scale", spec.get("scale", "sqrt_d_k"))
        d_k = made["q"].shape[1] if "q" in made else head.get("d_k", tape.d_k)
        divisor = 1.0 if scale == "none" else math.sqrt(d_k) if scale == "sqrt_d_k" else float(scale)
        final, bias = _scale_and_mask(tape, path, scores, None if scale == "none" else divisor, *mask)
        attended = tape(f"{path}.weights", softmax(tape, path, final))
    if "v" not in made:
        return None
    output = tape(f"{path}.output", attended @ made["v"])
    if len(made) == 3 and "scores" not in head and not any(each.isnan().any() for each in made.values()):
        fused = functional.scaled_dot_product_attention(
            *(each[None, None] for each in made.values()), attn_mask=bias, scale=1 / divisor
        )
        agree(output, fused[0, 0], f"{path}.output", final)
    return output


def _scale_and_mask(
    tape: Tape, path: str, scores: Tensor, divisor: float | None, hidden: Tensor | None, value: float, first: bool
) -> tuple[Tensor, Tensor | None]:
    def masked(x: Tensor) -> Tensor:
        if hidden is None:
            return x
        hidden_x = torch.full_like(x, -math.inf) if math.isinf(value) else x + value
        return tape(f"{path}.masked_scores", torch.where(hidden, hidden_x, x))

    def scaled(x: Tensor) -> Tensor:
        return x if divisor is None else tape(f"{path}.scaled_scores", x / divisor)

    final = scaled(masked(scores)) if first else masked(scaled(scores))
    if hidden is None:
        return final, None
    added = value / divisor if first and divisor is not None else value
    return final, torch.zeros_like(scores).masked_fill(hidden, added)
