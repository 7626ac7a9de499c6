"""Names of transformers, torch.nn and TransformerLens beside our paths.

theirs: `{i}` is the number of a layer, from 0. Words without a number may stand before a name (`bert.`, `model.`).
ours:   `{layer}` is the layer in encoder or decoder, `{self}` its attention (or self_attention), `{before}` what goes
        into it and `{after}` what comes out; `head.*` are all heads, `a+b` matrices side by side. Of several,
        separated by |, the first is meant that the trace has and that the shape fits.
        `{only}` is the one layer of a stack that has no other.
"""

from __future__ import annotations

_ATTENTION = "{layer}.{self}"
_HEAD = f"{_ATTENTION}.head.*"
_FUSED = f"{_HEAD}.query+key+value"
_CONCAT = f"{_ATTENTION}.concat|{_HEAD}.output"
_FEED = "{layer}.feed_forward"
_ACTIVATED = f"{_FEED}.activation"
_MASKED = f"{_HEAD}.masked_scores|{_HEAD}.biased_scores|{_HEAD}.scaled_scores|{_HEAD}.scores"
_SCALED = f"{_HEAD}.scaled_scores|{_HEAD}.scores"
_FINAL = "encoder.final_norm.output|decoder.final_norm.output|decoder.output|encoder.output"
_LAST = "decoder.output|encoder.output"
_ROOT = {  # what the model itself returns
    "output": f"output_head.logits|{_LAST}|attention.output",
    "output.1": "attention.head.*.weights",
}

_ANY_MODEL = {  # what models of transformers return
    "last_hidden_state": _LAST,
    "hidden_states.{i}": "{before}|decoder.output|encoder.output",
    "attentions.{i}": f"{_HEAD}.weights",
    "logits": "output_head.logits",
}
_BERT_LAYER = {
    "attention.self.query": f"{_HEAD}.query",
    "attention.self.key": f"{_HEAD}.key",
    "attention.self.value": f"{_HEAD}.value",
    "attention.self.dropout": f"{_HEAD}.weights",
    "attention.self": _CONCAT,
    "attention.self.1": f"{_HEAD}.weights",
    "attention.output.dense": f"{_ATTENTION}.output",
    "attention.output.dropout": f"{_ATTENTION}.output",
    "attention.output.LayerNorm": "{layer}.norm_1.output",
    "attention.output": "{layer}.norm_1.output",
    "attention": "{layer}.norm_1.output",
    "attention.1": f"{_HEAD}.weights",
    "intermediate.dense": f"{_FEED}.hidden",
    "intermediate.intermediate_act_fn": _ACTIVATED,
    "intermediate": _ACTIVATED,
    "output.dense": f"{_FEED}.output",
    "output.dropout": f"{_FEED}.output",
    "output.LayerNorm": "{layer}.norm_2.output",
    "output": "{layer}.norm_2.output",
}
_BERT = {
    "embeddings.word_embeddings": "token_embedding",
    "embeddings.position_embeddings": "positional_encoding",
    "embeddings.token_type_embeddings": "segment_embedding",
    "embeddings.LayerNorm": "embedding_norm.output",
    "embeddings.dropout": "input",
    "embeddings": "input",
    **{f"encoder.layer.{{i}}.{theirs}": ours for theirs, ours in _BERT_LAYER.items()},
    "encoder.layer.{i}": "{after}",
    "encoder": "encoder.output",
    "cls.predictions.decoder": "output_head.logits",
}
_GPT2_LAYER = {
    "ln_1": "{layer}.norm_1.output",
    "attn.c_attn": _FUSED,
    "attn.attn_dropout": f"{_HEAD}.weights",
    "attn.c_proj": f"{_ATTENTION}.output",
    "attn.resid_dropout": f"{_ATTENTION}.output",
    "attn": f"{_ATTENTION}.output",
    "attn.1": f"{_HEAD}.weights",
    "ln_2": "{layer}.norm_2.output",
    "mlp.c_fc": f"{_FEED}.hidden",
    "mlp.act": _ACTIVATED,
    "mlp.gelu": _ACTIVATED,
    "mlp.c_proj": f"{_FEED}.output",
    "mlp.dropout": f"{_FEED}.output",
    "mlp": f"{_FEED}.output",
}
_GPT2 = {
    "wte": "token_embedding",
    "wpe": "positional_encoding",
    "drop": "input",
    **{f"h.{{i}}.{theirs}": ours for theirs, ours in _GPT2_LAYER.items()},
    "h.{i}": "{after}",
    "ln_f": _FINAL,
    "lm_head": "output_head.logits",
}
_LLAMA_LAYER = {
    "input_layernorm": "{layer}.norm_1.output",
    "self_attn.q_proj": f"{_HEAD}.query",
    "self_attn.k_proj": f"{_HEAD}.key",
    "self_attn.v_proj": f"{_HEAD}.value",
    "self_attn.qkv_proj": _FUSED,
    "self_attn.q_norm": f"{_HEAD}.query_norm.output",
    "self_attn.k_norm": f"{_HEAD}.key_norm.output",
    "self_attn.o_proj": f"{_ATTENTION}.output",
    "self_attn": f"{_ATTENTION}.output",
    "self_attn.1": f"{_HEAD}.weights",
    "post_attention_layernorm": "{layer}.norm_2.output",
    "mlp.gate_proj": f"{_FEED}.gate",
    "mlp.up_proj": f"{_FEED}.hidden",
    "mlp.act_fn": _ACTIVATED,
    "mlp.down_proj": f"{_FEED}.output",
    "mlp": f"{_FEED}.output",
}
_LLAMA = {
    "embed_tokens": "token_embedding",
    **{f"layers.{{i}}.{theirs}": ours for theirs, ours in _LLAMA_LAYER.items()},
    "layers.{i}": "{after}",
    "norm": _FINAL,
    "lm_head": "output_head.logits",
}


def _torch_layers(before: str, layer: str, attention: str, cross: str) -> dict[str, str]:
    """The modules of the layers of a stack."""
    return {f"{before}layers.{{i}}.{name}": ours for name, ours in _torch_layer(layer, attention, cross).items()}


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


_TORCH = {
    **_torch_layers("encoder.", "encoder.{n}", "attention", ""),
    "encoder.layers.{i}": "{after_encoder}",
    "encoder.norm": "encoder.final_norm.output|encoder.output",
    "encoder": "encoder.output",
    **_torch_layers("decoder.", "decoder.{n}", "self_attention", "cross_attention"),
    "decoder.layers.{i}": "{after_decoder}",
    "decoder.norm": "decoder.final_norm.output|decoder.output",
    "decoder": "decoder.output",
    **_torch_layers("", "{layer}", "{self}", ""),
    "layers.{i}": "{after}",
    "norm": _FINAL,
    "in_proj_weight": "attention.head.*.w_q+w_k+w_v",
    "in_proj_bias": "attention.head.*.b_q+b_k+b_v",
    "out_proj": "attention.output",
}

_LAYER_ALONE = {  # of either kind
    **_torch_layer("{only}", "{self}", "cross_attention"),
    "dropout2": "{only}.cross_attention.output|{only}.feed_forward.output",
}

_LENS_BLOCK = {
    "hook_resid_pre": "{before}",
    "ln1.hook_scale": "{layer}.norm_1.std|{layer}.norm_1.rms",
    "ln1.hook_normalized": "{layer}.norm_1.output|{layer}.norm_1.normalized",
    "ln1": "{layer}.norm_1.output",
    "attn.hook_q": f"{_HEAD}.query",
    "attn.hook_k": f"{_HEAD}.key",
    "attn.hook_v": f"{_HEAD}.value",
    "attn.q_norm.hook_normalized": f"{_HEAD}.query_norm.output|{_HEAD}.query_norm.normalized",
    "attn.k_norm.hook_normalized": f"{_HEAD}.key_norm.output|{_HEAD}.key_norm.normalized",
    "attn.q_norm.hook_scale": f"{_HEAD}.query_norm.rms",
    "attn.k_norm.hook_scale": f"{_HEAD}.key_norm.rms",
    "attn.hook_rot_q": f"{_HEAD}.query_rotated",
    "attn.hook_rot_k": f"{_HEAD}.key_rotated",
    "attn.hook_attn_scores": _MASKED,
    "attn.hook_pattern": f"{_HEAD}.weights",
    "attn.hook_z": f"{_HEAD}.output",
    "attn": f"{_ATTENTION}.output",
    "attn.W_Q": f"{_HEAD}.w_q",
    "attn.W_K": f"{_HEAD}.w_k",
    "attn.W_V": f"{_HEAD}.w_v",
    "attn.W_O": f"{_ATTENTION}.w_o",
    "attn.b_Q": f"{_HEAD}.b_q",
    "attn.b_K": f"{_HEAD}.b_k",
    "attn.b_V": f"{_HEAD}.b_v",
    "attn.b_O": f"{_ATTENTION}.b_o",
    "hook_attn_out": f"{_ATTENTION}.output",
    "hook_resid_mid": "{layer}.residual_1",
    "ln2.hook_scale": "{layer}.norm_2.std|{layer}.norm_2.rms",
    "ln2.hook_normalized": "{layer}.norm_2.output|{layer}.norm_2.normalized",
    "ln2": "{layer}.norm_2.output",
    "mlp.hook_pre": f"{_FEED}.gate|{_FEED}.hidden",
    "mlp.hook_pre_linear": f"{_FEED}.hidden",
    "mlp.hook_post": f"{_FEED}.gated|{_FEED}.activation",
    "mlp": f"{_FEED}.output",
    "mlp.W_gate": f"{_FEED}.w_gate",
    "mlp.W_in": f"{_FEED}.w_1",
    "mlp.b_in": f"{_FEED}.b_1",
    "mlp.W_out": f"{_FEED}.w_2",
    "mlp.b_out": f"{_FEED}.b_2",
    "hook_mlp_out": f"{_FEED}.output",
    "hook_resid_post": "{after}",
    **{
        f"ln{at}.{theirs}": f"{{layer}}.norm_{at}.{ours}"
        for at in (1, 2)
        for theirs, ours in (("w", "gamma"), ("b", "beta"))
    },
}
_LENS = {
    "hook_embed": "token_embedding",
    "embed": "token_embedding",
    "embed.W_E": "embeddings",
    "hook_pos_embed": "positional_encoding",
    "pos_embed": "positional_encoding",
    **{f"blocks.{{i}}.{theirs}": ours for theirs, ours in _LENS_BLOCK.items()},
    "ln_final.hook_scale": "|".join(
        f"{one}.final_norm.{root}" for one in ("encoder", "decoder") for root in ("std", "rms")
    ),
    "ln_final.hook_normalized": f"{_FINAL}|encoder.final_norm.normalized|decoder.final_norm.normalized",
    "ln_final": _FINAL,
    "ln_final.w": "encoder.final_norm.gamma|decoder.final_norm.gamma",
    "ln_final.b": "encoder.final_norm.beta|decoder.final_norm.beta",
    "unembed": "output_head.logits",
    "unembed.W_U": "output_head.w",
    "unembed.b_U": "output_head.b",
    "logits": "output_head.logits",
}

LAYOUTS: dict[str, dict[str, str]] = {
    "transformers": {**_ROOT, **_ANY_MODEL, **_BERT, **_GPT2, **_LLAMA},
    "torch": {**_ROOT, **_LAYER_ALONE, **_TORCH, "lm_head": "output_head.logits"},
    "transformer_lens": {**_ROOT, **_LENS},
}
"""By the name of the program, their names and what they stand for."""

PARAMETERS = {
    ".head.*.query": (".head.*.w_q", ".head.*.b_q"),
    ".head.*.key": (".head.*.w_k", ".head.*.b_k"),
    ".head.*.value": (".head.*.w_v", ".head.*.b_v"),
    ".head.*.query+key+value": (".head.*.w_q+w_k+w_v", ".head.*.b_q+b_k+b_v"),
    ".head.*.query_norm.output": (".query_norm.gamma", ""),
    ".head.*.key_norm.output": (".key_norm.gamma", ""),
    "{self}.output": ("{self}.w_o", "{self}.b_o"),
    "attention.output": ("attention.w_o", "attention.b_o"),
    "feed_forward.hidden": ("feed_forward.w_1", "feed_forward.b_1"),
    "feed_forward.gate": ("feed_forward.w_gate", "feed_forward.b_gate"),
    "feed_forward.output": ("feed_forward.w_2", "feed_forward.b_2"),
    "norm_1.output": ("norm_1.gamma", "norm_1.beta"),
    "norm_2.output": ("norm_2.gamma", "norm_2.beta"),
    "norm_3.output": ("norm_3.gamma", "norm_3.beta"),
    "_norm.output": ("_norm.gamma", "_norm.beta"),
    "token_embedding": ("embeddings", ""),
    "positional_encoding": ("position_table", ""),
    "segment_embedding": ("segment_embedding", ""),
    "output_head.logits": ("output_head.w", "output_head.b"),
}
"""How the path of what a module computes ends, and how those of its `weight` and its `bias` do."""
