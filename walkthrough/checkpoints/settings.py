"""Settings of a config.json: what each key may hold, and what it is when it is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from walkthrough.records import Record
from walkthrough.text import escape_label, in_quotes

Values = dict[str, Any]
"""The settings of a model by key, defaults filled in."""


class ValueKind(Record):
    """What a value may be, in words and as a test."""

    expected: str
    accepts: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    """Whether it is a finite number; of those that JSON writes without a point some are too large for one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


WHOLE = ValueKind("a whole number of at least 1", lambda value: type(value) is int and 1 <= value < 2**31)
LAYERS = ValueKind("a whole number from 1 to 1000", lambda value: type(value) is int and 1 <= value <= 1000)
COUNT = ValueKind("a whole number of at least 0", lambda value: type(value) is int and 0 <= value < 2**31)
POSITIVE = ValueKind("a number above 0", lambda value: _is_number(value) and value > 0)
NUMBER = ValueKind("a number of at least 0", lambda value: _is_number(value) and value >= 0)
FLAG = ValueKind("true or false", lambda value: isinstance(value, bool))
WORD = ValueKind("a text", lambda value: isinstance(value, str))
MAPPING = ValueKind("a mapping", lambda value: isinstance(value, dict))
WORDS = ValueKind(
    "a list of texts", lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value)
)
ANYTHING = ValueKind("", lambda value: True)


class Setting(Record):
    """One key: its kind, what it is when it is missing, and whether it may be null."""

    kind: ValueKind
    default: Any
    null: bool = False


class Only(Record):
    """A key that would change the numbers: nothing but these values is supported."""

    values: tuple[Any, ...]
    why: str

    @property
    def default(self) -> Any:
        return self.values[0]


HARMLESS = Setting(ANYTHING, None, True)
"""A key that changes no number of the forward pass."""

_KINDS: Mapping[ValueKind, str] = {
    LAYERS: "num_hidden_layers num_layers num_decoder_layers n_layer n_layers",
    COUNT: "num_experts max_window_layers first_k_dense_replace pad_token_id decoder_start_token_id "
    "sliding_window_pattern",
    NUMBER: "rms_norm_eps layer_norm_eps layer_norm_epsilon norm_epsilon",
    POSITIVE: "rope_theta partial_rotary_factor query_pre_attn_scalar final_logit_softcapping attn_logit_softcapping",
    FLAG: "is_gated_act scale_decoder_outputs",
    WORD: "dense_act_fn",
    WORDS: "layer_types",
    MAPPING: "rope_parameters rope_scaling",
}
"""Keys whose default does not say what they may hold."""
_BY_NAME = {key: kind for kind, keys in _KINDS.items() for key in keys.split()}
_BY_DEFAULT = {bool: FLAG, int: WHOLE, float: POSITIVE, str: WORD, type(None): WHOLE}


def defaults(**given: Any) -> dict[str, Setting | Only]:
    """Keys and what they are when they are missing: each may hold what its name says, or else the default's kind.

    One whose default is null may be null; of others `or_null` says it.
    """
    return {key: _setting(key, default) for key, default in given.items()}


def _setting(key: str, default: Any) -> Setting:
    one = default if isinstance(default, Setting) else Setting(ANYTHING, default, default is None)
    return one.replace(kind=_BY_NAME.get(key) or _BY_DEFAULT[type(one.default)])


def or_null(default: Any) -> Setting:
    """A default of a key that may be null too."""
    return Setting(ANYTHING, default, True)


def value_of(key: str, setting: Setting | Only, given: Mapping[str, Any], faults: list[str]) -> Any:
    """The value of a key; if it is wrong, that is added to the faults, and the default takes its place."""
    if key not in given:
        return setting.default
    value = given[key]
    if isinstance(setting, Only):
        if not any(type(value) is type(one) and value == one for one in setting.values):
            faults.append(f"{key} is {write_value(value)}, which is not supported: {setting.why}")
        return value
    if value is None and setting.null:
        return None
    if not setting.kind.accepts(value):
        faults.append(
            f"{key} is {write_value(value)}, expected {setting.kind.expected}{' or null' if setting.null else ''}"
        )
        return setting.default
    return value


def write_value(value: Any) -> str:
    """A value of JSON for a message: short, and harmless."""
    if isinstance(value, str):
        return in_quotes(value[:60])
    if isinstance(value, list | dict):
        return ("a list" if isinstance(value, list) else "a mapping") if value else ("[]" if value == [] else "{}")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return escape_label(str(value)[:60])


_GENERATION = (
    "bad_words_ids begin_suppress_tokens diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size "
    "exponential_decay_length_penalty forced_bos_token_id forced_eos_token_id length_penalty max_length max_new_tokens "
    "min_length min_new_tokens no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_scores "
    "remove_invalid_values repetition_penalty return_dict_in_generate suppress_tokens temperature top_k top_p "
    "typical_p use_cache cache_implementation"
)
_ABOUT = (
    "architectures model_type transformers_version dtype torch_dtype name_or_path return_dict output_hidden_states "
    "output_attentions use_return_dict id2label label2id num_labels problem_type finetuning_task task_specific_params "
    "prefix tokenizer_class gradient_checkpointing torchscript tf_legacy_loss use_bfloat16 initializer_range "
    "chunk_size_feed_forward attn_implementation tie_last_hidden_states tie_encoder_decoder directionality "
    "bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id unk_token_id "
    "decoder_start_token_id cross_attention_hidden_size unsloth_version unsloth_fixed model_max_length "
    "attention_dropout hidden_dropout_prob attention_probs_dropout_prob classifier_dropout resid_pdrop embd_pdrop "
    "attn_pdrop hidden_dropout rescale_weights"
)
COMMON: dict[str, Setting | Only] = {
    **dict.fromkeys((*_GENERATION.split(), *_ABOUT.split()), HARMLESS),
    "quantization_config": Only((None,), "the weights are quantized; take a checkpoint in floating point"),
    "compression_config": Only((None,), "the weights are compressed; take a checkpoint in floating point"),
    "per_layer_config": Only((None, {}), "all layers must have the same settings"),
    "pruned_heads": Only(({}, None, []), "all layers must have all their heads"),
    "is_encoder_decoder": Only((False, None), "only a single encoder or decoder stack can be read"),
    "add_cross_attention": Only((False, None), "only a single encoder or decoder stack can be read"),
    "is_causal": Only((None, True), "the mask would be different"),
    "attention_chunk_size": Only((None,), "the mask would be different"),
    "partial_rotary_factor": Only((None, 1, 1.0), "whole heads must be rotated"),
}
"""Keys of every family: what transformers' own base class has, and what is often found."""
