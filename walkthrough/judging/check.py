"""Judges every published number of a scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from walkthrough.judging.assumption import RoundingAssumption, RoundingRule
from walkthrough.judging.conclusions import Conclusion, conclusions
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judge, Judgement
from walkthrough.judging.merges import judge_merges, judge_words
from walkthrough.judging.prints import BoundPrint, PrintedCell, bind, is_of_tokenizer
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import WrittenNumber
from walkthrough.mistakes.mistake import Mistake
from walkthrough.recording.cells import CellAt
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.rounding import Rounding
from walkthrough.recording.trace import Trace
from walkthrough.recording.verdict import Verdict
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.yaml.problems import Problems, ScenarioError

Causes = Mapping[PrintedCell, Mistake]

_WORDS = {
    Verdict.EXACT: "exact",
    Verdict.ROUNDING: "rounding",
    Verdict.FOLLOWS: "inherited",
    Verdict.WRONG: "wrong",
    Verdict.UNJUDGED: "unjudged",
}
*VERDICTS, UNJUDGED = _WORDS.values()
"""What is said of printed numbers; the last only where there are some."""


class Judged(Record):
    """A published number and what it is; `computed` is the right number, or the right word."""

    cell: PrintedCell
    computed: float | str
    finding: Verdict

    @property
    def verdict(self) -> str:
        """The word for it."""
        return _WORDS[self.finding]

    @property
    def row(self) -> str:
        """The label of its row."""
        return self.cell.value.rows[self.cell.row]

    @property
    def column(self) -> str:
        """The label of its column."""
        return self.cell.value.columns[self.cell.column]


class CheckResult(Record):
    """The verdicts of a scenario, in the order of the file; what was assumed of steps that were not published.

    points: what follows from the printed numbers as they are
    causes: what was probably done in wrong numbers; found when somebody asks
    """

    name: str
    trace: Trace
    cells: tuple[Judged, ...]
    conclusions: tuple[Conclusion, ...]
    assumed: str
    points: Recalculation
    causes: Callable[[], Causes]

    @property
    def summary(self) -> dict[str, int]:
        """How many numbers have each verdict; those that could not be judged are named where there are some."""
        counts = Counter(judged.verdict for judged in self.cells)
        return {verdict: counts[verdict] for verdict in (*VERDICTS, *([UNJUDGED] if counts[UNJUDGED] else []))}

    def with_verdict(self, verdict: str) -> list[Judged]:
        """The numbers with a verdict, in the order of the calculation."""
        order = {value: number for number, value in enumerate(self.trace)}
        found = [judged for judged in self.cells if judged.verdict == verdict]
        return sorted(found, key=lambda judged: (order[judged.cell.value], judged.cell.row, judged.cell.column))


def check(scenario: Scenario, trace: Trace, name: str = "", rule: RoundingRule | None = None) -> CheckResult:
    """Judges the published numbers of a scenario against its trace (exact, not by hand).

    rule: the digits that every step was to be rounded to, where that is known; else what the scenario's `rounding`
           says, else what its published steps let assume
    Raises ScenarioError where a published step, row or word does not exist.
    """
    problems = Problems()
    prints = bind(scenario.spec.published or [], trace, problems)
    if problems:
        raise ScenarioError(scenario.source.name, problems.found, scenario.source.text)
    return judge_prints(scenario, trace, prints, name, rule)


def judge_prints(
    scenario: Scenario, trace: Trace, prints: Sequence[BoundPrint], name: str = "", rule: RoundingRule | None = None
) -> CheckResult:
    """Judges prints, wherever they stand, as `check` does those of the scenario."""
    numbers = [one for one in prints if not is_of_tokenizer(one.value)]
    assumption = _assume(scenario.spec, trace, numbers, rule)
    judge = Judge(scenario.spec, trace, assumption)
    verdicts, points = judge.verdicts(numbers), judge.published.points
    verdicts |= {cell: verdict for one in prints for cell, verdict in _judge_symbols(scenario, one, points)}
    cells = tuple(Judged(cell, *verdicts[cell][:2]) for one in prints for cell in one.cells)
    sentence = assumption.sentence() if any(one.cells for one in numbers) else ""
    return CheckResult(
        name or scenario.source.name,
        trace,
        cells,
        tuple(conclusions(numbers)),
        sentence,
        points,
        cache(partial(_name_causes, numbers, verdicts, points, trace)),
    )


def _judge_symbols(
    scenario: Scenario, one: BoundPrint, points: Recalculation
) -> Iterator[tuple[PrintedCell, Judgement]]:
    """The verdicts on printed merges and tokens; none on other steps."""
    if not is_of_tokenizer(one.value):
        return
    is_own = one.value.path.startswith("decoder.") and scenario.target is not None
    sequence = scenario.target if is_own else scenario.sequence
    tokenizer = sequence.tokenizer if sequence is not None else None
    is_learned = tokenizer is not None and tokenizer.text is not None and one.value.path.endswith("merges")
    yield from judge_merges(tokenizer, one, points) if tokenizer is not None and is_learned else judge_words(one)


def _assume(
    spec: ScenarioSpec, trace: Trace, prints: Sequence[BoundPrint], rule: RoundingRule | None
) -> RoundingAssumption:
    """What unpublished steps may have been rounded to: as asked for, as the scenario says, or as the others are."""
    if rule is not None:
        return RoundingAssumption(trace, prints, rule, "as was asked for")
    if spec.rounding is None or spec.rounding.format is not None:
        return RoundingAssumption(trace, prints)
    rounding = Rounding.of(spec.decimals, spec.rounding, trace.names_within_pass())
    return RoundingAssumption(trace, prints, lambda value: rounding.digits(value.path), "as `rounding` says")


def _name_causes(
    prints: Sequence[BoundPrint], verdicts: Mapping[PrintedCell, Judgement], points: Recalculation, trace: Trace
) -> Causes:
    """The cause of each wrong number for which there is strong evidence. points: what follows from the printed ones"""
    wrong = [cell for cell in verdicts if verdicts[cell].verdict is Verdict.WRONG]
    found = find_causes(_first_prints(prints, wrong), points, trace) if wrong else {}
    return {cell: found[at] for cell in wrong if (at := CellAt(cell.value, cell.row, cell.column)) in found}


def _first_prints(prints: Sequence[BoundPrint], wrong: Sequence[PrintedCell]) -> Iterator[WrittenNumber]:
    """The first print of each number."""
    is_wrong, seen = set(wrong), set()
    for cell in (cell for one in prints if one.value.names is None for cell in one.cells):
        value, row, column, printed, _ = cell
        if isinstance(printed, Printed) and (value, row, column) not in seen:
            seen.add((value, row, column))
            decimals = printed.decimals
            yield WrittenNumber(value, row, column, printed.value, decimals, decimals, cell in is_wrong)
