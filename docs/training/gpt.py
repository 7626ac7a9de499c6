import torch
from common import attention, attention_parameters, choose, feed_forward, feed_forward_parameters
from common import layer_norm, parameter, positions, rows, train
from torch.nn.functional import gelu

WORDS = ["hot", "cold", "tea", "is", "not", "<end>"]
D_MODEL, D_FF, HEADS, RESTARTS, STEPS, SEED = 4, 8, 2, 512, 2000, 1
LESSONS = [
    ([0, 2, 3, 4, 1, 2], [2, 3, 4, 1, 2, 5]),  # hot tea is not cold tea <end>
    ([1, 2, 3, 4, 0, 2], [2, 3, 4, 0, 2, 5]),  # cold tea is not hot tea <end>
]


def new_model() -> dict:
    return {
        "embeddings": parameter(RESTARTS, len(WORDS), D_MODEL, grid=0.5),
        "attention": attention_parameters(RESTARTS, D_MODEL, HEADS),
        "feed_forward": feed_forward_parameters(RESTARTS, D_MODEL, D_FF),
    }


def logits(model: dict, ids: list[int], seen: list) -> torch.Tensor:
    """[r, tokens, words]; pre-LN: x + sub-layer(norm(x)) each time, and a last norm before the tied output head."""
    x = model["embeddings"][..., ids, :] + positions(len(ids), D_MODEL)
    normed = layer_norm(x)
    x = x + attention(model["attention"], normed, normed, causal=True, seen=seen)
    x = x + feed_forward(model["feed_forward"], layer_norm(x), gelu)
    return layer_norm(x) @ model["embeddings"].mT


def looks_back(models: dict) -> torch.Tensor:
    """Which restarts have a head that, at "not", gives the first word at least 0.7 in both sentences, [r]."""
    shares = []
    for ids, _ in LESSONS:
        seen: list[torch.Tensor] = []
        logits(models, ids, seen)
        shares.append(torch.stack(seen)[..., WORDS.index("not"), 0])
    return (torch.stack(shares).amin(0) > 0.7).any(0)
