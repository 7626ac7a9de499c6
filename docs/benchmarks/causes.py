"""Causes on simulated sheets: how many slips in one digit get one, and how many mistakes made on purpose get theirs.

python -m docs.benchmarks.causes [sheets] [first seed]
"""

from __future__ import annotations

import argparse

from tests.teaching.faults import PENS, PLANTS
from tests.teaching.mark.test_evidence import HABITS, has_a_cause, share_named


def main() -> None:
    """Prints both counts, and what is not as it should be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sheets", type=int, nargs="?", default=200)
    parser.add_argument("first", type=int, nargs="?", default=0)
    options = parser.parse_args()
    accused = [seed for seed in range(options.first, options.first + options.sheets) if has_a_cause(seed)]
    print(f"slips in one digit: {len(accused)} of {options.sheets} have a cause: {accused}", flush=True)
    named, missed = share_named([*PLANTS, *PENS, *HABITS], options.first, options.sheets)
    print(f"mistakes made on purpose: {named} of {options.sheets} are named; not: {', '.join(missed)}")


if __name__ == "__main__":
    main()
