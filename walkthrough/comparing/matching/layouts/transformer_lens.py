"""What TransformerLens calls the steps: its hooks, and the parameters of a HookedTransformer."""

from __future__ import annotations

from collections.abc import Mapping

from walkthrough.checkpoints.paths import ATTENDED, ATTENTION, FEED_FORWARD, FINAL_NORM, HEAD, LOGITS, WEIGHTS

_MASKED = f"{HEAD}.masked_scores|{HEAD}.biased_scores|{HEAD}.scaled_scores|{HEAD}.scores"
_BLOCK = {
    "hook_resid_pre": "{before}",
    "ln1.hook_scale": "{layer}.norm_1.std|{layer}.norm_1.rms",
    "ln1.hook_normalized": "{layer}.norm_1.output|{layer}.norm_1.normalized",
    "ln1": "{layer}.norm_1.output",
    "attn.hook_q": f"{HEAD}.query",
    "attn.hook_k": f"{HEAD}.key",
    "attn.hook_v": f"{HEAD}.value",
    "attn.q_norm.hook_normalized": f"{HEAD}.query_norm.output|{HEAD}.query_norm.normalized",
    "attn.k_norm.hook_normalized": f"{HEAD}.key_norm.output|{HEAD}.key_norm.normalized",
    "attn.q_norm.hook_scale": f"{HEAD}.query_norm.rms",
    "attn.k_norm.hook_scale": f"{HEAD}.key_norm.rms",
    "attn.hook_rot_q": f"{HEAD}.query_rotated",
    "attn.hook_rot_k": f"{HEAD}.key_rotated",
    "attn.hook_attn_scores": _MASKED,
    "attn.hook_pattern": WEIGHTS,
    "attn.hook_z": f"{HEAD}.output",
    "attn": ATTENDED,
    "attn.W_Q": f"{HEAD}.w_q",
    "attn.W_K": f"{HEAD}.w_k",
    "attn.W_V": f"{HEAD}.w_v",
    "attn.W_O": f"{ATTENTION}.w_o",
    "attn.b_Q": f"{HEAD}.b_q",
    "attn.b_K": f"{HEAD}.b_k",
    "attn.b_V": f"{HEAD}.b_v",
    "attn.b_O": f"{ATTENTION}.b_o",
    "hook_attn_out": ATTENDED,
    "hook_resid_mid": "{layer}.residual_1",
    "ln2.hook_scale": "{layer}.norm_2.std|{layer}.norm_2.rms",
    "ln2.hook_normalized": "{layer}.norm_2.output|{layer}.norm_2.normalized",
    "ln2": "{layer}.norm_2.output",
    "mlp.hook_pre": f"{FEED_FORWARD}.gate|{FEED_FORWARD}.hidden",
    "mlp.hook_pre_linear": f"{FEED_FORWARD}.hidden",
    "mlp.hook_post": f"{FEED_FORWARD}.gated|{FEED_FORWARD}.activation",
    "mlp": f"{FEED_FORWARD}.output",
    "mlp.W_gate": f"{FEED_FORWARD}.w_gate",
    "mlp.W_in": f"{FEED_FORWARD}.w_1",
    "mlp.b_in": f"{FEED_FORWARD}.b_1",
    "mlp.W_out": f"{FEED_FORWARD}.w_2",
    "mlp.b_out": f"{FEED_FORWARD}.b_2",
    "hook_mlp_out": f"{FEED_FORWARD}.output",
    "hook_resid_post": "{after}",
    **{
        f"ln{at}.{theirs}": f"{{layer}}.norm_{at}.{ours}"
        for at in (1, 2)
        for theirs, ours in (("w", "gamma"), ("b", "beta"))
    },
}
TRANSFORMER_LENS: Mapping[str, str] = {
    "hook_embed": "token_embedding",
    "embed": "token_embedding",
    "embed.W_E": "embeddings",
    "hook_pos_embed": "positional_encoding",
    "pos_embed": "positional_encoding",
    **{f"blocks.{{i}}.{theirs}": ours for theirs, ours in _BLOCK.items()},
    "ln_final.hook_scale": "|".join(
        f"{one}.final_norm.{root}" for one in ("encoder", "decoder") for root in ("std", "rms")
    ),
    "ln_final.hook_normalized": f"{FINAL_NORM}|encoder.final_norm.normalized|decoder.final_norm.normalized",
    "ln_final": FINAL_NORM,
    "ln_final.w": "encoder.final_norm.gamma|decoder.final_norm.gamma",
    "ln_final.b": "encoder.final_norm.beta|decoder.final_norm.beta",
    "unembed": LOGITS,
    "unembed.W_U": "output_head.w",
    "unembed.b_U": "output_head.b",
    "logits": LOGITS,
}
