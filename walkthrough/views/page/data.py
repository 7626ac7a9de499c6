"""What a live page holds as data: the recorded numbers, and the folded expressions that it calculates with.

`page_json` is one JSON text. Its `steps` are in the order of the calculation, and name each other by their place in it;
the keys of a step are left out where they say nothing:

    path, aliases, symbol, shape
    rowLabels, columnLabels    places in `labels`; else 1, 2, …
    numbers       row by row; "inf", "-inf", "nan" and, of an unknown number, null; where the scripts compute the same
                  bits, none
    formula       as text
    inputs        the steps that it is computed from, and
    pieces        how: the cells of some rows and columns (start, count, step) by one of `expressions`
    isEditable    of a given step: its numbers may be changed
    isAsGiven       it is calculated, but taken as given here
    matrix        the matrix of the scenario that it is a part of, and row and column of that where it begins
    isRounded     a given matrix that is rounded by hand, as a rule or a file has made it; all that is computed is
    isFixed       it is not even rounded to a number format
    written       the cells of such a matrix that are not
    digits        those by hand, where they are not those of all steps
    ids           the columns that hold some; `words`: what they stand for, a place in `words`
    bound         the step is there only while its first input keeps to this size, or does not
    drawn         the picture of its operation, as views/page/drawings.py says it
    chosenBy      the step whose last word has decided what is calculated here
    pass          how many characters its path begins with that name the pass that it is in
    shownWith     which of the passes it is shown with; always, if none

`passes` are shown one at a time: `name`, `title` and `tick`, which their paths begin with, `isWord`, whether it is that
of a generated word, and `prefix`, that of the run shown; `steps` in the order of the map, which is that of the pass
`map`; `outcome` is `said` by a text with blanks for `facts` and for `columns` of the last row of `step`.
`film` says which steps tell of a generation or a training: `answer`, all that was generated; `series`, the table of a
training; `loss` of a training step, and `after` the last one.

`tokens`: how many words are given and can be exchanged, the `vocabulary` in the order of its table but for what is
`barred`, the steps `lookups` and `ids` that hold them, and of the places in `labels` that they label the `texts`
and the first word of these.
`format` is the number format that a calculation by hand rounds to, if it is one.
`language` has the `texts` of the scripts by key, the `mistakes` by their words, what `keys` do, whether numbers have a
comma, and the words for infinity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.fold.arrays import evaluate_pieces, is_exact
from walkthrough.expressions.fold.folding import Folded
from walkthrough.expressions.notations.page import page_data
from walkthrough.expressions.notations.precedence import RULES, Rule
from walkthrough.languages.catalogue import catalogue
from walkthrough.languages.meanings import words_for
from walkthrough.number_formats import FloatFormat, NumberFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.labels import Labels, numbered_labels
from walkthrough.recording.selectors import KINDS, NAMED_ONLY, SHORT, is_generated, pass_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.data import number, safe_json
from walkthrough.views.page.drawings import drawings_of
from walkthrough.views.page.words import vocabulary_steps, words_of
from walkthrough.views.passes import Pass, passes_of, shown_with, title_of
from walkthrough.views.pictures.outcome import losses_after, outcome_of
from walkthrough.views.selection import Selection

_SIGNS = {"Sum": "+", "Difference": "-", "Negative": "neg", "Product": "*", "Quotient": "/", "Power": "^"} | {
    name: name for name in ("equal", "noted", "exp", "sqrt", "function")
}
"""What the scripts call the rows of the table of precedence that they need."""

_OF_PRACTICE = (
    *("check", "hint_formula", "hint_numbers", "hint_show", "hint_next", "hint_step", "yes", "yes_with", "yes_follows"),
    *("with_your", "likely", "answer_is", "skipped", "result", "nothing_asked", "repeat", "well", "seconds", "minutes"),
)
"""Texts that practice in a terminal says too."""
_MISTAKES = (
    *("sign", "not_scaled", "swapped", "point", "fewer", "scaled_by_d_k", "multiplied_by_root", "not_divided"),
    *("sample_variance", "no_root", "base_2"),
)
"""The mistakes that the page knows by one number."""


def page_json(trace: Trace, selection: Selection, decimals: int | None = None) -> str:
    """The data as text that is safe in a script element. decimals: those asked for, which replace all rounding."""
    return safe_json(_PageData(trace, selection, decimals).collect(), separators=(",", ":")).replace("<", r"\u003c")


_Places = dict[Any, int]
"""Of what many steps have, each once: its place among the others."""


def _place(known: _Places, thing: Any) -> int:
    """The place of a thing, which is added if it is new."""
    return known.setdefault(thing, len(known))


class _PageData:
    """Collects the data of one page."""

    def __init__(self, trace: Trace, selection: Selection, decimals: int | None) -> None:
        self.trace, self.selection, self.decimals = trace, selection, decimals
        self.expressions: _Places = {}
        self.labels: _Places = {}
        """Each with whether these are words."""
        self.words: _Places = {}
        self.places = {value: at for at, value in enumerate(selection.values)}
        self.matrices: dict[int, list[Value]] = {}
        for value in selection.values:
            if value.can_change:
                self.matrices.setdefault(id(value.matrix), []).append(value)
        self.drawings = drawings_of(selection.values)
        self.rounding = trace.rounding()
        self.passes = passes_of(selection.values)
        self.exchanged, self.vocabulary = words_of(trace, selection), vocabulary_steps(selection.values)
        self.changed = [trace.cell(item.rpartition("=")[0]) for item in trace.changed if _is_of_given(trace, item)]

    def collect(self) -> dict[str, Any]:
        steps = [self._step(value) for value in self.selection.values]
        found = {
            "decimals": self.trace.decimals,
            "byHand": self.trace.exact is not None,
            "asked": self.decimals,
            "rounding": self.rounding.decimals,
            "rules": {sign: _rule(RULES[name]) for name, sign in _SIGNS.items()},
            "selectors": self._selectors(),
            "labels": [labels for labels, _ in self.labels],
            "words": [dict(names) for names in self.words],
            "expressions": list(map(page_data, self.expressions)),
            "steps": steps,
            "film": self._film(),
            "passes": self._passes(),
            "tokens": self._tokens(),
        }
        return found | _format(self.rounding.format) | {"language": language_data(self.trace.language)}

    def _tokens(self) -> dict[str, Any] | None:
        """The words that can be exchanged."""
        if (found := self.exchanged) is None:
            return None
        places = {labels: self.labels.get((labels, True)) for labels in found.texts}
        return {
            "count": found.count,
            "vocabulary": list(found.table.rows),
            "barred": sorted(found.barred),
            "lookups": [self.places[value] for value in found.lookups],
            "ids": [self.places[value] for value in found.ids],
            "texts": [[place, *found.texts[labels]] for labels, place in places.items() if place is not None],
        }

    def _film(self) -> dict[str, int]:
        """The steps that a generation and a training are told by."""
        values = self.selection.values
        losses = [value for value in values if value.kind.outcome == "loss" and not pass_of(value.path)]
        found = {
            "answer": [value for value in values if value.kind.outcome == "answer"],
            "series": [value for value in values if value.kind.series],
            "loss": losses,
            "after": losses_after(values),
        }
        return {name: self.places[those[-1]] for name, those in found.items() if those}

    def _passes(self) -> list[dict[str, Any]]:
        """The passes that are shown one at a time."""
        maps, words = {shown.structure: shown.name for shown in self.passes}, catalogue(self.trace.language)
        return [self._pass(shown, maps[shown.structure], title_of(shown, words)) for shown in self.passes]

    def _pass(self, shown: Pass, map: str, title: str) -> dict[str, Any]:
        outcome = outcome_of(self.trace, shown, self.selection.values)
        return {
            "name": shown.name,
            "tick": shown.tick,
            "isWord": is_generated(shown.called),
            "prefix": shown.prefix,
            "title": title,
            "map": map,
            "steps": [self.places[value] for value in shown.values],
            "outcome": {
                "said": catalogue(self.trace.language).texts[outcome.key],
                "step": self.places[outcome.value],
                "columns": list(outcome.columns),
                "facts": dict(outcome.facts),
            },
        }

    def _selectors(self) -> dict[str, Any]:
        """What words of selectors stand for, of those that the steps have."""
        said = {
            word for value in self.selection.values for path in (value.path, *value.also) for word in path.split(".")
        }
        kinds = {kind: [word for word in words if word in said] for kind, words in KINDS.items()}
        return {"short": SHORT, "kinds": kinds, "namedOnly": [word for word in NAMED_ONLY if word in said]}

    def _step(self, value: Value) -> dict[str, Any]:
        found = self.exchanged
        are_words = found.are_words(value, self.vocabulary) if found is not None else (False, False)
        step: dict[str, Any] = {
            "path": value.path,
            "aliases": list(value.also),
            "symbol": value.kind.symbol,
            "shape": value.shape,
            "rowLabels": self._labels(value.rows, are_words[0]),
            "columnLabels": self._labels(value.columns, are_words[1]),
            "ids": list(value.kind.ids),
            "counts": list(value.kind.counts),
            "digits": self._digits(value),
            "isFixed": self.rounding.format is not None and value.kind.fixed,
            "isShare": value.kind.is_distribution,
        }
        if value in self.drawings and not self.selection.is_given(value):
            step["drawn"] = self.drawings[value].data(self.places)
        if not self.selection.is_given(value):
            step["formula"] = formula_text(value, catalogue(self.trace.language))
        step["pass"] = len(pass_of(value.path)) or None
        if len(self.passes) > 1:
            step["shownWith"] = shown_with(value, self.passes)
        if value.chosen_by is not None:
            step["chosenBy"] = self.places.get(value.chosen_by)
        if value.stop is not None and {value.stop.divisor, value.stop.scores} <= self.places.keys():
            at, divisor, scores, is_over = value.stop
            step["stop"] = [at, self.places[divisor], self.places[scores], is_over]
        if value.names is not None:
            step["words"] = _place(self.words, tuple(value.names.items()))
        step |= self._origin(value) if self.selection.is_given(value) else self._calculation(value)
        return {key: one for key, one in step.items() if one is not None and one is not False and one != []}

    def _labels(self, labels: Labels, are_words: bool) -> int | None:
        if labels == numbered_labels(len(labels)):
            return None
        return _place(self.labels, (labels, are_words))

    def _digits(self, value: Value) -> dict[str, Any] | None:
        """The digits of a step that has its own."""
        digits = self.rounding.digits(value.path)
        is_usual = digits.count == self.rounding.decimals and not digits.significant
        return None if is_usual else {"count": digits.count, "significant": digits.significant}

    def _origin(self, value: Value) -> dict[str, Any]:
        """Of a value that is not calculated here."""
        if value in self.selection.as_given:
            is_fixed = value.kind.fixed or value.holds_ids
            return {
                "numbers": _numbers(value, value.array),
                "isEditable": not is_fixed,
                "isAsGiven": True,
                "isRounded": True,
            }
        is_rounded = self.trace.exact is not None and (value.origin or value.format is not None)
        exact = self.trace.exact.get(value.path) if is_rounded and self.trace.exact is not None else None
        array = value.array if exact is None or exact.shape != value.shape else exact.array
        sharing = self.matrices.get(id(value.matrix), [])
        changed = [cell.row * value.shape[1] + cell.column for cell in self.changed if cell.value is value]
        return {
            "numbers": _numbers(value, array),
            "isEditable": value.can_change,
            "matrix": self._corner(value, sharing[0]) if len(sharing) > 1 else None,
            "isRounded": bool(value.origin),
            "written": changed if value.origin else [],
        }

    def _corner(self, value: Value, first: Value) -> dict[str, int]:
        """The matrix that a value is a part of, called by the first step that is one."""
        row, column = value.corner
        return {"id": self.places[first], "row": row, "column": column}

    def _calculation(self, value: Value) -> dict[str, Any]:
        """Of a value that is computed: from what, how, and what came out."""
        found: dict[str, Any] = {
            "inputs": [self.places[given] for given in value.inputs],
            "pieces": self._pieces(value.fold()),
            "numbers": None if self._is_computed(value) else _numbers(value, value.array),
        }
        if value.guard is not None:
            found["bound"] = {"size": value.guard.size, "isKept": value.guard.is_kept}
        return found

    def _is_computed(self, value: Value) -> bool:
        """Whether the scripts get the recorded numbers to the last bit from those that they are computed from."""
        pieces, array = value.fold(), value.array
        is_plain = (
            self.trace.exact is None and np.isfinite(array).all() and not (np.signbit(array) & (array == 0)).any()
        )
        if not is_plain or not is_exact(pieces):
            return False
        return np.array_equal(evaluate_pieces(pieces, array.shape, [given.array for given in value.inputs]), array)

    def _pieces(self, pieces: Folded) -> list[dict[str, Any]]:
        return [
            {
                "rows": _range(piece.rows),
                "columns": _range(piece.columns),
                "expression": _place(self.expressions, piece.expression),
            }
            for piece in pieces
        ]


def language_data(name: str) -> dict[str, Any]:
    """What the scripts say, what keys do, whether numbers have a decimal comma, and all words for infinity."""
    words = catalogue(name)
    texts = {**words.controls, "smaller_terms": words.words["phrases"]["smaller_terms"]}
    texts |= {key: words.texts[key] for key in _OF_PRACTICE}
    keys = [[texts.pop(key.removesuffix("_does")), texts.pop(key)] for key in words.controls if key.endswith("_does")]
    mistakes = {word: words.mistakes[word] for word in _MISTAKES}
    more = {"hasComma": words.has_comma, "infinity": words_for("infinity")}
    return {"texts": texts, "mistakes": mistakes, "keys": keys, **more}


def _format(format: NumberFormat | None) -> dict[str, Any]:
    """What the scripts need to round to a number format; nothing where there is none."""
    if format is None:
        return {}
    if not isinstance(format, FloatFormat):
        return {"format": {"name": format.name, "most": format.most}}
    numbers = {"mantissa": format.mantissa, "least": 1 - format.bias, "largest": format.largest}
    return {"format": {"name": format.name, **numbers, "endsInNaN": format.ends_in_nan}}


def _rule(rule: Rule) -> dict[str, Any]:
    return {"own": rule.own, "first": rule.first, "rest": rule.rest, "leads": rule.leads}


def _range(numbers: range) -> list[int]:
    return [numbers.start, len(numbers), numbers.step]


def _numbers(value: Value, array: Array) -> list[Any]:
    """All numbers, row by row."""
    flat = array.ravel().tolist()
    return flat if np.isfinite(array).all() else [number(one, value.unknown) for one in flat]


def _is_of_given(trace: Trace, change: str) -> bool:
    """Whether a change is one of a given number, which is named by its path."""
    value = trace.get(change.partition("[")[0])
    return "[" in change and value is not None and value.operation is None
