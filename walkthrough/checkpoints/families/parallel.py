"""GPT-J, GPT-NeoX and Falcon: attention and feed-forward network side by side, with rotary positions."""

from __future__ import annotations

from typing import Any

from walkthrough.checkpoints.families.gpt2 import ALIASES
from walkthrough.checkpoints.families.gpt2 import NAMES as GPT2_NAMES
from walkthrough.checkpoints.families.plain import TASK_HEADS, Names, plain_model, projections
from walkthrough.checkpoints.families.rope import ROPE_TYPES, rope_settings, rotary_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, FUSED, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import HARMLESS, Only, Setting, ValueKind, Values, defaults

GPTJ: dict[str, Setting | Only] = {
    **defaults(vocab_size=50400, n_positions=2048, n_embd=4096, n_layer=28, n_head=16, rotary_dim=64),
    **defaults(n_inner=None, activation_function="gelu_new", layer_norm_epsilon=1e-5),
    **defaults(tie_word_embeddings=False),
    "sliding_window": Only((None,), "GPT-J has no window"),
}
GPT_NEOX: dict[str, Setting | Only] = {
    **rope_settings(),
    **defaults(rope_theta=None, rotary_emb_base=10_000.0, rotary_pct=0.25, partial_rotary_factor=None),
    **defaults(vocab_size=50432, hidden_size=6144, num_hidden_layers=44, num_attention_heads=64),
    **defaults(intermediate_size=24576, hidden_act="gelu", max_position_embeddings=2048, layer_norm_eps=1e-5),
    **defaults(tie_word_embeddings=False, use_parallel_residual=True, attention_bias=True),
    "is_decoder": HARMLESS,  # it is one, whatever this says
    "sliding_window": Only((None,), "GPT-NeoX has no window"),
}

GPTJ_MODULES: Modules = {
    "wte": Module("token_embedding", ("v", "d")),
    "drop": "input",
    "ln_f": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d"), bias=ALWAYS),
}
GPTJ_INSIDE: Modules = {
    "ln_1": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    **projections([f"attn.{name}_proj" for name in "qkv"], ""),
    "attn.attn_dropout": WEIGHTS,
    "attn.out_proj": Module(ATTENDED, ("d", "d")),
    "attn.resid_dropout": ATTENDED,
    "attn": ATTENDED,
    "attn.1": WEIGHTS,
    "1": WEIGHTS,  # what the layer returns beside its output
    "mlp.fc_in": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "mlp.act": ACTIVATED,
    "mlp.fc_out": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "mlp.dropout": f"{FEED_FORWARD}.output",
    "mlp": f"{FEED_FORWARD}.output",
}
NEOX_MODULES: Modules = {
    "embed_in": Module("token_embedding", ("v", "d")),
    "emb_dropout": "input",
    "final_layer_norm": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d"), also=("embed_out",)),
}
NEOX_INSIDE: Modules = {
    "input_layernorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS),
    "attention.query_key_value": Module(FUSED, (("d", "d", "d"), "d"), bias="attention_bias", order="by_head"),
    "attention.dense": Module(ATTENDED, ("d", "d"), bias="attention_bias"),
    "attention": ATTENDED,
    "attention.1": WEIGHTS,
    "post_attention_dropout": ATTENDED,
    "post_attention_layernorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS),
    "mlp.dense_h_to_4h": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias=ALWAYS),
    "mlp.act": ACTIVATED,
    "mlp.dense_4h_to_h": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias=ALWAYS),
    "mlp": f"{FEED_FORWARD}.output",
    "post_mlp_dropout": f"{FEED_FORWARD}.output",
}


def _gptj(values: Values, faults: list[str]) -> CheckpointModel:
    """Both parts read the one norm; neighbouring features are rotated together."""
    size, rotated = GPT2_NAMES.head(values), values["rotary_dim"]
    if rotated % 2 or rotated > size:
        faults.append(f"rotary_dim is {rotated}, expected an even number of the {size} features of a head")
    rotary: dict[str, Any] = {"base": 10000, "layout": "interleaved"}
    if rotated != size:
        rotary["dimensions"] = rotated
    stack = {"norm_order": "pre", "parallel": "shared"}
    return plain_model(GPT2_NAMES, values, faults, values["layer_norm_epsilon"], stack, of_heads={"rotary": rotary})


def _gpt_neox(values: Values, faults: list[str]) -> CheckpointModel:
    """Each part reads a norm of its own; base and share of the rotated features have names of their own."""
    for other, key in (("rope_theta", "rotary_emb_base"), ("partial_rotary_factor", "rotary_pct")):
        if values[other] not in (None, values[key]):
            faults.append(f"{other} is {values[other]:g} and {key} is {values[key]:g}: transformers reads {key} alone")
    named = {**values, "rope_theta": values["rotary_emb_base"]}
    rotary = rotary_of(named, Names().head(values), faults, ROPE_TYPES, values["rotary_pct"])
    stack = {"norm_order": "pre"} | ({"parallel": True} if values["use_parallel_residual"] else {})
    switches = ["attention_bias"] if values["attention_bias"] else []
    epsilon, of_heads = values["layer_norm_eps"], {"rotary": rotary}
    model = plain_model(Names(), values, faults, epsilon, stack, of_heads=of_heads, switches=switches)
    return model.replace(positions=None)


_NORMS = ValueKind("1 or 2", lambda value: type(value) is int and value in (1, 2))
FALCON: dict[str, Setting | Only] = {
    **rope_settings(),
    **defaults(vocab_size=65024, hidden_size=4544, num_hidden_layers=32, num_attention_heads=71),
    **defaults(num_kv_heads=None),
    "num_ln_in_parallel_attn": Setting(_NORMS, None, True),
    **defaults(ffn_hidden_size=None, activation="gelu", layer_norm_epsilon=1e-5),
    **defaults(new_decoder_architecture=False, multi_query=True, parallel_attn=True, bias=False),
    **defaults(max_position_embeddings=2048, tie_word_embeddings=True),
    "alibi": Only((False, None), "its biases are rounded to bfloat16 and divided by √d_k"),
    "sliding_window": Only((None,), "Falcon has no window"),
}
FALCON_MODULES: Modules = {
    "word_embeddings": Module("token_embedding", ("v", "d")),
    "ln_f": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d")),
}
FALCON_INSIDE: Modules = {
    "input_layernorm": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS, when="one_norm"),
    "ln_attn": Module("{layer}.norm_1.output", ("d",), bias=ALWAYS, when="two_norms"),
    "self_attention.query_key_value": Module(FUSED, (("q", "kv", "kv"), "d"), bias="biases", order="by_head"),
    "self_attention.dense": Module(ATTENDED, ("d", "q"), bias="biases"),
    "self_attention": ATTENDED,
    "self_attention.1": WEIGHTS,
    "1": WEIGHTS,  # what the layer returns beside its output
    "post_attention_layernorm": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS, when="in_turn"),
    "ln_mlp": Module("{layer}.norm_2.output", ("d",), bias=ALWAYS, when="two_norms"),
    "mlp.dense_h_to_4h": Module(f"{FEED_FORWARD}.hidden", ("f", "d"), bias="biases"),
    "mlp.act": ACTIVATED,
    "mlp.dense_4h_to_h": Module(f"{FEED_FORWARD}.output", ("d", "f"), bias="biases"),
}


def _falcon(values: Values, faults: list[str]) -> CheckpointModel:
    """Keys and values of one head, of as many as there are queries, or of some in the new architecture."""
    is_parallel = values["parallel_attn"]
    if values["new_decoder_architecture"] and not is_parallel:
        faults.append("parallel_attn is false, which the new_decoder_architecture cannot have")
    names = Names(inner="ffn_hidden_size", activation="activation")
    stack = {"norm_order": "pre"} | ({"parallel": _parallel(values, faults)} if is_parallel else {})
    size, shared = names.head(values), _shared(values, faults)
    has_two = stack.get("parallel") is True
    switches = {"two_norms"} if has_two else {"one_norm"} if is_parallel else {"one_norm", "in_turn"}
    switches |= {"biases"} if values["bias"] else set()
    of_heads = {"num_kv_heads": shared, "rotary": rotary_of(values, size, faults)}
    epsilon = values["layer_norm_epsilon"]
    model = plain_model(names, values, faults, epsilon, stack, of_heads=of_heads, switches=switches)
    own = {
        "q": Size(values["num_attention_heads"] * size, "hidden_size"),
        "kv": Size(shared * size, "heads of keys·hidden_size / num_attention_heads"),
    }
    return model.replace(sizes={**model.sizes, **own}, positions=None)


def _shared(values: Values, faults: list[str]) -> int:
    """How many heads have keys and values of their own."""
    heads = int(values["num_attention_heads"])
    if not values["new_decoder_architecture"]:
        return 1 if values["multi_query"] else heads
    shared = int(values["num_kv_heads"] or heads)
    if heads % shared:
        faults.append(f"num_attention_heads {heads} is not a multiple of num_kv_heads {shared}")
    return shared


def _parallel(values: Values, faults: list[str]) -> bool | str:
    """Whether each of the two parts side by side has a norm of its own, or both read one."""
    is_new, norms = values["new_decoder_architecture"], values["num_ln_in_parallel_attn"]
    if norms == 2 and not is_new:
        faults.append("num_ln_in_parallel_attn is 2, which only the new_decoder_architecture can have")
    return True if norms == 2 or (norms is None and is_new) else "shared"


FAMILIES = {
    "gptj": Family(
        name="GPT-J",
        prefixes=("transformer.", ""),
        settings=GPTJ,
        model=_gptj,
        modules=GPTJ_MODULES,
        layer="h.{i}.",
        inside=GPTJ_INSIDE,
        built="decoder, one layer norm for both parts side by side, some features rotated with their neighbour, logits",
        float32="rotary angles, queries and keys for the scores, softmax",
        idle=("*.attn.bias", "*.attn.masked_bias", "*.attn.embed_positions"),
        left_out=TASK_HEADS,
        aliases=ALIASES,
    ),
    "gpt_neox": Family(
        name="GPT-NeoX",
        prefixes=("gpt_neox.", ""),
        settings=GPT_NEOX,
        model=_gpt_neox,
        modules=NEOX_MODULES,
        layer="layers.{i}.",
        inside=NEOX_INSIDE,
        built="decoder, layer norms, both parts side by side or not, some features rotated, logits",
        float32="rotary angles, softmax",
        idle=("*.attention.bias", "*.attention.masked_bias", "*rotary_emb.inv_freq"),
        left_out=TASK_HEADS,
    ),
    "falcon": Family(
        name="Falcon",
        prefixes=("transformer.", ""),
        settings=FALCON,
        model=_falcon,
        modules=FALCON_MODULES,
        layer="h.{i}.",
        inside=FALCON_INSIDE,
        built="decoder, layer norms, both parts side by side or not, shared keys, rotary positions, logits",
        float32="rotary angles, softmax",
        idle=("*rotary_emb.inv_freq",),
        left_out=TASK_HEADS,
        aliases={"n_embed": "hidden_size"},
    ),
}
