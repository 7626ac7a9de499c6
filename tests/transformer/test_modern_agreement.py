"""The parts since 2017 against transformers' own models, in float64; run where torch and transformers are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.torch

WIDTH, HEADS, WORDS = 8, 4, 7
IDS = (5, 2, 6, 2, 0, 3)
SIZES = {
    "vocab_size": WORDS,
    "hidden_size": WIDTH,
    "intermediate_size": 10,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "attn_implementation": "eager",
    "initializer_range": 0.5,
    "max_position_embeddings": 64,
}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}


@pytest.fixture
def in_float64(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """transformers computes angles and RMS norms in float32, whatever the model's type; here it does not."""
    before = torch.get_default_dtype()
    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch, "float", torch.float64)
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def hidden_states(make: Callable[[], Any]) -> tuple[Any, Any]:
    """A model with random weights, every one of them, and what it says of IDS."""
    torch.manual_seed(1)
    model = make().double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 1:
                weight.copy_(torch.rand_like(weight) + 0.5)
        out = model(torch.tensor([IDS]), output_hidden_states=True, output_attentions=True, use_cache=False)
    return model, out


def scenario(model: Any, folder: Path, **attention: str) -> Path:
    """A scenario of a model that is built like Llama, which reads its weights."""
    from safetensors.torch import save_file

    tensors = {name: value.contiguous().clone() for name, value in model.state_dict().items()}
    save_file(tensors, folder / "model.safetensors")

    def given(key: str, name: str) -> str:
        named = f"model.layers.{{i}}.{name}"
        return f"{key}: {{tensor: '{named}'}}" if named.replace("{i}", "0") in tensors else ""

    def among(**names: str) -> str:
        return ", ".join(filter(None, (given(key, name) for key, name in names.items())))

    config = model.config
    projections = {
        f"{kind}_{x}": f"self_attn.{x}_proj.{name}" for x in "qkvo" for kind, name in (("w", "weight"), ("b", "bias"))
    }
    norms = {name: among(gamma=f"self_attn.{name[0]}_norm.weight") for name in ("query_norm", "key_norm")}
    gated = among(w_gate="mlp.gate_proj.weight", w_1="mlp.up_proj.weight", w_2="mlp.down_proj.weight")
    extra = "".join(f", {key}: {value}" for key, value in attention.items())
    extra += "".join(f", {name}: {{{gamma}, epsilon: {config.rms_norm_eps}}}" for name, gamma in norms.items() if gamma)
    head = "{tied: true}" if config.tie_word_embeddings else "{w: {tensor: lm_head.weight}}"
    text = f"""
title: t
matrix_convention: column
weights_file: model.safetensors
tokens: [{", ".join(f"w{number}" for number in IDS)}]
vocabulary: [{", ".join(f"w{number}" for number in range(WORDS))}]
embeddings: {{tensor: model.embed_tokens.weight}}
decoder:
  norm: rms
  norm_order: pre
  layer_norm: {{epsilon: {config.rms_norm_eps}}}
  layers:
    repeat: {config.num_hidden_layers}
    layer:
      self_attention: {{num_heads: {HEADS}, num_kv_heads: {config.num_key_value_heads}, {among(**projections)}{extra}}}
      norm_1: {{{given("gamma", "input_layernorm.weight")}}}
      feed_forward: {{activation: silu, {gated}}}
      norm_2: {{{given("gamma", "post_attention_layernorm.weight")}}}
  final_norm: {{gamma: {{tensor: model.norm.weight}}}}
output_head: {head}
"""
    path = folder / "model.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def assert_same(path: Path, out: Any) -> None:
    trace = wt.trace(wt.load_scenario(path))
    states = [state[0].numpy() for state in out.hidden_states]
    close(trace["input"].array, states[0])
    close(trace["decoder.1.residual_2"].array, states[1])
    close(trace["decoder.output"].array, states[-1])
    for layer, weights in enumerate(out.attentions, 1):
        for head in range(HEADS):
            recorded = trace[f"decoder.{layer}.self_attention.head.{head + 1}.weights"].array
            close(recorded, weights[0, head].numpy())
    close(trace["output_head.logits"].array, out.logits[0].numpy())


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def llama(**settings: Any) -> Callable[[], Any]:
    config = transformers.LlamaConfig(**{**SIZES, "num_key_value_heads": 2, **settings})
    return lambda: transformers.LlamaForCausalLM(config)


@pytest.mark.usefixtures("in_float64")
class TestModels:
    def test_llama(self, tmp_path: Path) -> None:
        model, out = hidden_states(llama(rms_norm_eps=1e-5))
        assert_same(scenario(model, tmp_path, rotary="{base: 10000}"), out)

    def test_llama_with_one_key_for_all_queries(self, tmp_path: Path) -> None:
        model, out = hidden_states(llama(num_key_value_heads=1, attention_bias=True, tie_word_embeddings=True))
        assert_same(scenario(model, tmp_path, rotary="{base: 10000}"), out)

    def test_llama_with_its_scaling(self, tmp_path: Path) -> None:
        rope = {"rope_type": "llama3", "rope_theta": 100.0, **LLAMA3}
        model, out = hidden_states(llama(head_dim=6, rope_parameters=rope))
        scaling = ", ".join(f"{key}: {value}" for key, value in LLAMA3.items())
        assert_same(scenario(model, tmp_path, rotary=f"{{base: 100, scaling: {{llama3: {{{scaling}}}}}}}"), out)

    def test_llama_with_linear_scaling(self, tmp_path: Path) -> None:
        model, out = hidden_states(llama(rope_parameters={"rope_type": "linear", "rope_theta": 50.0, "factor": 3.0}))
        assert_same(scenario(model, tmp_path, rotary="{base: 50, scaling: {linear: 3}}"), out)

    def test_mistral_with_its_window(self, tmp_path: Path) -> None:
        config = transformers.MistralConfig(**SIZES, num_key_value_heads=2, sliding_window=3)
        model, out = hidden_states(lambda: transformers.MistralForCausalLM(config))
        assert_same(scenario(model, tmp_path, rotary="{}", window="3"), out)

    def test_qwen3_with_its_norms_of_queries_and_keys(self, tmp_path: Path) -> None:
        config = transformers.Qwen3Config(**SIZES, num_key_value_heads=2, head_dim=4)
        model, out = hidden_states(lambda: transformers.Qwen3ForCausalLM(config))
        assert_same(scenario(model, tmp_path, rotary="{}"), out)


@pytest.mark.usefixtures("in_float64")
@pytest.mark.parametrize("name", ["Mistral", "Qwen3"])
def test_a_cache(name: str, tmp_path: Path) -> None:
    """Each pass of a greedy generation with `use_cache=True`: its new row, and the keys and values kept by then."""
    extra, ours = ({"sliding_window": 8}, {"window": "8"}) if name == "Mistral" else ({"head_dim": 4}, {})
    config = getattr(transformers, f"{name}Config")(**SIZES, num_key_value_heads=2, **extra)
    model, _ = hidden_states(lambda: getattr(transformers, f"{name}ForCausalLM")(config))
    path = scenario(model, tmp_path, rotary="{}", **ours)
    path.write_text(path.read_text(encoding="utf-8") + "generate: {max_tokens: 3, cache: true}\n", encoding="utf-8")
    trace = wt.trace(wt.load_scenario(path))
    kept, ids = transformers.DynamicCache(), torch.tensor([IDS])
    for number in (1, 2, 3):
        with torch.no_grad():
            out = model(ids, use_cache=True, past_key_values=kept, output_hidden_states=True, output_attentions=True)
        prefix = f"generate.{number}."
        close(trace[f"{prefix}decoder.output"].array, out.hidden_states[-1][0].numpy())
        close(trace[f"{prefix}output_head.logits"].array, out.logits[0].numpy())
        for layer, weights in enumerate(out.attentions, 1):
            for head in range(HEADS):
                path_of = f"{prefix}decoder.{layer}.self_attention.head.{head + 1}."
                close(trace[f"{path_of}weights"].array, weights[0, head].numpy())
                keys, values = kept.layers[layer - 1].keys, kept.layers[layer - 1].values
                close(trace[f"{path_of}key_cache"].array, keys[0, head // 2].numpy())
                close(trace[f"{path_of}value_cache"].array, values[0, head // 2].numpy())
        ids = out.logits[0, -1:].argmax(-1)[None]


GRADIENTS = {
    "self_attn.{x}_proj.weight": "self_attention.head.{h}.w_{x}",
    "self_attn.o_proj.weight": "self_attention.w_o",
    "self_attn.q_norm.weight": "self_attention.query_norm.gamma",
    "self_attn.k_norm.weight": "self_attention.key_norm.gamma",
    "mlp.gate_proj.weight": "feed_forward.w_gate",
    "mlp.up_proj.weight": "feed_forward.w_1",
    "mlp.down_proj.weight": "feed_forward.w_2",
    "input_layernorm.weight": "norm_1.gamma",
    "post_attention_layernorm.weight": "norm_2.gamma",
}


@pytest.mark.usefixtures("in_float64")
def test_gradients_of_qwen3(tmp_path: Path) -> None:
    """backward() through norms, gate, shared keys, rotation and norms of queries and keys."""
    config = transformers.Qwen3Config(**SIZES, num_key_value_heads=2, head_dim=4)
    model, out = hidden_states(lambda: transformers.Qwen3ForCausalLM(config))
    out = model(torch.tensor([IDS]), use_cache=False)
    targets = (2, 6, 2, 0, 3, 1)
    torch.nn.functional.cross_entropy(out.logits[0], torch.tensor(targets)).backward()
    path = scenario(model, tmp_path, rotary="{}")
    training = f"training: {{targets: [{', '.join(f'w{number}' for number in targets)}]}}\n"
    path.write_text(path.read_text(encoding="utf-8") + training, encoding="utf-8")
    trace = wt.trace(wt.load_scenario(path))
    close(trace["gradient.embeddings"].array, model.model.embed_tokens.weight.grad.numpy())
    weights = dict(model.named_parameters())
    for layer in (1, 2):
        for theirs, ours in GRADIENTS.items():
            for x in "qkv" if "{x}" in theirs else "-":
                heads = range(1, HEADS + 1) if x != "-" else [0]
                found = [trace[f"gradient.decoder.{layer}.{ours.format(x=x, h=h)}"].array for h in heads]
                wanted = weights[f"model.layers.{layer - 1}.{theirs.format(x=x)}"].grad.numpy()
                close(
                    np.concatenate(list({id(array): array for array in found}.values())),
                    wanted.reshape(-1, wanted.shape[-1]),
                )


def attention(text: str, given: dict[str, np.ndarray]) -> wt.Trace:
    """An attention by itself whose queries and keys are given, one head a pair."""
    heads = [f"{{q: {given['q'][h].tolist()}, k: {given['k'][h].tolist()}}}" for h in range(len(given["q"]))]
    words = ", ".join(f"w{at}" for at in range(given["q"].shape[1]))
    return wt.trace(
        wt.parse_scenario(f"title: t\ntokens: [{words}]\nattention: {{heads: [{', '.join(heads)}], {text}}}")
    )


def drawn(heads: int, width: int, seed: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=(heads, len(IDS), width)) for name in "qk"}


@pytest.mark.usefixtures("in_float64")
@pytest.mark.parametrize("turned", [4, 8])
def test_halves_of_gpt_neox(turned: int) -> None:
    """GPT-NeoX turns a part of each head, i with i + r/2."""
    from transformers.models.gpt_neox import modeling_gpt_neox as neox

    given = drawn(2, 8)
    config = transformers.GPTNeoXConfig(hidden_size=16, num_attention_heads=2, rotary_pct=turned / 8)
    config.rope_parameters["partial_rotary_factor"] = turned / 8
    q, k = (torch.tensor(given[name])[None] for name in "qk")
    cos, sin = neox.GPTNeoXRotaryEmbedding(config)(q, torch.arange(len(IDS))[None])
    wanted = neox.apply_rotary_pos_emb(q, k, cos, sin)
    trace = attention(f"rotary: {{dimensions: {turned}}}", given)
    for head in (1, 2):
        for name, array in zip(("query", "key"), wanted, strict=True):
            close(trace[f"attention.head.{head}.{name}_rotated"].array, array[0, head - 1].numpy())


@pytest.mark.usefixtures("in_float64")
@pytest.mark.parametrize("turned", [4, 8])
def test_neighbours_of_gpt_j(turned: int) -> None:
    """GPT-J turns each feature with the next, as RoFormer does."""
    from transformers.models.gptj import modeling_gptj as gptj

    given = drawn(2, 8)
    table = gptj.create_sinusoidal_positions(len(IDS), turned)[None]
    sin, cos = torch.split(table, turned // 2, dim=-1)
    trace = attention(f"rotary: {{dimensions: {turned}, layout: interleaved}}", given)
    for head in (1, 2):
        for name in "qk":
            x = torch.tensor(given[name][head - 1])[None, :, None, :]
            wanted = torch.cat([gptj.apply_rotary_pos_emb(x[..., :turned], sin, cos), x[..., turned:]], dim=-1)
            full = {"q": "query", "k": "key"}[name]
            close(trace[f"attention.head.{head}.{full}_rotated"].array, wanted[0, :, 0].numpy())


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12])
def test_slopes_of_bloom(heads: int) -> None:
    """Slopes and distances as Bloom has them; its scores differ by a constant a row, which a softmax does not see."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    given, n = drawn(heads, 2), len(IDS)
    far = build_alibi_tensor(torch.ones(1, n), heads, torch.float64).reshape(heads, 1, n)
    scores = torch.tensor(given["q"] @ given["k"].transpose(0, 2, 1) / np.sqrt(2)) + far
    hidden = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
    wanted = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1).numpy()
    trace = attention("alibi: true, mask: causal", given)
    for head in range(heads):
        np.testing.assert_allclose(
            trace[f"attention.head.{head + 1}.weights"].array, wanted[head], rtol=1e-7, atol=1e-8
        )
