"""Whole-process time of `walkthrough run chai` against a script that only imports the libraries and prints a table.

python -m docs.benchmarks.startup [pairs]
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

CHAI = Path(__file__).parents[2] / "scenarios" / "chai.yaml"
BASE = f"""
import os
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import markdown_it, numpy, rich.console, rich.table, typer, yaml
data = yaml.load(open({str(CHAI)!r}), yaml.CSafeLoader)
table = rich.table.Table()
table.add_row(data["title"])
rich.console.Console().print(table)
"""


def seconds(*arguments: str) -> float:
    """Wall-clock time of one whole process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Prints the medians and the median of the ratios, pair by pair."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    base, ours = [], []
    for _ in range(pairs + 1):  # the first pair warms the disk up
        base.append(seconds("-c", BASE))
        ours.append(seconds("-m", "walkthrough", "run", "chai"))
    ratios = [own / other for own, other in zip(ours[1:], base[1:], strict=True)]
    print(
        f"libraries {median(base[1:]):.3f} s, walkthrough run chai {median(ours[1:]):.3f} s, ratio {median(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
