"""Files of intermediates: what is too large, damaged or no file at all is said before it does any harm."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import walkthrough as wt
from tests.cli.program import run
from walkthrough.comparing.matching.files import TensorsError, Unread, read_names, read_tensors
from walkthrough.comparing.matching.match import match
from walkthrough.scenario.tensors import files as weights_files

WORDS = ("Traceback", "allow_pickle", "reshape", "numpy", "dtype('", "Error(", "NoneType", "<class")
"""Of the libraries beneath, which say nothing to a user."""


def message(path: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TensorsError) as caught:
            read_tensors(path)
    text = str(caught.value)
    assert text.isprintable()
    assert not [word for word in WORDS if word in text]
    return text


def reason(path: Path, name: str = "x") -> str:
    """Why a tensor of a file is not read."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unread = read_tensors(path)[name]
    assert isinstance(unread, Unread)
    assert unread.reason.isprintable()
    assert not [word for word in WORDS if word in unread.reason]
    return unread.reason


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def archive(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(f"{name}.npy", content)
    return path


def head(shape: str, descr: str = "'<f8'", order: str = "False") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def test_an_archive_that_is_small_on_disk_alone_is_not_unpacked(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", fine=npy(np.ones(3)), large=head("(20000, 20000)") + bytes(1000))
    tracemalloc.start()
    text = reason(path, "large")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert text == "the tensor has 20000×20000 numbers, more than 250,000,000"
    assert most < 5_000_000
    np.testing.assert_array_equal(read_tensors(path)["fine"], np.ones(3))


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_all_tensors_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr(weights_files, "MOST_NUMBERS", 10)
    arrays = {"a": np.ones((2, 3)), "b": np.ones((3, 2))}
    path = tmp_path / f"a.{suffix}"
    if suffix == "npz":
        np.savez(path, **arrays)
    else:
        save_file(arrays, str(path))
    assert message(path) == f"'a.{suffix}' has 12 numbers, more than 10"


def test_a_large_tensor_of_safetensors_is_not_read(tmp_path: Path) -> None:
    text = json.dumps({"x": {"dtype": "F32", "shape": [20000, 20000], "data_offsets": [0, 1600000000]}}).encode()
    path = tmp_path / "a.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(file.tell() + 1600000000)  # a file with a hole: it takes no room
    assert message(path) == "'a.safetensors' has 400,000,000 numbers, more than 250,000,000"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (npy(np.ones((2, 3)))[:-8], "'x' is shorter than its header says (2×3 numbers of type float64)"),
        (npy(np.ones((2, 3))) + bytes(8), "'x' is longer than its header says (2×3 numbers of type float64)"),
        (npy(np.array([{}, []], dtype=object)), "the tensor holds Python objects, expected real numbers"),
        (npy(np.array(["a", "b"])), "the tensor holds <U1, expected real numbers"),
        (head("(2, -3)") + bytes(48), "it is not an .npy file, or it is damaged"),
        (head("(2, 'a')") + bytes(48), "it is not an .npy file, or it is damaged"),
        (head("(1, 2", "'<f8'"), "it is not an .npy file, or it is damaged"),
        (head("(1, 2)", "'hello'"), "it is not an .npy file, or it is damaged"),
        (b"no array", "it is not an .npy file, or it is damaged"),
        (b"", "it is not an .npy file, or it is damaged"),
    ],
)
def test_a_member_is_what_its_head_says(tmp_path: Path, content: bytes, said: str) -> None:
    assert reason(archive(tmp_path / "a.npz", x=content)).removeprefix("'a.npz' cannot be read: ") == said


def test_a_member_whose_bytes_have_changed_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, x=np.arange(50.0))
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(bytes(content))
    assert reason(path) == "'a.npz' cannot be read: 'x' is damaged: its checksum is wrong"


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.array(3.5),
        np.zeros((0, 4)),
    ],
    ids=str,
)
def test_arrays_are_read_as_numpy_reads_them(tmp_path: Path, array: np.ndarray) -> None:
    np.savez_compressed(tmp_path / "a.npz", x=array)
    found = read_tensors(tmp_path / "a.npz")["x"]
    np.testing.assert_array_equal(found, array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)


@pytest.mark.parametrize("name", ["a.npz", "a.safetensors", "a.json"])
@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04junk", bytes(100), b"\xff\xfe{}"])
def test_junk_is_no_file_of_tensors(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert message(tmp_path / name).strip("'").startswith(name)


@pytest.mark.parametrize("suffix", ["npz", "safetensors", "json"])
def test_what_is_no_file_is_called_what_it_is(tmp_path: Path, suffix: str) -> None:
    folder, pipe, gone = (tmp_path / f"{name}.{suffix}" for name in ("folder", "pipe", "gone"))
    folder.mkdir()
    os.mkfifo(pipe)
    assert message(folder) == f"'{folder}' is a folder, not a file"
    assert message(pipe) == f"'{pipe}' is a pipe, not a file"
    assert message(gone) == f"there is no file '{gone}'"
    assert message(gone / f"x.{suffix}") == f"there is no file '{gone / f'x.{suffix}'}'"
    with pytest.raises(TensorsError, match="is a folder"):
        read_names(folder)


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").touch()
    assert "is not a .npz" in message(tmp_path / "x.txt")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    path.touch()

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert message(path) == f"'{path}' cannot be read: permission denied"


TRACE = 'expected a trace, {"steps": [{"path": …, "values": [[…]]}]}, or a mapping name → numbers'


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([1, 2], f"a.json holds a list, {TRACE}"),
        (None, f"a.json holds null, {TRACE}"),
        ({"steps": {"x": 1}}, f'a.json holds a mapping under "steps", {TRACE}'),
        ({"steps": [[1]]}, f'a.json holds a step 1 without "path" and "values", {TRACE}'),
        (
            {"steps": [{"path": "x", "values": 1}, {"path": 3, "values": 1}]},
            f'a.json holds a step 2 without "path" and "values", {TRACE}',
        ),
        ({"x": [[1, 2], [3]]}, "a.json: 'x' is ragged: row 1 has 2 numbers, row 2 has 1 numbers"),
        ({"x": [[1], 3]}, "a.json: 'x' is ragged: row 1 has 1 numbers, row 2 has a single number"),
        ({"x": [["one"]]}, 'a.json: \'x\' holds the text \'one\', expected a number, "inf", "-inf", "nan" or null'),
        ({"x": [[True]]}, 'a.json: \'x\' holds true or false, expected a number, "inf", "-inf", "nan" or null'),
        ({"x": {"y": 1}}, 'a.json: \'x\' holds a mapping, expected a number, "inf", "-inf", "nan" or null'),
        ({"x": [[[[[[[[[1]]]]]]]]]}, "a.json: 'x' is nested more than 8 lists deep"),
    ],
)
def test_what_is_no_trace_says_what_was_expected(tmp_path: Path, document: Any, said: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert message(tmp_path / "a.json") == said


def test_json_that_is_none_says_where(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"x": [1,\n 2,, 3]}')
    assert message(path) == "a.json cannot be read: it is not JSON, line 2, column 4: expecting value"
    path.write_text("[" * 100_000)
    assert "nested too deeply" in message(path)
    path.write_text("[" + "1" * 5000 + "]")
    assert "a number is too long" in message(path)


def test_a_large_json_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(300_000_000)
    assert message(tmp_path / "a.json") == "a.json has 300,000,000 bytes, at most 200,000,000 are read"


def test_numbers_that_json_has_no_signs_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"x": [["inf", "-inf", "nan", null, NaN, 1e999, ' + "9" * 400 + ']], "y": 2}')
    found = read_tensors(path)
    np.testing.assert_array_equal(found["x"], [[np.inf, -np.inf, np.nan, np.nan, np.nan, np.inf, np.inf]])
    assert found["y"].shape == ()


@pytest.mark.parametrize("text", ["a: [b", "a: &x [*x]", "- " * 5000, "a: \x00", "[1, 2]"])
def test_names_that_are_no_mapping(tmp_path: Path, text: str) -> None:
    path = tmp_path / "names.yaml"
    path.write_text(text)
    with pytest.raises(TensorsError) as caught:
        read_names(path)
    assert str(caught.value).isprintable()
    assert str(caught.value).startswith("names.yaml ")


def test_what_holds_no_numbers_stops_nothing(tmp_path: Path) -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    arrays = {"tokens": np.array(["a", "b"]), "input": trace["input"].array, "scores": np.zeros((4, 4), complex)}
    np.savez(tmp_path / "a.npz", **arrays)
    for tensors in (arrays, read_tensors(tmp_path / "a.npz")):
        found, unused, _ = match(tensors, {}, trace)
        assert [one.name for one in found] == ["input"]
        assert len(unused) == 2
        assert unused[1].theirs == "scores"
        assert unused[1].why.endswith(", expected real numbers")
        assert [one.name for one in match(tensors, {"scores": "scores"}, trace)[0]] == ["input"]


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_short_floats_are_compared_with_their_own_rounding(tmp_path: Path, kind: str) -> None:
    import ml_dtypes

    trace = wt.trace(wt.load_scenario("chai"))
    array = trace.only("weights").array
    save_file({"weights": array.astype(getattr(ml_dtypes, kind))}, str(tmp_path / "a.safetensors"))
    (found,), *_ = match(read_tensors(tmp_path / "a.safetensors"), {}, trace)
    assert found.epsilon == float(ml_dtypes.finfo(kind).eps)
    ((_, numbers),) = found.readings[0].pieces
    np.testing.assert_allclose(numbers, array, rtol=found.epsilon, atol=found.smallest)


def test_on_the_command_line_it_ends_with_status_2(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", large=head("(20000, 20000)"))
    result = run("compare", "chai", str(path))
    assert (result.returncode, result.stdout) == (2, "")
    assert "the tensor has 20000×20000 numbers, more than 250,000,000" in result.stderr
