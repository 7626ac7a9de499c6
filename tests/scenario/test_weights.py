"""Tensors of weights files: read where they are right, refused at the key that is wrong, and never unpickled."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import walkthrough
from walkthrough.scenario.problems import ScenarioError

W = np.arange(8.0).reshape(4, 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights files of all kinds, good and damaged."""
    folder = tmp_path_factory.mktemp("weights")
    arrays = {"w": W, "half": W.astype(np.float16), "whole": W.astype(np.int64), "bool": W > 2}
    arrays["cube"] = np.ones((2, 2, 2))
    arrays["line"] = np.arange(6.0)
    save_file({**arrays, "empty": np.ones((0, 2))}, str(folder / "m.safetensors"))
    np.savez(folder / "m.npz", **arrays, complex=W.astype(complex), objects=np.array([[1, None]], object))
    np.save(folder / "m.npy", W)
    np.save(folder / "objects.npy", np.array([1, None], object), allow_pickle=True)
    for name in ("m.safetensors", "m.npz", "m.npy"):
        content = (folder / name).read_bytes()
        (folder / f"cut.{name}").write_bytes(content[: len(content) * 2 // 3])
    damaged = bytearray((folder / "m.npz").read_bytes())
    damaged[150] ^= 255
    (folder / "damaged.npz").write_bytes(damaged)
    for name in ("pickle.npz", "pickle.npy"):
        (folder / name).write_bytes(pickle.dumps([1]))
    (folder / "folder.npz").mkdir()
    (folder / "archive.npy").write_bytes((folder / "m.npz").read_bytes())
    with zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**5, 10**5)})
        archive.writestr("w.npy", head.getvalue())
    return folder


def scenario(folder: Path, w: str) -> walkthrough.Scenario:
    path = folder / "s.yaml"
    path.write_text(f"title: t\ntokens: [a]\nembeddings: [[1, 2, 3, 4]]\noutput_head:\n  w: {w}\n", "utf-8")
    return walkthrough.load_scenario(path)


@pytest.mark.parametrize(
    ("w", "expected"),
    [
        ("{file: m.safetensors, tensor: w}", W),
        ("{file: m.safetensors, tensor: half}", W),
        ("{file: m.safetensors, tensor: whole}", W),
        ("{file: m.npz, tensor: w}", W),
        ("{file: m.npy}", W),
        ("{file: m.npz, tensor: w, columns: [2, 2]}", W[:, 1:]),
        ("{file: m.npz, tensor: line, rows: [2, 5], transpose: true}", np.arange(1.0, 5)[:, None]),
        ("{file: m.safetensors, tensor: line, columns: [2, 5], transpose: true}", np.arange(1.0, 5)[:, None]),
        ("{file: m.npy, rows: [1, 2], columns: [1, 2], transpose: true}", None),
    ],
)
def test_good_tensors(folder: Path, w: str, expected: np.ndarray | None) -> None:
    if expected is None:  # 2×2, where four rows are needed
        with pytest.raises(ScenarioError, match="w is 2×2, expected d_model×vocabulary = 4×vocabulary"):
            scenario(folder, w)
    else:
        np.testing.assert_array_equal(walkthrough.trace(scenario(folder, w))["output_head.w"].array, expected)


@pytest.mark.parametrize(
    ("w", "fault", "message"),
    [
        ("{file: m.safetensors, tensor: x}", "x", "the file has no tensor 'x'"),
        ("{file: m.npz, tensor: W}", "W", "the file has no tensor 'W'"),
        ("{file: m.npz}", "{", "no tensor is named"),
        ("{tensor: w}", "{", "no file is named"),
        ("{file: n.npz, tensor: w}", "n.npz", "there is no file 'FOLDER/n.npz'"),
        ("{file: folder.npz, tensor: w}", "folder.npz", "there is no file 'FOLDER/folder.npz'"),
        ("{file: m.bin, tensor: w}", "m.bin", "'m.bin' is no .safetensors, .npz or .npy file"),
        ("{file: /etc/passwd}", "/etc/passwd", "'/etc/passwd' is no .safetensors, .npz or .npy file"),
        ("{file: m.safetensors, tensor: cube}", "cube", "the tensor has 3 dimensions, expected 1 or 2"),
        ("{file: m.safetensors, tensor: empty}", "empty", "the tensor is empty: 0×2"),
        ("{file: m.safetensors, tensor: bool}", "bool", "the tensor holds BOOL, expected real numbers"),
        ("{file: m.npz, tensor: complex}", "complex", "the tensor holds complex128, expected real numbers"),
        ("{file: m.npz, tensor: objects}", "objects", "the tensor holds Python objects, expected real numbers"),
        ("{file: objects.npy}", "objects.npy", "'objects.npy' cannot be read: it holds Python objects"),
        ("{file: pickle.npy}", "pickle.npy", "'pickle.npy' cannot be read: it holds Python objects"),
        ("{file: pickle.npz, tensor: w}", "pickle.npz", "'pickle.npz' cannot be read: File is not a zip file"),
        ("{file: archive.npy}", "archive.npy", "'archive.npy' is an archive; its name should end in .npz"),
        ("{file: cut.m.safetensors, tensor: w}", "cut.m.safetensors", "'cut.m.safetensors' is no safetensors file"),
        ("{file: cut.m.npz, tensor: w}", "cut.m.npz", "'cut.m.npz' cannot be read: File is not a zip file"),
        ("{file: cut.m.npy}", "cut.m.npy", "'cut.m.npy' cannot be read"),
        ("{file: damaged.npz, tensor: w}", "damaged.npz", "'damaged.npz' cannot be read: Bad CRC-32 for file 'w.npy'"),
        ("{file: bomb.npz, tensor: w}", "w", "the tensor has 100000×100000 numbers, more than 250,000,000"),
        ("{file: m.npy, rows: [2, 5]}", "[2, 5]", "rows 2 to 5 are asked for, the tensor has 4"),
        ("{file: m.npz, tensor: line, rows: [2, 7]}", "[2, 7]", "rows 2 to 7 are asked for, the tensor has 6"),
        ("{file: m.npz, tensor: line, rows: [1, 1], columns: [1, 4]}", "[1, 4]", "the tensor has one dimension"),
        ("{file: m.npy, columns: [0, 1]}", "[0, 1]", "expected [first, last], counted from 1, found a list of 2"),
        ("{file: m.npy, rows: [3, 1]}", "[3, 1]", "expected [first, last], counted from 1, found a list of 2"),
        ("{file: m.npy, rows: 3}", "3", "expected [first, last], counted from 1, found the number 3"),
        ("{file: m.npz, tensr: w}", "tensr", "unknown key 'tensr'"),
        ('{file: "a\\0.npz", tensor: w}', '"a\\0.npz"', "there is no file 'FOLDER/a\\x00.npz'"),
    ],
)
def test_bad_tensors(folder: Path, w: str, fault: str, message: str) -> None:
    """`fault` is the part of the mapping that the caret points at."""
    with pytest.raises(ScenarioError) as caught:
        scenario(folder, w)
    (problem,) = caught.value.problems
    assert problem.message.replace(str(folder), "FOLDER").startswith(message)
    assert (problem.line, problem.column) == (5, 6 + w.index(fault))
