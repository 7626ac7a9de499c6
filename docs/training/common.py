"""What the training scripts share: a Transformer's parts in PyTorch, and training onto a coarse grid.

Every parameter carries a leading axis of restarts, so that many models train side by side and the best one is
kept. Parameters live in nested dictionaries under the key names of a scenario file; a matrix is in×out, y = x·W.
Shapes: r restarts, n tokens, d features.
"""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def positions(n: int, d_model: int) -> Tensor:
    """Sinusoidal positional encoding in radians, [n, d_model]: sine, cosine, sine, …"""
    angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(n, d_model)


def layer_norm(x: Tensor) -> Tensor:
    """[r, n, d] -> [r, n, d], without gamma and beta."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / (centered.square().mean(-1, keepdim=True) + 1e-5).sqrt()


def attention(part: dict, x: Tensor, y: Tensor, *, causal: bool, seen: list) -> Tensor:
    """Queries from x, keys and values from y; each head's weights are appended to `seen`."""
    outputs = []
    for head in part["heads"]:
        query, key, value = x @ head["w_q"], y @ head["w_k"], y @ head["w_v"]
        scores = query @ key.mT / math.sqrt(key.shape[-1])
        if causal:
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -math.inf)
        seen.append(scores.softmax(-1))
        outputs.append(seen[-1] @ value)
    return torch.cat(outputs, dim=-1) @ part["w_o"]


def feed_forward(part: dict, x: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
    return activation(x @ part["w_1"]) @ part["w_2"]


def parameter(restarts: int, rows: int, columns: int, *, grid: float = 1, low: float = -2, high: float = 2) -> Tensor:
    """A trainable matrix that is to end up on multiples of `grid` between `low` and `high`."""
    start = (low + high) / 2 + (high - low) * torch.randn(restarts, rows, columns) / 6
    weight = start.requires_grad_()
    weight.grid, weight.low, weight.high = grid, low, high
    return weight


def attention_parameters(restarts: int, d_model: int, heads: int) -> dict:
    d_k = d_model // heads
    return {
        "heads": [{name: parameter(restarts, d_model, d_k) for name in ("w_q", "w_k", "w_v")} for _ in range(heads)],
        "w_o": parameter(restarts, d_model, d_model),
    }


def feed_forward_parameters(restarts: int, d_model: int, d_ff: int) -> dict:
    return {"w_1": parameter(restarts, d_model, d_ff), "w_2": parameter(restarts, d_ff, d_model)}


def each(tree, change: Callable[[Tensor], Tensor]):
    """The same nested dictionaries and lists with `change` applied to every tensor."""
    if isinstance(tree, dict):
        return {key: each(value, change) for key, value in tree.items()}
    if isinstance(tree, list):
        return [each(value, change) for value in tree]
    return change(tree)


def nearest(weight: Tensor) -> Tensor:
    """The weight rounded to its grid."""
    return (weight / weight.grid).round().detach() * weight.grid


def rounded(weight: Tensor) -> Tensor:
    """The same for training: the gradient passes straight through to the unrounded weight."""
    return weight + (nearest(weight) - weight).detach()


def blur(weights: Tensor) -> Tensor:
    """How evenly a head spreads its attention, [r]: 0 one token only, 1 all the tokens it sees alike."""
    visible = (weights > 0).sum(-1).clamp(min=1).log().mean(-1)
    return torch.special.entr(weights.clamp(min=1e-12)).sum(-1).mean(-1) / visible


def train(model: dict, lessons: list, forward: Callable, *, steps: int) -> dict:
    """Train all restarts at once on `lessons`, pairs of an input and its targets; returns them with rounded weights.

    The loss is cross-entropy at every position, plus twice the squared distance of each head's blur from 0.6: attention
    that is neither even nor all on one token makes the better reading.
    """
    weights: list[Tensor] = []
    each(model, weights.append)
    optimizer = torch.optim.Adam(weights, lr=0.02)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, 2 - 2 * step / steps))
    for _ in range(steps):
        on_grid, seen, loss = each(model, rounded), [], 0
        for given, targets in lessons:
            logits = forward(on_grid, given, seen)
            loss = loss + cross_entropy(logits.mT, torch.tensor(targets).expand(len(logits), -1), reduction="sum")
        loss = loss + 2 * sum((blur(head) - 0.6).square().sum() for head in seen)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        for weight in weights:
            weight.data.clamp_(weight.low, weight.high)
    return each(model, nearest)


def lead(model: dict, lessons: list, forward: Callable) -> Tensor:
    """How far the right token's logit is above the best wrong one, at the worst position of all lessons, [r]."""
    leads = []
    for given, targets in lessons:
        logits = forward(model, given, [])
        wanted = torch.tensor(targets).expand(len(logits), -1)[..., None]
        leads.append(logits.gather(-1, wanted)[..., 0] - logits.scatter(-1, wanted, -math.inf).amax(-1))
    return torch.cat(leads, dim=-1).amin(-1)


def last_matrix(part: dict) -> str:
    return "w_o" if "heads" in part else "w_2"


def crippled(model: dict) -> Iterator[dict]:
    """The model with one sub-layer switched off (its last matrix zeroed); each of them in turn."""
    for name, part in model.items():
        if isinstance(part, dict):
            last = last_matrix(part)
            yield model | {name: part | {last: part[last] * 0}}


def idle(model: dict) -> Tensor:
    """How many features each matrix leaves idle, [matrices, r]: none lead in, or none out of a head or hidden layer."""
    counts = []
    for part in model.values():
        if isinstance(part, dict):
            into = [matrix for head in part["heads"] for matrix in head.values()] if "heads" in part else [part["w_1"]]
            counts += [(matrix == 0).all(-2).sum(-1) for matrix in into]
            counts.append((part[last_matrix(part)] == 0).all(-1).sum(-1))
    return torch.stack(counts)


def choose(models: dict, lessons: list, forward: Callable, *, wanted: Tensor | None = None) -> dict:
    """The best restart (of the `wanted` ones): it leads everywhere by 2 (e² = 7 times the runner-up), no sub-layer can
    be spared, no matrix leaves two features idle; of those left it has the fewest idle features, and then the lead."""
    whole = lead(models, lessons, forward)
    without = torch.stack([lead(model, lessons, forward) for model in crippled(models)]).amax(0)
    gaps = idle(models)
    fits = (whole > 2) & (without < 0) & (gaps.amax(0) < 2)
    if wanted is not None:
        fits &= wanted
    print(f"{int((whole > 2).sum())} of {len(whole)} restarts learned it; {int(fits.sum())} of them will do")
    if not fits.any():
        raise SystemExit("try another seed, or more restarts")
    best = int((whole - 100 * gaps.sum(0)).where(fits, -math.inf).argmax())
    print(f"kept number {best}: it leads by {whole[best]:.2f}, without its least needed part by {without[best]:.2f};")
    print(f"{gaps[:, best].sum()} idle features")
    return each(models, lambda weight: weight[best])


def flow_rows(matrix: Tensor) -> list[str]:
    """Each row as a flow list of YAML, aligned; with as many decimals as any number needs, of two."""
    decimals = next((count for count in (0, 1) if matrix.allclose(matrix.round(decimals=count))), 2)
    cells = [[f"{value:.{decimals}f}" for value in row] for row in (matrix + 0.0).tolist()]  # + 0.0: no -0
    width = max(len(cell) for row in cells for cell in row)
    return ["[" + ", ".join(cell.rjust(width) for cell in row) + "]" for row in cells]


def named(name: str, matrix: Tensor, indent: int) -> list[str]:
    """The lines of `name:` and the matrix under it."""
    return [" " * indent + name + ":", *(" " * (indent + 2) + "- " + row for row in flow_rows(matrix))]


def attention_yaml(part: dict, indent: int) -> str:
    lines = [" " * indent + "heads:"]
    for head in part["heads"]:
        keys = [line for name, matrix in head.items() for line in named(name, matrix, indent + 4)]
        keys[0] = " " * (indent + 2) + "- " + keys[0].lstrip()
        lines += keys
    return "\n".join(lines + named("w_o", part["w_o"], indent))


def feed_forward_yaml(part: dict, indent: int) -> str:
    return "\n".join(named("w_1", part["w_1"], indent) + named("w_2", part["w_2"], indent))
