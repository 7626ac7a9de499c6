"""Prints traces as an author would: every number at some digits, as YAML under `published`."""

from __future__ import annotations

import math
import random
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import walkthrough as wt
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from walkthrough.judging.check import CheckResult, check
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Rows = list[list[str]]
Spec = dict[str, Any]


def decimal_text(number: float, decimals: int, mode: str = ROUND_HALF_UP) -> str:
    """So many decimals; of a number that a person would see as a tie, as a person rounds it."""
    with localcontext(prec=400):
        exact = Decimal(repr(number))
        return f"{exact.quantize(Decimal(1).scaleb(-decimals), mode):f}"


def significant_text(number: float, digits: int) -> str:
    """So many significant digits; a number without decimals among others with some would claim theirs."""
    if number == 0:
        return "0.0"
    mantissa, exponent = f"{Decimal(repr(number)):.{digits - 1}e}".split("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.'}e{exponent}"


def text(number: float, digits: tuple[int, bool], mode: str = ROUND_HALF_UP) -> str:
    """The number at (count, significant)."""
    if not math.isfinite(number):
        return "-.inf" if number == -math.inf else "null"
    return significant_text(number, digits[0]) if digits[1] else decimal_text(number, digits[0], mode)


def printed(value: Value, digits: tuple[int, bool], mode: str = ROUND_HALF_UP) -> Rows:
    """All numbers of a value; the words of a prediction."""
    rows = [[text(number, digits, mode) for number in row] for row in value.array.tolist()]
    for column in value.kind.ids if value.names is not None else ():
        for row, number in zip(rows, value.array[:, column].tolist(), strict=True):
            row[column] = _word(value, number)
    return rows


def _word(value: Value, number: float) -> str:
    assert value.names is not None
    return "null" if math.isnan(number) else '"' + value.names[int(number)].replace('"', '\\"') + '"'


def with_published(spec: Spec, prints: dict[str, Rows], more: str = "") -> str:
    """The scenario with what was printed."""
    lines = [f'  "{path}": [{", ".join("[" + ", ".join(row) + "]" for row in rows)}]' for path, rows in prints.items()]
    return as_yaml(spec) + more + ("published:\n" + "\n".join(lines) + "\n" if lines else "")


def report_of(source: str) -> CheckResult:
    """The report of a scenario's text."""
    scenario = wt.parse_scenario(source)
    return check(scenario, wt.trace(scenario))


def verdicts(source: str) -> list[str]:
    """The verdicts on the published numbers of a scenario's text."""
    return [one.verdict for one in report_of(source).cells]


def drawn(seed: int) -> tuple[Spec, Trace]:
    """A random scenario of any architecture and its exact trace."""
    spec = seeded_scenario(list(KINDS)[seed % len(KINDS)], seed)
    return spec, wt.trace(wt.parse_scenario(as_yaml(spec)))


def computed(trace: Trace) -> list[Value]:
    """The values that were calculated."""
    return [value for value in trace if value.operation is not None]


def exactly_printed(seed: int) -> str:
    """A trace in full precision, some steps and cells of it printed, each step at digits of its own."""
    rng = random.Random(seed)
    spec, trace = drawn(seed)
    share = rng.choice([1.0, 1.0, 0.6, 0.3])
    prints = {}
    for value in computed(trace):
        if rng.random() <= share:
            digits = rng.choice([(rng.randint(0, 6), False), (rng.randint(1, 6), True)])
            rows = printed(value, digits, rng.choice([ROUND_HALF_UP, ROUND_HALF_EVEN]))
            some = rng.choice([1.0, share])
            prints[value.path] = [[one if rng.random() <= some else "null" for one in row] for row in rows]
    return with_published(spec, prints)


def printed_by_hand(seed: int) -> str:
    """A trace in which every step was rounded, all at the same digits or each at its own; printed as calculated."""
    rng = random.Random(seed)
    spec, exact = drawn(seed)
    usual = rng.randint(0, 5), False
    digits = {value.path: usual for value in computed(exact)}
    if rng.random() < 0.6:
        kinds = [(rng.randint(0, 6), False), (rng.randint(1, 6), True), usual]
        digits = {path: rng.choice(kinds) for path in digits}
    spec["rounding"] = {
        "decimals": usual[0],
        "steps": {path: f"{count} significant" if relative else count for path, (count, relative) in digits.items()},
    }
    trace = wt.trace(wt.parse_scenario(_rounded_yaml(spec)), arithmetic="by-hand")
    spec.pop("rounding")
    return with_published(
        spec, {value.path: printed(value, digits.get(value.path, usual)) for value in computed(trace)}
    )


def _rounded_yaml(spec: Spec) -> str:
    rounding = spec["rounding"]
    steps = "".join(f'    "{path}": {digits}\n' for path, digits in rounding["steps"].items())
    rest = {key: value for key, value in spec.items() if key != "rounding"}
    return as_yaml(rest) + f"rounding:\n  decimals: {rounding['decimals']}\n  steps:\n{steps}"


def accused(report: CheckResult) -> list[str]:
    """The numbers called wrong or inherited, for a message."""
    return [
        f"{one.cell.value.path}[{one.row}, {one.column}]: {one.cell.text} for {one.computed}: {one.verdict}"
        for one in report.cells
        if one.verdict in ("wrong", "inherited")
    ]
