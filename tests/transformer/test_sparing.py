"""Large models: weights stay in their file until they are used, numbers are let go when their last reader is done."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.checkpoints.stored_outputs import assert_same, outputs, shapes
from tests.checkpoints.variants import BY_NAME, IDS, write_folder
from tests.cli.program import invoke
from tests.examples import slow
from walkthrough.checkpoints import Prompt, compose
from walkthrough.comparing.matching.files import read_tensors
from walkthrough.library import calculate
from walkthrough.recording import SelectorError, Trace
from walkthrough.scenario.tensors import file_matrix
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.transformer.loading import load
from walkthrough.views import npz

NAMES = [*("bert-plain", "llama-plain", "mixtral-apart")]
NAMES += [*map(slow, ("gpt2-plain", "gemma2-plain", "gpt_neox-plain", "phi3-plain"))]


@pytest.fixture
def is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is in a file is much, and no more than three rows are read at once."""
    _make_large(monkeypatch)


def _make_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MANY", 0)
    for name in ("_FEW", "_BLOCK"):
        monkeypatch.setattr(file_matrix, name, 24)


def _kept(trace: Trace) -> set[str]:
    return {value.path for value in trace if not value.is_let_go}


def made(folder: Path, name: str) -> Path:
    write_folder(folder, BY_NAME[name], shapes()[name])
    path = folder / "scenario.yaml"
    path.write_text(compose(folder, Prompt(ids=",".join(map(str, IDS))), ".").text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_is_the_same(name: str, tmp_path: Path, is_large: None) -> None:
    scenario = wt.load_scenario(made(tmp_path, name))
    assert scenario.sparing
    assert not scenario.arrays
    assert_same(wt.trace(scenario), outputs()[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_asked_for_is_the_same_and_the_rest_is_let_go(name: str, tmp_path: Path, is_large: None) -> None:
    scenario = wt.load_scenario(made(tmp_path, name))
    full = wt.trace(scenario)
    last = "encoder.output" if "encoder.output" in full else "decoder.output"
    found = wt.trace(wt.load_scenario(tmp_path / "scenario.yaml"), wanted=[last])
    np.testing.assert_array_equal(found[last].array, full[last].array)
    kept = _kept(found)
    assert {found[last].path, *(given.path for given in found[last].inputs)} <= kept
    assert len(kept) < len(found) / 8
    weights = next(
        value for value in found if value.path.endswith("1.head.1.weights") or value.path.endswith(".weights")
    )
    with pytest.raises(SelectorError, match=r"the numbers of .*\.weights were let go"):
        _ = weights.array


def test_a_report_is_the_same_as_that_of_a_small_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(made(tmp_path, "llama-plain"))
    commands = [
        ("run", path, "--step", "decoder.2.head.1.weights", "--token", "7"),
        ("run", path, "--step", "decoder.2.head.1.scores", "--by-hand"),
        ("explain", path, "decoder.2.head.1.scores[7, 7]"),
        ("explain", path, "decoder.2.head.1.scores[7, 7]", "--arithmetic", "bfloat16"),
        ("explain", path, "decoder.2.head.1.query[7, 1]", "--arithmetic", "int8"),
        ("export", path, "-o", "-", "--format", "markdown", "--step", "decoder.1.head.2.weights", "--work", "all"),
        ("export", path, "-o", "-", "--format", "json", "--step", "decoder.1.head.2.weights"),
        ("run", path, "--step", "decoder.1.feed_forward.w_1", "--set", "decoder.1.norm_1.gamma[1]=2"),
    ]
    wanted = [invoke(*command) for command in commands]
    _make_large(monkeypatch)
    for command, one in zip(commands, wanted, strict=True):
        most = math.inf if "explain" in command else 300  # which are too few to keep all
        monkeypatch.setattr(load, "MOST_NUMBERS", most)
        found = invoke(*command)
        assert (found.exit_code, found.output) == (0, one.output), command


def test_a_report_of_one_token_has_its_numbers(tmp_path: Path, is_large: None) -> None:
    path = str(made(tmp_path, "llama-plain"))
    full = wt.trace(wt.load_scenario(path))["output_head.prediction"]
    shown = invoke("run", path, "--step", "output_head.prediction", "--token", full.rows[0])
    assert shown.exit_code == 0, shown.output
    assert f"{full.array[0, 1]:.3f}" in shown.output


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_a_file_of_some_steps_needs_no_room_for_the_others(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, options = made(tmp_path, "llama-plain"), ["--step", "decoder.output", "--step", "gamma"]
    assert invoke("export", str(path), "-o", str(tmp_path / f"kept.{suffix}"), *options).exit_code == 0
    _make_large(monkeypatch)
    monkeypatch.setattr(npz, "_BLOCK", 24)
    monkeypatch.setattr(load, "MOST_NUMBERS", 300)  # too few to keep them all
    done = invoke("export", str(path), "-o", str(tmp_path / f"found.{suffix}"), *options)
    assert done.exit_code == 0, done.output
    kept, found = (read_tensors(tmp_path / f"{name}.{suffix}") for name in ("kept", "found"))
    assert sorted(found) == sorted(kept)
    for name in kept:
        np.testing.assert_allclose(np.asarray(found[name]), np.asarray(kept[name]), rtol=1e-12, atol=1e-12)
    whole = invoke("export", str(path), "-o", str(tmp_path / f"whole.{suffix}"))
    assert "too large" in str(whole.exception)
    assert not (tmp_path / f"whole.{suffix}").exists()


def test_shifted_scores_which_no_walk_foresees_are_let_go_too(tmp_path: Path, is_large: None) -> None:
    path = made(tmp_path, "llama-plain")
    path.write_text(path.read_text("utf-8").replace("num_heads: 4", "num_heads: 4\n        scale: 0.001"), "utf-8")
    found = wt.trace(wt.load_scenario(path), wanted=["decoder.output"])
    shifted = [value for value in found if value.path.endswith(".shifted")]
    assert len(shifted) == 8
    assert all(value.is_let_go for value in shifted)


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_of_a_file_does_what_an_array_does(turned: bool, tmp_path: Path, is_large: None) -> None:
    array = np.random.default_rng(1).normal(size=(7, 5))
    np.save(tmp_path / "w.npy", array)
    (tmp_path / "s.yaml").write_text(
        "title: t\ntokens: [a]\nembeddings: [[1, 2, 3, 4, 5, 6, 7]]\noutput_head: {w: {file: w.npy}}\n", "utf-8"
    )
    matrix = wt.trace(wt.load_scenario(tmp_path / "s.yaml"))["output_head.w"].array
    assert isinstance(matrix, file_matrix.FileMatrix)
    if turned:
        matrix, array = matrix.T, array.T
    assert matrix.shape == array.shape
    x = np.random.default_rng(2).normal(size=(3, len(array)))
    np.testing.assert_allclose(x @ matrix, x @ array, rtol=1e-14, atol=1e-14)
    for key in (
        1,
        -1,
        [2, 0, 2],
        (slice(1, 4), slice(0, 2)),
        slice(2, 5),
        (3, 2),
        ([0, 3], slice(1, 3)),
        (slice(None), 1),
    ):
        np.testing.assert_array_equal(np.asarray(matrix[key]), array[key])
    np.testing.assert_array_equal(np.asarray(matrix[1:6, 1:4][1:3, 2:]), array[1:6, 1:4][1:3, 2:])
    np.testing.assert_array_equal(np.abs(matrix), np.abs(array))
    assert matrix.tolist() == array.tolist()
    assert matrix[1:6].ravel().tolist() == array[1:6].ravel().tolist()
    other, changed = matrix.copy(), array.copy()
    other[3, 2] = changed[3, 2] = 9.0
    np.testing.assert_array_equal(np.asarray(other), changed)
    np.testing.assert_array_equal(np.asarray(other.T[1:, 2:]), changed.T[1:, 2:])
    assert matrix.tolist() == array.tolist()


def test_what_is_too_much_to_keep_is_calculated_where_it_is_let_go(
    tmp_path: Path, is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path, "llama-plain")
    wanted = wt.trace(wt.load_scenario(path), wanted=["decoder.output"])
    monkeypatch.setattr(
        load, "MOST_NUMBERS", 300
    )  # 6·8 embeddings, and of each layer 4·6·6 scores and 6·10 hidden features
    scenario = wt.load_scenario(path)
    with pytest.raises(ScenarioError, match="too large: this brings the total to 396 numbers, the limit is 300"):
        wt.trace(scenario)
    found = wt.trace(scenario, wanted=["decoder.output"])
    np.testing.assert_array_equal(found["decoder.output"].array, wanted["decoder.output"].array)


@pytest.mark.parametrize("changed", ["", "decoder.2.head.1.w_q[1, 1]=2"])
def test_what_explains_a_cell_reads_no_table_as_a_whole(
    changed: str, tmp_path: Path, is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, read = str(made(tmp_path, "llama-plain")), []
    whole = file_matrix.FileMatrix.__array__

    def noted(matrix: file_matrix.FileMatrix, *given: object) -> object:
        read.append(matrix.shape)
        return whole(matrix, *given)

    words = np.shape(read_tensors(tmp_path / "model.safetensors")["model.embed_tokens.weight"])[0]
    monkeypatch.setattr(file_matrix.FileMatrix, "__array__", noted)
    sets = ["--set", changed] if changed else []
    sparingly = invoke("explain", path, "decoder.2.head.1.query[7, 1]", *sets)
    assert sparingly.exit_code == 0
    assert all(words not in shape for shape in read)
    monkeypatch.setattr(load, "MANY", 10**6)
    assert invoke("explain", path, "decoder.2.head.1.query[7, 1]", *sets).stdout == sparingly.stdout
    assert ("×2" in sparingly.stdout) == bool(changed)


def test_a_format_rounds_what_is_read_and_nothing_behind_what_is_asked_for(
    tmp_path: Path, is_large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def whole(matrix: file_matrix.FileMatrix, *given: object) -> object:
        raise AssertionError(f"{matrix.shape} read whole")

    scenario = wt.load_scenario(made(tmp_path, "llama-plain"))
    full = wt.trace(scenario, arithmetic="bfloat16")
    monkeypatch.setattr(file_matrix.FileMatrix, "__array__", whole)
    found = wt.trace(scenario, arithmetic="bfloat16", wanted=["decoder.1.norm_2.output"])
    np.testing.assert_allclose(
        found["decoder.1.norm_2.output"].array, full["decoder.1.norm_2.output"].array, rtol=2**-7
    )
    assert found.exact is not None
    for one in (found, found.exact):
        assert "decoder.1.norm_2.output" in one
        assert "output_head.logits" in full
        assert "output_head.logits" not in one
        assert len(_kept(one)) < len(one) / 8


def test_beside_rounded_numbers_that_are_explained_no_more_exact_ones_are_kept(tmp_path: Path, is_large: None) -> None:
    wanted = "decoder.1.norm_2.output"
    found = calculate(wt.load_scenario(made(tmp_path, "llama-plain")), "bfloat16", wanted=[wanted], explained=True)
    assert found.exact is not None
    assert len(_kept(found)) == len(found)
    assert {wanted, *(given.path for given in found[wanted].inputs)} <= _kept(found.exact)
    assert len(_kept(found.exact)) < len(found.exact) / 4
