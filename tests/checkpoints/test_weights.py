"""Tensors of a checkpoint against what its settings say: missing, surplus, shapes, types, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.test_settings import refusal
from tests.checkpoints.variants import BY_NAME, write_folder, write_weights
from walkthrough.checkpoints import Prompt, compose


def changed(folder: Path, name: str = "llama-plain", **others: Any) -> Path:
    """The folder of a variant with other tensors; None: without."""
    tensors = write_folder(folder, BY_NAME[name], shapes()[name]) | others
    write_weights(folder, {key: array for key, array in tensors.items() if array is not None})
    return folder


NORM, QUERY = "model.norm.weight", "model.layers.1.self_attn.q_proj.weight"


def test_a_missing_tensor(tmp_path: Path) -> None:
    refused = refusal(changed(tmp_path, **{QUERY: None, NORM: None}))
    assert f"the tensor '{QUERY}' is missing; did you mean" in refused
    assert f"the tensor '{NORM}' is missing" in refused


def test_a_head_that_is_missing(tmp_path: Path) -> None:
    assert "the tensor 'lm_head.weight' is missing" in refusal(changed(tmp_path, **{"lm_head.weight": None}))


def test_a_shape_that_the_settings_do_not_say(tmp_path: Path) -> None:
    refused = refusal(changed(tmp_path, **{QUERY: np.zeros((4, 8), np.float32), NORM: np.zeros(7, np.float32)}))
    assert f"'{QUERY}' is 4×8, expected 8×8, num_attention_heads·head_dim×hidden_size of config.json" in refused
    assert f"'{NORM}' is 7, expected 8, hidden_size of config.json" in refused


def test_no_model_of_that_family(tmp_path: Path) -> None:
    changed(tmp_path, "gpt2-plain")
    (tmp_path / "config.json").write_text(json.dumps(dict(BY_NAME["llama-plain"].config)))
    assert "it has no tensor 'model.embed_tokens.weight' or 'embed_tokens.weight'" in refusal(tmp_path)


@pytest.mark.parametrize(("kind", "name"), [(np.int8, "I8"), (ml_dtypes.float8_e4m3fn, "F8_E4M3")])
def test_a_type_that_is_no_model_s(kind: Any, name: str, tmp_path: Path) -> None:
    folder = changed(tmp_path)
    if name == "I8":
        changed(folder, **{NORM: np.ones(8, np.int8)})
    else:
        path = folder / "model.safetensors"
        save_file({NORM: np.ones(8, np.int8)}, folder / "part.safetensors")
        text = (folder / "part.safetensors").read_bytes().replace(b'"I8"', b'"F8_E4M3"')
        size = int.from_bytes(text[:8], "little") + 5
        (folder / "part.safetensors").write_bytes(size.to_bytes(8, "little") + text[8:])
        path.unlink()
        tensors = dict.fromkeys(shapes()["llama-plain"], "rest.safetensors") | {NORM: "part.safetensors"}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": tensors}))
        full = changed(folder / "full")
        (full / "model.safetensors").rename(folder / "rest.safetensors")
    assert f"the tensor '{NORM}' is of type {name}, expected one of F64, F32, F16, BF16" in refusal(folder)


def test_a_tensor_that_has_no_place_in_a_layer(tmp_path: Path) -> None:
    """A bias that the settings do not announce would change the numbers."""
    bias = "model.layers.0.self_attn.q_proj.bias"
    refused = refusal(changed(tmp_path, **{bias: np.zeros(8, np.float32)}))
    assert f"the tensor '{bias}' does not belong in a Llama with these settings" in refused


def test_tensors_that_are_not_used_are_said(tmp_path: Path) -> None:
    """A causal mask holds no weight, and nothing is said of it; a third layer is said."""
    mask = {"transformer.h.0.attn.bias": np.ones((1, 1, 4, 4), np.float32), "score.weight": np.ones(3, np.float32)}
    more = {f"transformer.h.{at}.ln_1.weight": np.ones(8, np.float32) for at in range(2, 7)}
    notes = compose(changed(tmp_path, "gpt2-plain", **mask, **more), Prompt()).notes
    assert "left out: the classification head" in notes
    assert "not used: 5 tensors of the file, 'transformer.h.2.ln_1.weight'" in "".join(notes)


def test_a_part_that_is_missing(tmp_path: Path) -> None:
    write_folder(tmp_path, BY_NAME["llama-shards"], shapes()["llama-shards"])
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    refused = refusal(tmp_path)
    assert "its file 'model-00002-of-00003.safetensors': no such file or directory" in refused
    assert "model.safetensors.index.json" in refused


def test_a_damaged_file(tmp_path: Path) -> None:
    path = changed(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    assert "is not a safetensors file, or it is damaged" in refusal(tmp_path)


def test_no_weights(tmp_path: Path) -> None:
    (changed(tmp_path) / "model.safetensors").unlink()
    assert "there are no weights in it" in refusal(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    assert "'pytorch_model.bin' is pickled, which can run code: convert it first" in refusal(tmp_path)
