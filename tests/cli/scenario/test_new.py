"""`walkthrough new`: a starter that runs."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, write_folder, write_weights
from tests.cli.program import invoke, refusal, run


def test_the_starter_runs_as_it_says(tmp_path: Path) -> None:
    target = str(tmp_path / "mine.yaml")
    done = run("new", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"wrote {target}; try: walkthrough run {target}\n")
    assert invoke("validate", target).stdout == f"{target}: fine\n"
    assert invoke("run", target).exit_code == 0


def test_the_starter_through_a_pipe() -> None:
    starter = invoke("new", "-").stdout
    assert starter.count("#") > 5, "a starter is commented"
    assert run("run", "-", stdin=starter).returncode == 0


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "mine.yaml"
    target.write_text("old")
    result = invoke("new", str(target))
    assert result.exit_code == 2
    assert "already exists" in " ".join(result.stderr.replace("│", " ").split())  # however long the path is
    assert target.read_text() == "old"


def test_a_file_without_a_name_is_refused() -> None:
    result = invoke("new", "")
    assert (result.exit_code, "the file needs a name" in result.stderr) == (2, True)


def test_the_command_that_it_suggests_can_be_pasted(tmp_path: Path) -> None:
    target = str(tmp_path / "it's mine.yaml")
    assert invoke("new", target).stderr.endswith(f"; try: {shlex.join(['walkthrough', 'run', target])}\n")


def test_a_place_that_is_none(tmp_path: Path) -> None:
    target = str(tmp_path / "none" / "mine.yaml")
    done = run("new", target)
    assert (done.returncode, done.stderr) == (2, f"{target}: there is no folder {tmp_path / 'none'}\n")


class TestOfACheckpoint:
    """`new --from`; what it writes is in tests/checkpoints."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        write_folder(tmp_path / "models" / "tiny", BY_NAME["llama-plain"], shapes()["llama-plain"])
        return tmp_path / "models" / "tiny"

    def test_it_runs_as_it_says(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        target = str(tmp_path / "mine" / "tiny.yaml")
        done = run("new", target, "--from", str(folder), "--ids", "5,2,7")
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == f"wrote {target}; try: walkthrough steps {target}\n"
        assert "weights_file: ../models/tiny/model.safetensors\n" in Path(target).read_text()
        assert invoke("validate", target).stdout == f"{target}: fine\n"
        assert "decoder.2.residual_2" in invoke("steps", target).stdout
        assert invoke("run", target, "--step", "logits").exit_code == 0

    def test_the_config_stands_for_its_folder(self, folder: Path, tmp_path: Path) -> None:
        texts = []
        for given in (folder, folder / "config.json"):
            target = tmp_path / f"{len(texts)}.yaml"
            assert run("new", str(target), "--from", str(given)).returncode == 0
            texts.append(target.read_text())
        assert texts[0] == texts[1]

    def test_through_a_link_the_whole_path_is_written(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
        (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "deep")
        target = str(tmp_path / "link" / "tiny.yaml")
        assert run("new", target, "--from", str(folder)).returncode == 0
        assert f"weights_file: {folder.as_posix()}/model.safetensors\n" in Path(target).read_text()
        assert invoke("validate", target).exit_code == 0

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--ids", "1"], "--ids needs --from FOLDER, a checkpoint"),
            (["--from", "{folder}", "--ids", "1", "--text", "a"], "--ids and --text cannot be combined"),
            (["--from", "{folder}/none"], "there is no such folder or file"),
            (["--from", __file__], "test_new.py: it holds no tensors = help: give the folder of a checkpoint"),
            (["--from", "{folder}", "--ids", "99"], "there is no id 99"),
        ],
    )
    def test_what_is_refused_leaves_no_file(
        self, arguments: list[str], said: str, folder: Path, tmp_path: Path
    ) -> None:
        target = tmp_path / "tiny.yaml"
        assert said in refusal("new", str(target), *(one.replace("{folder}", str(folder)) for one in arguments))
        assert not target.exists()

    def test_numbers_that_are_none_are_told_by_the_scenario(self, folder: Path, tmp_path: Path) -> None:
        """They are read when it is run, not before."""
        variant = BY_NAME["llama-plain"]
        tensors = write_folder(folder, variant, shapes()[variant.name])
        tensors["model.norm.weight"] = np.full(8, np.nan, np.float32)
        write_weights(folder, tensors)
        target = str(tmp_path / "tiny.yaml")
        assert run("new", target, "--from", str(folder)).returncode == 0
        assert "tensor 'model.norm.weight' has 8 NaN" in refusal("run", target)
