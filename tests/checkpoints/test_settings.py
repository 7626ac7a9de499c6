"""What a config.json says: kinds, defaults, what is refused by name, what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, Variant, write_folder
from walkthrough.checkpoints import CheckpointError, Prompt, compose


def written(folder: Path, name: str, **changes: Any) -> Path:
    """The folder of a variant with other settings."""
    variant: Variant = BY_NAME[name]
    config = {**variant.config, **changes}
    write_folder(folder, variant._replace(config=config), shapes()[name])
    return folder


def llama3(low: float, high: float) -> dict[str, Any]:
    sizes = {"factor": 8.0, "low_freq_factor": low, "high_freq_factor": high, "original_max_position_embeddings": 16}
    return {"rope_type": "llama3", **sizes}


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as refused:
        compose(folder, Prompt())
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("llama-plain", {"hidden_act": "quick_gelu"}, "hidden_act is 'quick_gelu', which is not supported; known are"),
        ("gpt2-plain", {"activation_function": "tanh"}, "activation_function is 'tanh', which is not supported"),
        ("bert-plain", {"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'"),
        ("bert-plain", {"is_decoder": True}, "is_decoder is true, which is not supported"),
        ("llama-plain", {"sliding_window": 4}, "sliding_window is 4, which is not supported: Llama has no window"),
        ("llama-plain", {"quantization_config": {"bits": 4}}, "the weights are quantized"),
        ("llama-plain", {"per_layer_config": {"0": {"sliding_window": 3}}}, "per_layer_config is a mapping"),
        ("llama-plain", {"pruned_heads": {"0": [1]}}, "pruned_heads is a mapping"),
        ("llama-plain", {"is_causal": False}, "is_causal is false, which is not supported"),
        ("gpt2-plain", {"add_cross_attention": True}, "add_cross_attention is true, which is not supported"),
        ("llama-plain", {"rope_scaling": {"rope_type": "longrope"}}, "the type of scaling is 'longrope', which is not"),
        ("llama-plain", {"rope_scaling": {"type": "dynamic", "factor": 4.0}}, "the type of scaling is 'dynamic'"),
        ("llama-plain", {"rope_scaling": {"type": "linear"}}, "factor is missing, which linear scaling needs"),
        ("llama-plain", {"rope_scaling": llama3(low=4.0, high=1.0)}, "low_freq_factor 4 must be below"),
        ("llama-plain", {"rope_scaling": llama3(low=2.0, high=2.0)}, "must be below high_freq_factor 2"),
        ("llama-plain", {"rope_parameters": {"mrope_section": [1, 1]}}, "'mrope_section' is not supported"),
        ("llama-plain", {"partial_rotary_factor": 0.5}, "partial_rotary_factor is 0.5, which is not supported"),
        ("llama-plain", {"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor is 0.5"),
        ("mistral-window", {"layer_types": ["full_attention"] * 2}, "layer_types is not sliding_attention in every"),
        ("qwen2-plain", {"layer_types": ["sliding_attention"] * 2}, "but use_sliding_window or sliding_window is"),
        ("qwen2-plain", {"attention_bias": False}, "Qwen2 has biases of queries, keys and values, always"),
        ("mistral-plain", {"attention_bias": True}, "Mistral has no biases"),
        ("deepseek_v3-plain", {"num_key_value_heads": 1}, "num_key_value_heads is 1, expected 2, as many as heads"),
        ("deepseek_v3-plain", {"n_group": 3}, "n_routed_experts is 8, expected a multiple of n_group 3, 2 in a group"),
        ("deepseek_v3-plain", {"n_group": 8}, "n_routed_experts is 8, expected a multiple of n_group 8, 2 in a group"),
        ("deepseek_v3-plain", {"topk_group": 5}, "topk_group is 5, but n_group is 4"),
        ("deepseek_v3-plain", {"num_experts_per_tok": 5}, "num_experts_per_tok is 5, but topk_group has 4 experts"),
        ("deepseek_v3-plain", {"scoring_func": "softmax"}, "scoring_func is 'softmax', which is not supported"),
        ("deepseek_v3-plain", {"topk_method": "greedy"}, "topk_method is 'greedy', which is not supported"),
        ("deepseek_v3-plain", {"moe_layer_freq": 2}, "moe_layer_freq is 2, which is not supported"),
        ("deepseek_v3-plain", {"qk_rope_head_dim": 3}, "qk_rope_head_dim is 3, expected an even number"),
        ("deepseek_v3-plain", {"v_head_dim": None}, "v_head_dim is null, expected a whole number of at least 1"),
        ("deepseek_v3-plain", {"rope_scaling": {"type": "linear", "factor": 2.0, "mscale_all_dim": 1.0}},
         "mscale_all_dim scales the scores too"),
        ("deepseek_v3-plain", {"kv_lora_rank": 6}, "expected 10×8, kv_lora_rank + qk_rope_head_dim×hidden_size"),
        ("deepseek_v3-plain", {"first_k_dense_replace": 2}, "model.layers.1.mlp.gate_proj.weight' is missing"),
        ("cohere-plain", {"use_qk_norm": True}, "use_qk_norm is true, which is not supported: norms of queries"),
        ("cohere-plain", {"logit_scale": 0}, "logit_scale is 0, expected a number above 0"),
        ("granite-plain", {"layer_types": ["sliding_attention"] * 2}, "layer_types is not full_attention in every"),
        ("stablelm-plain", {"qk_layernorm": True}, "qk_layernorm is true, which is not supported"),
        ("starcoder2-plain", {"attention_bias": True}, "StarCoder2's biases are those of use_bias"),
        ("falcon-plain", {"alibi": True}, "alibi is true, which is not supported: its biases are rounded to bfloat16"),
        ("falcon-plain", {"num_ln_in_parallel_attn": 2}, "which only the new_decoder_architecture can have"),
        ("falcon-plain", {"num_ln_in_parallel_attn": 3}, "num_ln_in_parallel_attn is 3, expected 1 or 2 or null"),
        ("t5-plain", {"feed_forward_proj": "mixed-gelu"}, "expected an activation, or gated- and one"),
        ("t5-plain", {"feed_forward_proj": "gated-tanh"}, "feed_forward_proj is 'tanh', which is not supported"),
        ("t5-plain", {"is_gated_act": True}, "is_gated_act says otherwise than feed_forward_proj"),
        ("t5-plain", {"relative_attention_max_distance": 2}, "is 2, expected more than 2: nearer distances have a"),
        ("t5-plain", {"relative_attention_num_buckets": 3}, "relative_attention_num_buckets is 3, expected at least 4"),
        ("t5-plain", {"is_encoder_decoder": False}, "an encoder or a decoder alone cannot be read"),
        ("t5-plain", {"decoder_start_token_id": None, "pad_token_id": None}, "nothing says how the decoder begins"),
        ("t5-plain", {"decoder_start_token_id": 11}, "there is no id 11: the model has 11 words, 0 to 10"),
        ("falcon-new", {"parallel_attn": False}, "which the new_decoder_architecture cannot have"),
        ("falcon-new", {"num_kv_heads": 3}, "num_attention_heads 4 is not a multiple of num_kv_heads 3"),
        ("llama-plain", {"hidden_size": "8"}, "hidden_size is '8', expected a whole number of at least 1"),
        ("llama-plain", {"hidden_size": True}, "hidden_size is true, expected a whole number of at least 1"),
        ("llama-plain", {"num_hidden_layers": 0}, "num_hidden_layers is 0, expected a whole number from 1 to 1000"),
        ("llama-plain", {"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000, expected a whole"),
        ("llama-plain", {"num_hidden_layers": 1000}, "fewer than the 1000 layers of config.json"),
        ("llama-plain", {"rms_norm_eps": float("inf")}, "rms_norm_eps is inf, expected a number of at least 0"),
        ("llama-plain", {"num_key_value_heads": 3}, "num_attention_heads 4 is not a multiple of num_key_value_heads 3"),
        ("llama-plain", {"num_attention_heads": 3}, "hidden_size 8 is not a multiple of num_attention_heads 3"),
        ("qwen3-plain", {"head_dim": None}, "head_dim is null, expected a whole number of at least 1"),
        ("llama-plain", {"head_dim": 3}, "head_dim is 3, expected an even number"),
        ("gpt2-plain", {"hidden_size": 12}, "hidden_size is 12 and n_embd is 8: they mean the same"),
        ("gemma-plain", {"use_bidirectional_attention": True}, "only causal attention can be read"),
        ("gemma2-plain", {"use_bidirectional_attention": True}, "only causal attention can be read"),
        ("gemma3_text-plain", {"use_bidirectional_attention": True}, "only causal attention can be read"),
        ("gemma3_text-plain", {"rope_parameters": {"rope_theta": 5.0}}, "expected full_attention and sliding_a"),
        ("gemma3_text-plain", {"sliding_window_pattern": 0}, "sliding_window_pattern is 0, expected"),
        ("gemma2-plain", {"sliding_window": None}, "layer_types has sliding_attention, but sliding_window is missing"),
        ("phi3-plain", {"rope_scaling": {"type": "yarn", "factor": 4.0}}, "'yarn', which is not supported; known is"),
        ("phi3-plain", {"rope_scaling": {"type": "su"}}, "the type of scaling is 'su', which is not supported"),
        ("phi3-plain", {"partial_rotary_factor": 0.1}, "0.1 of 2 features are 0, expected an even number of them"),
        ("phi3-plain", {"partial_rotary_factor": 1e308}, "partial_rotary_factor is 1e+308, expected a number above 0"),
        ("smollm3-plain", {"no_rope_layers": [1, 0]}, "no_rope_layers has 2 entries, fewer than the 5 layers"),
        ("smollm3-plain", {"no_rope_layers": [1, 2]}, "no_rope_layers is a list, expected a list of 0 and 1"),
        ("mixtral-stacked", {"num_experts_per_tok": 6}, "num_experts_per_tok is 6, but there are 5 experts"),
        ("mixtral-stacked", {"num_experts": 4}, "num_experts is 4 and num_local_experts is 5: they mean the same"),
        ("gpt_oss-plain", {"quantization_config": {"quant_method": "mxfp4"}}, "the weights are quantized"),
        ("gpt_oss-plain", {"rope_scaling": {"rope_type": "dynamic"}}, "known are default, linear, llama3 and yarn"),
        ("gptj-plain", {"rotary_dim": None}, "rotary_dim is null, expected a whole number"),
        ("gptj-plain", {"rotary_dim": 6}, "rotary_dim is 6, expected an even number of the 4 features of a head"),
        ("gpt_neox-plain", {"rope_theta": 7.0}, "transformers reads rotary_emb_base alone"),
        ("opt-plain", {"word_embed_proj_dim": 4}, "word_embed_proj_dim is 4 and hidden_size 8, which is not supported"),
        ("opt-plain", {"_remove_final_layer_norm": True}, "_remove_final_layer_norm is true, which is not supported"),
        ("roberta-plain", {"pad_token_id": 15}, "there is no position behind it, of 16 in all"),
        ("distilbert-plain", {"n_heads": 3}, "dim 8 is not a multiple of n_heads 3"),
        ("llama-plain", {"rms_norm_eps": 10**400}, "expected a number of at least 0"),
        ("llama-plain", {"hidden_act": "\x1b[31m"}, "hidden_act is '\\x1b[31m', which is not supported"),
    ],
)  # fmt: skip
def test_a_setting_that_would_change_the_numbers_is_refused_by_name(
    name: str, changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    refused = refusal(written(tmp_path, name, **changes))
    assert said in refused
    assert str(tmp_path) in refused


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, "llama-plain", hidden_size=-1, hidden_act=3, is_causal=False))
    assert refused.count("config.json: ") == 3


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "mamba",
            "model_type is 'mamba', a family that is not known here; known are bert, roberta, distilbert, gpt2",
        ),
        (["llama"], "model_type is a list, a family that is not known here"),
        (None, "model_type is null, a family that is not known here"),
    ],
)
def test_an_unknown_family(kind: Any, said: str, tmp_path: Path) -> None:
    assert said in refusal(written(tmp_path, "llama-plain", model_type=kind))


def test_a_family_that_is_not_named(tmp_path: Path) -> None:
    write_folder(tmp_path, BY_NAME["llama-plain"], shapes()["llama-plain"])
    (tmp_path / "config.json").write_text("{}")
    assert "no model_type says what family it is" in refusal(tmp_path)
    assert "known are bert, roberta, distilbert, gpt2, opt, gptj, gpt_neox, falcon, llama, mistral" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"model_type": "llama", "hidden', "not valid JSON at line 1, column 25"),
        ("model_type: llama", "not valid JSON at line 1, column 1"),
        ("[]", "it holds [], expected a mapping"),
        ("[" * 100_000, "not valid JSON"),
        ("", "not valid JSON at line 1, column 1"),
    ],
)
def test_a_config_that_is_none(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    assert said in refusal(tmp_path)


def test_no_config_and_no_folder(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path)
    assert "there is no such folder or file" in refusal(tmp_path / "none")
    (tmp_path / "config.json").write_bytes(b"\xff\xfe\x00")
    assert "not valid JSON" in refusal(tmp_path)


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    folder = written(tmp_path, "llama-plain", use_qk_norm=True, unheard=None, auto_map={"AutoModel": "x.Y"})
    notes = compose(folder, Prompt()).notes
    assert "config.json: ignored, because it is not a setting of Llama: 'use_qk_norm'" in notes
    assert any("code of its own" in note for note in notes)
    assert not any("unheard" in note for note in notes)


def test_what_bert_leaves_out_is_said(tmp_path: Path) -> None:
    composed = compose(written(tmp_path, "bert-masked"), Prompt())
    assert "left out: the language-model head" in composed.notes
    assert "all positions are of type 0, the first sentence" in composed.notes
    assert composed.text.startswith("# ")
    assert "# left out: the language-model head\n" in composed.text
    assert "left out: the pooler" in compose(written(tmp_path / "plain", "bert-plain"), Prompt()).notes


def test_epsilon_is_always_written(tmp_path: Path) -> None:
    """In the norms, in the embedding norm and in those of queries and keys."""
    assert "layer_norm: {epsilon: 1e-06}" in compose(written(tmp_path / "a", "llama-defaults"), Prompt()).text
    bert = compose(written(tmp_path / "b", "bert-plain"), Prompt()).text
    assert bert.count("epsilon: 1e-12") == 2
    assert compose(written(tmp_path / "c", "qwen3-plain"), Prompt()).text.count("epsilon: 1e-06") == 3


def test_a_base_model_without_a_head_ends_with_the_hidden_states(tmp_path: Path) -> None:
    composed = compose(written(tmp_path, "llama-base"), Prompt())
    assert "output_head" not in composed.text
    assert "the file has no output head: the scenario ends with the hidden states" in composed.notes
    assert "{tensor: embed_tokens.weight}" in composed.text


def test_settings_written_by_the_library_itself(tmp_path: Path) -> None:
    """A byte order mark and every key that a saved config has."""
    folder = written(tmp_path, "llama-plain", bos_token_id=1, dtype="bfloat16", torch_dtype="float16", use_cache=True)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8-sig")
    assert compose(folder, Prompt()).notes == (
        "it reads the first 3 ids; choose others with --tokens, --ids or --text",
    )


def test_what_no_code_reads_in_a_gemma_3_is_said(tmp_path: Path) -> None:
    composed = compose(written(tmp_path, "gemma3_text-early"), Prompt())
    assert any("attn_logit_softcapping is ignored" in note for note in composed.notes)
    assert "score_cap" not in composed.text


def test_the_padding_of_a_roberta_is_no_token(tmp_path: Path) -> None:
    folder = written(tmp_path, "roberta-plain")
    with pytest.raises(CheckpointError, match=r"the id 1 is the padding \(pad_token_id\), which has no position"):
        compose(folder, Prompt(ids="5,1,2"))
    assert 'tokens: ["0", "2", "3"]' in compose(folder, Prompt()).text  # where no ids are asked for
    with pytest.raises(CheckpointError, match="15 tokens are given, but the model has only 14 positions"):
        compose(folder, Prompt(ids=",".join(["5"] * 15)))


def test_layers_that_take_turns_are_a_pattern(tmp_path: Path) -> None:
    text = compose(written(tmp_path, "gemma3_text-plain"), Prompt()).text
    assert "pattern: [local, local, local, local, local, global]" in text
    assert "global: {self_attention: {rotary: {base: 1000000, layout: halves}}}" in text
    assert text.count("q_proj.weight") == 1
