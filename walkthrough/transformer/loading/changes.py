"""Other given numbers, `--set 'CELL=NUMBER'`, and other words; what becomes of steps is in replacing.py."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np

from walkthrough.errors import UserError, expect, expect_text
from walkthrough.recording.cells import CellAt, find_cell, split_cell
from walkthrough.recording.graph import given_sources
from walkthrough.recording.selectors import TOKENS, SelectorError, parse_words
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.readers import number_hint, real_number
from walkthrough.scenario.yaml.nodes import ScalarNode, describe_node
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.text import in_quotes, whole_number
from walkthrough.transformer.loading.load import scenario_of, with_few_arrays
from walkthrough.transformer.runs.run import trace
from walkthrough.transformer.shapes import needs

Change = float | str
"""What a cell or a step becomes: a number; of a step 0, `mean` or `from FILE`."""
Changes = Mapping[str, Change] | Iterable[tuple[str, Change]]
"""What becomes of cells, `SELECTOR[row, column]`, and of steps."""
_CHANGES = 'a mapping of cells and steps to what they become, such as {"embeddings[chai, 1]": 0.5, "scores": "mean"}'
_FORMS = "write CELL=NUMBER, such as 'embeddings[chai, 1]=0.5'; or STEP=0, STEP=mean, STEP=from FILE, tokens=WORDS"


class ChangeError(UserError, ValueError):
    """A number or words that cannot be set, or what is neither."""


def read_change(text: str) -> tuple[str, Change]:
    """The cell and its number, as a scenario writes it, `−` too; or the step and what becomes of it.

    Raises ChangeError.
    """
    cell, sign, number = text.rpartition("=")
    if sign and is_cell(cell):
        return cell.strip(), _read_number(text, number.strip())
    step, sign, how = (part.strip() for part in text.partition("="))
    if not sign or not step:
        raise ChangeError(f"{in_quotes(text)} is not a change; {_FORMS}")
    return step, how if step == TOKENS else _checked(step, 0.0 if how == "0" else how)


def is_cell(target: str) -> bool:
    """Whether a change is one of a cell, and not of a whole step."""
    return target.rstrip().endswith("]")


def change_text(target: str, change: Change) -> str:
    """A change as it is written."""
    return f"{target}={change if isinstance(change, str) else repr(float(change)).removesuffix('.0')}"


def _read_number(text: str, number: str) -> float:
    node = ScalarNode(number.replace("−", "-"), True, 0, 0)
    found = real_number(node)
    if found is None or not math.isfinite(found):
        hint = number_hint(node)
        shown = describe_node(ScalarNode(number, node.plain, 0, 0))
        raise ChangeError(f"{in_quotes(text)}: expected a finite number, found {shown}{hint and f'; {hint}'}")
    return found


def _checked(step: str, how: Change) -> Change:
    """What becomes of a step. Raises ChangeError."""
    if how in (0, "mean") or (isinstance(how, str) and how.startswith("from ") and how[5:].strip()):
        return how
    written = how if isinstance(how, str) else change_text("", how)[1:]
    raise ChangeError(f"{in_quotes(f'{step}={written}')}: a step does not become {in_quotes(written)}; {_FORMS}")


def change_scenario(scenario: Scenario, changes: Changes) -> Scenario:
    """The scenario with other words and given numbers; a matrix that is used in several places changes in all of them.

    Raises SelectorError for a cell that does not exist, ChangeError for one that is not given, or stands for a choice.
    """
    found, others = change_given(scenario, changes)
    for target, how in others.items():
        if not is_cell(target):
            raise ChangeError(f"{in_quotes(change_text(target, how))}: here only given numbers can be others")
        _settable(_find_cell(_record(scenario, [target]), target), 0)
    return found


def change_given(scenario: Scenario, changes: Changes) -> tuple[Scenario, dict[str, Change]]:
    """The scenario with other words and other given numbers, and the changes that are of neither.

    Raises what `change_scenario` raises, but for a cell that is calculated, or is not found.
    """
    wanted = _wanted(changes)
    if TOKENS in wanted:
        wanted = dict(map(read_change, scenario.changed)) | wanted
        scenario = exchange_words(scenario, str(wanted.pop(TOKENS)))
    cells = {target: how for target, how in wanted.items() if is_cell(target)}
    if not cells:
        return scenario, wanted
    record = _record(scenario, cells)
    given = {target: float(how) for target, how in cells.items() if _is_given(record, target)}
    others = {target: how for target, how in wanted.items() if target not in given}
    return _change_cells(scenario, record, given), others


def _is_given(record: Trace, cell: str) -> bool:
    """Whether a given number is meant; one that is not found is looked for where all is calculated."""
    try:
        found = record.select(split_cell(cell)[0])
    except SelectorError:
        return False
    return any(value.can_change or value.operation is None for value in found)


def _change_cells(scenario: Scenario, record: Trace, numbers: Mapping[str, float]) -> Scenario:
    arrays = dict(scenario.arrays)
    written = {matrix: mask.copy() for matrix, mask in scenario.written.items()}
    set_already: dict[tuple[Matrix, int, int], float] = {}
    named = list(scenario.changed)
    for text, number in numbers.items():
        cell = _settable(_find_cell(record, text), number)
        matrix: Matrix = cell.value.matrix
        at = cell.value.corner[0] + cell.row, cell.value.corner[1] + cell.column
        if set_already.setdefault((matrix, *at), number) != number:
            raise ChangeError(f"{name_of(cell)} is set twice, to different numbers")
        if matrix not in written:
            written[matrix] = np.zeros(arrays[matrix].shape, dtype=bool)
        if arrays[matrix] is scenario.arrays[matrix]:
            arrays[matrix] = arrays[matrix].copy()
        arrays[matrix][at], written[matrix][at] = number, True
        named.append(change_text(name_of(cell), number))
    return scenario.replace(arrays=arrays, written=written, changed=tuple(dict.fromkeys(named)))


def _wanted(changes: Changes) -> dict[str, Change]:
    """What becomes of what. Raises ArgumentError where that is none, ChangeError where a step cannot become it."""
    expect(isinstance(changes, Iterable) and not isinstance(changes, str | bytes), "changes", _CHANGES, changes)
    pairs = list(changes.items() if isinstance(changes, Mapping) else changes)
    for pair in pairs:
        expect(isinstance(pair, tuple) and len(pair) == 2, "changes", _CHANGES, pair)
        target, how = pair
        expect_text(target, "changes", 'a cell such as "embeddings[chai, 1]", or a step')
        is_number = isinstance(how, Real) and not isinstance(how, bool)
        if target == TOKENS:
            expect_text(how, target, "words with blanks between them")
        elif is_cell(target):
            expect(is_number, target, "a number", how)
        else:
            expect(is_number or isinstance(how, str), target, '0, "mean" or "from FILE"', how)
            _checked(target, how)
    return dict(pairs)


def name_of(cell: CellAt) -> str:
    """The cell by its path and both labels."""
    return f"{cell.value.path}[{cell.value.rows[cell.row]}, {cell.value.columns[cell.column]}]"


def _record(scenario: Scenario, cells: Iterable[str]) -> Trace:
    """The record in which the cells are found: of a training no more steps than they name, of a large model no more.

    A calculation that cannot go on with the first numbers may do so with the others: what there is will do.
    """
    begun: list[Trace] = []
    needed = needs(scenario, [split_cell(cell)[0] for cell in cells]) if scenario.sparing else None
    try:
        trace(scenario, begun=begun.append, most_steps=max(map(_training_step, cells), default=1), needs=needed)
    except ScenarioError:
        if not begun:
            raise
    return begun[0]


def _find_cell(record: Trace, text: str) -> CellAt:
    """The cell of this name; of several steps that it fits, the one given step is meant."""
    selector, labels = split_cell(text)
    given = [value for value in record.select(selector) if value.can_change]
    return find_cell(given[0] if len(given) == 1 else record.only(selector), labels)


def _training_step(cell: str) -> int:
    word, number = parse_words(cell.partition("[")[0])[0]
    return max(whole_number(number) or 1, 1) if word == "train" else 1


def _settable(cell: CellAt, number: float) -> CellAt:
    """The cell, if its number may be changed."""
    value = cell.value
    if not math.isfinite(number):
        raise ChangeError(f"{name_of(cell)} cannot be set to {number}: expected a finite number")
    if value.kind.fixed and value.operation is None:
        raise ChangeError(f"{name_of(cell)} cannot be set: it decides what is calculated; change the scenario")
    if not value.can_change:
        raise ChangeError(f"{name_of(cell)} is calculated, not given; {_where_from(cell)}")
    return cell


def _where_from(cell: CellAt) -> str:
    found = given_sources(cell)
    if not found:
        return "nothing it is computed from can be set"
    return f"it is computed from {', '.join(map(_some, found.items()))}"


def _some(found: tuple[Value, list[tuple[int, int]]]) -> str:
    """The first of some cells, and how many more of its matrix there are."""
    value, cells = found
    first = name_of(CellAt(value, *cells[0]))
    return first if len(cells) == 1 else f"{first} and {len(cells) - 1:,} more of its cells"


def exchange_words(scenario: Scenario, words: str) -> Scenario:
    """The scenario with other words than its own, those of the encoder where there are two sentences.

    What belongs to its own words is left out, and said in its warnings.
    Raises ChangeError where no word is looked up, where something belongs to each of its own, for an unknown word.
    """
    expect_text(words, TOKENS, "words with blanks between them")
    if why := _refusal(scenario, words):
        raise ChangeError(f"{_written(words)}: {why}")
    if scenario.sequence.tokenizer is None:
        words = " ".join(words.split())
    try:
        found = scenario_of(scenario.source._replace(words=words))
    except ScenarioError as error:
        problem = error.problems[0]
        help = f"; {problem.help}" if problem.help else ""
        raise ChangeError(f"{_written(words)}: {problem.message}{help}") from None
    warnings = tuple(one for one in found.warnings if one not in scenario.warnings)
    return with_few_arrays(found).replace(changed=(f"{TOKENS}={words}",), warnings=warnings)


def _written(words: str) -> str:
    return in_quotes(f"{TOKENS}={words}")


def _refusal(scenario: Scenario, words: str) -> str:
    """Why a scenario cannot have other words; empty where it can."""
    if not words.split():
        return "no word is given; write them with blanks between them"
    if scenario.spec.training is not None:
        return "a training has an answer for each of its own words; change the scenario"
    if scenario.sequence.table_size is None and scenario.sequence.tokenizer is None:
        return "no word is looked up in a table; change the scenario"
    return ""
