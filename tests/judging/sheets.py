"""Sheets of honest authors, drawn at random: which scenario, how many decimals, what is printed, who rounds when."""

from __future__ import annotations

import copy
import math
import random
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

import walkthrough as wt
from tests.judging.author import COPYING, Number, Rows, rounded, worked_out
from walkthrough.judging.check import CheckResult, check
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.published import PublishedReader
from walkthrough.scenario.schema.readers import Context
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes
from walkthrough.transformer.loading.load import parse_scenario

TOO_LARGE = ("transformer-base",)
"""Half a million numbers of weights: nobody works that out by hand, nor does Decimal."""
LONG = (
    "microgpt",
    "not-on-your-life",
    "not-on-your-life-teacher-forced",
    "specialise",
    "tea-gpt",
    "tiny-llama",
    "warmup",
)
"""Thousands of numbers each: drawn less often."""
HABITS = ("every step", "every step", "every step", "what is printed", "the print alone")
"""When an author rounds: before each next step; only what he prints; or the print alone, and he goes on unrounded."""


@cache
def scenario_of(name: str) -> tuple[Scenario, Trace]:
    """A bundled scenario without its published numbers and its rounding, and its trace."""
    text = bundled_scenarios()[name].read_text(encoding="utf-8")
    if name == "specialise":  # three hundred steps of training, of which the first two will do
        text = text.replace("steps: 300", "steps: 2")
    scenario = parse_scenario(text)
    scenario.spec.published = scenario.spec.rounding = None
    return scenario, wt.trace(scenario)


NAMES = tuple(name for name in bundled_scenarios() if name not in TOO_LARGE)


@dataclass
class Sheet:
    """What one author printed.

    slip: the cell that he got wrong, if he did
    """

    name: str
    seed: int
    decimals: int
    habit: str
    declared: bool
    printed: dict[Value, list[list[str]]] = field(default_factory=dict)
    slip: tuple[Value, int, int] | None = None

    @property
    def text(self) -> str:
        """The published numbers in YAML."""
        lines = [
            f'  "{value.path}": [{", ".join("[" + ", ".join(row) + "]" for row in rows)}]\n'
            for value, rows in self.printed.items()
        ]
        return "published:\n" + "".join(lines)

    def report(self) -> CheckResult:
        """What `check` says of it."""
        scenario, trace = scenario_of(self.name)
        problems = Problems()
        text = self.text + (f"rounding: {{decimals: {self.decimals}}}\n" if self.declared else "")
        node = read_nodes(text, problems)
        assert node is not None
        entries = {key.text: child for key, child in node.entries}  # type: ignore[union-attr]
        spec = copy.copy(scenario.spec)
        spec.published = PublishedReader().read(entries["published"], Context(problems))
        if self.declared:
            head = f"title: x\ntokens: [a]\nembeddings: [[1]]\nrounding: {{decimals: {self.decimals}}}\n"
            spec.rounding = parse_scenario(head).spec.rounding
        assert not problems.found
        return check(Scenario(spec, scenario.source, {}), trace, f"{self.name} {self.seed}")


def drawn(seed: int, name: str | None = None, spoiled: bool = False) -> Sheet:
    """A sheet; `spoiled`: with a slip of ten units or more in a step whose inputs are all printed, if there is one."""
    rng = random.Random(seed)
    name = name or rng.choices(NAMES, [1 if one in LONG else 6 for one in NAMES])[0]
    decimals = rng.randint(1, 4)
    sheet = Sheet(name, seed, decimals, rng.choice(HABITS), decimals == 1 or rng.random() < 0.2)
    _, trace = scenario_of(name)
    values = [value for value in trace if value.operation is not None]
    share = rng.uniform(0.1, 1.0)
    chosen = [value for value in values if rng.random() < share] or [rng.choice(values)]
    if spoiled:
        sheet.slip = _slip(rng, values, chosen)
    amount = rng.choice((-1, 1)) * rng.randint(10, 40) * Decimal(1).scaleb(-decimals)

    def changed(value: Value, rows: Rows) -> None:
        if sheet.slip is not None and value is sheet.slip[0]:
            number = rows[sheet.slip[1]][sheet.slip[2]]
            if number is None or not number.is_finite():
                sheet.slip = None
            else:
                rows[sheet.slip[1]][sheet.slip[2]] = number + amount

    partly = rng.random() < 0.3
    printing = set(chosen)

    def rounds(value: Value) -> int | None:
        if value.kind.ids or sheet.habit == "the print alone":
            return None
        kept = decimals if sheet.declared else max(decimals, _leading(value))
        if value in printing:
            return kept if partly else decimals
        copying = value.operation is not None and value.operation.name in COPYING
        return None if copying or sheet.habit == "what is printed" else kept

    numbers = worked_out(trace, rounds, changed)
    whole = {sheet.slip[0], *sheet.slip[0].inputs} if sheet.slip is not None else set()
    for value in chosen:
        kept = rng.random() if partly and value not in whole else 1.0
        sheet.printed[value] = [
            [
                _text(value, column, number, decimals) if kept == 1 or rng.random() < kept else "null"
                for column, number in enumerate(row)
            ]
            for row in numbers[value]
        ]
    return sheet


def _leading(value: Value) -> int:
    """The decimals of the first two digits of a step's largest number.

    Who rounds squares of gradients to 0.0000 and divides by their root says so, or has a number that is not right.
    """
    largest = max((abs(number) for row in value.array.tolist() for number in row if math.isfinite(number)), default=0)
    return 1 - Decimal(repr(largest)).adjusted() if largest else 0


def _slip(rng: random.Random, values: list[Value], chosen: list[Value]) -> tuple[Value, int, int] | None:
    """A cell of a printed step whose computed inputs are printed too."""
    fitting = [
        value
        for value in chosen
        if value.inputs and not value.kind.ids and all(one.operation is None or one in chosen for one in value.inputs)
    ]
    if not fitting:
        return None
    value = rng.choice(fitting)
    return value, rng.randrange(value.shape[0]), rng.randrange(value.shape[1])


def _text(value: Value, column: int, number: Number, decimals: int) -> str:
    if value.is_word(column):
        return "null" if number is None else '"' + (value.names or {})[int(number)].replace('"', '\\"') + '"'
    if number is None:
        return "null"
    return "-.inf" if not number.is_finite() else f"{rounded(number, decimals):f}"
