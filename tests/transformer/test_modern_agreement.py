"""What no stored checkpoint shows, against transformers' own models in float64: a cache, and gradients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, IDS, WORDS, write_folder
from walkthrough.checkpoints import Prompt, compose

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tests.checkpoints import theirs  # noqa: E402  # it needs both

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def in_float64() -> Iterator[None]:
    with theirs.in_float64():
        yield


def opened(name: str, folder: Path, more: str) -> tuple[Any, wt.Trace]:
    """A model of the library with the weights of a stored checkpoint, and what is recorded of it, with more keys."""
    variant = BY_NAME[name]
    tensors = write_folder(folder, variant, shapes()[name])
    model = theirs.model_of(variant)
    model.load_state_dict({key: torch.tensor(one.astype(np.float64)) for key, one in tensors.items()}, strict=False)
    model.tie_weights()
    path = folder / "scenario.yaml"
    text = compose(folder, Prompt(ids=",".join(map(str, IDS))), ".").text
    every_word = f"vocabulary: {list(map(str, range(WORDS)))}"  # not those of the prompt alone
    path.write_text(re.sub("vocabulary: .*", every_word, text) + more, encoding="utf-8")
    return model, wt.trace(wt.load_scenario(path))


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["mistral-plain", "qwen3-plain"])
def test_a_cache(name: str, tmp_path: Path) -> None:
    """Each pass of a greedy generation with `use_cache=True`: its new row, and the keys and values kept by then."""
    model, trace = opened(name, tmp_path, "\ngenerate: {max_tokens: 3, cache: true}\n")
    kept, ids = transformers.DynamicCache(), torch.tensor([IDS])
    for number in (1, 2, 3):
        with torch.no_grad():
            out = model(ids, use_cache=True, past_key_values=kept, output_hidden_states=True, output_attentions=True)
        prefix = f"generate.{number}."
        close(trace[f"{prefix}decoder.output"].array, out.hidden_states[-1][0].numpy())
        close(trace[f"{prefix}output_head.logits"].array, out.logits[0].numpy())
        for layer, weights in enumerate(out.attentions, 1):
            keys, values = kept.layers[layer - 1].keys, kept.layers[layer - 1].values
            for head in range(weights.shape[1]):
                path = f"{prefix}decoder.{layer}.self_attention.head.{head + 1}."
                close(trace[f"{path}weights"].array, weights[0, head].numpy())
                close(trace[f"{path}key_cache"].array, keys[0, head // 2].numpy())
                close(trace[f"{path}value_cache"].array, values[0, head // 2].numpy())
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


def test_gradients_of_qwen3(tmp_path: Path) -> None:
    """backward() through norms, gate, shared keys, rotation and norms of queries and keys."""
    targets = (2, 6, 2, 0, 3, 1)
    model, trace = opened("qwen3-plain", tmp_path, f"\ntraining: {{targets: {list(map(str, targets))}}}\n")
    out = model(torch.tensor([IDS]), use_cache=False)
    torch.nn.functional.cross_entropy(out.logits[0], torch.tensor(targets)).backward()
    close(trace["gradient.embeddings"].array, model.model.embed_tokens.weight.grad.numpy())
    weights = dict(model.named_parameters())
    for layer in (1, 2):
        for theirs_, ours in GRADIENTS.items():
            for x in "qkv" if "{x}" in theirs_ else "-":
                heads = range(1, model.config.num_attention_heads + 1) if x != "-" else [0]
                found = [trace[f"gradient.decoder.{layer}.{ours.format(x=x, h=h)}"].array for h in heads]
                wanted = weights[f"model.layers.{layer - 1}.{theirs_.format(x=x)}"].grad.numpy()
                own = np.concatenate(list({id(array): array for array in found}.values()))
                close(own, wanted.reshape(-1, wanted.shape[-1]))
