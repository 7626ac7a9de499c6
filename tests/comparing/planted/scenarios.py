"""The scenarios of the modules: what they are meant to compute, with their own weights."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from tests.comparing.planted import modules

IDS, TARGET = (5, 2, 9, 2, 7), (1, 4, 3, 8)


def linear(key: str, name: str, bias: bool = True, **slices: str) -> str:
    w, b = (f"tensor: '{name}.{kind}'" for kind in ("weight", "bias"))
    more = "".join(f", {axis}: {part}" for axis, part in slices.items())
    return f"w_{key}: {{{w}{more}}}" + (f", b_{key}: {{{b}{more}}}" if bias else "")


def norm(name: str, beta: bool = True) -> str:
    return f"{{gamma: {{tensor: '{name}.weight'}}" + (f", beta: {{tensor: '{name}.bias'}}}}" if beta else "}")


def _attention(prefix: str, names: dict[str, str], more: str = f"num_heads: {modules.HEADS}", bias: bool = True) -> str:
    return f"{{{more}, " + ", ".join(linear(key, f"{prefix}{name}", bias) for key, name in names.items()) + "}"


_PAPER = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
_BERT = {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}
_LLAMA = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj"}


def _words(ids: tuple[int, ...]) -> str:
    return f"[{', '.join(f'w{number}' for number in ids)}]"


_HEAD = f"""
title: t
matrix_convention: column
weights_file: model.safetensors
vocabulary: {_words(tuple(range(modules.WORDS)))}
tokens: {_words(IDS)}
"""


def feed(name: str, inward: str, outward: str, activation: str) -> str:
    return f"{{{linear('1', name + inward)}, {linear('2', name + outward)}, activation: {activation}}}"


def transformer() -> str:
    enc, dec = "encoder.layers.{i}.", "decoder.layers.{i}."
    return f"""{_HEAD}
embeddings: {{tensor: embedding.weight}}
embedding_scale: sqrt_d_model
positional_encoding: sinusoidal
encoder:
  layers:
    repeat: 2
    layer:
      attention: {_attention(enc + "self_attn.", _PAPER)}
      norm_1: {norm(enc + "norm1")}
      feed_forward: {feed(enc, "linear1", "linear2", "relu")}
      norm_2: {norm(enc + "norm2")}
decoder:
  tokens: {_words(TARGET)}
  layers:
    repeat: 2
    layer:
      self_attention: {_attention(dec + "self_attn.", _PAPER)}
      norm_1: {norm(dec + "norm1")}
      cross_attention: {_attention(dec + "multihead_attn.", _PAPER)}
      norm_2: {norm(dec + "norm2")}
      feed_forward: {feed(dec, "linear1", "linear2", "relu")}
      norm_3: {norm(dec + "norm3")}
output_head: {{{linear("", "lm_head").replace("w_:", "w:").replace("b_:", "b:")}}}
"""


def bert() -> str:
    layer = "encoder.layer.{i}."
    return f"""{_HEAD}
embeddings: {{tensor: embeddings.word_embeddings.weight}}
positional_encoding: {{tensor: embeddings.position_embeddings.weight}}
segment_embedding: {{tensor: embeddings.token_type_embeddings.weight, rows: [1, 1]}}
embedding_norm: {norm("embeddings.LayerNorm")[:-1]}, epsilon: 1e-12}}
encoder:
  layer_norm: {{epsilon: 1e-12}}
  layers:
    repeat: 2
    layer:
      attention: {_attention(layer + "attention.", _BERT)}
      norm_1: {norm(layer + "attention.output.LayerNorm")}
      feed_forward: {feed(layer, "intermediate.dense", "output.dense", "gelu")}
      norm_2: {norm(layer + "output.LayerNorm")}
"""


def fused(name: str, width: int, keys: str = "qkv") -> str:
    """Several matrices one below the other in one tensor."""
    rows = {key: f"[{at * width + 1}, {(at + 1) * width}]" for at, key in enumerate(keys)}
    return ", ".join(linear(key, name, rows=part) for key, part in rows.items())


def gpt2(alibi: bool = False) -> str:
    layer = "transformer.h.{i}."
    parts = fused(layer + "attn.c_attn", modules.D), linear("o", layer + "attn.c_proj")
    attention = ", ".join(["num_heads: 2", *parts, *(["alibi: true"] if alibi else [])])
    positions = "" if alibi else "positional_encoding: {tensor: transformer.wpe.weight}"
    return f"""{_HEAD}
embeddings: {{tensor: transformer.wte.weight}}
{positions}
decoder:
  norm_order: pre
  layers:
    repeat: 2
    layer:
      norm_1: {norm(layer + "ln_1")}
      self_attention: {{{attention}}}
      norm_2: {norm(layer + "ln_2")}
      feed_forward: {feed(layer + "mlp.", "c_fc", "c_proj", "gelu_tanh")}
  final_norm: {norm("transformer.ln_f")}
output_head: {{tied: true}}
"""


def llama(window: int | None = None, normed: bool = False) -> str:
    layer = "model.layers.{i}."
    more = f"num_heads: {2 * modules.KV}, num_kv_heads: {modules.KV}, rotary: {{}}"
    more += f", window: {window}" if window else ""
    if normed:
        for ours, theirs in (("query_norm", "q_norm"), ("key_norm", "k_norm")):
            more += f", {ours}: {norm(layer + 'self_attn.' + theirs, False)[:-1]}, epsilon: 1e-5}}"
    gates = {"gate": "gate_proj", "1": "up_proj", "2": "down_proj"}
    feed = ", ".join(linear(key, f"{layer}mlp.{name}", False) for key, name in gates.items())
    return f"""{_HEAD}
embeddings: {{tensor: model.embed_tokens.weight}}
decoder:
  norm: rms
  norm_order: pre
  layers:
    repeat: 2
    layer:
      norm_1: {norm(layer + "input_layernorm", False)}
      self_attention: {_attention(layer + "self_attn.", _LLAMA, more, False)}
      norm_2: {norm(layer + "post_attention_layernorm", False)}
      feed_forward: {{{feed}, activation: silu}}
  final_norm: {norm("model.norm", False)}
output_head: {{w: {{tensor: lm_head.weight}}}}
"""


FAMILIES = {
    "transformer": (modules.Transformer, transformer),
    "bert": (modules.Bert, bert),
    "gpt2": (modules.Gpt2, gpt2),
    "alibi": (lambda: modules.Gpt2(True), lambda: gpt2(True)),
    "llama": (modules.Llama, llama),
    "mistral": (lambda: modules.Llama(3), lambda: llama(3)),
    "qwen3": (lambda: modules.Llama(None, True), lambda: llama(None, True)),
}
"""Of each family how a model is made, and its scenario."""


def made(
    family: str, folder: Path, kind: torch.dtype = torch.float64
) -> tuple[nn.Module, Path, tuple[torch.Tensor, ...]]:
    """A model with random weights, its scenario, and what it is to read."""
    make, text = FAMILIES[family]
    torch.manual_seed(7)
    model = make().to(kind).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(
                torch.rand_like(weight) + 0.5
                if weight.dim() == 1 and "norm" in name.lower()
                else torch.randn_like(weight) * 0.6
            )
    tensors = {
        name: value.contiguous().clone()
        for name, value in model.state_dict().items()
        if name != "lm_head.weight" or "wte" not in str(model)
    }
    save_file(tensors, folder / "model.safetensors")
    path = folder / "model.yaml"
    path.write_text(text(), encoding="utf-8")
    ids = (torch.tensor([IDS]),)
    return model, path, (*ids, torch.tensor([TARGET])) if family == "transformer" else ids
