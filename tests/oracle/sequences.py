"""Random token sequences, embeddings and output heads."""

from __future__ import annotations

from typing import Any

from .draws import Draw

Spec = dict[str, Any]
PAD = "<pad>"
WORDS = ["the", "cat", "sat", "no", "null", "true", "3", "1e-5", "a: b", "#", "don't", "é", '"', "New York", "-", "~"]
PLAIN_WORDS = ["The", "cat", "sat", "on", "no", "mat"]


def sequence(draw: Draw, width: int, padding: bool, tables: bool = True) -> Spec:
    """Tokens and what makes an input of them; the first token is never padding, so that no row is hidden entirely."""
    spec = tokens(draw, padding)
    words = list(dict.fromkeys(spec.pop("words")))
    pick_embeddings(draw, spec, words, width, tables)
    draw.setting(spec, "embedding_scale", ["none", "sqrt_d_model", 2.0, 0.5], 40)
    draw.sometimes(spec, "positional_encoding", 60, lambda: positional(draw, width, len(token_list(spec))))
    draw.sometimes(spec, "segment_embedding", 20, lambda: segment(draw, width, len(token_list(spec))))
    draw.sometimes(spec, "embedding_norm", 20, lambda: embedding_norm(draw, width))
    return spec


def tokens(draw: Draw, padding: bool) -> Spec:
    count = draw.integer(1, 6)
    if not padding and draw.chance(20):
        words = [draw.pick(PLAIN_WORDS) for _ in range(count - 1)] + ["."]
        return {"text": " ".join(words[:-1]) + ".", "words": words}
    pool = draw.shuffled(WORDS)[: draw.integer(1, 6)]
    words = [draw.pick(pool) for _ in range(count)]
    spec: Spec = {}
    if padding:
        spec["padding_token"] = PAD
        ends = draw.integer(0, count - 1)
        words = words[: count - ends] + [PAD] * ends
    return spec | {"tokens": words, "words": words}


def token_list(spec: Spec) -> list[str]:
    return spec["tokens"] if "tokens" in spec else [*spec["text"][:-1].split(), "."]


def pick_embeddings(draw: Draw, spec: Spec, words: list[str], width: int, tables: bool) -> None:
    """One of the forms that embeddings can have; no `tables`: none by position, for two sequences."""
    forms = ["mapping", "mapping with ids", "dict", "list"] + (["position", "position with ids"] if tables else [])
    form = draw.pick(forms)
    unused = [f"unused {number}" for number in range(draw.integer(0, 2))]
    words = draw.shuffled(words + unused)
    if form == "list":
        spec["vocabulary"] = words
    elif form == "mapping with ids":
        spec["vocabulary"] = words if draw.chance(50) else {word: number for number, word in enumerate(words)}
    elif form == "dict":
        spec["vocabulary"] = gaps(draw, words, 0)
    elif form == "position with ids":
        spec["vocabulary"] = gaps(draw, words, 1000)
    if form.startswith("mapping"):
        spec["embeddings"] = {word: draw.vector(width) for word in words}
    elif form.startswith("position"):
        spec["embeddings"] = draw.matrix(len(token_list(spec)), width)
    else:
        ids = range(len(words)) if form == "list" else spec["vocabulary"].values()
        spec["embeddings"] = draw.matrix(max(ids) + 1 + draw.integer(0, 1), width)


def gaps(draw: Draw, words: list[str], first: int) -> dict[str, int]:
    """Ids in no order, some numbers left out."""
    ids = draw.shuffled(range(first, first + len(words) + draw.integer(0, 2)))
    return dict(zip(words, ids[: len(words)], strict=True))


def positional(draw: Draw, width: int, rows: int) -> Any:
    kind = draw.pick(["sinusoidal", "options", "learned", "none"])
    if kind == "learned":
        return draw.matrix(rows + draw.integer(0, 2), width)
    options: Spec = {}
    draw.setting(options, "base", [10000, 100, 10.0])
    draw.setting(options, "layout", ["interleaved", "halves", "tensor2tensor"], 80)
    draw.setting(options, "angle", ["radians", "degrees"])
    return {"sinusoidal": options} if kind == "options" and options else kind if kind == "none" else "sinusoidal"


def segment(draw: Draw, width: int, rows: int) -> Any:
    return draw.vector(width) if draw.chance(50) else draw.matrix(rows, width)


def gain(draw: Draw, width: int) -> Spec:
    """A gamma, a beta, both or neither."""
    spec: Spec = {}
    draw.sometimes(spec, "gamma", 60, lambda: draw.vector(width))
    draw.sometimes(spec, "beta", 60, lambda: draw.vector(width))
    return spec


def embedding_norm(draw: Draw, width: int) -> Spec:
    spec = gain(draw, width)
    draw.setting(spec, "epsilon", [1e-12, 1e-5, 0.1], 70)
    return spec or {"gamma": draw.vector(width)}


def output_head(draw: Draw, width: int, owner: Spec) -> Spec:
    """Over the output of the last part, which is `width` wide; `owner` is the sequence it stands at the end of."""
    spec: Spec = {}
    vocabulary, embeddings = owner.get("vocabulary"), owner.get("embeddings")
    table = embeddings is not None and (isinstance(embeddings, dict) or (vocabulary is not None and by_id(owner)))
    rows = list(embeddings.values()) if isinstance(embeddings, dict) else embeddings
    if table and len(rows[0]) == width and draw.chance(50):
        spec["tied"], columns = True, len(rows)
    else:
        draw.setting(spec, "tied", [False], 20)
        if vocabulary is None or draw.chance(30):
            columns = draw.integer(1, 6)
            draw.sometimes(spec, "vocabulary", 70, lambda: [f"word {number}" for number in range(columns)])
        if vocabulary is not None and "vocabulary" not in spec:
            columns = len(vocabulary)
        spec["w"] = draw.weight(width, columns)
    draw.sometimes(spec, "b", 50, lambda: draw.vector(columns))
    draw.setting(spec, "temperature", [1, 0.5, 2.0, 0.7], 40)
    return spec


def by_id(spec: Spec) -> bool:
    vocabulary = spec["vocabulary"]
    ids = vocabulary.values() if isinstance(vocabulary, dict) else range(len(vocabulary))
    return len(spec["embeddings"]) > max(ids)
