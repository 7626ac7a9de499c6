"""What a scenario as plain data says of its words: ids, the table they stand in, the columns of the logits."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
INHERITED = ("vocabulary", "embeddings", "embedding_scale", "positional_encoding")


def owner_of(scenario: Spec) -> Spec:
    """The sequence that the output head stands at the end of, with what it takes from the top level."""
    if not {"encoder", "decoder"} <= scenario.keys():
        return scenario
    return {key: scenario[key] for key in INHERITED if key in scenario} | scenario["decoder"]


def ids_of(vocabulary: Any) -> dict[str, int]:
    return vocabulary if isinstance(vocabulary, dict) else {word: number for number, word in enumerate(vocabulary)}


def is_by_id(spec: Spec) -> bool:
    """A matrix is a table by id when there is a vocabulary and a row for each of its ids."""
    if "vocabulary" not in spec or isinstance(spec["embeddings"], dict):
        return False
    return len(spec["embeddings"]) > max(ids_of(spec["vocabulary"]).values())


def column_ids(spec: Spec, owner: Spec, columns: int) -> list[int]:
    """The id of each column's token: in the order of ids; a table by id has a column for each row."""
    vocabulary = spec.get("vocabulary", owner.get("vocabulary"))
    if vocabulary is None or (spec.get("tied", False) and is_by_id(owner)):
        return list(range(columns))
    ids = ids_of(vocabulary)
    if spec.get("tied", False) and isinstance(owner["embeddings"], dict):
        return [ids[word] for word in owner["embeddings"]]
    assert len(ids) == columns
    return sorted(ids.values())


def output_words(scenario: Spec, columns: int | None = None) -> list[str]:
    """The word of each column of the logits; an id without a word stands for itself."""
    head, owner = scenario["output_head"], owner_of(scenario)
    if head.get("tied", False) and isinstance(owner["embeddings"], dict):
        return list(owner["embeddings"])
    ids = ids_of(head.get("vocabulary", owner.get("vocabulary")))
    word = {number: word for word, number in ids.items()}
    count = columns or (len(owner["embeddings"]) if head.get("tied", False) else len(ids))
    columns_of = column_ids(head, owner, count)
    return [
        word[number] if number in word else f"id {number}" if str(number) in ids else str(number)
        for number in columns_of
    ]
