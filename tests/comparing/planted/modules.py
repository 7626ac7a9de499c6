"""Transformers as people write them, after papers and libraries; `bug` says which mistake one of them has."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

WORDS, N, D, HEADS, EACH, WIDE, KV = 11, 5, 8, 2, 4, 12, 2


class Part(nn.Module):
    """A module that may have a mistake."""

    bug = ""


def planted(model: nn.Module, bug: str) -> nn.Module:
    """The same model with a mistake in each of its parts."""
    for part in model.modules():
        if isinstance(part, Part):
            part.bug = bug
    return model


def causal(n: int, bug: str = "", window: int | None = None) -> Tensor:
    """True where a token sees another."""
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    edge = {"mask hides the diagonal": -1, "-1e9 hides the diagonal": -1, "mask shows the next token": 1}.get(bug, 0)
    seen = j <= i + edge
    if bug == "mask inverted":
        seen = ~(j <= i) | (i == j)
    if bug == "a window of 3":
        seen &= i - j < 3
    if window is not None:
        reach = window + {"window too wide": 1, "window too narrow": -1, "no window": n}.get(bug, 0)
        seen &= i - j < reach
    return seen


class LayerNorm(Part):
    def __init__(self, width: int = D, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width)), eps

    def forward(self, x: Tensor) -> Tensor:
        axis = 1 if self.bug == "norm over the positions" else -1
        mean = 0 if self.bug == "RMS instead of layer norm" else x.mean(axis, keepdim=True)
        variance = ((x - mean) ** 2).mean(axis, keepdim=True)
        if self.bug == "sample variance":
            variance = x.var(-1, keepdim=True)
        root = (variance + self.eps).sqrt()
        if self.bug == "epsilon outside":
            root = variance.sqrt() + self.eps
        if self.bug == "no epsilon":
            root = variance.sqrt()
        if self.bug == "no root":
            root = variance + self.eps
        if self.bug == "mean of all":
            x = x - x.mean() + x.mean(-1, keepdim=True)
        y = (x - mean) / root
        if self.bug == "gamma and beta swapped":
            return y * self.bias + self.weight
        if self.bug == "no gamma":
            return y + self.bias
        return y * self.weight + (0 if self.bug == "no beta" else self.bias)


class RMSNorm(Part):
    def __init__(self, width: int = D, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: Tensor) -> Tensor:
        kind = x.dtype
        if self.bug == "float32 inside":
            x = x.float()
        if self.bug == "layer norm instead of RMS":
            x = x - x.mean(-1, keepdim=True)
        square = x.pow(2).mean(-1, keepdim=True)
        if self.bug == "sum of squares":
            square = x.pow(2).sum(-1, keepdim=True)
        if self.bug == "norm over the positions":
            square = x.pow(2).mean(-2, keepdim=True)
        root = square.sqrt() + self.eps if self.bug == "epsilon outside" else (square + self.eps).sqrt()
        if self.bug == "no root":
            root = square + self.eps
        if self.bug == "largest instead":
            root = x.abs().amax(-1, keepdim=True)
        gamma = 1 + self.weight if self.bug == "one plus gamma" else self.weight
        return (x / root).to(kind) * (1 if self.bug == "no gamma" else gamma)


UNKNOWN_SCORES = {
    "scores cubed": lambda x: x**3,
    "scores capped": lambda x: 5 * torch.tanh(x / 5),
    "scores of the first key raised": lambda x: x + functional.one_hot(torch.tensor(0), x.shape[-1]),
    "scores in another order": lambda x: x.roll(1, -1),
}
UNKNOWN_WEIGHTS = {
    "a sink": lambda x: x * 0.9,
    "weights squared": lambda x: x**2 / (x**2).sum(-1, keepdim=True),
    "the two largest": lambda x: x * (x >= x.topk(2, -1).values[..., -1:]),
    "weights rounded": lambda x: (x * 64).round() / 64,
}
"""Mistakes that nobody has a name for."""


def attend(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, bug: str, bias: Tensor | float = 0.0
) -> tuple[Tensor, Tensor]:
    """Heads are the second axis; what comes out, and the weights."""
    each = q.shape[-1]
    root = {
        "divided by √d_model": math.sqrt(D),
        "not scaled": 1.0,
        "divided by d_k": each,
        "multiplied by √d_k": 1 / math.sqrt(each),
    }.get(bug, math.sqrt(each))
    if bug == "queries and keys swapped" and q.shape == k.shape:
        q, k = k, q
    if bug == "queries and values swapped" and q.shape == v.shape:
        q, v = v, q
    scores = q @ k.transpose(-1, -2) / root + bias
    scores = UNKNOWN_SCORES.get(bug, lambda x: x)(scores)
    hidden = ~mask if mask is not None and bug != "no mask" else torch.zeros_like(scores, dtype=torch.bool)
    if bug == "mask transposed" and mask is not None:
        hidden = hidden.transpose(-1, -2)
    numbers = {"hidden scores are 0": 0.0, "hidden scores are -10": -10.0, "-1e9 hides the diagonal": -1e9}
    filled = numbers.get(bug, -torch.inf)
    if bug == "mask after the softmax":
        weights = torch.softmax(scores, -1).masked_fill(hidden, 0)
    else:
        axis = {"softmax over the columns": -2, "softmax over the heads": 1}.get(bug, -1)
        weights = torch.softmax(scores.masked_fill(hidden, filled), axis)
    weights = UNKNOWN_WEIGHTS.get(bug, lambda x: x)(weights)
    if bug == "dropout on":
        torch.manual_seed(3)
        weights = functional.dropout(weights, 0.25, training=True)
    return weights @ v, weights


def heads_of(x: Tensor, heads: int, bug: str = "") -> Tensor:
    """Heads as the second axis."""
    b, n, _ = x.shape
    if bug == "view without transpose":
        return x.reshape(b, heads, n, -1)
    if bug == "heads interleaved":
        return x.reshape(b, n, -1, heads).permute(0, 3, 1, 2)
    return x.reshape(b, n, heads, -1).transpose(1, 2)


def together(x: Tensor, bug: str = "") -> Tensor:
    """Heads side by side again."""
    b, h, n, each = x.shape
    if bug == "joined without transpose":
        return x.reshape(b, n, h * each)
    if bug == "heads in reverse order":
        x = x.flip(1)
    if bug == "heads joined feature by feature":
        return x.permute(0, 2, 3, 1).reshape(b, n, h * each)
    return x.transpose(1, 2).reshape(b, n, h * each)


def sinusoids(n: int, bug: str) -> Tensor:
    at = torch.arange(n, dtype=torch.get_default_dtype()) + (1 if bug == "positions from 1" else 0)
    base = 1000.0 if bug == "another base" else 10000.0
    angle = at[:, None] / base ** (torch.arange(0, D, 2) / D)
    if bug == "sines, then cosines":
        return torch.cat([angle.sin(), angle.cos()], -1)
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(n, D)


class Attention(Part):
    """As in the paper; names of the projections as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(D, D) for _ in range(4))

    def forward(self, x: Tensor, other: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        if self.bug == "keys of its own" and other is not x:
            other = x
        query, key, value = self.q_proj, self.k_proj, self.v_proj
        if self.bug == "projections swapped":
            query, key = key, query
        q, k, v = (heads_of(p(y), HEADS, self.bug) for p, y in ((query, x), (key, other), (value, other)))
        y, weights = attend(q, k, v, mask, self.bug)
        y = together(y, self.bug)
        if self.bug == "W_O transposed":
            return y @ self.out_proj.weight + self.out_proj.bias, weights
        if self.bug == "no bias":
            return y @ self.out_proj.weight.T, weights
        return self.out_proj(y), weights


class EncoderLayer(Part):
    """Post-LN, with the names of torch.nn."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn, self.norm1, self.norm2 = Attention(), LayerNorm(), LayerNorm()
        self.linear1, self.linear2 = nn.Linear(D, WIDE), nn.Linear(WIDE, D)

    def forward(self, x: Tensor) -> Tensor:
        if self.bug == "pre-LN":
            y = self.norm1(x)
            x = x + self.self_attn(y, y, None)[0]
            return x + self.linear2(functional.relu(self.linear1(self.norm2(x))))
        y, _ = self.self_attn(x, x, None)
        if self.bug == "feed-forward beside":
            return self.norm2(self.norm1(x + y) + self.linear2(functional.relu(self.linear1(x))))
        x = (self.norm2 if self.bug == "second norm twice" else self.norm1)(y if self.bug == "no residual" else x + y)
        opened = (
            functional.gelu(self.linear1(x)) if self.bug == "gelu instead of relu" else functional.relu(self.linear1(x))
        )
        if self.bug == "no activation":
            opened = self.linear1(x)
        return self.norm2(x + self.linear2(opened))


class DecoderLayer(Part):
    def __init__(self) -> None:
        super().__init__()
        self.self_attn, self.multihead_attn = Attention(), Attention()
        self.norm1, self.norm2, self.norm3 = LayerNorm(), LayerNorm(), LayerNorm()
        self.linear1, self.linear2 = nn.Linear(D, WIDE), nn.Linear(WIDE, D)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        x = self.norm1(x + self.self_attn(x, x, causal(x.shape[1], self.bug))[0])
        x = self.norm2(x + self.multihead_attn(x, memory, None)[0])
        return self.norm3(x + self.linear2(functional.relu(self.linear1(x))))


class Stack(nn.Module):
    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([kind(), kind()])

    def forward(self, x: Tensor, *memory: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, *memory)
        return x


class Transformer(Part):
    """Of 2017: encoder and decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, D)
        self.encoder, self.decoder, self.lm_head = Stack(EncoderLayer), Stack(DecoderLayer), nn.Linear(D, WORDS)
        self.position = nn.Identity()

    def embedded(self, ids: Tensor) -> Tensor:
        factor = 1 if self.bug == "embedding not scaled" else math.sqrt(D)
        return self.embedding(ids) * factor + sinusoids(ids.shape[1], self.bug)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.encoder(self.embedded(source))
        return self.lm_head(self.decoder(self.position(self.embedded(target)), memory))


def in_order(layers: nn.ModuleList, bug: str) -> list[nn.Module]:
    """The layers as they come one after the other."""
    order = {
        "layers reversed": [1, 0],
        "first layer twice": [0, 0],
        "last layer twice": [1, 1],
        "a layer left out": [0],
        "a layer too many": [0, 1, 1],
    }
    return [layers[at] for at in order.get(bug, [0, 1])]


class Named(nn.Module):
    """Parts by name."""

    def __init__(self, **parts: nn.Module) -> None:
        super().__init__()
        for name, part in parts.items():
            self.add_module(name, part)


class BertSelf(Part):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(D, D) for _ in range(3))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        q, k, v = (heads_of(p(x), HEADS, self.bug) for p in (self.query, self.key, self.value))
        y, weights = attend(q, k, v, None, self.bug)
        return together(y, self.bug), weights


class AddNorm(Part):
    def __init__(self, inward: int) -> None:
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(inward, D), LayerNorm(eps=1e-12)

    def forward(self, y: Tensor, x: Tensor) -> Tensor:
        y = self.dense(y)
        if self.bug == "norm before the residual":
            return x + self.LayerNorm(y)
        if self.bug == "residual twice":
            return self.LayerNorm(x + x + y)
        return self.LayerNorm(y if self.bug == "no residual" else x + y)


class BertAttention(Part):
    def __init__(self) -> None:
        super().__init__()
        self.self, self.output = BertSelf(), AddNorm(D)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.self(x)[0], x)


class BertLayer(Part):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.intermediate, self.output = BertAttention(), Named(dense=nn.Linear(D, WIDE)), AddNorm(WIDE)

    def forward(self, x: Tensor) -> Tensor:
        if self.bug == "pre-LN":
            x = x + self.attention.output.dense(self.attention.self(self.attention.output.LayerNorm(x))[0])
            opened = functional.gelu(self.intermediate.dense(self.output.LayerNorm(x)))
            return x + self.output.dense(opened)
        x = self.attention(x)
        opened = functional.gelu(self.intermediate.dense(x), approximate="tanh" if self.bug == "gelu_tanh" else "none")
        return self.output(opened, x)


class BertEmbeddings(Part):
    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(WORDS, D), nn.Embedding(16, D)
        self.token_type_embeddings, self.LayerNorm = nn.Embedding(2, D), LayerNorm(eps=1e-12)

    def forward(self, ids: Tensor) -> Tensor:
        at = torch.arange(ids.shape[1])[None] + (1 if self.bug == "positions from 1" else 0)
        x = self.word_embeddings(ids) + self.position_embeddings(at)
        if self.bug != "no segments":
            x = x + self.token_type_embeddings(torch.zeros_like(ids))
        return x if self.bug == "no norm of the embeddings" else self.LayerNorm(x)


class Bert(Part):
    def __init__(self) -> None:
        super().__init__()
        self.embeddings = BertEmbeddings()
        self.encoder = Named(layer=nn.ModuleList([BertLayer(), BertLayer()]))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embeddings(ids)
        for layer in in_order(self.encoder.layer, self.bug):
            x = layer(x)
        return x


def slopes(bug: str) -> Tensor:
    found = torch.tensor([2.0 ** (-8 * (at + 1) / HEADS) for at in range(HEADS)])
    return found.flip(0) if bug == "slopes in reverse order" else found


class Gpt2Attention(Part):
    """Queries, keys and values in one projection; with slopes instead of positions, if it is so built."""

    def __init__(self, alibi: bool) -> None:
        super().__init__()
        self.c_attn, self.c_proj, self.alibi = nn.Linear(D, 3 * D), nn.Linear(D, D), alibi

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        n = x.shape[1]
        parts = self.c_attn(x).split(D, -1)
        if self.bug == "split in another order":
            parts = (parts[1], parts[0], parts[2])
        q, k, v = (heads_of(y, HEADS, self.bug) for y in parts)
        if self.bug == "split head by head":
            q, k, v = torch.cat(parts, -1).view(1, n, HEADS, 3, -1).permute(3, 0, 2, 1, 4)
        bias: Tensor | float = 0.0
        if self.alibi and self.bug != "no slopes":
            far = torch.arange(n)[None, :] - torch.arange(n)[:, None]
            bias = slopes(self.bug)[:, None, None] * (-far if self.bug == "distance added" else far)
            if self.bug == "as transformers":
                bias = slopes("")[:, None, None] * torch.arange(n)
        y, weights = attend(q, k, v, causal(n, self.bug), self.bug, bias)
        return self.c_proj(together(y, self.bug)), weights


UNKNOWN_ACTIVATIONS = {
    "quick gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "leaky relu": lambda x: functional.leaky_relu(x, 0.2),
    "elu": functional.elu,
    "activation twice": lambda x: functional.gelu(functional.gelu(x, approximate="tanh"), approximate="tanh"),
}


class Gpt2Mlp(Part):
    def __init__(self) -> None:
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(D, WIDE), nn.Linear(WIDE, D)

    def forward(self, x: Tensor) -> Tensor:
        x = self.c_fc(x)
        if self.bug in UNKNOWN_ACTIVATIONS:
            return self.c_proj(UNKNOWN_ACTIVATIONS[self.bug](x))
        return self.c_proj(functional.gelu(x, approximate="none" if self.bug == "gelu without tanh" else "tanh"))


class Gpt2Block(Part):
    def __init__(self, alibi: bool) -> None:
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = LayerNorm(), Gpt2Attention(alibi), LayerNorm(), Gpt2Mlp()

    def forward(self, x: Tensor) -> Tensor:
        if self.bug == "post-LN":
            x = self.ln_1(x + self.attn(x)[0])
            return self.ln_2(x + self.mlp(x))
        y = self.ln_1(x)
        attended = self.attn(y)[0]
        if self.bug in ("parallel", "parallel with its own norm"):
            return x + attended + self.mlp(y if self.bug == "parallel" else self.ln_2(x))
        if self.bug == "first norm twice":
            return x + attended + self.mlp(self.ln_1(x + attended))
        if self.bug == "first residual twice":
            return 2 * x + attended + self.mlp(self.ln_2(2 * x + attended))
        x = y + attended if self.bug == "residual of the normed" else x + attended
        if self.bug == "no residual":
            x = attended
        return x + self.mlp(x if self.bug == "second norm missing" else self.ln_2(x))


class Gpt2(Part):
    def __init__(self, alibi: bool = False) -> None:
        super().__init__()
        parts = {} if alibi else {"wpe": nn.Embedding(16, D)}
        blocks = nn.ModuleList([Gpt2Block(alibi), Gpt2Block(alibi)])
        self.transformer = Named(wte=nn.Embedding(WORDS, D), **parts, h=blocks, ln_f=LayerNorm())
        self.lm_head = nn.Linear(D, WORDS, bias=False)
        self.lm_head.weight = self.transformer.wte.weight

    def forward(self, ids: Tensor) -> Tensor:
        x = self.transformer.wte(ids)
        if hasattr(self.transformer, "wpe"):
            x = x * (math.sqrt(D) if self.bug == "embeddings scaled" else 1) + self.transformer.wpe(
                torch.arange(ids.shape[1])[None] + (1 if self.bug == "positions from 1" else 0)
            )
        for block in in_order(self.transformer.h, self.bug):
            x = block(x)
        return self.lm_head(x if self.bug == "final norm missing" else self.transformer.ln_f(x))


def turned(x: Tensor, bug: str) -> Tensor:
    """Rotary positions, i with i + r/2."""
    n, each = x.shape[-2:]
    at = torch.arange(n, dtype=torch.get_default_dtype()) + (1 if bug == "rotary positions from 1" else 0)
    base = 500000.0 if bug == "rotary base" else float(bug.split()[-1]) if bug.startswith("rotary base ") else 10000.0
    step = 1 if bug == "exponent i/d" else 2
    angle = at[:, None] * base ** (-step * torch.arange(each // 2) / each)
    if bug == "angles from the end":
        angle = angle.flip(0)
    if bug == "frequencies in reverse order":
        angle = angle.flip(1)
    if bug == "angles in float32":
        angle = angle.float()
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    if bug == "sine and cosine swapped":
        cos, sin = sin, cos
    if bug == "turned the other way":
        sin = -sin
    if bug == "interleaved layout":
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
    a, b = x.chunk(2, -1)
    if bug == "rotate_half without its minus":
        return torch.cat([a * cos + b * sin, a * sin + b * cos], -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class LlamaAttention(Part):
    def __init__(self, window: int | None, normed: bool) -> None:
        super().__init__()
        heads = 2 * KV
        self.q_proj, self.o_proj = nn.Linear(D, heads * EACH, bias=False), nn.Linear(heads * EACH, D, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(D, KV * EACH, bias=False) for _ in range(2))
        self.window, self.normed = window, normed
        if normed:
            self.q_norm, self.k_norm = RMSNorm(EACH), RMSNorm(EACH)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        q = heads_of(self.q_proj(x), 2 * KV, self.bug)
        k, v = heads_of(self.k_proj(x), KV, self.bug), heads_of(self.v_proj(x), KV, self.bug)
        if self.bug == "keys and values swapped":
            k, v = v, k
        after = self.bug == "norms after the rotation"
        if self.normed and not after and self.bug != "no query norm":
            q, k = self.q_norm(q), self.k_norm(k)
        q = q if self.bug == "nothing turned" else turned(q, self.bug)
        k = k if self.bug in ("keys not turned", "nothing turned") else turned(k, self.bug)
        v = turned(v, "") if self.bug == "values turned" else v
        if self.normed and after:
            q, k = self.q_norm(q), self.k_norm(k)
        if self.bug == "shared with a stride":
            k, v = k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)
        else:
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        y, weights = attend(q, k, v, causal(x.shape[1], self.bug, self.window), self.bug)
        return self.o_proj(together(y, self.bug)), weights


class LlamaMlp(Part):
    def __init__(self) -> None:
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(D, WIDE, bias=False), nn.Linear(D, WIDE, bias=False)
        self.down_proj = nn.Linear(WIDE, D, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_proj(x), self.up_proj(x)
        if self.bug == "gate and up swapped":
            gate, up = up, gate
        if self.bug == "silu alone":
            return self.down_proj(functional.silu(gate))
        if self.bug == "no gate":
            return self.down_proj(up)
        if self.bug == "silu of up alone":
            return self.down_proj(functional.silu(up))
        if self.bug == "squared relu":
            return self.down_proj(functional.relu(gate) ** 2 * up)
        if self.bug == "gelu instead of silu":
            return self.down_proj(functional.gelu(gate) * up)
        if self.bug == "gate without activation":
            return self.down_proj(gate * up)
        if self.bug == "activation after the product":
            return self.down_proj(functional.silu(gate * up))
        return self.down_proj(functional.silu(gate) * up)


UNKNOWN_RESIDUALS = {"first residual missing": 0, "first residual twice": 2, "residual weakened": 0.8}


class LlamaLayer(Part):
    def __init__(self, window: int | None, normed: bool) -> None:
        super().__init__()
        self.input_layernorm, self.self_attn = RMSNorm(), LlamaAttention(window, normed)
        self.post_attention_layernorm, self.mlp = RMSNorm(), LlamaMlp()

    def forward(self, x: Tensor) -> Tensor:
        if self.bug == "norms after the parts":
            x = x + self.input_layernorm(self.self_attn(x)[0])
            return x + self.post_attention_layernorm(self.mlp(x))
        normed = self.input_layernorm(x)
        if self.bug in ("parallel", "parallel with its own norm"):
            norm = self.post_attention_layernorm
            beside = self.mlp(normed if self.bug == "parallel" else norm(x))
            return x + self.self_attn(normed)[0] + beside
        before = x * UNKNOWN_RESIDUALS.get(self.bug, 1)
        x = before + self.self_attn(normed)[0]
        again = self.input_layernorm if self.bug == "first norm twice" else self.post_attention_layernorm
        y = self.mlp(again(x))
        if self.bug == "residual around both":
            x = before
        return y if self.bug == "second residual missing" else x + y


class Llama(Part):
    """With a window it is a Mistral, with norms of queries and keys a Qwen3."""

    def __init__(self, window: int | None = None, normed: bool = False) -> None:
        super().__init__()
        layers = nn.ModuleList([LlamaLayer(window, normed), LlamaLayer(window, normed)])
        self.model = Named(embed_tokens=nn.Embedding(WORDS, D), layers=layers, norm=RMSNorm())
        self.lm_head = nn.Linear(D, WORDS, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.model.embed_tokens(ids)
        if self.bug == "embeddings scaled":
            x = x * math.sqrt(D)
        for layer in in_order(self.model.layers, self.bug):
            x = layer(x)
        head = self.model.embed_tokens.weight.T if self.bug == "head tied" else self.lm_head.weight.T
        if self.bug == "head tied":
            return self.model.norm(x) @ head
        return self.lm_head(x if self.bug == "final norm missing" else self.model.norm(x))
