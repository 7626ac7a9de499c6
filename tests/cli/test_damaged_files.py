"""Damaged files that are no scenarios: each is refused in a message, or read; what is written is whole and runs."""

from __future__ import annotations

import json
import math
import random
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import walkthrough
from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.test_words import TOKENIZER
from tests.checkpoints.variants import BY_NAME, FIRST, write_folder
from tests.cli.program import run
from tests.examples import some
from tests.scenario.damage import damaged_text

Chance = random.Random
DAMAGES = some(1, 150)
"""How many of each kind are done to each file."""
STRANGE: list[Any] = [
    *(None, True, "", "text", "ä", "\ud800", -1, 0, 1, 0.5, 10**9, 10**400, 1e308, -1e308, math.nan, math.inf),
    *(-math.inf,),
    *([], [[]], [[["a"], 1]], ["a", 1], {}, {"a": 1}, {"": None}, "9" * 5000, [10**9, 10**9]),
]


def damaged_json(data: Any, chance: Chance) -> Any:
    """A value somewhere in the data replaced, dropped or repeated, or a key renamed."""
    if not isinstance(data, dict | list) or not data or chance.random() < 0.15:
        return chance.choice(STRANGE)
    items: list[Any] = list(data.items()) if isinstance(data, dict) else list(enumerate(data))
    at = chance.randrange(len(items))
    key, value = items[at]
    kind = chance.randrange(6)
    if kind == 0:
        del items[at]
    elif kind == 1:
        items.append((f"{key}s", value))
    else:
        items[at] = (key, damaged_json(value, chance))
    return dict(items) if isinstance(data, dict) else [value for _, value in items]


def of_json(content: bytes, chance: Chance) -> bytes:
    """JSON with other data, or with other text."""
    if chance.random() < 0.3:
        return of_text(content, chance)
    return json.dumps(damaged_json(json.loads(content), chance)).encode("utf-8", "surrogatepass")


def of_text(content: bytes, chance: Chance) -> bytes:
    return damaged_text(content.decode("utf-8"), chance).encode("utf-8", "surrogatepass")


def of_bytes(content: bytes, chance: Chance) -> bytes:
    """Bytes changed, cut out, put in; most of them near the beginning, where heads are."""
    at = chance.randrange(chance.choice([16, 128, len(content)])) % len(content)
    kind = chance.randrange(4)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[at + chance.randrange(1, 20) :]
    middle = bytes(chance.randrange(256) for _ in range(chance.choice([1, 1, 4, 30])))
    return content[:at] + middle + content[at + (len(middle) if kind == 2 else 0) :]


def of_safetensors(content: bytes, chance: Chance) -> bytes:
    """Another head before the same numbers, or other bytes."""
    if chance.random() < 0.2:
        return of_bytes(content, chance)
    size = struct.unpack("<Q", content[:8])[0]
    head = of_json(content[8 : 8 + size], chance)
    return struct.pack("<Q", len(head)) + head + content[8 + size :]


def of_zip(content: bytes, chance: Chance) -> bytes:
    """Another text or other bytes in a member, one member more or less, or other bytes of the archive."""
    if chance.random() < 0.3:
        return of_bytes(content, chance)
    with zipfile.ZipFile(BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(list(members))
    is_text = members[name].isascii() and members[name].strip()
    kind = chance.randrange(6)
    if kind == 0:
        del members[name]
    elif kind == 1:
        members[chance.choice(["../out.npy", f"{name}@{'9' * 5000}", f"{name}@1", "scores", "ü.npy"])] = members[name]
    elif members[name]:
        members[name] = (of_text if is_text and chance.random() < 0.7 else of_bytes)(members[name], chance)
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for other, data in members.items():
            archive.writestr(other, data)
    return made.getvalue()


class Input(NamedTuple):
    """A kind of file that the program reads.

    make:    writes what is needed into a folder
    file:    the file in it that is damaged
    damage:  what is done to it
    command: what reads it then, in that folder
    writes:  a scenario that the command writes, which has to run
    """

    make: Callable[[Path], object]
    file: str
    damage: Callable[[bytes, Chance], bytes]
    command: tuple[str, ...]
    writes: str = ""


def _checkpoint(name: str, tokenizer: bool = False) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        write_folder(folder / "model", BY_NAME[name], shapes()[name])
        if tokenizer:
            (folder / "model" / "tokenizer.json").write_text(json.dumps(TOKENIZER), encoding="utf-8")

    return make


def _export(name: str) -> Callable[[Path], object]:
    return lambda folder: run("export", "one-head", "-o", str(folder / name)).check_returncode()


def _sheet(name: str) -> Callable[[Path], object]:
    return lambda folder: run("worksheet", "one-head", "-o", str(folder / name)).check_returncode()


def _vocabulary(folder: Path) -> None:
    (folder / "words.json").write_text(json.dumps(TOKENIZER), encoding="utf-8")
    (folder / "s.yaml").write_text(
        "title: t\nvocabulary: {file: words.json}\ntokens: [tea, hot]\n"
        "dimensions: {d_model: 2}\nembeddings: {init: normal, seed: 1}\n",
        encoding="utf-8",
    )


def _weights(folder: Path, name: str) -> None:
    np.save(folder / "w.npy", np.eye(2))
    reference = "w.npy" if name == "w.npy" else f"{name}, tensor: w"
    if name == "w.npz":
        np.savez(folder / name, w=np.eye(2))
    elif name == "w.safetensors":
        head = json.dumps({"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}).encode()
        content = np.eye(2, dtype=np.float32).tobytes()
        (folder / name).write_bytes(struct.pack("<Q", len(head)) + head + content)
    (folder / "s.yaml").write_text(
        "title: t\ntokens: [a, b]\nembeddings: {a: [1, 0], b: [0, 1]}\n"
        f"attention: {{heads: [{{w_q: {{file: {reference}}}, w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}}]}}\n",
        encoding="utf-8",
    )


def _key(folder: Path) -> None:
    run("worksheet", "one-head", "-o", str(folder / "a.csv"), "--key", str(folder / "key.yaml")).check_returncode()


def _draft(folder: Path) -> None:
    _export("d.md")(folder)
    scores = walkthrough.trace(walkthrough.load_scenario("one-head"))["attention.head.1.scores"]
    rows = [
        ["S", *scores.columns],
        *([label, *map(str, row)] for label, row in zip(scores.rows, scores.array, strict=True)),
    ]
    (folder / "d.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")


def _progress(folder: Path) -> None:
    chapter = {"section": 1, "answers": {"1": True, "2": False}, "done": False}
    (folder / "walkthrough").mkdir()
    known = {"version": 1, "chapters": {"1-one-head": chapter}}
    (folder / "walkthrough" / "learn.json").write_text(json.dumps(known), encoding="utf-8")


_NEW = ("new", "s.yaml", "--from", "model", "--ids", "4,5")
INPUTS = {
    **{
        f"config of {variant.config['model_type']}": Input(
            _checkpoint(variant.name), "model/config.json", of_json, _NEW, "s.yaml"
        )
        for variant in some(FIRST[:1], FIRST)
    },
    "weights of a checkpoint": Input(
        _checkpoint("llama-plain"), "model/model.safetensors", of_safetensors, _NEW, "s.yaml"
    ),
    "index of a checkpoint": Input(
        _checkpoint("llama-shards"), "model/model.safetensors.index.json", of_json, _NEW, "s.yaml"
    ),
    "tokenizer of a checkpoint": Input(
        _checkpoint("bert-plain", tokenizer=True),
        "model/tokenizer.json",
        of_json,
        ("new", "s.yaml", "--from", "model", "--tokens", "tea hot"),
        "s.yaml",
    ),
    "vocabulary": Input(_vocabulary, "words.json", of_json, ("validate", "s.yaml")),
    **{
        name: Input(lambda folder, name=name: _weights(folder, name), name, damage, ("run", "s.yaml"))  # type: ignore[misc]
        for name, damage in (("w.npy", of_bytes), ("w.npz", of_zip), ("w.safetensors", of_safetensors))
    },
    **{
        f"theirs.{suffix}": Input(_export(f"t.{suffix}"), f"t.{suffix}", damage, ("compare", "one-head", f"t.{suffix}"))
        for suffix, damage in (("npz", of_zip), ("safetensors", of_safetensors), ("json", of_json))
    },
    "draft.csv": Input(_draft, "d.csv", of_text, ("check", "d.csv", "--scenario", "one-head")),
    "draft.md": Input(_draft, "d.md", of_text, ("check", "d.md", "--scenario", "one-head")),
    **{
        f"sheet.{suffix}": Input(
            _sheet(f"a.{suffix}"), f"a.{suffix}", damage, ("mark", f"a.{suffix}", "--scenario", "one-head")
        )
        for suffix, damage in (("csv", of_text), ("yaml", of_text), ("xlsx", of_zip))
    },
    "key.yaml": Input(_key, "key.yaml", of_text, ("mark", "a.csv", "--key", "key.yaml")),
    "progress": Input(_progress, "walkthrough/learn.json", of_json, ("learn", "--list")),
}


@pytest.mark.parametrize("name", INPUTS)
def test_undamaged_it_is_read_and_damaged_refused_in_a_message_or_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = INPUTS[name]
    kind.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    good, before = Path(kind.file).read_bytes(), set(tmp_path.rglob("*"))
    for seed in range(DAMAGES + 1):
        Path(kind.file).write_bytes(kind.damage(good, Chance(f"{name} {seed}")) if seed else good)
        done = run(*kind.command, XDG_STATE_HOME=str(tmp_path))
        told = f"{name} {seed}: {done.stderr}"
        assert done.returncode in ((0, 1, 2) if seed else (0, 1)), told
        assert "Traceback" not in done.stderr, told
        assert "Warning" not in done.stderr, told
        assert done.stderr.replace("\n", "").isprintable(), told
        if done.returncode == 2:
            assert done.stderr, told
            assert set(tmp_path.rglob("*")) == before, told
        elif kind.writes:
            walkthrough.trace(walkthrough.load_scenario(kind.writes))
            Path(kind.writes).unlink()
