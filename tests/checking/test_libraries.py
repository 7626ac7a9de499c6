"""Modules of transformers and of torch.nn themselves, as `capture` sees them; run where both are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import walkthrough as wt
from tests.cli.program import invoke

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

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


def drawn(model: Any) -> Any:
    torch.manual_seed(1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) * 0.5 if weight.dim() > 1 else torch.rand_like(weight) + 0.5)
    return model.eval()


@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_of_transformers_is_the_same_throughout(family: str, kind: str, tmp_path: Path) -> None:
    """Its scenario is made by `new --from`; its angles and norms are in float32, whatever its type."""
    name, config, sizes = FAMILIES[family]
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
    assert all("pooler" in one.theirs or "rotary_emb" in one.theirs for one in found.not_compared)


def attention(prefix: str) -> str:
    parts = [
        f"{kind}_{x}: {{tensor: '{prefix}.in_proj_{name}', rows: [{at * 8 + 1}, {at * 8 + 8}]}}"
        for at, x in enumerate("qkv")
        for kind, name in (("w", "weight"), ("b", "bias"))
    ]
    parts += [f"w_o: {{tensor: '{prefix}.out_proj.weight'}}", f"b_o: {{tensor: '{prefix}.out_proj.bias'}}"]
    return "{num_heads: 2, " + ", ".join(parts) + "}"


def test_an_encoder_of_torch_nn_is_the_same_throughout(tmp_path: Path) -> None:
    """Its batch is the second axis."""
    from safetensors.torch import save_file

    model = drawn(
        torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(8, 2, 12), 2, enable_nested_tensor=False)
    ).double()
    state = {name: one.contiguous().clone() for name, one in model.state_dict().items()}
    save_file(state, tmp_path / "model.safetensors")
    x = torch.randn(5, 1, 8, dtype=torch.float64)
    norm = "{{gamma: {{tensor: 'layers.{{i}}.norm{at}.weight'}}, beta: {{tensor: 'layers.{{i}}.norm{at}.bias'}}}}"
    feed = [
        f"{k}_{at}: {{tensor: 'layers.{{i}}.linear{at}.{n}'}}"
        for at in (1, 2)
        for k, n in (("w", "weight"), ("b", "bias"))
    ]
    (tmp_path / "mine.yaml").write_text(
        f"""
title: t
matrix_convention: column
weights_file: model.safetensors
tokens: [a, b, c, d, e]
embeddings: {x[:, 0].tolist()}
encoder:
  layers:
    repeat: 2
    layer:
      attention: {attention("layers.{i}.self_attn")}
      norm_1: {norm.format(at=1)}
      feed_forward: {{{", ".join(feed)}}}
      norm_2: {norm.format(at=2)}
""",
        encoding="utf-8",
    )
    with torch.no_grad(), wt.capture(model) as tensors:
        model(x)
    found = wt.compare(tmp_path / "mine.yaml", {**state, **tensors})
    assert found.first is None, found
    assert not found.not_compared
    assert len(found.steps) > 50
