"""nanoGPT's own layout: a folder or a file without model_type, beside a module that is built like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import walkthrough as wt
from tests.cli.program import invoke
from walkthrough.checkpoints import CheckpointError, Prompt, compose

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch
nn, functional = torch.nn, torch.nn.functional

IDS = (5, 2, 7, 2, 0)
WORDS, WIDTH, HEADS, LAYERS, BLOCK = 11, 8, 2, 2, 6


class Attention(nn.Module):  # type: ignore[misc]
    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH, bias=bias)
        self.c_proj = nn.Linear(WIDTH, WIDTH, bias=bias)
        self.register_buffer("bias", torch.ones(BLOCK, BLOCK).tril().view(1, 1, BLOCK, BLOCK))

    def forward(self, x: Any) -> Any:
        q, k, v = (one.view(1, -1, HEADS, WIDTH // HEADS).transpose(1, 2) for one in self.c_attn(x).split(WIDTH, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(1, -1, WIDTH))


class Network(nn.Module):  # type: ignore[misc]
    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.c_fc, self.c_proj = nn.Linear(WIDTH, 4 * WIDTH, bias=bias), nn.Linear(4 * WIDTH, WIDTH, bias=bias)
        self.gelu = nn.GELU()

    def forward(self, x: Any) -> Any:
        return self.c_proj(self.gelu(self.c_fc(x)))


class Block(nn.Module):  # type: ignore[misc]
    def __init__(self, bias: bool) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH, bias=bias), nn.LayerNorm(WIDTH, bias=bias)
        self.attn, self.mlp = Attention(bias), Network(bias)

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class NanoGPT(nn.Module):  # type: ignore[misc]
    """https://github.com/karpathy/nanoGPT, model.py: pre-LN, exact GELU, the head tied to the embeddings."""

    def __init__(self, bias: bool, is_tied: bool) -> None:
        super().__init__()
        parts = {
            "wte": nn.Embedding(WORDS, WIDTH),
            "wpe": nn.Embedding(BLOCK, WIDTH),
            "h": nn.ModuleList(Block(bias) for _ in range(LAYERS)),
            "ln_f": nn.LayerNorm(WIDTH, bias=bias),
        }
        self.transformer = nn.ModuleDict(parts)
        self.lm_head = nn.Linear(WIDTH, WORDS, bias=False)
        if is_tied:
            self.lm_head.weight = self.transformer["wte"].weight

    def forward(self, ids: Any) -> Any:
        x = self.transformer["wte"](ids) + self.transformer["wpe"](torch.arange(ids.shape[1]))
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))


def made(bias: bool = True, is_tied: bool = True) -> Any:
    torch.manual_seed(3)
    model = NanoGPT(bias, is_tied).double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(torch.randn_like(weight) * 0.5 + (weight.dim() == 1))
    return model


def state_of(model: Any) -> dict[str, np.ndarray]:
    return {name: one.numpy().copy() for name, one in model.state_dict().items()}


def saved(folder: Path, tensors: dict[str, np.ndarray], **config: Any) -> Path:
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("is_tied", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_a_module_built_like_it_is_the_same_throughout(bias: bool, is_tied: bool, tmp_path: Path) -> None:
    model = made(bias, is_tied)
    folder = saved(tmp_path, state_of(model), n_head=HEADS, n_layer=LAYERS, bias=bias, dropout=0.1)
    composed = compose(folder, Prompt(ids=",".join(map(str, IDS))), ".")
    assert composed.notes == ()
    (tmp_path / "s.yaml").write_text(composed.text)
    with torch.no_grad(), wt.capture(model) as tensors:
        model(torch.tensor([IDS]))
    tensors["logits"] = tensors["lm_head"]
    found = wt.compare(tmp_path / "s.yaml", {**tensors, **state_of(model)})
    assert found.first is None, found
    rest = [f"transformer.h.{at}.attn.bias" for at in range(LAYERS)] + (["lm_head.weight"] if is_tied else [])
    assert [one.theirs for one in found.not_compared] == rest
    trace = wt.trace(wt.load_scenario(tmp_path / "s.yaml"))
    np.testing.assert_allclose(trace["output_head.logits"].array, tensors["lm_head"][0], rtol=1e-10, atol=1e-10)
    assert ("output_head.w" in trace) is not is_tied


@pytest.mark.parametrize("before", ["", "_orig_mod.", "_orig_mod.transformer."])
@pytest.mark.parametrize("suffix", ["safetensors", "npz"])
def test_a_file_by_itself(suffix: str, before: str, tmp_path: Path) -> None:
    """With every prefix that its names have, and the number of heads as an option."""
    state = {}
    for name, array in state_of(made(is_tied=False)).items():
        root = "_orig_mod." if before else ""
        inside = name.startswith("transformer.")
        state[f"{before}{name.removeprefix('transformer.')}" if inside else root + name] = array
    path = tmp_path / f"mine.{suffix}"
    if suffix == "npz":
        np.savez(path, **state)
    else:
        save_file(state, path)
    done = invoke("new", str(tmp_path / "s.yaml"), "--from", str(path), "--heads", "2", "--ids", "5,2,7,2,0")
    assert done.exit_code == 0, done.output
    with torch.no_grad():
        wanted = made(is_tied=False)(torch.tensor([IDS]))[0].numpy()
    trace = wt.trace(wt.load_scenario(tmp_path / "s.yaml"))
    np.testing.assert_allclose(trace["output_head.logits"].array, wanted, rtol=1e-10, atol=1e-10)


def refusal(path: Path, heads: int | None = None) -> str:
    with pytest.raises(CheckpointError) as refused:
        compose(path, Prompt(), heads=heads)
    return str(refused.value)


def test_what_nothing_says_or_what_contradicts_is_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path, state_of(made()))
    assert "nothing says how many heads it has" in refusal(folder)
    assert "--heads" in refusal(folder)
    assert "n_embd 8 is not a multiple of n_head 3" in refusal(folder, 3)
    saved(tmp_path, state_of(made()), n_head=2, n_layer=3)
    assert "n_layer is 3, but the file has 2" in refusal(folder)
    saved(tmp_path, state_of(made()), n_head=2)
    assert "n_head is 2, but --heads is 4" in refusal(folder, 4)


def test_weights_stored_as_gpt_2_s_are_named(tmp_path: Path) -> None:
    turned = {name: one.T.copy() if "c_" in name else one for name, one in state_of(made()).items()}
    refused = refusal(saved(tmp_path, turned), 2)
    assert "is 8×24, as GPT-2 stores it, not 24×8 as nanoGPT does" in refused
    assert 'write "model_type": "gpt2"' in refused


def test_a_bias_that_only_some_layers_have_is_refused(tmp_path: Path) -> None:
    state = state_of(made())
    del state["transformer.h.1.mlp.c_fc.bias"]
    assert "the tensor 'transformer.h.1.mlp.c_fc.bias' is missing" in refusal(saved(tmp_path, state), 2)


def test_a_file_of_another_model_is_refused(tmp_path: Path) -> None:
    save_file({"layers.0.w": np.ones((2, 2))}, tmp_path / "other.safetensors")
    refused = refusal(tmp_path / "other.safetensors", 2)
    assert "no model_type says what family it is, and its tensors are not named as a nanoGPT's" in refused
    assert "known are bert, roberta" in refused
    saved(tmp_path, state_of(made()), model_type="gpt2")
    assert "that names its family" in refusal(tmp_path / "model.safetensors")
    assert "--heads is for a checkpoint whose config.json has no model_type" in refusal(tmp_path, 2)
