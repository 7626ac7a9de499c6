"""The tokens of a scenario: words of the checkpoint's vocabulary, or ids, and what each of them is called."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from walkthrough.checkpoints.config import read_json
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.records import Record
from walkthrough.text import did_you_mean, in_quotes

TOKENIZER, _JSON, _TEXT = "tokenizer.json", "vocab.json", "vocab.txt"
FIRST = 3
"""How many ids a scenario begins with where no tokens are asked for."""


class Prompt(Record):
    """What the scenario is to read: words, ids or a text; one of them, or none."""

    tokens: str | None = None
    ids: str | None = None
    text: str | None = None


class Tokens(Record):
    """The tokens as labels, and the id of each label."""

    labels: tuple[str, ...]
    ids: Mapping[str, int]


def tokens_of(prompt: Prompt, folder: Path, size: int) -> Tokens:
    """The tokens of a prompt; `size` is how many words the model has. Raises CheckpointError."""
    words: Mapping[str, int] | None
    if prompt.text is not None:
        ids, words = _encoded(prompt.text, folder)
    else:
        words = vocabulary(folder)
        if prompt.tokens is not None:
            ids = _looked_up(prompt.tokens.split(), words, folder)
        else:
            ids = _ids(prompt.ids, folder) if prompt.ids is not None else list(range(min(FIRST, size)))
    if not ids:
        raise CheckpointError(folder, "no token is given")
    for number in ids:
        if number >= size:
            raise CheckpointError(folder, f"there is no id {number}: the model has {size} words, 0 to {size - 1}")
    return _labelled(ids, {number: word for word, number in (words or {}).items()})


def _ids(written: str, folder: Path) -> list[int]:
    """Ids separated by commas or blanks."""
    parts = written.replace(",", " ").split()
    for part in parts:
        if not (part.isascii() and part.isdigit() and len(part) < 10):
            raise CheckpointError(folder, f"{in_quotes(part)} is not an id, expected whole numbers such as 5,17,2")
    return [int(part) for part in parts]


def _looked_up(tokens: Sequence[str], words: Mapping[str, int] | None, folder: Path) -> list[int]:
    if words is None:
        help = f"expected {TOKENIZER}, {_JSON} or {_TEXT}; give --ids instead of --tokens"
        raise CheckpointError(folder, "there is no vocabulary in it", help)
    for token in tokens:
        if token not in words:
            begins = [mark + token for mark in ("Ġ", "▁", "##") if mark + token in words]
            near = f"did you mean {in_quotes(begins[0])}?" if begins else did_you_mean(token, words)
            help = near or "tokens are words of the vocabulary, separated by blanks; --text splits a sentence"
            raise CheckpointError(folder, f"the token {in_quotes(token)} is not in the vocabulary", help)
    return [words[token] for token in tokens]


def vocabulary(folder: Path) -> dict[str, int] | None:
    """The words of a checkpoint and their ids; None where its folder has no vocabulary that can be read."""
    for name, read in ((TOKENIZER, _of_tokenizer), (_JSON, _of_json), (_TEXT, _of_text)):
        if (folder / name).exists():
            return read(folder / name)
    return None


def _of_tokenizer(path: Path) -> dict[str, int]:
    """The vocabulary of a tokenizer.json, of any model, and the tokens added to it."""
    content = read_json(path, "a tokenizer")
    model = content.get("model") if isinstance(content, dict) else None
    words = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(words, list):  # Unigram: a word and its score
        words = {entry[0]: at for at, entry in enumerate(words) if isinstance(entry, list) and entry}
    added = content.get("added_tokens") if isinstance(content, dict) else None
    extra = {one.get("content"): one.get("id") for one in added or [] if isinstance(one, dict)}
    return _checked({**words, **extra} if isinstance(words, dict) else None, path)


def _of_json(path: Path) -> dict[str, int]:
    return _checked(read_json(path, "a vocabulary"), path)


def _of_text(path: Path) -> dict[str, int]:
    """A word a line, as BERT has them."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        raise CheckpointError(path, "it cannot be read, expected a word a line, in UTF-8") from None
    return {line.removesuffix("\r"): at for at, line in enumerate(lines) if line}


def _checked(words: Any, path: Path) -> dict[str, int]:
    good = isinstance(words, dict) and all(
        isinstance(word, str) and type(number) is int and number >= 0 for word, number in words.items()
    )
    if not good:
        raise CheckpointError(path, "expected a vocabulary, a mapping from words to ids")
    return dict(words)


def _labelled(ids: Sequence[int], words: Mapping[int, str]) -> Tokens:
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
    """Whether a name can be a label: it is not empty, can be written, and is no other token's."""
    is_whole = not any(unicodedata.category(character) == "Cs" for character in name)
    return bool(name) and is_whole and unicodedata.normalize("NFC", name) not in taken


def _encoded(text: str, folder: Path) -> tuple[list[int], dict[str, int]]:
    """The ids of a text as the checkpoint's tokenizer makes them, special tokens too, and their words."""
    path = folder / TOKENIZER
    if not path.exists():
        raise CheckpointError(path, "there is no such file, which --text needs", "give --tokens or --ids")
    try:
        from tokenizers import Tokenizer
    except ImportError:
        install = "pip install 'walkthrough[tokenizers]'"
        raise CheckpointError(path, "--text needs the package tokenizers", f"{install}, or give --tokens") from None
    read_json(path, "a tokenizer")
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        encoded = tokenizer.encode(text)
    except Exception as error:  # the package raises nothing narrower
        reason = str(error).splitlines()[0][:200] if str(error) else "no reason given"
        raise CheckpointError(path, f"the package tokenizers cannot use it: {reason}") from None
    return list(encoded.ids), dict(zip(encoded.tokens, encoded.ids, strict=True))
