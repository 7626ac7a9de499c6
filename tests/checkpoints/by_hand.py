"""Small random checkpoints under the names of BERT, GPT-2 and PyTorch, for the scenarios of docs/real-models.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "real-models.md"
Arrays = dict[str, np.ndarray]
WIDTH, INNER, VOCABULARY, POSITIONS, LAYERS = 24, 40, 20, 12, 2


def scenario_text(title: str) -> str:
    """The scenario of that title, for narrow models: slices of thirds, ids that a small table has, two layers."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (text,) = [block for block in blocks if block.startswith(f"title: {title}\n")]
    text = re.sub(r"(rows|columns): \[(\d+), (\d+)\]", _narrowed, text)
    text = re.sub(r"repeat: \d+", f"repeat: {LAYERS}", text)
    return re.sub(r"(?<=: )\d{3,5}(?=[,}])", lambda match: str(int(match[0]) % VOCABULARY), text)


def _narrowed(match: re.Match[str]) -> str:
    """A third is WIDTH wide."""
    first, last = int(match[2]), int(match[3])
    if first == last:
        return match[0]
    third = round(last / (last - first + 1))
    return f"{match[1]}: [{(third - 1) * WIDTH + 1}, {third * WIDTH}]"


def bert(draw: Callable[..., np.ndarray]) -> Arrays:
    """A BERT as Hugging Face names it."""
    tensors = {
        "embeddings.word_embeddings.weight": draw(VOCABULARY, WIDTH),
        "embeddings.position_embeddings.weight": draw(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": draw(2, WIDTH),
        "pooler.dense.weight": draw(WIDTH, WIDTH),
        **_norm("embeddings.LayerNorm", draw),
    }
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            tensors |= _linear(f"{layer}.{name}", draw, WIDTH, WIDTH)
        tensors |= _linear(f"{layer}.intermediate.dense", draw, INNER, WIDTH)
        tensors |= _linear(f"{layer}.output.dense", draw, WIDTH, INNER)
        tensors |= _norm(f"{layer}.attention.output.LayerNorm", draw) | _norm(f"{layer}.output.LayerNorm", draw)
    return tensors


def gpt2(draw: Callable[..., np.ndarray]) -> Arrays:
    """A GPT-2 as Hugging Face names it: weights in×out, and the causal mask under the name of a bias."""
    tensors = {"wte.weight": draw(VOCABULARY, WIDTH), "wpe.weight": draw(POSITIONS, WIDTH), **_norm("ln_f", draw)}
    for i in range(LAYERS):
        tensors |= _norm(f"h.{i}.ln_1", draw) | _norm(f"h.{i}.ln_2", draw)
        tensors |= _linear(f"h.{i}.attn.c_attn", draw, WIDTH, 3 * WIDTH, outward=1)
        tensors |= _linear(f"h.{i}.attn.c_proj", draw, WIDTH, WIDTH, outward=1)
        tensors |= _linear(f"h.{i}.mlp.c_fc", draw, WIDTH, INNER, outward=1)
        tensors |= _linear(f"h.{i}.mlp.c_proj", draw, INNER, WIDTH, outward=1)
        tensors[f"h.{i}.attn.bias"] = np.tril(np.ones((1, 1, POSITIONS, POSITIONS)))
    return tensors


def pytorch(draw: Callable[..., np.ndarray]) -> Arrays:
    """The state of an nn.TransformerEncoder."""
    tensors: Arrays = {}
    for i in range(LAYERS):
        tensors[f"layers.{i}.self_attn.in_proj_weight"] = draw(3 * WIDTH, WIDTH)
        tensors[f"layers.{i}.self_attn.in_proj_bias"] = draw(3 * WIDTH)
        tensors |= _linear(f"layers.{i}.self_attn.out_proj", draw, WIDTH, WIDTH)
        tensors |= _linear(f"layers.{i}.linear1", draw, INNER, WIDTH) | _norm(f"layers.{i}.norm1", draw)
        tensors |= _linear(f"layers.{i}.linear2", draw, WIDTH, INNER) | _norm(f"layers.{i}.norm2", draw)
    return tensors


def _linear(name: str, draw: Callable[..., np.ndarray], rows: int, columns: int, outward: int = 0) -> Arrays:
    return {f"{name}.weight": draw(rows, columns), f"{name}.bias": draw((rows, columns)[outward])}


def _norm(name: str, draw: Callable[..., np.ndarray]) -> Arrays:
    return {f"{name}.weight": 1 + draw(WIDTH), f"{name}.bias": draw(WIDTH)}


def as_pytorch(tensors: Arrays) -> Arrays:
    """The layers of a BERT or GPT-2 under the names of nn.TransformerEncoder."""
    if "wte.weight" in tensors:
        turned = {name: array.T if ".weight" in name and array.ndim == 2 else array for name, array in tensors.items()}
        names = {"attn.c_attn": "self_attn.in_proj_", "attn.c_proj": "self_attn.out_proj.", "mlp.c_fc": "linear1."}
        names |= {"mlp.c_proj": "linear2.", "ln_1": "norm1.", "ln_2": "norm2."}
        return _renamed(turned, "h", names)
    joined = dict(tensors)
    for i in range(LAYERS):
        for kind in ("weight", "bias"):
            parts = [tensors[f"encoder.layer.{i}.attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
            joined[f"encoder.layer.{i}.joined.{kind}"] = np.concatenate(parts)
    names = {"joined": "self_attn.in_proj_", "attention.output.dense": "self_attn.out_proj."}
    names |= {"attention.output.LayerNorm": "norm1.", "intermediate.dense": "linear1."}
    return _renamed(joined, "encoder.layer", names | {"output.dense": "linear2.", "output.LayerNorm": "norm2."})


def _renamed(tensors: Arrays, prefix: str, names: dict[str, str]) -> Arrays:
    return {
        f"layers.{i}.{theirs}{kind}": tensors[f"{prefix}.{i}.{name}.{kind}"]
        for i in range(LAYERS)
        for name, theirs in names.items()
        for kind in ("weight", "bias")
    }
