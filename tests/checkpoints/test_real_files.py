"""Weights files give what is in them: types of eight bits, and no more than is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, write_folder
from walkthrough.checkpoints import Prompt, compose
from walkthrough.scenario.tensors import files as weights_files


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
    write_folder(tmp_path, BY_NAME["bert-plain"], shapes()["bert-plain"])
    path = tmp_path / "scenario.yaml"
    path.write_text(compose(tmp_path, Prompt(), ".").text, encoding="utf-8")
    assert not read, "writing a scenario reads no number"
    wt.trace(wt.load_scenario(path))
    expected = {name: shape for name, shape in shapes()["bert-plain"].items() if not name.startswith("pooler")}
    expected["embeddings.token_type_embeddings.weight"] = [1, 8]
    assert sorted(read) == sorted(expected.items()), "each of them once"
