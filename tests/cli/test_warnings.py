"""What has no effect is said in a line on standard error, and stops nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.program import invoke

START = """title: t
tokens: [a, b]
embeddings: [[1, 0], [0, 1]]
"""


def warnings(tmp_path: Path, text: str, *command: str) -> list[str]:
    """What validating, or the command, says on standard error, without the name of the file."""
    path = tmp_path / "f.yaml"
    path.write_text(START + text)
    done = invoke(*(command or ("validate",)), str(path))
    assert done.exit_code == 0, done.stderr
    return done.stderr.replace(str(path), "f.yaml").splitlines()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("dropout: {rate: 0.1}", "4:1: warning: dropout has no effect: training is not given (dropout); remove it"),
        (
            "inputs_are: rounded",
            "4:13: warning: inputs_are has no effect: published is not given (inputs_are); remove it",
        ),
        (
            "source_arithmetic: float32",
            "4:20: warning: source_arithmetic has no effect: published is not given (source_arithmetic); remove it",
        ),
        ("weights_file: w.npz", "4:15: warning: no matrix is read from this file (weights_file)"),
        (
            "attention: {heads: [{w_q: {init: ones, std: 1}, w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]}",
            "4:45: warning: std has no effect: init is ones (attention.heads.1.w_q.std); remove it",
        ),
        (
            "attention: {heads: [{w_q: {init: identity, seed: 1}, w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]}",
            "4:50: warning: seed has no effect: init is identity (attention.heads.1.w_q.seed); remove it",
        ),
        (
            "attention: {heads: [{w_q: {init: xavier_uniform, seed: 1, std: 3}, w_k: [[1, 0], [0, 1]]}]}",
            "4:64: warning: std has no effect: init is xavier_uniform (attention.heads.1.w_q.std); remove it",
        ),
    ],
)
def test_a_key_without_effect_is_named(tmp_path: Path, text: str, line: str) -> None:
    assert warnings(tmp_path, text) == [f"f.yaml:{line}"]


@pytest.mark.parametrize("command", ["run", "shapes", "check"])
def test_other_commands_name_it_too(tmp_path: Path, command: str) -> None:
    text = "dropout: {rate: 0.1}\npublished: {token_embedding: [[1, 0], [0, 1]]}"
    assert warnings(tmp_path, text, command) == warnings(tmp_path, text)


def test_a_repeated_layer_warns_once(tmp_path: Path) -> None:
    layers = "encoder: {layers: {repeat: 3, layer: {feed_forward: {w_1: {init: zeros, seed: 2}, w_2: {init: ones}}}}}"
    assert warnings(tmp_path, layers + "\ndimensions: {d_ff: 3}") == [
        "f.yaml:4:79: warning: seed has no effect: init is zeros (encoder.layers.1.feed_forward.w_1.seed); remove it"
    ]


def test_the_number_of_a_layer_where_none_is_repeated(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **{"w.0": np.eye(2)})
    (tmp_path / "s.yaml").write_text(START + "output_head: {vocabulary: [a, b], w: {file: w.npz, tensor: 'w.{i}'}}")
    assert invoke("validate", str(tmp_path / "s.yaml")).stderr == (
        f"{tmp_path}/s.yaml:4:60: warning: {{i}} is 0 here: it counts the layers of a repeat (output_head.w.tensor)\n"
    )


@pytest.mark.parametrize("command", [["run"], ["export", "-o", "-"], ["explain", "--depth", "0"]])
def test_rounding_without_by_hand(tmp_path: Path, command: list[str]) -> None:
    cell = ["input[a, 1]"] if command[0] == "explain" else []
    path = tmp_path / "f.yaml"
    path.write_text(START + "rounding: {decimals: 2}")
    done = invoke(*command, str(path), *cell)
    assert done.exit_code == 0
    assert done.stderr == f"{path}:4:1: warning: rounding has no effect without --by-hand\n"
    assert invoke(*command, str(path), *cell, "--by-hand").stderr == ""


@pytest.mark.parametrize("command", [["validate"], ["steps"], ["shapes"], ["check"]])
def test_commands_without_by_hand_say_nothing_of_it(command: list[str]) -> None:
    assert invoke(*command, "cooking").stderr == ""


def test_a_warning_is_harmless_text(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31m.yaml"
    path.write_text(START + "dropout: {rate: 0.1}")
    assert "\x1b" not in invoke("run", str(path)).stderr
