"""Transformers as people write them, in several styles, none of them after the program."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional


def drawn(module: nn.Module, seed: int = 1) -> nn.Module:
    """The module with other numbers in each of its parameters; those of norms near 1 and 0, as after training."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for one in module.parameters():
            around = 1.0 if one.dim() == 1 and bool((one == 1).all()) else 0.0
            one.copy_((torch.randn(one.shape, generator=generator) * 0.3 + around).to(one.dtype))
    return module


class FusedAttention(nn.Module):
    """After nanoGPT: one matrix for queries, keys and values."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.c_attn, self.c_proj, self.drop = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Dropout(0.1)
        self.heads, self.d = heads, d

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = (one.view(b, n, self.heads, -1).transpose(1, 2) for one in self.c_attn(x).split(self.d, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.drop(self.c_proj(y.transpose(1, 2).contiguous().view(b, n, d)))


class Block(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(d), FusedAttention(d, heads), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Nano(nn.Module):
    """A pre-LN decoder with learned positions and a tied head; it returns the logits of the last token, and no loss."""

    def __init__(self, words: int = 20, d: int = 12, heads: int = 3, layers: int = 2) -> None:
        super().__init__()
        self.wte, self.wpe, self.drop = nn.Embedding(words, d), nn.Embedding(16, d), nn.Dropout(0.1)
        self.h, self.ln_f = nn.ModuleList([Block(d, heads) for _ in range(layers)]), nn.LayerNorm(d)
        self.lm_head = nn.Linear(d, words, bias=False)
        self.wte.weight = self.lm_head.weight

    def forward(self, ids: Tensor) -> tuple[Tensor, None]:
        x = self.drop(self.wte(ids) + self.wpe(torch.arange(ids.shape[1])))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x)[:, [-1]]), None


class Rms(nn.Module):
    def __init__(self, d: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class PostLayer(nn.Module):
    """After BERT: norms after the residual, nothing hidden."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(d, d) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(d, eps=1e-12), nn.LayerNorm(d, eps=1e-12)
        self.wide, self.narrow = nn.Linear(d, 24), nn.Linear(24, d)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = (one(x).view(b, n, self.heads, -1).transpose(1, 2) for one in (self.q, self.k, self.v))
        y = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1) @ v
        x = self.n1(x + self.out(y.transpose(1, 2).reshape(b, n, d)))
        return self.n2(x + self.narrow(functional.gelu(self.wide(x), approximate="tanh")))


class Encoder(nn.Module):
    """Token, position and type embeddings with a norm, and layers; positions are a bare parameter, 1×n×d."""

    def __init__(self, d: int = 12) -> None:
        super().__init__()
        self.emb, self.pos, self.kinds = nn.Embedding(20, d), nn.Parameter(torch.zeros(1, 16, d)), nn.Embedding(2, d)
        self.begin = nn.LayerNorm(d, eps=1e-12)
        self.stages = nn.ModuleList([PostLayer(d, 3) for _ in range(2)])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.begin(self.emb(ids) + self.pos[:, : ids.shape[1]] + self.kinds(torch.ones_like(ids)))
        for stage in self.stages:
            x = stage(x)
        return x


class Masked(nn.Module):
    """An encoder that guesses hidden words, as BERT does: between it and the table are a matrix, a gelu and a norm."""

    def __init__(self, d: int = 12) -> None:
        super().__init__()
        self.body, self.turn, self.even = Encoder(d), nn.Linear(d, d), nn.LayerNorm(d)
        self.words = nn.Linear(d, 20)

    def forward(self, ids: Tensor) -> Tensor:
        return self.words(self.even(functional.gelu(self.turn(self.body(ids)))))


class Pooled(nn.Module):
    """An encoder that classifies by its first token, as BERT does."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body, self.pool, self.out = Encoder(), nn.Linear(12, 12), nn.Linear(12, classes)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(torch.tanh(self.pool(self.body(ids)[:, 0])))


class Sunk(nn.Module):
    """After gpt-oss: heads with a sink that share keys and values, all by one matrix; rotated by halves."""

    def __init__(self, heads: int = 4, shared: int = 2) -> None:
        super().__init__()
        self.n_heads, self.shared = heads, shared
        self.table, self.norm, self.sinks = nn.Embedding(20, 16), Rms(16), nn.Parameter(torch.zeros(heads))
        self.w_qkv, self.o = nn.Linear(16, 4 * (heads + 2 * shared)), nn.Linear(4 * heads, 16)

    def forward(self, ids: Tensor) -> Tensor:
        x, n = self.table(ids), ids.shape[1]
        angles = torch.outer(torch.arange(n).to(x), 10000 ** -torch.tensor([0, 0.5]).to(x)).repeat(1, 2)
        q, k, v = self.w_qkv(self.norm(x))[0].view(n, -1, 4).split([self.n_heads, self.shared, self.shared], dim=1)
        q, k = (
            one * angles.cos()[:, None] + torch.cat([-one[..., 2:], one[..., :2]], -1) * angles.sin()[:, None]
            for one in (q, k)
        )
        k, v = (one.repeat_interleave(self.n_heads // self.shared, 1) for one in (k, v))
        scores = torch.einsum("qhd,khd->hqk", q, k) / 2 + torch.full((n, n), -torch.inf).triu(1)
        scores = torch.cat([scores, self.sinks[:, None, None].expand(-1, n, 1)], -1)
        found = torch.einsum("hqk,khd->qhd", scores.softmax(-1)[..., :-1], v)
        return x + self.o(found.reshape(1, n, -1))


class Memory(nn.Module):
    """A decoder that reads something that the module holds, beside its own tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.out = nn.Embedding(20, 12), nn.Linear(12, 20)
        self.held = nn.Parameter(torch.zeros(1, 6, 12))
        self.stack = nn.TransformerDecoder(nn.TransformerDecoderLayer(12, 3, 20, batch_first=True), 2)

    def forward(self, ids: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.out(self.stack(self.table(ids), self.held, tgt_mask=mask))


class Elu(nn.Module):
    """A decoder layer with an activation that no scenario has, and the residual scaled in one part alone."""

    def __init__(self, share: float = 1.0) -> None:
        super().__init__()
        self.share, self.emb, self.head = share, nn.Embedding(20, 12), nn.Linear(12, 20)
        self.norms = nn.ModuleList([nn.LayerNorm(12) for _ in range(3)])
        self.attn, self.up, self.down = FusedAttention(12, 3), nn.Linear(12, 30), nn.Linear(30, 12)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.emb(ids)
        x = x + self.share * self.attn(self.norms[0](x))
        return self.head(self.norms[2](x + self.down(functional.elu(self.up(self.norms[1](x))))))


class Pairs(nn.Module):
    """Encoder and decoder of the paper around nn.Transformer: embeddings times √d, sinusoids, a softmax at last."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target, self.out = nn.Embedding(20, 12), nn.Embedding(24, 12), nn.Linear(12, 24)
        self.both = nn.Transformer(12, 2, 2, 2, 20, batch_first=True)
        place = torch.outer(torch.arange(16.0), 10000 ** (-torch.arange(0, 12, 2) / 12))
        self.register_buffer("waves", torch.stack([place.sin(), place.cos()], -1).flatten(1), persistent=False)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x, y = (
            table(ids) * math.sqrt(12) + self.waves[: ids.shape[1]]
            for table, ids in ((self.source, source), (self.target, target))
        )
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.out(self.both(x, y, tgt_mask=mask)).softmax(-1)


class Rest(nn.Module):
    """What no scenario has."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.table, self.out = nn.Embedding(20, 12), nn.Linear(12, 5)
        self.inner: nn.Module = {"lstm": nn.LSTM(12, 12, batch_first=True), "mean": nn.Identity()}[kind]
        self.kind = kind

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        return self.out(self.inner(x)[0] if self.kind == "lstm" else self.inner(x).mean(1))


class Unjoined(nn.Module):
    """A lecture's first attention: one head, no matrix after it; with a norm before it, or by itself."""

    def __init__(self, is_alone: bool) -> None:
        super().__init__()
        self.table, self.norm, self.is_alone = nn.Embedding(20, 6), nn.LayerNorm(6), is_alone
        self.q, self.k, self.v = (nn.Linear(6, 6 - 2 * is_alone, bias=False) for _ in range(3))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        y = self.norm(x)
        k, q, v = self.k(y), self.q(y), self.v(y)
        scores = (q @ k.transpose(-1, -2)).masked_fill(torch.ones(ids.shape[1], ids.shape[1]).triu(1) > 0, -torch.inf)
        found = (scores / k.shape[-1] ** 0.5).softmax(-1) @ v
        return found if self.is_alone else x + found


class Experts(nn.Module):
    """A layer whose feed-forward part is two of four experts for each token, each of which gets its own tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.router, self.out = nn.Embedding(20, 12), nn.Linear(12, 4, bias=False), nn.Linear(12, 20)
        self.first, self.attn, self.second = nn.LayerNorm(12), FusedAttention(12, 3), nn.LayerNorm(12)
        self.up = nn.ModuleList([nn.Linear(12, 16) for _ in range(4)])
        self.down = nn.ModuleList([nn.Linear(16, 12) for _ in range(4)])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        x = x + self.attn(self.first(x))
        y = self.second(x)[0]
        shares, chosen = self.router(y).softmax(-1).topk(2, -1)
        found = torch.zeros_like(y)
        for number, (up, down) in enumerate(zip(self.up, self.down, strict=True)):
            rows, places = (chosen == number).nonzero(as_tuple=True)
            found[rows] += shares[rows, places][:, None] * down(functional.silu(up(y[rows])))
        return self.out(x + found[None])


class Gated(nn.Module):
    """The network of an expert."""

    def __init__(self, d: int, wide: int) -> None:
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = (
            nn.Linear(*size, bias=False) for size in ((d, wide), (d, wide), (wide, d))
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Choices(NamedTuple):
    """What kind of mixture it is."""

    top_k: int
    is_sigmoid: bool = False
    is_normalized: bool = True
    has_shared: bool = False
    is_gated: bool = False
    is_dense: bool = False
    has_bias: bool = False
    scale: float = 1.0
    is_stacked: bool = False


class Stacked(nn.Module):
    """Experts as one module with stacked matrices, after transformers."""

    def __init__(self, count: int, d: int, hidden: int) -> None:
        super().__init__()
        self.gate_up, self.down = (nn.Parameter(torch.zeros(count, *sizes)) for sizes in ((2 * hidden, d), (d, hidden)))

    def forward(self, x: Tensor, chosen: Tensor, weights: Tensor) -> Tensor:
        gate, up = torch.einsum("nd,efd->nef", x, self.gate_up).chunk(2, dim=-1)
        found = torch.einsum("nef,edf->ned", functional.silu(gate) * up, self.down)
        return (found.gather(1, chosen[..., None].expand(-1, -1, x.shape[1])) * weights[..., None]).sum(1)


class Mixture(nn.Module):
    """After Mixtral, Qwen2-MoE and DeepSeek: top_k of five experts, with or without one for all tokens."""

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices, self.routed_scaling_factor = choices, choices.scale
        self.gate = nn.Linear(12, 5, bias=False)
        self.experts = Stacked(5, 12, 10) if choices.is_stacked else nn.ModuleList([Gated(12, 10) for _ in range(5)])
        self.shared_expert = Gated(12, 8) if choices.has_shared else None
        self.shared_gate = nn.Linear(12, 1, bias=False) if choices.is_gated else None
        self.correction = nn.Parameter(torch.zeros(5)) if choices.has_bias else None

    def forward(self, x: Tensor) -> Tensor:
        x, y = x[0], torch.zeros_like(x[0])
        logits = self.gate(x)
        scores = logits.sigmoid() if self.choices.is_sigmoid else logits.softmax(-1)
        raised = scores if self.correction is None else scores + self.correction
        chosen = raised.topk(self.choices.top_k, -1).indices
        weights = scores.gather(-1, chosen)
        weights = weights / weights.sum(-1, keepdim=True) if self.choices.is_normalized else weights
        weights = self.choices.scale * weights
        if self.choices.is_stacked:
            y = self.experts(x, chosen, weights)
        for number, expert in enumerate(() if self.choices.is_stacked else self.experts):
            if self.choices.is_dense:
                y = y + expert(x) * (weights * (chosen == number)).sum(-1, keepdim=True)
            else:
                rows, places = torch.where(chosen == number)
                y[rows] += expert(x[rows]) * weights[rows, places, None]  # some get no token
        if self.shared_expert is None:
            return y[None]
        return (y + self.shared_expert(x) * (self.shared_gate(x).sigmoid() if self.shared_gate else 1))[None]


class Mixtures(nn.Module):
    """A decoder of two layers with such mixtures."""

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.table, self.norm, self.head = nn.Embedding(20, 12), Rms(12), nn.Linear(12, 20, bias=False)
        self.attention = nn.ModuleList([FusedAttention(12, 3) for _ in range(2)])
        self.norms = nn.ModuleList([Rms(12) for _ in range(4)])
        self.mixture = nn.ModuleList([Mixture(choices) for _ in range(2)])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        for number, (attention, mixture) in enumerate(zip(self.attention, self.mixture, strict=True)):
            x = x + attention(self.norms[2 * number](x))
            x = x + mixture(self.norms[2 * number + 1](x))
        return self.head(self.norm(x))


class Multiplied(nn.Module):
    """After Granite and Cohere: embeddings, scores, what parts make, and logits are multiplied by numbers."""

    def __init__(self, share: float = 0.22, of_logits: float = 0.125) -> None:
        super().__init__()
        self.share, self.of_logits = share, of_logits
        self.table, self.norm, self.heads = nn.Embedding(20, 12), Rms(12), 3
        self.norms = nn.ModuleList([Rms(12) for _ in range(4)])
        self.linears = nn.ModuleList([nn.Linear(12, 12, bias=False) for _ in range(8)])
        self.networks = nn.ModuleList([Gated(12, 10) for _ in range(2)])

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids) * 6.5
        b, n, d = x.shape
        hidden = torch.ones(n, n).triu(1) > 0
        for layer in range(2):
            q, k, v, o = self.linears[4 * layer : 4 * layer + 4]
            y = self.norms[2 * layer](x)
            q, k, v = (one(y).view(b, n, self.heads, -1).transpose(1, 2) for one in (q, k, v))
            found = (q @ k.transpose(-1, -2) * 0.3).masked_fill(hidden, -torch.inf).softmax(-1) @ v
            x = x + self.share * o(found.transpose(1, 2).reshape(b, n, d))
            x = x + self.share * self.networks[layer](self.norms[2 * layer + 1](x))
        return self.norm(x) @ self.table.weight.T * self.of_logits


class Distances(nn.Module):
    """After T5: what is added to the scores is looked up by distance, in the first of two layers for both."""

    def __init__(self, max_distance: int | None = 6) -> None:
        super().__init__()
        self.table, self.norm, self.heads = nn.Embedding(20, 12), Rms(12), 3
        self.worth = nn.Embedding(4, 3)
        self.norms = nn.ModuleList([Rms(12) for _ in range(4)])
        self.linears = nn.ModuleList([nn.Linear(12, 12, bias=False) for _ in range(8)])
        self.networks = nn.ModuleList([Gated(12, 10) for _ in range(2)])
        if max_distance is not None:
            self.max_distance = max_distance

    def forward(self, ids: Tensor) -> Tensor:
        x = self.table(ids)
        b, n, d = x.shape
        bias = None
        for layer in range(2):
            q, k, v, o = self.linears[4 * layer : 4 * layer + 4]
            y = self.norms[2 * layer](x)
            q, k, v = (one(y).view(b, n, self.heads, -1).transpose(1, 2) for one in (q, k, v))
            if bias is None:
                offsets = torch.arange(n)[None, :] - torch.arange(n)[:, None]
                bias = self.worth(2 * (offsets > 0).long() + (offsets != 0).long()).permute(2, 0, 1)
            found = (q @ k.transpose(-1, -2) + bias).softmax(-1) @ v
            x = x + o(found.transpose(1, 2).reshape(b, n, d))
            x = x + self.networks[layer](self.norms[2 * layer + 1](x))
        return self.norm(x)
