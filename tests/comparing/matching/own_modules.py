"""Transformers under names of their authors' own, and the scenarios of their weights files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import walkthrough as wt
from tests.comparing.planted.scenarios import feed, fused, linear, norm

WORDS, N, D, HEADS, WIDE = 7, 4, 6, 2, 10
IDS = [3, 1, 4, 1]


class Mix(nn.Module):
    """Attention of fused weights; `softly` and the shared dropout are modules without parameters."""

    def __init__(self, drop: nn.Module, bug: str = "") -> None:
        super().__init__()
        self.into, self.back = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.raw, self.softly, self.drop, self.bug = nn.Identity(), nn.Softmax(-1), drop, bug

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = (one.view(b, n, HEADS, -1).transpose(1, 2) for one in self.into(x).chunk(3, -1))
        root = {"not scaled": 1.0, "divided by √d_model": math.sqrt(D)}.get(self.bug, math.sqrt(q.shape[-1]))
        scores = self.raw(q @ k.transpose(-1, -2) / root)
        y = self.softly(scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)) @ v
        y = y.reshape(b, n, D) if self.bug == "joined without transpose" else y.transpose(1, 2).reshape(b, n, D)
        return self.drop(self.back(y))


class Stage(nn.Module):
    """A pre-LN layer."""

    def __init__(self, drop: nn.Module, act: nn.Module, bug: str = "") -> None:
        super().__init__()
        self.first, self.then = nn.LayerNorm(D), nn.LayerNorm(D)
        self.mix = Mix(drop, bug)
        self.wide = nn.ModuleDict({"up": nn.Linear(D, WIDE), "down": nn.Linear(WIDE, D)})
        self.act, self.bug = act, bug

    def forward(self, x: Tensor) -> Tensor:
        y = self.mix(self.first(x))
        x = y if self.bug == "no residual" else x + y
        opened = self.wide["up"](self.then(x))
        return x + self.wide["down"](self.act(opened))


class Small(nn.Module):
    """A decoder after minGPT with a tied head; it returns a log-softmax. One dropout and one ReLU serve all layers."""

    def __init__(self, bug: str = "", output: str = "log_softmax") -> None:
        super().__init__()
        self.bug, self.output = bug, output
        self.words = nn.Embedding(WORDS, D)
        self.place = nn.Parameter(torch.randn(N + 4, D))
        drop, act = nn.Dropout(0.0), nn.ReLU()
        self.stages = nn.ModuleList([Stage(drop, act, bug) for _ in range(2)])
        self.end = nn.LayerNorm(D)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.place[: ids.shape[1]]
        for stage in reversed(self.stages) if self.bug == "layers reversed" else self.stages:
            x = stage(x)
        logits = self.end(x) @ self.words.weight.T
        return {"log_softmax": logits.log_softmax(-1), "softmax": logits.softmax(-1)}.get(self.output, logits)


def _head(title: str, table: str) -> str:
    return f"""
title: {title}
matrix_convention: column
weights_file: {title}.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: {table}.weight}}
"""


SMALL = f"""{_head("small", "words")}
positional_encoding: {{tensor: place}}
decoder:
  norm_order: pre
  layers:
    repeat: 2
    layer:
      norm_1: {norm("stages.{i}.first")}
      norm_2: {norm("stages.{i}.then")}
      self_attention: {{num_heads: {HEADS}, {fused("stages.{i}.mix.into", D)}, {linear("o", "stages.{i}.mix.back")}}}
      feed_forward: {feed("stages.{i}.wide.", "up", "down", "relu")}
  final_norm: {norm("end")}
output_head: {{tied: true}}
"""
TRAINED = "training: {targets: [b, e, b, c], learning_rate: 0.1, steps: 2, reduction: mean}\n"
CONTINUED = "generate: {max_tokens: 3}\n"


def saved(model: nn.Module, text: str, folder: Path, name: str = "small") -> Path:
    """A scenario of the weights that a model has now."""
    arrays = {key: tensor.numpy().copy() for key, tensor in model.state_dict().items()}
    np.savez(folder / f"{name}.npz", **arrays)  # type: ignore[arg-type]
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def captured(model: nn.Module, *inputs: Tensor) -> dict[str, Any]:
    """What its modules return, without gradients."""
    with torch.no_grad(), wt.capture(model) as tensors:
        model(*(inputs or (torch.tensor([IDS]),)))
    return tensors


def drawn(model: nn.Module, seed: int = 0) -> nn.Module:
    """The model in float64 with other numbers in each of its parameters."""
    generator = torch.Generator().manual_seed(seed)
    model = model.double()
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(torch.randn(one.shape, generator=generator, dtype=torch.float64) * 0.7 + 0.1)
    return model


class Head(nn.Module):
    """One head of a lecture."""

    def __init__(self) -> None:
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(D, D // HEADS, bias=False) for _ in range(3))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = (q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5).masked_fill(
            torch.ones(N, N).triu(1).bool(), -torch.inf
        )
        return self.dropout(scores.softmax(-1)) @ v


class Lecture(nn.Module):
    """A layer whose heads are modules, and whose feed-forward part is an nn.Sequential."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(WORDS, D)
        self.heads = nn.ModuleList([Head() for _ in range(HEADS)])
        self.proj = nn.Linear(D, D)
        self.net = nn.Sequential(nn.Linear(D, WIDE), nn.ReLU(), nn.Linear(WIDE, D), nn.Dropout(0.0))
        self.unembed = nn.Linear(D, WORDS)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        x = x + self.proj(torch.cat([head(x) for head in self.heads], -1))
        return self.unembed(x + self.net(x))


def _of_head(at: int) -> str:
    return ", ".join(linear(name[0], f"heads.{at}.{name}", False) for name in ("query", "key", "value"))


LECTURE = f"""{_head("lecture", "table")}
decoder:
  norm_order: none
  layers:
    - self_attention: {{heads: [{{{_of_head(0)}}}, {{{_of_head(1)}}}], {linear("o", "proj")}}}
      feed_forward: {feed("net.", "0", "2", "relu")}
output_head: {{w: {{tensor: unembed.weight}}, b: {{tensor: unembed.bias}}}}
"""


class Keeping(nn.Module):
    """Attention that returns its weights and what it keeps; keys and values are of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.ask, self.keep, self.back = nn.Linear(D, D), nn.Linear(D, 2 * D), nn.Linear(D, D)

    def forward(self, x: Tensor, past: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
        b, n, _ = x.shape
        q, k, v = (one.view(b, n, HEADS, -1).transpose(1, 2) for one in (self.ask(x), *self.keep(x).chunk(2, -1)))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        hidden = torch.ones(n, k.shape[2]).triu(1 + k.shape[2] - n).bool()
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        return self.back((weights @ v).transpose(1, 2).reshape(b, n, D)), weights, (k, v)


class Cached(nn.Module):
    """One layer of attention that reads a token at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.at, self.read = nn.Embedding(WORDS, D), Keeping(), nn.Linear(D, WORDS)

    def forward(self, ids: Tensor, past: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        x = self.table(ids)
        y, _, kept = self.at(x, past)
        return self.read(x + y), kept


CACHED = f"""{_head("cached", "table")}
decoder:
  norm_order: none
  layers:
    - self_attention:
        {{num_heads: {HEADS}, {linear("q", "at.ask")}, {fused("at.keep", D, "kv")}, {linear("o", "at.back")}}}
output_head: {{w: {{tensor: read.weight}}, b: {{tensor: read.bias}}}}
generate: {{max_tokens: 3, cache: true}}
"""
