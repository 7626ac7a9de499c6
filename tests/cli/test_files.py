"""Files are written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import slow
from walkthrough.cli.files import stream_files, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(str(tmp_path / "x"), b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "x").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_an_old_file_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")
    target.chmod(0o604)
    write_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


@pytest.mark.parametrize("culprit", ["os.fdopen", "os.chmod", "os.replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
def test_a_failure_on_the_way_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, culprit: str, failure: BaseException
) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")

    def fail(*arguments: object) -> None:
        raise failure

    monkeypatch.setattr(culprit, fail)
    for name in ("x", "y"):
        with pytest.raises(type(failure)):
            write_file(str(tmp_path / name), b"new")
    assert names(tmp_path) == ["x"]
    assert target.read_bytes() == b"old"


def test_a_file_is_written_piece_by_piece(tmp_path: Path) -> None:
    target = tmp_path / "x"
    stream_files([(str(target), lambda out: out.writelines([b"one ", b"two"]))])
    assert target.read_bytes() == b"one two"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, slow(signal.SIGHUP)])
def test_a_signal_leaves_no_half_written_file(tmp_path: Path, number: signal.Signals) -> None:
    """The signal comes when the temporary file is there, and its content."""
    code = f"""
import os, sys
import walkthrough.cli

def chmod(path, mode):
    assert str(path).endswith(".part") and os.path.getsize(path) > 0
    os.kill(os.getpid(), {int(number)})

os.chmod = chmod
sys.argv = ["walkthrough", "export", "help-me", "-o", {str(tmp_path / "x.md")!r}]
walkthrough.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == (130 if number == signal.SIGINT else -number)
    assert done.stderr == ""
    assert names(tmp_path) == []


def test_a_full_disk(tmp_path: Path) -> None:
    """For real: a process that may write no more than 4 kB to a file."""
    code = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from walkthrough.cli import main\n"
        "main()\n"
    )
    target = tmp_path / "chai.md"
    target.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", code, "export", "chai", "-o", str(target)], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 2
    assert done.stderr == "File too large\n"
    assert names(tmp_path) == ["chai.md"]
    assert target.read_text() == "old"


def test_a_link_is_followed(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to("target")
    write_file(str(link), b"first")
    write_file(str(link), b"second")
    assert link.is_symlink()
    assert not target.is_symlink()
    assert target.read_bytes() == b"second"


def test_a_loop_of_links_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_file(str(tmp_path / "a"), b"x")
    assert all(path.is_symlink() for path in tmp_path.iterdir())


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_file(str(pipe), b"through")
    assert reader.communicate(timeout=10)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_may_not_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For root everything may be written: `os.access` says what it would say to others."""
    target = tmp_path / "x"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError) as caught:
        write_file(str(target), b"new")
    assert caught.value.filename == str(target)
    assert (names(tmp_path), target.read_bytes()) == (["x"], b"old")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError) as caught:
        write_file(str(tmp_path / "x"), b"new")
    assert caught.value.filename == str(tmp_path / "x")
    tmp_path.chmod(0o700)


def test_errors_name_what_the_user_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("none/x", "none/", ".", "./"):
        with pytest.raises(OSError, match=r".") as caught:
            write_file(name, b"")
        assert str(caught.value.filename).rstrip("/") == name.rstrip("/")
    assert names(tmp_path) == []


def test_of_several_files_none_is_written_where_one_fails(tmp_path: Path) -> None:
    folder, old = tmp_path / "new" / "sheets", tmp_path / "old"
    old.write_bytes(b"old")

    def fail(out: object) -> None:
        raise MemoryError

    for last in (fail, lambda out: out.write(b"1")):
        files = [(str(folder / "a"), lambda out: out.write(b"a")), (str(old), lambda out: out.write(b"b"))]
        beyond = str(tmp_path / "missing" / "c") if last is not fail else str(tmp_path / "c")
        with pytest.raises((MemoryError, FileNotFoundError)):
            stream_files([*files, (beyond, last)], folder)
        assert names(tmp_path) == ["old"]
        assert old.read_bytes() == b"old"
    stream_files(files, folder)
    assert (names(folder), old.read_bytes()) == (["a"], b"b")
