"""GPT-2. Its weights are of Conv1D, in×out; queries, keys and values stand side by side in c_attn."""

from __future__ import annotations

import math
from typing import Any

from walkthrough.checkpoints.activations import activation_of
from walkthrough.checkpoints.layout import Family, Model, Size, Tensor
from walkthrough.checkpoints.settings import FLAG, HARMLESS, LAYERS, NUMBER, WHOLE, WORD, Only, Setting, Values

SETTINGS: dict[str, Setting | Only] = {
    "vocab_size": Setting(WHOLE, 50257),
    "n_positions": Setting(WHOLE, 1024),
    "n_embd": Setting(WHOLE, 768),
    "n_layer": Setting(LAYERS, 12),
    "n_head": Setting(WHOLE, 12),
    "n_inner": Setting(WHOLE, None, True),
    "activation_function": Setting(WORD, "gelu_new"),
    "layer_norm_epsilon": Setting(NUMBER, 1e-5),
    "scale_attn_weights": Setting(FLAG, True),
    "scale_attn_by_inverse_layer_idx": Setting(FLAG, False),
    "tie_word_embeddings": Setting(FLAG, True),
    "reorder_and_upcast_attn": HARMLESS,  # the same scores, in another order
    "n_ctx": HARMLESS,  # n_positions is what is read
    **{f"summary_{name}": HARMLESS for name in ("type", "use_proj", "activation", "proj_to_labels", "first_dropout")},
    "sliding_window": Only((None,), "GPT-2 has no window"),
}
ALIASES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}
"""Names of transformers that mean the same; where both stand they must agree."""

INSIDE = (
    Tensor("norm_1.gamma", "ln_1.weight", ("d",)),
    Tensor("norm_1.beta", "ln_1.bias", ("d",)),
    *(
        Tensor(f"self_attention.{kind}_{letter}", f"attn.c_attn.{name}", axes, third=third)
        for third, letter in enumerate("qkv")
        for kind, name, axes in (("w", "weight", ("d", "3d")), ("b", "bias", ("3d",)))
    ),
    Tensor("self_attention.w_o", "attn.c_proj.weight", ("d", "d")),
    Tensor("self_attention.b_o", "attn.c_proj.bias", ("d",)),
    Tensor("norm_2.gamma", "ln_2.weight", ("d",)),
    Tensor("norm_2.beta", "ln_2.bias", ("d",)),
    Tensor("feed_forward.w_1", "mlp.c_fc.weight", ("d", "f")),
    Tensor("feed_forward.b_1", "mlp.c_fc.bias", ("f",)),
    Tensor("feed_forward.w_2", "mlp.c_proj.weight", ("f", "d")),
    Tensor("feed_forward.b_2", "mlp.c_proj.bias", ("d",)),
)
OUTSIDE = (
    Tensor("embeddings", "wte.weight", ("v", "d")),
    Tensor("positional_encoding", "wpe.weight", ("p", "d")),
    Tensor("decoder.final_norm.gamma", "ln_f.weight", ("d",)),
    Tensor("decoder.final_norm.beta", "ln_f.bias", ("d",)),
)


def _model(values: Values, faults: list[str]) -> Model:
    width, heads, layers = values["n_embd"], values["n_head"], values["n_layer"]
    if width % heads:
        faults.append(f"n_embd {width} is not a multiple of n_head {heads}")
    activation = activation_of("activation_function", values["activation_function"], faults)
    return Model(
        sizes={
            "d": Size(width, "n_embd"),
            "3d": Size(3 * width, "3·n_embd"),
            "f": Size(values["n_inner"] or 4 * width, "n_inner" if values["n_inner"] else "4·n_embd"),
            "v": Size(values["vocab_size"], "vocab_size"),
            "p": Size(values["n_positions"], "n_positions"),
        },
        layers=layers,
        stack={"norm_order": "pre", "layer_norm": {"epsilon": values["layer_norm_epsilon"]}},
        layer={"self_attention": {"num_heads": heads}, "feed_forward": {"activation": activation}},
        own=[_scale(values, number) for number in range(layers)],
        tied=values["tie_word_embeddings"],
        positions=values["n_positions"],
    )


def _scale(values: Values, number: int) -> dict[str, Any]:
    """What a layer's scores are divided by, where it is not √d_k."""
    if not values["scale_attn_by_inverse_layer_idx"]:
        return {} if values["scale_attn_weights"] else {"scale": "none"}
    root = math.sqrt(values["n_embd"] // values["n_head"]) if values["scale_attn_weights"] else 1.0
    return {"scale": root * (number + 1)}


FAMILIES = {
    "gpt2": Family(
        name="GPT-2",
        prefixes=("transformer.", ""),
        settings=SETTINGS,
        model=_model,
        convention="row",
        stack="decoder",
        outside=OUTSIDE,
        layer="h.{i}.",
        inside=INSIDE,
        head=Tensor("output_head.w", "lm_head.weight", ("v", "d"), turned=True),  # a Linear
        idle=("*.attn.bias", "*.attn.masked_bias"),  # the causal mask, and what is added where it hides
        left_out={"score.": "the classification head", "multiple_choice_head.": "the multiple-choice head"},
        aliases=ALIASES,
    )
}
