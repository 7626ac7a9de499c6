"""Makes the sheets of a scenario: its text rewritten, and numbers drawn until they are fit to work with by hand."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.make.draw import decimals_of, draw_numbers, matrices_to_vary
from walkthrough.teaching.make.fit import NO_NUMBER, unfit
from walkthrough.teaching.make.scenario_text import Plain, matrix_data, rewrite
from walkthrough.teaching.make.standalone import one_pass, write_out
from walkthrough.teaching.sheet import Sheet, SheetError, follows_loss, scope_of, select_asked, sheet_of
from walkthrough.text import pluralize
from walkthrough.transformer.runs.run import trace

MOST_DRAWS = 1000


class SheetOptions(Record):
    """What a teacher may choose.

    blank:    selectors of the steps to fill in; None: nearly all
    decimals: in place of the scenario's rounding
    vary:     selectors of the given matrices that a seed draws; None: all but biases, gamma and beta
    """

    blank: Sequence[str] | None = None
    decimals: int | None = None
    vary: Sequence[str] | None = None
    language: str | None = None


class Maker:
    """Makes the sheets of one scenario."""

    def __init__(self, scenario: Scenario, name: str, options: SheetOptions) -> None:
        self.name = name
        self.options = options
        self.source = one_pass(scenario)
        self.hand = trace(self.source, by_hand=True, decimals=options.decimals)
        asked = select_asked(self.hand, options.blank)
        keeps_training = scenario.spec.dropout is not None or follows_loss(self.hand, asked)
        self.changes = {} if options.language in (None, scenario.spec.language) else {"language": options.language}
        self.drop = ["generate", "weights_file", *([] if keeps_training else ["training", "dropout"])]
        self.trial = copy.copy(self.source.spec)
        if not keeps_training:
            self.trial.training = self.trial.dropout = None
        self.blank = None if options.blank is None else [value.path for value in self.hand if value in asked]
        self.written_out = write_out(self.source, self.hand)
        self.written_out |= {"training.steps": Plain("1")} if keeps_training else {}

    def sheet(self, seed: int | None = None, student: str = "") -> Sheet:
        """A sheet with the scenario's own numbers, or with others drawn from a seed.

        Raises SheetError where a thousand draws give no numbers that are fit.
        """
        if seed is None:
            return self._sheet({}, None, student)
        matrices = matrices_to_vary(self.hand, self.options.vary)
        if not matrices:
            raise SheetError("the scenario has no given numbers that could be drawn; leave out --seed")
        failed: Counter[str] = Counter()
        for attempt in range(MOST_DRAWS):
            found, faults = self._try(matrices, seed, attempt, student)
            if found is not None:
                return found
            failed.update(faults)
        why = "; ".join(f"{reason}: {pluralize(times, 'draw')}" for reason, times in failed.most_common())
        raise SheetError(
            f"no numbers fit for handwork in {MOST_DRAWS:,} draws ({why}); try other decimals, or draw "
            "fewer matrices, with --vary"
        )

    def _try(
        self, matrices: Mapping[str, Value], seed: int, attempt: int, student: str
    ) -> tuple[Sheet | None, set[str]]:
        """The sheet of one draw; None where its numbers are unfit, and why."""
        texts = {path: self._draw(value, f"{seed}/{attempt}") for path, value in matrices.items()}
        try:
            faults = self._faults({matrices[path].matrix: rows for path, rows in texts.items()})
        except ScenarioError:  # a loss that is no number
            return None, {NO_NUMBER}
        if faults:
            return None, faults
        new = {
            path: matrix_data(rows, matrices[path].matrix.node, matrices[path].matrix.is_vector)
            for path, rows in texts.items()
        }
        return self._sheet(new, seed, student), faults

    def _draw(self, value: Value, source: str) -> list[list[str]]:
        matrix, array = value.matrix, self.source.arrays[value.matrix]
        decimals = decimals_of(matrix, array, value.digits.count if value.digits is not None else 0)
        return draw_numbers(matrix, array, decimals, value.kind.is_distribution, source)

    def _faults(self, texts: Mapping[Matrix, list[list[str]]]) -> set[str]:
        """Why numbers are unfit; looked at before a sheet is written with them."""
        arrays = dict(self.source.arrays)
        for matrix, rows in texts.items():
            arrays[matrix] = np.array([[_number(text) for text in row] for row in rows])
        scenario = Scenario(self.trial, self.source.source, arrays)
        hand = trace(scenario, by_hand=True, decimals=self.options.decimals)
        assert hand.exact is not None
        scope = scope_of(hand, select_asked(hand, self.blank))
        return set(unfit((hand.exact[value.path], value) for value in scope))

    def _sheet(self, new: Mapping[str, Any], seed: int | None, student: str) -> Sheet:
        text = rewrite(self.source.spec.node, {**self.written_out, **new}, self.changes, self.drop)
        return sheet_of(text, self.name, self.blank, self.options.decimals, seed, student)


def _number(text: str) -> float:
    known = {"null": float("nan"), "-.inf": -float("inf")}
    return known[text] if text in known else float(text)
