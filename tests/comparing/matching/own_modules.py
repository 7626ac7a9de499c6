"""Transformers under names of their authors' own, and the scenarios of their weights files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

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
        if self.bug == "queries and keys swapped":
            q, k = k, q
        root = {"not scaled": 1.0, "divided by √d_model": math.sqrt(D)}.get(self.bug, math.sqrt(q.shape[-1]))
        scores = self.raw(q @ k.transpose(-1, -2) / root)
        if self.bug != "no mask":
            scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
        if self.bug == "softmax over the columns":
            scores = scores.nan_to_num(neginf=-1e9).softmax(-2).log()
        y = self.softly(scores) @ v
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
        norm = self.first if self.bug == "first norm twice" else self.then
        opened = self.wide["up"](norm(x))
        opened = functional.gelu(opened) if self.bug == "gelu instead of relu" else self.act(opened)
        return x + self.wide["down"](opened)


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
        x = self.words(ids) * (math.sqrt(D) if self.bug == "embedding scaled" else 1)
        at = 1 if self.bug == "positions from 1" else 0
        x = x + self.place[at : at + ids.shape[1]]
        for stage in reversed(self.stages) if self.bug == "layers reversed" else self.stages:
            x = stage(x)
        logits = (x if self.bug == "no final norm" else self.end(x)) @ self.words.weight.T
        return {"log_softmax": logits.log_softmax(-1), "softmax": logits.softmax(-1)}.get(self.output, logits)


def _linear(name: str, rows: str = "") -> str:
    return f"{{tensor: {name}.weight, transpose: true{rows}}}"


def _fused() -> str:
    keys = []
    for at, letter in enumerate("qkv"):
        rows = f", rows: [{at * D + 1}, {(at + 1) * D}]"
        columns = rows.replace("rows", "columns")
        keys.append(f"w_{letter}: {{tensor: 'stages.{{i}}.mix.into.weight', transpose: true{rows}}}")
        keys.append(f"b_{letter}: {{tensor: 'stages.{{i}}.mix.into.bias'{columns}}}")
    return ", ".join(keys)


def _norm(name: str) -> str:
    return f"{{gamma: {{tensor: '{name}.weight'}}, beta: {{tensor: '{name}.bias'}}}}"


SMALL = f"""
title: A small decoder
weights_file: small.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: words.weight}}
positional_encoding: {{tensor: place}}
decoder:
  norm_order: pre
  layers:
    repeat: 2
    layer:
      norm_1: {_norm("stages.{i}.first")}
      norm_2: {_norm("stages.{i}.then")}
      self_attention: {{num_heads: {HEADS}, {_fused()}, b_o: {{tensor: 'stages.{{i}}.mix.back.bias'}},
                        w_o: {{tensor: 'stages.{{i}}.mix.back.weight', transpose: true}}}}
      feed_forward: {{activation: relu,
        w_1: {{tensor: 'stages.{{i}}.wide.up.weight', transpose: true}}, b_1: {{tensor: 'stages.{{i}}.wide.up.bias'}},
        w_2: {{tensor: 'stages.{{i}}.wide.down.weight', transpose: true}},
        b_2: {{tensor: 'stages.{{i}}.wide.down.bias'}}}}
  final_norm: {_norm("end")}
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
    return ", ".join(
        f"w_{name[0]}: {{tensor: heads.{at}.{name}.weight, transpose: true}}" for name in ("query", "key", "value")
    )


LECTURE = f"""
title: One layer of a lecture
weights_file: lecture.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: table.weight}}
decoder:
  norm_order: none
  layers:
    - self_attention: {{heads: [{{{_of_head(0)}}}, {{{_of_head(1)}}}],
                        w_o: {_linear("proj")}, b_o: {{tensor: proj.bias}}}}
      feed_forward: {{activation: relu, w_1: {_linear("net.0")}, b_1: {{tensor: net.0.bias}},
                      w_2: {_linear("net.2")}, b_2: {{tensor: net.2.bias}}}}
output_head: {{w: {_linear("unembed")}, b: {{tensor: unembed.bias}}}}
"""


class Layers(nn.Module):
    """Layers of torch.nn under a name of one's own."""

    def __init__(self) -> None:
        super().__init__()
        self.lookup = nn.Embedding(WORDS, D)
        self.body = nn.ModuleList(
            [nn.TransformerEncoderLayer(D, HEADS, WIDE, batch_first=True, dropout=0.0) for _ in range(2)]
        )
        self.head = nn.Linear(D, WORDS, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.lookup(ids)
        for layer in self.body:
            x = layer(x)
        return self.head(x)


def _cut(at: int, name: str) -> str:
    rows = f"[{at * D + 1}, {(at + 1) * D}]"
    matrix = f"w_{name}: {{tensor: 'body.{{i}}.self_attn.in_proj_weight', transpose: true, rows: {rows}}}"
    return f"{matrix}, b_{name}: {{tensor: 'body.{{i}}.self_attn.in_proj_bias', columns: {rows}}}"


LAYERS = f"""
title: Layers of torch
weights_file: layers.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: lookup.weight}}
encoder:
  layers:
    repeat: 2
    layer:
      norm_1: {_norm("body.{i}.norm1")}
      norm_2: {_norm("body.{i}.norm2")}
      attention: {{num_heads: {HEADS}, {_cut(0, "q")}, {_cut(1, "k")}, {_cut(2, "v")},
                   w_o: {_linear("'body.{i}.self_attn.out_proj").replace(".weight", ".weight'")},
                   b_o: {{tensor: 'body.{{i}}.self_attn.out_proj.bias'}}}}
      feed_forward: {{activation: relu,
        w_1: {_linear("'body.{i}.linear1").replace(".weight", ".weight'")}, b_1: {{tensor: 'body.{{i}}.linear1.bias'}},
        w_2: {_linear("'body.{i}.linear2").replace(".weight", ".weight'")}, b_2: {{tensor: 'body.{{i}}.linear2.bias'}}}}
output_head: {{w: {_linear("head")}}}
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


CACHED = f"""
title: Keys and values are kept
weights_file: cached.npz
tokens: [d, b, e, b]
vocabulary: [a, b, c, d, e, f, g]
embeddings: {{tensor: table.weight}}
decoder:
  norm_order: none
  layers:
    - self_attention:
        num_heads: {HEADS}
        w_q: {_linear("at.ask")}
        b_q: {{tensor: at.ask.bias}}
        w_k: {_linear("at.keep", f", rows: [1, {D}]")}
        b_k: {{tensor: at.keep.bias, columns: [1, {D}]}}
        w_v: {_linear("at.keep", f", rows: [{D + 1}, {2 * D}]")}
        b_v: {{tensor: at.keep.bias, columns: [{D + 1}, {2 * D}]}}
        w_o: {_linear("at.back")}
        b_o: {{tensor: at.back.bias}}
output_head: {{w: {_linear("read")}, b: {{tensor: read.bias}}}}
generate: {{max_tokens: 3, cache: true}}
"""
