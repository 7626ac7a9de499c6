"""Makes the sheets of a scenario: its text rewritten, and numbers drawn until they are fit to work with by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.teaching.sheets.make.draw import Rows
from walkthrough.teaching.sheets.make.draws import Draw, Draws
from walkthrough.teaching.sheets.make.scenario_text import Plain, matrix_data, rewrite
from walkthrough.teaching.sheets.make.standalone import generates_at_once, one_pass, write_out
from walkthrough.teaching.sheets.sheet import Sheet, SheetError, follows_loss, select_blank, sheet_of
from walkthrough.transformer.runs.run import trace


class SheetOptions(Record):
    """What a teacher may choose.

    blank:    selectors of the steps to fill in; None: nearly all
    decimals: in place of the scenario's rounding
    vary:     selectors of the given matrices that a seed draws; None: all but biases, gamma and beta
    rounding: in place of the scenario's key
    is_short: whether no given number of a draw has more digits than are asked for
    """

    blank: Sequence[str] | None = None
    decimals: int | None = None
    vary: Sequence[str] | None = None
    language: str | None = None
    rounding: Mapping[str, Any] | None = None
    is_short: bool = False


class Maker:
    """Makes the sheets of one scenario."""

    def __init__(self, scenario: Scenario, name: str, options: SheetOptions) -> None:
        self.name = name
        self.options = options
        self.whole = scenario.spec.node
        self.source = one_pass(scenario)
        stated = scenario.spec.rounding
        if stated is not None and stated.format is not None and options.decimals is None and options.rounding is None:
            message = f"{name} calculates in {stated.format.name}; say to how many decimals people round: --decimals 3"
            raise SheetError(message)
        self.hand = trace(self.source, by_hand=True, decimals=options.decimals)
        blank = select_blank(self.hand, options.blank)
        self.has_blanks = bool(blank)
        training = scenario.spec.training
        is_given = training is not None and training.gradients is not None
        keeps_training = is_given or scenario.spec.dropout is not None or follows_loss(self.hand, blank)
        language = None if options.language == scenario.spec.language else options.language
        chosen = {"language": language, "rounding": options.rounding}
        self.changes = {key: value for key, value in chosen.items() if value is not None}
        self.drop = ["weights_file", *([] if keeps_training else ["training", "dropout"])]
        if not generates_at_once(scenario.spec):
            self.drop.append("generate")
        self.blank = None if options.blank is None else [value.path for value in self.hand if value in blank]
        self.written_out = write_out(self.source, self.hand)
        self.once = {"training.steps": Plain("1")} if keeps_training and not is_given else {}
        self.draws = Draws(
            self.source, self.hand, self.blank, options.decimals, options.vary, keeps_training, options.is_short
        )

    def sheet(self, seed: int | None = None, student: str = "") -> Sheet:
        """A sheet with the scenario's own numbers, or with others drawn from a seed.

        Raises SheetError where no draw gives numbers that are fit, and where there is nothing to fill in.
        """
        if not self.has_blanks:
            message = f"{self.name} has no step that is empty by itself; choose some with --blank"
            raise SheetError(f"{message} (`walkthrough steps {self.name}`)")
        rows = {} if seed is None else self.draws.find(seed).rows
        text = rewrite(self.source.spec.node, self.written_out | self.once | written(rows), self.changes, self.drop)
        return sheet_of(text, self.name, self.blank, self.options.decimals, seed, student)

    def scenario_text(self, draw: Draw) -> str:
        """The whole scenario with the numbers of a draw; what it generates or trains stays asked for."""
        return rewrite(self.whole, self.written_out | written(draw.rows), {}, ["weights_file"])


def written(rows: Mapping[Matrix, Rows]) -> dict[str, Any]:
    """Drawn matrices as they are written in a file, by the path of their key."""
    return {matrix.path: matrix_data(drawn, matrix.node, matrix.is_vector) for matrix, drawn in rows.items()}
