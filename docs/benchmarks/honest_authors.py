"""Sheets of simulated honest authors: how many have a number called wrong, and how many slips are found.

python -m docs.benchmarks.honest_authors [sheets] [first seed] [--slips]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.judging.sheets import Sheet, drawn
from walkthrough.judging.check import CheckResult


def main() -> None:
    """Prints every sheet that is not judged as it should be, and the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sheets", type=int, nargs="?", default=20_000)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("--slips", action="store_true", help="plant a slip of ten units or more in each")
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    started = time.process_time()
    for seed in range(options.first, options.first + options.sheets):
        sheet = drawn(seed, spoiled=options.slips)
        if options.slips and sheet.slip is None:
            continue
        report = sheet.report()
        verdicts.update(report.summary)
        outcome = _found(sheet, report) if options.slips else "accused" if report.summary["wrong"] else "fine"
        outcomes[outcome] += 1
        if outcome not in ("fine", "found alone"):
            _say(outcome, sheet, report)
        if sum(outcomes.values()) % 500 == 0:
            print(sum(outcomes.values()), dict(outcomes), flush=True)
    print(f"{sum(outcomes.values())} sheets: {dict(outcomes)}; numbers: {dict(verdicts)}")
    print(f"{time.process_time() - started:.0f} s of processor time")


def _found(sheet: Sheet, report: CheckResult) -> str:
    wrong = [(one.cell.value, one.cell.row, one.cell.column) for one in report.with_verdict("wrong")]
    if wrong == [sheet.slip]:
        return "found alone"
    return "found among others" if sheet.slip in wrong else "missed" if not wrong else "another is blamed"


def _say(outcome: str, sheet: Sheet, report: CheckResult) -> None:
    print(outcome, sheet.name, f"seed {sheet.seed}, {sheet.decimals} decimals, {sheet.habit}")
    if sheet.slip is not None:
        print("    slip in", sheet.slip[0].path, sheet.slip[1:])
    for one in report.with_verdict("wrong")[:4]:
        print(f"    {one.cell.value.path}[{one.row}, {one.column}] printed {one.cell.text}, right {one.computed}")


if __name__ == "__main__":
    main()
