"""Our paths as tables of other programs' names write them, and the parameters that belong to what is computed there.

`{layer}` is a layer of encoder or decoder, `{self}` its attention (or self_attention), `{before}` what goes into it and
`{after}` what comes out; `{routed}` is what the chosen experts alone have made; `head.*` are all heads, `expert.*` all
experts, `{e}` is the number of one; `a+b` are matrices side by side. Of several paths, separated by |, the first is
meant that there is and that fits.
"""

from __future__ import annotations

ATTENTION = "{layer}.{self}"
CROSS = "{layer}.cross_attention"
HEAD = f"{ATTENTION}.head.*"
WEIGHTS = f"{HEAD}.weights"
FUSED = f"{HEAD}.query+key+value"
CONCAT = f"{ATTENTION}.concat|{HEAD}.output"
ATTENDED = f"{ATTENTION}.output"
FEED_FORWARD = "{layer}.feed_forward"
GATED = f"{FEED_FORWARD}.gate+hidden"
EXPERT = f"{FEED_FORWARD}.expert.{{e}}"
ROUTED = f"{FEED_FORWARD}.{{routed}}"
ALL_EXPERTS = f"{FEED_FORWARD}.expert.*"
ACTIVATED = f"{FEED_FORWARD}.activation"
FINAL_NORM = "encoder.final_norm.output|decoder.final_norm.output|decoder.output|encoder.output"
LOGITS = "output_head.logits"
RETURNED = ("output_head.scaled_logits", "output_head.capped_logits", LOGITS)
"""What a model with an output head returns: the first of these that there is."""

PARAMETERS = {
    ".head.*.query": (".head.*.w_q", ".head.*.b_q"),
    ".head.*.key": (".head.*.w_k", ".head.*.b_k"),
    ".head.*.value": (".head.*.w_v", ".head.*.b_v"),
    ".head.*.query+key+value": (".head.*.w_q+w_k+w_v", ".head.*.b_q+b_k+b_v"),
    ".head.*.query+gate": (".head.*.w_q+w_gate", ".head.*.b_q+b_gate"),
    ".query_projected+key_projected+value_projected+gate": (".w_q+w_k+w_v+w_gate", ""),
    ".query_convolved+key_convolved+value_convolved": (".conv_q+conv_k+conv_v", ""),
    ".beta_logits+decay_logits": (".w_beta+w_alpha", ""),
    ".linear_attention.head.*.gated": (".linear_attention.output_norm.gamma", ""),
    ".linear_attention.b_alpha": (".linear_attention.b_alpha", ""),
    ".linear_attention.a_log": (".linear_attention.a_log", ""),
    ".shared_gate_logits": (".w_shared_gate", ""),
    ".head.*.query_content+query_rope": (".head.*.w_uq+w_qr", ""),
    ".head.*.key_content+value": (".head.*.w_uk+w_uv", ""),
    ".latent.compressed+key_rope": (".latent.w_dkv+w_kr", ".latent.b_dkv+b_kr"),
    ".latent.compressed_query": (".latent.w_dq", ".latent.b_dq"),
    ".router.choice_bias": (".router.choice_bias", ""),
    ".shared.output": (".shared.w_2", ".shared.b_2"),
    ".head.*.query_norm.output": (".query_norm.gamma", ""),
    ".head.*.key_norm.output": (".key_norm.gamma", ""),
    "relative_bias.head.*": ("relative_bias.table", ""),
    "{self}.output": ("{self}.w_o", "{self}.b_o"),
    "attention.output": ("attention.w_o", "attention.b_o"),
    ".head.*.sink": (".head.*.sink", ""),
    ".gate+hidden": (".w_gate+w_1", ".b_gate+b_1"),
    ".hidden": (".w_1", ".b_1"),
    ".gate": (".w_gate", ".b_gate"),
    "feed_forward.output": ("feed_forward.w_2", "feed_forward.b_2"),
    "expert.{e}.output": ("expert.{e}.w_2", "expert.{e}.b_2"),
    "expert.*.output": ("expert.*.w_2", "expert.*.b_2"),
    "router.logits": ("router.w", "router.b"),
    "norm_1.output": ("norm_1.gamma", "norm_1.beta"),
    "norm_2.output": ("norm_2.gamma", "norm_2.beta"),
    "norm_3.output": ("norm_3.gamma", "norm_3.beta"),
    "_norm.output": ("_norm.gamma", "_norm.beta"),
    "token_embedding": ("embeddings", ""),
    "scaled_embedding": ("embeddings", ""),
    "positional_encoding": ("position_table", ""),
    "segment_embedding": ("segment_embedding", ""),
    "output_head.scaled_logits": ("output_head.w", "output_head.b"),
    "output_head.logits": ("output_head.w", "output_head.b"),
}
"""How the path of what a module computes ends, and how those of its `weight` and its `bias` do."""


def parameters_of(path: str) -> tuple[str, str]:
    """The paths of the weight and of the bias of what is computed; empty where there is none."""
    for ending, parameters in PARAMETERS.items():
        if path.endswith(ending):
            weight, bias = (f"{path.removesuffix(ending)}{one}" if one else "" for one in parameters)
            return weight, bias
    return "", ""


def key_of(path: str, stack: str) -> str:
    """The key of the scenario that a parameter is, in a layer of that stack or outside it."""
    attention = "attention" if stack == "encoder" else "self_attention"
    path = path.removeprefix("{layer}.").replace("{self}", attention)
    path = path.replace(".head.*.w_u", ".latent.w_u").replace(".head.*", "")
    path = path.replace(".expert.{e}.", ".experts.expert.").replace(".expert.*.", ".experts.expert.")
    return "positional_encoding" if path == "position_table" else path
