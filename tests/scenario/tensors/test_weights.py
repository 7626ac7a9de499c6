"""Tensors of weights files: read where they are right, refused at the key that is wrong, and never unpickled."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import walkthrough
from tests.examples import some
from walkthrough.scenario.tensors import files as weights_files
from walkthrough.scenario.tensors.files import read_tensors
from walkthrough.scenario.yaml.problems import ScenarioError, WeightsError
from walkthrough.transformer.loading.load import scenario_of

W = np.arange(8.0).reshape(4, 2)
STACK = np.arange(60.0).reshape(3, 4, 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights files of all kinds, good and damaged."""
    folder = tmp_path_factory.mktemp("weights")
    arrays = {"w": W, "half": W.astype(np.float16), "whole": W.astype(np.int64), "bool": W > 2}
    arrays["cube"] = np.ones((2, 2, 2))
    arrays["line"] = np.arange(6.0)
    arrays["taps"] = W[:, None]
    save_file({**arrays, "empty": np.ones((0, 2))}, str(folder / "m.safetensors"))
    np.savez(folder / "m.npz", **arrays, complex=W.astype(complex), objects=np.array([[1, None]], object))
    np.save(folder / "m.npy", W)
    np.save(folder / "objects.npy", np.array([1, None], object), allow_pickle=True)
    save_file({"stack": STACK}, str(folder / "s.safetensors"))
    np.savez(folder / "s.npz", stack=STACK)
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
    os.mkfifo(folder / "pipe.npz")
    (folder / "link.npz").symlink_to("nowhere.npz")
    _add_lengths(folder)
    nan = np.array([[1.0, 2], [np.nan, 4], [5, 6], [7, 8]])
    more = np.array([[1.0, np.nan], [np.nan, 4], [5, np.inf], [7, -np.inf], [np.inf, 0]])
    np.savez(folder / "nan.npz", a=nan, b=more)
    np.save(folder / "nan.npy", nan)
    shards = {"w": "m.safetensors", "gone": "n.safetensors", "not": "m.safetensors"}
    (folder / "x.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shards}))
    (folder / "y.safetensors.index.json").write_text('{"weight_map": ["w"]}')
    return folder


def _add_lengths(folder: Path) -> None:
    """Arrays that are longer or shorter than their heads say."""
    (folder / "long.npy").write_bytes((folder / "m.npy").read_bytes() + b"more")
    whole = (folder / "m.npy").read_bytes()
    with zipfile.ZipFile(folder / "lengths.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("long.npy", whole + bytes(8))
        archive.writestr("short.npy", whole[:-8])
        archive.writestr("head.npy", whole[:40])


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
        ("{file: m.npz, tensor: taps, columns: [2, 2]}", W[:, 1:]),
        ("{file: m.safetensors, tensor: taps}", W),
        ("{file: m.safetensors, tensor: taps, rows: [[3, 4], [1, 2]]}", W[[2, 3, 0, 1]]),
        ("{file: m.npz, tensor: line, rows: [2, 5], transpose: true}", np.arange(1.0, 5)[:, None]),
        ("{file: m.safetensors, tensor: line, columns: [2, 5], transpose: true}", np.arange(1.0, 5)[:, None]),
        ("{file: m.npy, rows: [1, 2], columns: [1, 2], transpose: true}", None),
        ("{file: s.npz, tensor: stack, index: 2}", STACK[2]),
        ("{file: s.npz, tensor: stack, index: 1, columns: [1, 5, 2]}", STACK[1][:, ::2]),
        ("{file: s.safetensors, tensor: stack, index: 1, columns: [2, 5, 2]}", STACK[1][:, 1::2]),
        ("{file: s.safetensors, tensor: stack, index: 0, rows: [[4, 4], [1, 3]]}", STACK[0][[3, 0, 1, 2]]),
        ('{file: s.npz, tensor: stack, index: "{i}", columns: [[1, 2], [4, 5]]}', STACK[0][:, [0, 1, 3, 4]]),
        ("{file: m.npy, rows: [[3, 4], [1, 2]]}", W[[2, 3, 0, 1]]),
        ("{file: m.safetensors, tensor: w, index: 3, transpose: true, columns: [1, 2]}", None),
    ],
)
def test_good_tensors(folder: Path, w: str, expected: np.ndarray | None) -> None:
    if expected is None:  # 2×2 or 2×1, where four rows are needed
        with pytest.raises(ScenarioError, match=r"w is 2×[12], expected d_model×vocabulary = 4×vocabulary"):
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
        ("{file: folder.npz, tensor: w}", "folder.npz", "'FOLDER/folder.npz' is a folder, not a file"),
        ("{file: pipe.npz, tensor: w}", "pipe.npz", "'FOLDER/pipe.npz' is a pipe, not a file"),
        ("{file: link.npz, tensor: w}", "link.npz", "'FOLDER/link.npz' is a link to a file that does not exist"),
        ("{file: m.npz/w.npz, tensor: w}", "m.npz", "there is no file 'FOLDER/m.npz/w.npz'"),
        ("{file: m.bin, tensor: w}", "m.bin", "'m.bin' is not a .safetensors, .npz or .npy file"),
        ("{file: /etc/passwd}", "/etc/passwd", "'/etc/passwd' is not a .safetensors, .npz or .npy file"),
        ("{file: m.safetensors, tensor: cube}", "cube", "the tensor has 3 dimensions, expected 1 or 2"),
        ("{file: m.npy, index: 4}", "4}", "index 4 is asked for, counted from 0, but the tensor 4×2 has 4"),
        ("{file: m.npz, tensor: line, index: 0}", "line", "the tensor has 1 dimension, expected 2 or 3 with an index"),
        ("{file: m.npz, tensor: w, index: -1}", "-1", "expected a whole number from 0 to 1000000, found the number -1"),
        ("{file: m.npz, tensor: w, index: e}", "e}", 'expected a whole number, "{i}" or "{e}", found'),
        ("{file: m.npz, tensor: w, index: {e}}", "{e}", 'expected a whole number, "{i}" or "{e}", found a mapping'),
        ("{file: m.npy, rows: [[1, 2], [3, 5]]}", "[[1, 2]", "rows 3 to 5 are asked for, but the tensor has 4"),
        (
            "{file: nan.npz, tensor: b, rows: [[5, 5], [2, 4]]}",
            "b,",
            "tensor 'b' has 1 NaN and 3 ∞, the first in row 5, column 1",
        ),
        ("{file: m.safetensors, tensor: empty}", "empty", "the tensor is empty: 0×2"),
        ("{file: m.safetensors, tensor: bool}", "bool", "the tensor holds BOOL, expected real numbers"),
        ("{file: m.npz, tensor: complex}", "complex", "the tensor holds complex128, expected real numbers"),
        ("{file: m.npz, tensor: objects}", "objects", "the tensor holds Python objects, expected real numbers"),
        ("{file: objects.npy}", "objects.npy", "'objects.npy' cannot be read: it holds Python objects"),
        ("{file: pickle.npy}", "pickle.npy", "'pickle.npy' cannot be read: it is not an .npy file"),
        ("{file: pickle.npz, tensor: w}", "pickle.npz", "'pickle.npz' cannot be read: it is not an .npz archive"),
        ("{file: archive.npy}", "archive.npy", "'archive.npy' is an archive; its name should end in .npz"),
        ("{file: cut.m.safetensors, tensor: w}", "cut.m.safetensors", "'cut.m.safetensors' is not a safetensors file"),
        ("{file: cut.m.npz, tensor: w}", "cut.m.npz", "'cut.m.npz' cannot be read: it is not an .npz archive"),
        ("{file: cut.m.npy}", "cut.m.npy", "'cut.m.npy' cannot be read: it is shorter than its"),
        ("{file: damaged.npz, tensor: w}", "damaged.npz", "'damaged.npz' cannot be read: 'w' is damaged"),
        ("{file: m.npy, tensor: w}", "w", "an .npy file holds one array, which has no name"),
        ("{file: lengths.npz, tensor: long}", "lengths.npz", "'lengths.npz' cannot be read: 'long' is longer than its"),
        ("{file: lengths.npz, tensor: short}", "lengths.npz", "'lengths.npz' cannot be read: 'short' is shorter than"),
        ("{file: lengths.npz, tensor: head}", "lengths.npz", "'lengths.npz' cannot be read: it is not an .npy file"),
        ("{file: long.npy}", "long.npy", "'long.npy' cannot be read: it is longer than its header says (4×2 numbers"),
        ("{file: nan.npz, tensor: a}", "a}", "tensor 'a' has 1 NaN, the first in row 2, column 1"),
        (
            "{file: nan.npz, tensor: b, rows: [1, 4]}",
            "b,",
            "tensor 'b' has 2 NaN and 2 ∞, the first in row 1, column 2",
        ),
        (
            "{file: nan.npz, tensor: b, rows: [2, 5], columns: [2, 2]}",
            "b,",
            "tensor 'b' has 2 ∞, the first in row 3, c",
        ),
        ("{file: nan.npy}", "{", "the array has 1 NaN, the first in row 2, column 1"),
        ("{file: x.safetensors.index.json, tensor: z}", "z", "the file has no tensor 'z'"),
        ("{file: x.safetensors.index.json, tensor: gone}", "x.s", "'x.safetensors.index.json' cannot be read: its"),
        ("{file: x.safetensors.index.json, tensor: not}", "x.s", "'x.safetensors.index.json' cannot be read: 'm.safe"),
        ("{file: y.safetensors.index.json, tensor: w}", "y.s", "'y.safetensors.index.json' cannot be read: it is no"),
        ("{file: x.json, tensor: w}", "x.json", "'x.json' is not a .safetensors, .npz or .npy file"),
        ("{file: bomb.npz, tensor: w}", "w", "the tensor has 100000×100000 numbers, more than 250,000,000"),
        ("{file: m.npy, rows: [2, 5]}", "[2, 5]", "rows 2 to 5 are asked for, but the tensor has 4"),
        ("{file: m.npz, tensor: line, rows: [2, 7]}", "[2, 7]", "rows 2 to 7 are asked for, but the tensor has 6"),
        ("{file: m.npz, tensor: line, rows: [1, 1], columns: [1, 4]}", "[1, 4]", "the tensor has one dimension"),
        (
            "{file: m.npy, columns: [0, 1]}",
            "[0, 1]",
            "expected [first, last] or [first, last, step], whole numbers with 1 ≤ first ≤ last, found a list of 2",
        ),
        (
            "{file: m.npy, rows: [3, 1]}",
            "[3, 1]",
            "expected [first, last] or [first, last, step], whole numbers with 1 ≤ first ≤ last, found a list of 2",
        ),
        (
            "{file: m.npy, rows: 3}",
            "3",
            "expected [first, last] or [first, last, step], whole numbers with 1 ≤ first ≤ last, found the number 3",
        ),
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


def test_files_of_torch_are_not_read_and_it_is_said_how_to_write_them(folder: Path) -> None:
    with pytest.raises(ScenarioError, match=r"write the tensors with safetensors\.torch\.save_file"):
        scenario(folder, "{file: m.pt, tensor: w}")


def test_no_words_of_libraries_reach_the_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever bytes a file holds; and numpy warns of nothing."""
    random = np.random.default_rng(3)
    contents = [(folder / name).read_bytes() for name in ("m.npz", "m.npy", "m.safetensors")]
    foreign = re.compile(
        r"pickle|ValueError|Error|zip|Errno|b'|<|magic|buffer|header|utf|codec|json|struct", re.IGNORECASE
    )
    for number in range(some(30, 300)):
        damaged = bytearray(contents[number % 3])
        for at in random.integers(0, min(len(damaged), 400), size=3):
            damaged[at] = random.integers(0, 256)
        suffix = ("npz", "npy", "safetensors")[number % 3]
        (folder / f"damage.{suffix}").write_bytes(damaged)
        tensor = "" if suffix == "npy" else ", tensor: w"
        message = ""
        try:
            scenario(folder, f"{{file: damage.{suffix}{tensor}}}")
        except ScenarioError as error:
            message = error.problems[0].message
        assert not foreign.search(message), message


def test_an_unreadable_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    from walkthrough.scenario.sources import open_source

    source = open_source("help-me")._replace(
        text="title: t\ntokens: [a]\nembeddings: {file: m.npy}\n", folder=folder, name="s.yaml"
    )
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ScenarioError) as caught:
        scenario_of(source)
    assert caught.value.problems[0].message == f"'{folder}/m.npy' cannot be read: permission denied"


def test_minus_infinity_is_a_hidden_score(folder: Path) -> None:
    np.save(folder / "scores.npy", np.array([[1.0, -np.inf], [2.0, 3.0]]))
    text = "title: t\ntokens: [a, b]\nattention: {heads: [{scale: none, scores: {file: scores.npy}, v: [[1], [2]]}]}"
    (folder / "s.yaml").write_text(text)
    trace = walkthrough.trace(walkthrough.load_scenario(folder / "s.yaml"))
    assert trace.only("weights").array.tolist()[0] == [1.0, 0.0]


def test_a_checkpoint_in_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its index; the head of each file is read once."""
    for shard in range(3):
        save_file(
            {f"w.{number}": W + number for number in range(shard, 12, 3)}, str(tmp_path / f"s{shard}.safetensors")
        )
    shards = {f"w.{number}": f"s{number % 3}.safetensors" for number in range(12)}
    (tmp_path / "m.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    text = (
        "title: t\ntokens: [a]\nembeddings: [[1, 2, 3, 4]]\nweights_file: m.safetensors.index.json\n"
        "attention:\n  heads:\n"
    )
    for head in range(4):
        names = [f"w_{part}: {{tensor: w.{3 * head + at}}}" for at, part in enumerate("qkv")]
        text += "  - {" + ", ".join(names) + "}\n"
    (tmp_path / "s.yaml").write_text(text)
    read = []
    original = json.loads
    monkeypatch.setattr(json, "loads", lambda text, **how: read.append(text) or original(text, **how))
    trace = walkthrough.trace(walkthrough.load_scenario(tmp_path / "s.yaml"))
    assert len(read) == 4, "the index and three heads"
    np.testing.assert_array_equal(trace["attention.head.4.w_v"].array, W + 11)


@pytest.mark.parametrize("file", ["a\0b", "\ud800", "", 5, None])
def test_an_index_that_names_no_file_is_a_message(file: object, tmp_path: Path) -> None:
    (tmp_path / "m.safetensors.index.json").write_text(json.dumps({"weight_map": {"w": file}}))
    heads = "attention: {heads: [{w_q: {tensor: w}, w_k: [[1]], w_v: [[1]]}]}"
    text = f"title: t\ntokens: [a]\nembeddings: [[1]]\nweights_file: m.safetensors.index.json\n{heads}\n"
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(walkthrough.ScenarioError, match=r"m\.safetensors\.index\.json"):
        walkthrough.load_scenario(tmp_path / "s.yaml")


def test_all_tensors_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, others = read_tensors(folder / "m.npz")
    assert set(found) == {"w", "half", "whole", "cube", "line", "taps"}
    np.testing.assert_array_equal(found["half"], W.astype(np.float16))
    assert found["half"].dtype == np.float16, "as stored"
    assert others == {
        "bool": "the tensor holds bool, expected real numbers",
        "complex": "the tensor holds complex128, expected real numbers",
        "objects": "the tensor holds Python objects, expected real numbers",
    }
    assert set(read_tensors(folder / "m.safetensors")[0]) == {*found, "empty"}
    assert list(read_tensors(folder / "m.npy")[0]) == ["m"]
    assert read_tensors(folder / "bomb.npz")[1] == {"w": "the tensor has 100000×100000 numbers, more than 250,000,000"}
    monkeypatch.setattr(weights_files, "MOST_NUMBERS", 30)
    with pytest.raises(WeightsError, match=r"^'m\.npz' has 46 numbers, more than 30$"):
        read_tensors(folder / "m.npz")


@pytest.mark.parametrize("suffix", ["npz", "npy"])
def test_arrays_laid_out_by_column(folder: Path, suffix: str) -> None:
    array = np.asfortranarray(W)
    np.savez(folder / "f.npz", w=array)
    np.save(folder / "f.npy", array)
    tensor = ", tensor: w" if suffix == "npz" else ""
    for rows, wanted in (("", W), (", rows: [1, 4]", W)):
        loaded = scenario(folder, f"{{file: f.{suffix}{tensor}{rows}}}")
        np.testing.assert_array_equal(walkthrough.trace(loaded)["output_head.w"].array, wanted)


def test_experts_in_one_tensor(tmp_path: Path) -> None:
    """Each expert by {e}, gate and hidden layer in alternate columns, and the biases likewise."""
    random = np.random.default_rng(3)
    both, down, bias = random.normal(size=(3, 2, 8)), random.normal(size=(3, 4, 2)), random.normal(size=(3, 8))
    save_file({"both": both, "down": down, "bias": bias}, str(tmp_path / "w.safetensors"))
    (tmp_path / "s.yaml").write_text(
        "title: t\nweights_file: w.safetensors\ntokens: [a, b]\nembeddings: [[1, 2], [3, -1]]\nencoder:\n  layers:\n"
        "    - feed_forward:\n        activation: silu\n        router: {w: [[1, 0, 2], [0, 1, 1]]}\n        experts:\n"
        "          repeat: 3\n          expert:\n"
        '            w_gate: {tensor: both, index: "{e}", columns: [1, 8, 2]}\n'
        '            b_gate: {tensor: bias, index: "{e}", columns: [1, 8, 2]}\n'
        '            w_1: {tensor: both, index: "{e}", columns: [2, 8, 2]}\n'
        '            b_1: {tensor: bias, index: "{e}", rows: [2, 8, 2]}\n'
        '            w_2: {tensor: down, index: "{e}"}\n',
        "utf-8",
    )
    trace = walkthrough.trace(walkthrough.load_scenario(tmp_path / "s.yaml"))
    for number in range(3):
        before = f"encoder.1.feed_forward.expert.{number + 1}"
        wanted = {"w_gate": both[number, :, ::2], "w_1": both[number, :, 1::2], "w_2": down[number]}
        wanted |= {"b_gate": bias[number : number + 1, ::2], "b_1": bias[number : number + 1, 1::2]}
        for name, array in wanted.items():
            np.testing.assert_array_equal(trace[f"{before}.{name}"].array, array)


def test_an_archive_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its list of members is read whole each time it is opened: that of a trace has thousands."""
    np.savez(tmp_path / "many.npz", **{f"w{number}": np.eye(2) * number for number in range(20)})
    opened = []
    open_archive = zipfile.ZipFile.__init__
    monkeypatch.setattr(
        zipfile.ZipFile, "__init__", lambda self, *rest: (opened.append(rest), open_archive(self, *rest))[1]
    )
    tensors, _ = read_tensors(tmp_path / "many.npz")
    assert {name: tensor[1, 1] for name, tensor in tensors.items()} == {f"w{number}": number for number in range(20)}
    assert len(opened) == 1


@pytest.mark.parametrize(
    "entry", ['"shape": [1e999], "data_offsets": [0, 4]', '"shape": [1], "data_offsets": [0, Infinity]']
)
def test_an_infinite_size_is_a_damage(entry: str, tmp_path: Path) -> None:
    head = f'{{"w": {{"dtype": "F32", {entry}}}}}'.encode()
    (tmp_path / "m.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + bytes(8))
    with pytest.raises(WeightsError, match="is not a safetensors file, or it is damaged"):
        read_tensors(tmp_path / "m.safetensors")
