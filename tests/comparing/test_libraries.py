"""Modules of transformers and of torch.nn themselves, as `capture` sees them; run where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.examples import some

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

IDS = [5, 2, 9, 2, 7]
SIZES = {
    "vocab_size": 11,
    "hidden_size": 8,
    "intermediate_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "max_position_embeddings": 16,
    "attn_implementation": "eager",
}
GPT2 = {"vocab_size": 11, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 16, "attn_implementation": "eager"}
FAMILIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "bert": ("BertModel", "BertConfig", SIZES),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", {**GPT2, "bos_token_id": None, "eos_token_id": None}),
    "llama": ("LlamaForCausalLM", "LlamaConfig", {**SIZES, "num_key_value_heads": 1}),
    "mistral": ("MistralForCausalLM", "MistralConfig", {**SIZES, "num_key_value_heads": 1, "sliding_window": 3}),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", {**SIZES, "num_key_value_heads": 1, "head_dim": 4}),
}
EXPERTS = {**SIZES, "num_key_value_heads": 1, "num_local_experts": 3, "num_experts_per_tok": 2}
LATENT = {"kv_lora_rank": 5, "q_lora_rank": 6, "qk_rope_head_dim": 2, "qk_nope_head_dim": 3, "v_head_dim": 4}
LATENT |= {"num_key_value_heads": 2, "first_k_dense_replace": 1, "moe_intermediate_size": 6}
LATER: dict[str, tuple[str, str, dict[str, Any]]] = {
    "roberta": ("RobertaModel", "RobertaConfig", SIZES),
    "distilbert": (
        "DistilBertModel",
        "DistilBertConfig",
        {"vocab_size": 11, "dim": 8, "n_layers": 2, "n_heads": 2, "hidden_dim": 12, "attn_implementation": "eager"},
    ),
    "opt": ("OPTForCausalLM", "OPTConfig", {**SIZES, "ffn_dim": 12}),
    "gptj": ("GPTJForCausalLM", "GPTJConfig", {**GPT2, "rotary_dim": 2}),
    "gpt_neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", {**SIZES, "rotary_pct": 0.5}),
    "phi3": ("Phi3ForCausalLM", "Phi3Config", {**SIZES, "pad_token_id": 0}),
    "olmo2": ("Olmo2ForCausalLM", "Olmo2Config", SIZES),
    "smollm3": ("SmolLM3ForCausalLM", "SmolLM3Config", {**SIZES, "num_key_value_heads": 1, "pad_token_id": 0}),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", {**SIZES, "num_key_value_heads": 1, "head_dim": 4}),
    "gemma2": (
        "Gemma2ForCausalLM",
        "Gemma2Config",
        {**SIZES, "num_key_value_heads": 1, "head_dim": 4, "final_logit_softcapping": 2.0, "sliding_window": 3},
    ),
    "gemma3_text": (
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        {**SIZES, "num_key_value_heads": 1, "head_dim": 4, "sliding_window": 3, "sliding_window_pattern": 2},
    ),
    "mixtral": ("MixtralForCausalLM", "MixtralConfig", EXPERTS),
    "qwen3_moe": (
        "Qwen3MoeForCausalLM",
        "Qwen3MoeConfig",
        {**EXPERTS, "moe_intermediate_size": 6, "mlp_only_layers": [0]},
    ),
    "deepseek_v3": (
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        {**SIZES, **LATENT, "num_local_experts": 4, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1},
    ),
    "gpt_oss": ("GptOssForCausalLM", "GptOssConfig", {**EXPERTS, "head_dim": 4, "sliding_window": 3}),
}


def drawn(model: Any) -> Any:
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) * 0.5 if weight.dim() > 1 else torch.rand_like(weight) + 0.5)
    return model.eval()


OF_THE_CHOICE = ("gate.1", "gate.2", "router.1", "router.2", "mlp.1", "experts.act_fn")
"""What there is for the chosen experts only, which is no step here."""
CASES = [
    *(
        (family, "float64")
        for family in (*FAMILIES, *some(("gpt_neox", "gemma2", "gpt_oss", "mixtral", "deepseek_v3"), tuple(LATER)))
    ),
    *((family, kind) for family in some(("llama",), (*FAMILIES, *LATER)) for kind in ("float32", "bfloat16")),
]


@pytest.mark.parametrize(("family", "kind"), CASES)
def test_a_model_of_transformers_is_the_same_throughout(family: str, kind: str, tmp_path: Path) -> None:
    """Its scenario is made by `new --from`; its angles and norms are in float32, whatever its type."""
    transformers = pytest.importorskip("transformers")
    name, config, sizes = {**FAMILIES, **LATER}[family]
    sizes = {**sizes, "experts_implementation": "eager"} if "num_local_experts" in sizes else sizes
    model = drawn(getattr(transformers, name)(getattr(transformers, config)(**sizes))).to(getattr(torch, kind))
    model.save_pretrained(tmp_path)
    path = tmp_path / "mine.yaml"
    ids = ",".join(map(str, IDS))
    done = invoke("new", str(path), "--from", str(tmp_path), "--ids", ids)
    assert done.exit_code == 0, done.output
    with torch.no_grad(), wt.capture(model) as tensors:
        model(torch.tensor([IDS]), output_hidden_states=True, output_attentions=True, use_cache=False)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    assert found.summary["same"] == len(found.steps) > 40
    rest = ("pooler", "rotary_emb", *OF_THE_CHOICE) if "num_local_experts" in sizes else ("pooler", "rotary_emb")
    if family == "deepseek_v3":
        rest += ("mlp.experts",)  # the shared network is added in the same step
    assert all(any(part in one.theirs for part in rest) for one in found.not_compared), found.not_compared


def attention(prefix: str) -> str:
    parts = [
        f"{kind}_{x}: {{tensor: '{prefix}.in_proj_{name}', rows: [{at * 8 + 1}, {at * 8 + 8}]}}"
        for at, x in enumerate("qkv")
        for kind, name in (("w", "weight"), ("b", "bias"))
    ]
    parts += [f"w_o: {{tensor: '{prefix}.out_proj.weight'}}", f"b_o: {{tensor: '{prefix}.out_proj.bias'}}"]
    return "{num_heads: 2, " + ", ".join(parts) + "}"


NORM = "{{gamma: {{tensor: '{0}.weight'}}, beta: {{tensor: '{0}.bias'}}}}"
WORDS = "abcde"


def feed(prefix: str) -> str:
    parts = (
        f"{kind}_{at}: {{tensor: '{prefix}linear{at}.{name}'}}"
        for at in (1, 2)
        for kind, name in (("w", "weight"), ("b", "bias"))
    )
    return "{" + ", ".join(parts) + "}"


def scenario(folder: Path, model: Any, x: Any, parts: str) -> Path:
    """A scenario of a module's own weights, and of what goes into it."""
    from safetensors.torch import save_file

    save_file({name: one.contiguous().clone() for name, one in model.state_dict().items()}, folder / "m.safetensors")
    path = folder / "mine.yaml"
    tokens = f"tokens: [{', '.join(WORDS[: len(x)])}]"
    head = f"title: t\nmatrix_convention: column\nweights_file: m.safetensors\n{tokens}\nembeddings: {x.tolist()}\n"
    path.write_text(head + parts, encoding="utf-8")
    return path


def layer_of(prefix: str, attention_name: str, parts: tuple[str, ...]) -> str:
    """A layer of torch.nn, its norms after each part."""
    lines = []
    for at, part in enumerate(parts, 1):
        theirs = {"self": "self_attn", "cross": "multihead_attn"}.get(part, "")
        key = {"self": attention_name, "cross": "cross_attention"}.get(part, "feed_forward")
        lines.append(f"{key}: {attention(prefix + theirs) if theirs else feed(prefix)}")
        lines.append(f"norm_{at}: {NORM.format(f'{prefix}norm{at}')}")
    return "{" + ", ".join(lines) + "}"


def drawn_x(rows: int, kind: Any) -> Any:
    return torch.randn(rows, 8, dtype=kind)


def test_an_encoder_of_torch_nn_is_the_same_throughout(tmp_path: Path) -> None:
    """Its batch is the second axis."""
    layer = torch.nn.TransformerEncoderLayer(8, 2, 12)
    model = drawn(torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)).double()
    x = drawn_x(5, torch.float64)
    layers = layer_of("layers.{i}.", "attention", ("self", "feed"))
    path = scenario(tmp_path, model, x, f"encoder: {{layers: {{repeat: 2, layer: {layers}}}}}")
    with torch.no_grad(), wt.capture(model) as tensors:
        model(x[:, None])
    found = wt.compare(path, {**model.state_dict(), **tensors})
    assert found.first is None, found
    assert not found.not_compared
    assert len(found.steps) > 50


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize("needs", ["weights", "weights of each head", "no weights"])
def test_multihead_attention_is_the_same(needs: str, kind: Any, tmp_path: Path) -> None:
    """Its weights are the mean over the heads unless they are asked for one by one."""
    model, x = drawn(torch.nn.MultiheadAttention(8, 2, batch_first=True)).to(kind), drawn_x(5, kind)
    path = scenario(tmp_path, model, x, "attention: " + attention("").replace("'.", "'"))
    asked = {"need_weights": needs != "no weights", "average_attn_weights": needs == "weights"}
    with torch.no_grad(), wt.capture(model) as tensors:
        model(x[None], x[None], x[None], **asked)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    assert len(found.steps) == {"weights": 1, "weights of each head": 3, "no weights": 1}[needs]


@pytest.mark.parametrize("is_fast", [True, False])
@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
def test_an_encoder_layer_is_the_same(is_fast: bool, kind: Any, tmp_path: Path) -> None:
    """Hooks keep PyTorch from its fast path, so that every part is seen."""
    model, x = drawn(torch.nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)).to(kind), drawn_x(5, kind)
    layers = f"encoder: {{layers: [{layer_of('', 'attention', ('self', 'feed'))}]}}"
    path = scenario(tmp_path, model, x, layers)
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(is_fast)
    try:
        with torch.no_grad(), wt.capture(model) as tensors:
            model(x[None])
    finally:
        torch.backends.mha.set_fastpath_enabled(before)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    assert len(found.steps) > 5


def stack(name: str, parts: tuple[str, ...], more: str = "") -> str:
    layer = layer_of(f"{name}.layers.{{i}}.", {"encoder": "attention"}.get(name, "self_attention"), parts)
    return f"{name}: {{{more}layers: {{repeat: 2, layer: {layer}}}, final_norm: {NORM.format(f'{name}.norm')}}}\n"


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
def test_a_whole_transformer_of_torch_nn_is_the_same(kind: Any, tmp_path: Path) -> None:
    model = drawn(torch.nn.Transformer(8, 2, 2, 2, 12, batch_first=True)).to(kind)
    x, y = drawn_x(5, kind), drawn_x(4, kind)
    given = f"tokens: [{', '.join(WORDS[:4])}], embeddings: {y.tolist()}, "
    both = stack("encoder", ("self", "feed")) + stack("decoder", ("self", "cross", "feed"), given)
    path = scenario(tmp_path, model, x, both)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(4, dtype=kind)
    with torch.no_grad(), wt.capture(model) as tensors:
        model(x[None], y[None], tgt_mask=mask, tgt_is_causal=True)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    assert len(found.steps) > 20


def test_a_decoder_layer_is_the_same(tmp_path: Path) -> None:
    """What the encoder gives it is what the scenario's encoder computes."""
    whole = drawn(torch.nn.Transformer(8, 2, 1, 1, 12, batch_first=True)).double()
    x, y = drawn_x(5, torch.float64), drawn_x(4, torch.float64)
    given = f"tokens: [{', '.join(WORDS[:4])}], embeddings: {y.tolist()}, "
    both = stack("encoder", ("self", "feed")) + stack("decoder", ("self", "cross", "feed"), given)
    both = both.replace("repeat: 2", "repeat: 1").replace(f", final_norm: {NORM.format('decoder.norm')}", "")
    path = scenario(tmp_path, whole, x, both)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(4, dtype=torch.float64)
    with torch.no_grad():
        memory = whole.encoder(x[None])
        with wt.capture(whole.decoder.layers[0]) as tensors:
            whole.decoder.layers[0](y[None], memory, tgt_mask=mask)
    found = wt.compare(path, tensors)
    assert found.first is None, found
    assert len(found.steps) > 5
