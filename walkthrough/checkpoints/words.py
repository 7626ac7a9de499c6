"""The tokens of a scenario: words of the checkpoint's vocabulary, or ids, and what each of them is called."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.records import Record
from walkthrough.scenario.vocabulary_files import read_vocabulary
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import did_you_mean, in_quotes

TOKENIZER = "tokenizer.json"
_FILES = (TOKENIZER, "vocab.json", "vocab.txt")
FIRST = 3
"""How many ids a scenario begins with where no tokens are asked for."""


class Prompt(Record):
    """What the scenario is to read: words, ids or a text; one of them, or none."""

    tokens: str | None = None
    ids: str | None = None
    text: str | None = None


class Tokens(Record):
    """The tokens as labels, and the id of each label, or the vocabulary file of the folder that has all of them."""

    labels: tuple[str, ...]
    ids: Mapping[str, int]
    file: str = ""


def tokens_of(prompt: Prompt, folder: Path, size: int, padding: int | None = None) -> Tokens:
    """The tokens of a prompt. Raises CheckpointError.

    size:    how many words the model has
    padding: an id that no token may have
    """
    file = next((name for name in _FILES if (folder / name).exists()), "")
    words = vocabulary(folder / file) if file else None
    if prompt.text is not None:
        ids = _encode(prompt.text, folder)
    elif prompt.tokens is not None:
        ids = _looked_up(prompt.tokens.split(), words, folder)
    else:
        ids = _ids(prompt.ids, folder) if prompt.ids is not None else _first(size, padding)
    if not ids:
        raise CheckpointError(folder, "no token is given")
    for number in ids:
        if number >= size:
            raise CheckpointError(folder, f"there is no id {number}: the model has {size} words, 0 to {size - 1}")
        if number == padding:
            fault = f"the id {number} is the padding (pad_token_id), which has no position of its own"
            raise CheckpointError(folder, fault, "leave it out")
    known = {number: word for word, number in (words or {}).items()}
    if known and max(known) < size and all(number in known for number in ids):
        return Tokens(tuple(known[number] for number in ids), {}, file)
    return _label(ids, known)


def _first(size: int, padding: int | None) -> list[int]:
    """The ids of a scenario for which none are asked."""
    return [number for number in range(min(FIRST + 1, size)) if number != padding][:FIRST]


def _ids(written: str, folder: Path) -> list[int]:
    """Ids separated by commas or blanks."""
    parts = written.replace(",", " ").split()
    for part in parts:
        if not (part.isascii() and part.isdigit() and len(part) < 10):
            raise CheckpointError(folder, f"{in_quotes(part)} is not an id, expected whole numbers such as 5,17,2")
    return [int(part) for part in parts]


def _looked_up(tokens: Sequence[str], words: Mapping[str, int] | None, folder: Path) -> list[int]:
    if words is None:
        help = f"expected {', '.join(_FILES[:2])} or {_FILES[2]}; give --ids instead of --tokens"
        raise CheckpointError(folder, "there is no vocabulary in it", help)
    for token in tokens:
        if token not in words:
            begins = [mark + token for mark in ("Ġ", "▁", "##") if mark + token in words]
            near = f"did you mean {in_quotes(begins[0])}?" if begins else did_you_mean(token, words)
            help = near or "tokens are words of the vocabulary, separated by spaces; --text splits a sentence"
            raise CheckpointError(folder, f"the token {in_quotes(token)} is not in the vocabulary", help)
    return [words[token] for token in tokens]


def vocabulary(path: Path) -> dict[str, int]:
    """The words of a checkpoint and their ids. Raises CheckpointError."""
    try:
        return read_vocabulary(path)
    except WeightsError as error:
        raise CheckpointError(path, str(error), error.help) from None


def _label(ids: Sequence[int], words: Mapping[int, str]) -> Tokens:
    """Each id under its word; under its number where it has none, or one that another id has taken."""
    taken: dict[str, int] = {}
    labels: dict[int, str] = {}
    for number in dict.fromkeys(ids):
        known = words.get(number, "")
        label = next(name for name in (known, str(number), f"id {number}") if _is_free(name, taken))
        labels[number] = label
        taken[unicodedata.normalize("NFC", label)] = number
    return Tokens(tuple(labels[number] for number in ids), {label: number for number, label in labels.items()})


def _is_free(name: str, taken: Mapping[str, int]) -> bool:
    """Whether a name can be a label: it is not empty, and no other token's."""
    return bool(name) and unicodedata.normalize("NFC", name) not in taken


@contextmanager
def _silent_panics() -> Iterator[None]:
    """What Rust prints of a panic, past sys.stderr, is not shown."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _encode(text: str, folder: Path) -> list[int]:
    """The ids of a text as the checkpoint's tokenizer makes them, special tokens too."""
    path = folder / TOKENIZER
    if not path.exists():
        raise CheckpointError(path, "there is no such file, which --text needs", "give --tokens or --ids")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        install = "pip install 'walkthrough[tokenizers]'"
        raise CheckpointError(path, "--text needs the package tokenizers", f"{install}, or give --tokens") from None
    try:
        with _silent_panics():
            tokenizer = Tokenizer.from_file(str(path))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            ids = tokenizer.encode(text).ids
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the package raises nothing narrower: a panic of its Rust is no Exception
        reason = str(error).splitlines()[0][:200] if str(error) else "no reason given"
        raise CheckpointError(path, f"the package tokenizers cannot read it: {reason}") from None
    return list(ids)
