"""PyTorch's real modules, loaded with a scenario's weights, to repeat what the tape recorded step by step."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .agree import agree
from .parts import ACTIVATIONS, FLOAT, Attention, Spec, Tape, numbers


def check_attention(tape: Tape, path: str, x: Tensor, source: Tensor) -> None:
    """nn.MultiheadAttention gives the same output and the same weights of every head, where it can be set up so."""
    record = tape.attentions.get(path)
    if not tape.checks or record is None or not _is_multihead(record, x.shape[1]):
        return
    module = nn.MultiheadAttention(
        x.shape[1], len(record.heads), kdim=source.shape[1], vdim=source.shape[1], batch_first=True, dtype=FLOAT
    )
    _load(module, record)
    output, weights = module(
        x[None], source[None], source[None], attn_mask=record.bias, need_weights=True, average_attn_weights=False
    )
    scores = torch.cat([tape.values[f"{path}.head.{number}.scores"] for number in range(1, len(record.heads) + 1)])
    agree(tape.values[f"{path}.output"], output[0], path, scores)
    for number in range(1, len(record.heads) + 1):
        agree(tape.values[f"{path}.head.{number}.weights"], weights[0, number - 1], f"{path}.head.{number}", scores)


def check_layer(tape: Tape, path: str, stack: Spec, layer: Spec, streams: tuple[Tensor, Tensor, Tensor | None]) -> bool:
    """nn.TransformerEncoderLayer or nn.TransformerDecoderLayer gives the same output; False where neither can."""
    if not tape.checks:
        return False
    x, output, memory = streams
    options, own = stack.get("layer_norm", {}), "attention" if path.startswith("encoder") else "self_attention"
    own_record, cross_record = tape.attentions.get(f"{path}.{own}"), tape.attentions.get(f"{path}.cross_attention")
    forward, width = layer.get("feed_forward", {}), x.shape[1]
    usual = stack.get("residual", True) and stack.get("norm_order", "post") != "none" and "w_1" in forward
    usual = usual and options.get("variance") != "sample" and options.get("epsilon_in") != "std"
    if not usual or own_record is None or not _is_multihead(own_record, width):
        return False
    crossing = cross_record is not None and memory is not None
    if "cross_attention" in layer and not (
        crossing and _is_multihead(cross_record, width) and memory.shape[1] == width
    ):
        return False
    hidden = tape.values[f"{path}.feed_forward.hidden"]
    kind = nn.TransformerDecoderLayer if cross_record is not None else nn.TransformerEncoderLayer
    module = kind(
        width,
        len(own_record.heads),
        hidden.shape[1],
        dropout=0.0,
        activation=ACTIVATIONS[forward.get("activation", "relu")],
        layer_norm_eps=float(options.get("epsilon", 1e-5)),
        batch_first=True,
        norm_first=stack.get("norm_order") == "pre",
        dtype=FLOAT,
    )  # stays in train mode: evaluation takes a fused kernel that is not exact
    if cross_record is not None and len(cross_record.heads) != len(own_record.heads):
        module.multihead_attn = nn.MultiheadAttention(width, len(cross_record.heads), batch_first=True, dtype=FLOAT)
    _load(module.self_attn, own_record)
    _load_rest(tape, module, layer, cross_record)
    if cross_record is not None:
        repeated = module(x[None], memory[None], tgt_mask=own_record.bias, memory_mask=cross_record.bias)
    else:
        repeated = module(x[None], src_mask=own_record.bias)
    stds = [path_ for path_ in tape.values if path_.startswith(path) and path_.endswith(".std")]
    steepest = max(float((tape.values[p[:-3] + "centered"].abs().max() + 1) / tape.values[p].min()) for p in stds)
    scores = [value.abs().max() for path_, value in tape.values.items() if path_.startswith(path) and "scores" in path_]
    largest = max([1.0] + [float(score) for score in scores if 1 < score < 1e4])
    agree(output, repeated[0], path, torch.tensor([100.0 * max(1.0, steepest) * max(1.0, largest / 10)], dtype=FLOAT))
    return True


def _is_multihead(record: Attention, width: int) -> bool:
    """As nn.MultiheadAttention has it: d_k = d_v = d_model / heads, ÷ √d_k, an output projection, the mask last."""
    size, rest = divmod(width, len(record.heads))
    if rest or record.w_o is None or record.w_o.shape != (width, width) or len(record.divisors) != len(record.heads):
        return False
    complete = all(
        head.get(f"w_{letter}") is not None and head[f"w_{letter}"].shape[1] == size
        for head in record.heads
        for letter in "qkv"
    )
    return complete and all(math.isclose(divisor, math.sqrt(size), rel_tol=1e-15) for divisor in record.divisors)


def _load(module: nn.MultiheadAttention, record: Attention) -> None:
    size = module.embed_dim // len(record.heads)
    biases, weights = [], []
    for letter in "qkv":
        weights.append(torch.cat([head[f"w_{letter}"] for head in record.heads], dim=1).T)
        parts = [head[f"b_{letter}"] for head in record.heads]
        biases += [torch.zeros(size, dtype=FLOAT) if bias is None else bias for bias in parts]
    with torch.no_grad():
        if module.in_proj_weight is not None:
            module.in_proj_weight.copy_(torch.cat(weights))
        else:
            for name, weight in zip(("q", "k", "v"), weights, strict=True):
                getattr(module, f"{name}_proj_weight").copy_(weight)
        module.in_proj_bias.copy_(torch.cat(biases))
        _load_linear(module.out_proj, record.w_o, record.b_o)


def _load_linear(module: nn.Linear, weight: Tensor, bias: Tensor | None) -> None:
    with torch.no_grad():
        module.weight.copy_(weight.T)
        module.bias.copy_(torch.zeros_like(module.bias) if bias is None else bias)


def _load_rest(tape: Tape, module: nn.Module, layer: Spec, cross: Attention | None) -> None:
    forward = {key: numbers(value) for key, value in layer["feed_forward"].items() if key[0] in "wb"}
    _load_linear(module.linear1, tape.turned(forward["w_1"]), forward.get("b_1"))
    _load_linear(module.linear2, tape.turned(forward["w_2"]), forward.get("b_2"))
    if cross is not None:
        _load(module.multihead_attn, cross)
    with torch.no_grad():
        for number in range(1, 3 if cross is None else 4):
            given, inner = layer.get(f"norm_{number}") or {}, getattr(module, f"norm{number}")
            if given.get("gamma") is not None:
                inner.weight.copy_(numbers(given["gamma"]))
            if given.get("beta") is not None:
                inner.bias.copy_(numbers(given["beta"]))
