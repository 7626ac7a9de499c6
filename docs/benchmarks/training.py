"""One training step of an encoder of the paper's base size against PyTorch's eager autograd: float64, one thread.

python -m docs.benchmarks.training [tokens] [pairs]
python -m docs.benchmarks.training steps [1000 10000 …]    time and memory of long runs of `specialise`
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import walkthrough as wt

D, H, F, LAYERS, WORDS = 512, 8, 2048, 6, 1000
RATE = 0.1


def scenario(tokens: int) -> wt.Scenario:
    """A post-LN encoder of six layers with random weights, gamma and beta, and an output head of its own."""
    init = "{init: normal, std: 0.05}"
    words = ", ".join(f"t{number}" for number in range(WORDS))
    weights = ", ".join(f"{name}: {init}" for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"))
    forward = ", ".join(f"{name}: {init}" for name in ("w_1", "b_1", "w_2", "b_2"))
    norm = "{gamma: {init: ones}, beta: {init: zeros}}"
    return wt.parse_scenario(
        f"""
title: benchmark
tokens: [{", ".join(f"t{number}" for number in range(tokens))}]
vocabulary: [{words}]
embeddings: {{init: normal, std: 1}}
dimensions: {{d_model: {D}, d_ff: {F}}}
encoder:
  layers:
    repeat: {LAYERS}
    layer:
      attention: {{num_heads: {H}, {weights}}}
      norm_1: {norm}
      feed_forward: {{{forward}}}
      norm_2: {norm}
output_head: {{w: {init}, b: {init}}}
training:
  learning_rate: {RATE}
  targets: [{", ".join(f"t{number + 1}" for number in range(tokens))}]
"""
    )


class Reference(nn.Module):
    """The same model of PyTorch's own layers, as somebody writes it who trains it."""

    def __init__(self, trace: wt.Trace) -> None:
        super().__init__()
        self.table = nn.Embedding.from_pretrained(_tensor(trace, "embeddings"), freeze=False)
        layers = [
            nn.TransformerEncoderLayer(D, H, F, 0.0, batch_first=True, dtype=torch.float64) for _ in range(LAYERS)
        ]
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(D, WORDS, dtype=torch.float64)
        _load(self.head, _tensor(trace, "output_head.w").T, _tensor(trace, "output_head.b")[0])
        for number, layer in enumerate(layers, 1):
            _load_layer(layer, trace, f"encoder.{number}")

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)[None]
        for layer in self.layers:
            x = layer(x)
        result: Tensor = self.head(x[0])
        return result


def _tensor(trace: wt.Trace, path: str) -> Tensor:
    return torch.tensor(trace[path].array)


def _joined(trace: wt.Trace, path: str, name: str) -> Tensor:
    return torch.cat([_tensor(trace, f"{path}.head.{head}.{name}") for head in range(1, H + 1)], dim=1)


def _load(module: Any, weight: Tensor, bias: Tensor) -> None:
    with torch.no_grad():
        module.weight.copy_(weight)
        module.bias.copy_(bias)


def _load_layer(layer: nn.TransformerEncoderLayer, trace: wt.Trace, path: str) -> None:
    attention = f"{path}.attention"
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(torch.cat([_joined(trace, attention, f"w_{c}").T for c in "qkv"]))
        layer.self_attn.in_proj_bias.copy_(torch.cat([_joined(trace, attention, f"b_{c}")[0] for c in "qkv"]))
    _load(layer.self_attn.out_proj, _tensor(trace, f"{attention}.w_o").T, _tensor(trace, f"{attention}.b_o")[0])
    for number, linear in ((1, layer.linear1), (2, layer.linear2)):
        forward = f"{path}.feed_forward"
        _load(linear, _tensor(trace, f"{forward}.w_{number}").T, _tensor(trace, f"{forward}.b_{number}")[0])


def step(model: Reference, ids: Tensor, targets: Tensor) -> float:
    """Forward, backward, update."""
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    loss = nn.functional.cross_entropy(model(ids), targets)
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    optimizer.zero_grad()
    return float(loss.detach())


def long_runs(counts: list[int]) -> None:
    """Prints processor time a step, and the most memory so far, of trainings of so many steps; nothing is kept."""
    text = wt.load_scenario("specialise").source.text
    for count in counts:
        loaded = wt.parse_scenario(text.replace("steps: 300", f"steps: {count}"))
        start = time.process_time()
        wt.trace(loaded, wanted=[])
        taken = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{count:,} steps: {taken:.2f} s, {taken / count * 1000:.3f} ms a step, {memory:.0f} MB", flush=True)


def main() -> None:
    """Prints medians and their ratio pair by pair; both start each time from the same weights."""
    if sys.argv[1:2] == ["steps"]:
        long_runs([int(count) for count in sys.argv[2:]] or [1000, 10_000, 100_000])
        return
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    torch.set_num_threads(1)
    loaded = scenario(tokens)
    first = wt.trace(loaded)  # makes the weights, which is not what is measured
    ids = torch.arange(tokens)
    model = Reference(first)
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    loss = step(model, ids, ids + 1)
    assert np.isclose(loss, first["loss.mean"].array[0, 0], rtol=1e-9), (loss, first["loss.mean"].array)
    trained = model.head.weight.detach().numpy().T
    assert np.allclose(trained, first["update.output_head.w"].array, rtol=1e-9, atol=1e-12)
    values = len(first)
    del first
    ours, theirs = [], []
    for _ in range(pairs):
        model.load_state_dict(before)
        gc.collect()
        start = time.perf_counter()
        step(model, ids, ids + 1)
        middle = time.perf_counter()
        kept = wt.trace(loaded)
        ours.append(time.perf_counter() - middle)
        theirs.append(middle - start)
        del kept
    ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
    print(f"{tokens} tokens, {values} values: PyTorch {median(theirs):.3f} s, traced {median(ours):.3f} s", end="; ")
    print(f"ratio {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
