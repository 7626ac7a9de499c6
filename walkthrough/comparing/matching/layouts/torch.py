"""What torch.nn calls the steps: nn.Transformer, its layers, and nn.MultiheadAttention."""

from __future__ import annotations

from collections.abc import Mapping

from walkthrough.checkpoints.paths import FINAL_NORM, LOGITS


def _in_stack(before: str, layer: Mapping[str, str]) -> dict[str, str]:
    """The modules of the layers of a stack, of those of one layer."""
    return {f"{before}layers.{{i}}.{name}": ours for name, ours in layer.items()}


def _torch_layer(layer: str, attention: str, cross: str) -> dict[str, str]:
    """The modules of an nn.TransformerEncoderLayer or nn.TransformerDecoderLayer."""
    own, other, feed = f"{layer}.{attention}", f"{layer}.{cross}", f"{layer}.feed_forward"
    table = {
        "self_attn": f"{own}.output",
        "self_attn.1": f"{own}.head.*.weights",
        "self_attn.in_proj_weight": f"{own}.head.*.w_q+w_k+w_v",
        "self_attn.in_proj_bias": f"{own}.head.*.b_q+b_k+b_v",
        "self_attn.out_proj": f"{own}.output",
        **{f"self_attn.{name[0]}_proj": f"{own}.head.*.{name}" for name in ("query", "key", "value")},
        "dropout1": f"{own}.output",
        "norm1": f"{layer}.norm_1.output",
        "linear1": f"{feed}.hidden",
        "dropout": f"{feed}.activation",
        "linear2": f"{feed}.output",
        "norm2": f"{layer}.norm_2.output",
    }
    if cross:
        table |= {
            "multihead_attn": f"{other}.output",
            "multihead_attn.1": f"{other}.head.*.weights",
            "multihead_attn.in_proj_weight": f"{other}.head.*.w_q+w_k+w_v",
            "multihead_attn.in_proj_bias": f"{other}.head.*.b_q+b_k+b_v",
            "multihead_attn.out_proj": f"{other}.output",
            **{f"multihead_attn.{name[0]}_proj": f"{other}.head.*.{name}" for name in ("query", "key", "value")},
            "dropout2": f"{other}.output",
            "dropout3": f"{feed}.output",
            "norm3": f"{layer}.norm_3.output",
        }
    else:
        table["dropout2"] = f"{feed}.output"
    return table


def _either_layer(layer: str) -> dict[str, str]:
    """The modules of a layer that may be of an encoder or a decoder."""
    either = f"{layer}.cross_attention.output|{layer}.feed_forward.output"
    return {**_torch_layer(layer, "{self}", "cross_attention"), "dropout2": either}


TORCH: Mapping[str, str] = {
    **_either_layer("{only}"),
    **_in_stack("encoder.", _torch_layer("encoder.{n}", "attention", "")),
    "encoder.layers.{i}": "{after_encoder}",
    "encoder.norm": "encoder.final_norm.output|encoder.output",
    "encoder": "encoder.output",
    **_in_stack("decoder.", _torch_layer("decoder.{n}", "self_attention", "cross_attention")),
    "decoder.layers.{i}": "{after_decoder}",
    "decoder.norm": "decoder.final_norm.output|decoder.output",
    "decoder": "decoder.output",
    **_in_stack("", _either_layer("{layer}")),
    "layers.{i}": "{after}",
    "norm": FINAL_NORM,
    "in_proj_weight": "attention.head.*.w_q+w_k+w_v",
    "in_proj_bias": "attention.head.*.b_q+b_k+b_v",
    "out_proj": "attention.output",
    "lm_head": LOGITS,
}
"""Their names; in our paths `{n}` is the number of a layer, `{only}` the one layer of a stack that has no other."""
