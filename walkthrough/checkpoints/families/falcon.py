"""Falcon: attention and feed-forward network side by side or not, queries, keys and values in one matrix.

Settings and their defaults are those of the transformers library's configuration classes (5.23).
"""

from __future__ import annotations

from walkthrough.checkpoints.families.plain import TASK_HEADS, Names, plain_model, with_rotary
from walkthrough.checkpoints.families.rope import rope_settings, rotary_of
from walkthrough.checkpoints.layout import ALWAYS, CheckpointModel, Family, Module, Modules, Size
from walkthrough.checkpoints.paths import ACTIVATED, ATTENDED, FEED_FORWARD, FINAL_NORM, FUSED, LOGITS, WEIGHTS
from walkthrough.checkpoints.settings import FLAG, LAYERS, NUMBER, WHOLE, WORD, Only, Setting, ValueKind, Values

_NORMS = ValueKind("1 or 2", lambda value: type(value) is int and value in (1, 2))
SETTINGS: dict[str, Setting | Only] = {
    **rope_settings(),
    "vocab_size": Setting(WHOLE, 65024),
    "hidden_size": Setting(WHOLE, 4544),
    "num_hidden_layers": Setting(LAYERS, 32),
    "num_attention_heads": Setting(WHOLE, 71),
    "num_kv_heads": Setting(WHOLE, None, True),
    "num_ln_in_parallel_attn": Setting(_NORMS, None, True),
    "ffn_hidden_size": Setting(WHOLE, None, True),
    "activation": Setting(WORD, "gelu"),
    "layer_norm_epsilon": Setting(NUMBER, 1e-5),
    "new_decoder_architecture": Setting(FLAG, False),
    "multi_query": Setting(FLAG, True),
    "parallel_attn": Setting(FLAG, True),
    "bias": Setting(FLAG, False),
    "max_position_embeddings": Setting(WHOLE, 2048),
    "tie_word_embeddings": Setting(FLAG, True),
    "alibi": Only((False, None), "its biases are rounded to bfloat16 and divided by √d_k"),
    "sliding_window": Only((None,), "Falcon has no window"),
}
MODULES: Modules = {
    "word_embeddings": Module("token_embedding", ("v", "d")),
    "ln_f": Module(FINAL_NORM, ("d",), bias=ALWAYS),
    "lm_head": Module(LOGITS, ("v", "d")),
}
INSIDE: Modules = {
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


def _model(values: Values, faults: list[str]) -> CheckpointModel:
    """Keys and values of one head, of as many as there are queries, or of some in the new architecture."""
    is_parallel = values["parallel_attn"]
    if values["new_decoder_architecture"] and not is_parallel:
        faults.append("parallel_attn is false, which the new_decoder_architecture cannot have")
    names = Names(inner="ffn_hidden_size", activation="activation")
    stack = {"norm_order": "pre"} | ({"parallel": _parallel(values, faults)} if is_parallel else {})
    model = plain_model(names, values, faults, values["layer_norm_epsilon"], stack)
    heads = values["num_attention_heads"]
    size, shared = max(1, values["hidden_size"] // heads), _shared(values, faults)
    model.layer["self_attention"]["num_kv_heads"] = shared
    has_two = stack.get("parallel") is True
    switches = {"two_norms"} if has_two else {"one_norm"} if is_parallel else {"one_norm", "in_turn"}
    return with_rotary(model, rotary_of(values, size, faults)).replace(
        sizes={
            **model.sizes,
            "q": Size(heads * size, "hidden_size"),
            "kv": Size(shared * size, "heads of keys·hidden_size / num_attention_heads"),
            "head": Size(size, "hidden_size / num_attention_heads"),
        },
        switches=frozenset(switches | ({"biases"} if values["bias"] else set())),
        tied=values["tie_word_embeddings"],
        positions=None,
    )


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
    "falcon": Family(
        name="Falcon",
        prefixes=("transformer.", ""),
        settings=SETTINGS,
        model=_model,
        convention="column",  # Linear.weight is out×in
        stack="decoder",
        modules=MODULES,
        layer="h.{i}.",
        inside=INSIDE,
        built="decoder, layer norms, both parts side by side or not, shared keys, rotary positions, logits",
        float32="rotary angles, softmax",
        head="lm_head",
        idle=("*rotary_emb.inv_freq",),
        left_out=TASK_HEADS,
        aliases={"n_embed": "hidden_size"},
    )
}
