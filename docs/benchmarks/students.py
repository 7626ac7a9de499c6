"""Sheets of simulated students: how many honest ones are called wrong, how many slips found, how long marking takes.

python -m docs.benchmarks.students [sheets] [first seed] [--slips] [--files]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.teaching.files import KINDS
from tests.teaching.students import Student, accused, honest, slipped
from walkthrough.teaching.sheets.read.answer import Answer
from walkthrough.teaching.sheets.read.filled import place_answers
from walkthrough.teaching.sheets.sheet import Place


def in_a_file(student: Student, seed: int) -> dict[Place, Answer]:
    """His answers, read from a file."""
    filled = list(KINDS.values())[seed % len(KINDS)](student.sheet, student.answers)
    return place_answers(filled, student.sheet)[0]


def main() -> None:
    """Prints every sheet that is not marked as it should be, and the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sheets", type=int, nargs="?", default=20_000)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("--slips", action="store_true", help="plant a slip of ten units or more in each")
    parser.add_argument("--files", action="store_true", help="hand each in as a file, of one kind after the other")
    parser.add_argument("--name", help="of one scenario only")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    started, marking = time.process_time(), 0.0
    for seed in range(options.first, options.first + options.sheets):
        student = slipped(seed, options.name) if options.slips else honest(seed, options.name)
        if student is None:
            continue
        if options.files:
            student.answers = in_a_file(student, seed)
        began = time.process_time()
        marked = student.marked()
        marking += time.process_time() - began
        verdicts.update(marked.counts)
        wrong = [cell.place for cell in marked.cells if cell.verdict == "wrong"]
        if options.slips:
            outcome = "found alone" if wrong == [student.slip] else "missed" if not wrong else "otherwise"
        else:
            outcome = "accused" if wrong else "fine"
        outcomes[outcome] += 1
        if outcome not in ("fine", "found alone"):
            print(outcome, seed, student.sheet.name, student.sheet.seed, student.slip, accused(marked)[:4], flush=True)
        if sum(outcomes.values()) % 500 == 0:
            print(sum(outcomes.values()), dict(outcomes), flush=True)
    print(f"{sum(outcomes.values())} sheets: {dict(outcomes)}; cells: {dict(verdicts)}")
    print(f"{time.process_time() - started:.0f} s of processor time, {marking:.0f} s of it marking")


if __name__ == "__main__":
    main()
