"""How mistakes are said in a language: the words under a key, with the facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.mistakes.mistake import Fact, Mistake
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Value

_Name = Callable[[Value | CellAt], str]


def say(mistakes: Sequence[Mistake], words: Catalogue = ENGLISH) -> str:
    """What was done and in which step, by paths; of several mistakes one or the other."""
    return words("or_else").join(_with_place(made, words) for made in mistakes)


def _with_place(made: Mistake, words: Catalogue) -> str:
    clause = _clause(made, words, _path)
    if made.where is None:
        return clause
    return words("made_in_several" if made.more else "made_in", mistake=clause, step=made.where.path)


def say_likely(
    mistakes: Sequence[Mistake], words: Catalogue = ENGLISH, title: Callable[[Value], str] | None = None
) -> str:
    """What somebody probably did, as a sentence that is true of all these mistakes, which have one word.

    title: what a step is called; None: by its kind
    """

    def name(one: Value | CellAt) -> str:
        if isinstance(one, CellAt):
            return str(cell_name(*one))
        return words.title(one.kind) if title is None else title(one)

    clauses = {_clause(made, words, name) for made in mistakes}
    first = mistakes[0]
    clause = clauses.pop() if len(clauses) == 1 else _clause(first.replace(key=first.word), words, name)
    return words("likely", mistake=clause)


def _clause(made: Mistake, words: Catalogue, name: _Name) -> str:
    facts = {key: _fact(fact, words, name) for key, fact in made.facts}
    return words.mistakes[made.key].format(**facts)


def _fact(fact: Fact, words: Catalogue, name: _Name) -> str:
    if isinstance(fact, Value | CellAt):
        return name(fact)
    if isinstance(fact, float):
        fact = f"{fact:.0f}" if fact.is_integer() else f"{fact:g}"
    return words.number(words.name(fact))


def _path(one: Value | CellAt) -> str:
    return one.path if isinstance(one, Value) else str(one)
