"""Runs the scripts of bundled scenarios, by default of all, with another Python, which has numpy or PyTorch alone.

python -m tests.views.code.clean_run INTERPRETER python|torch [SCENARIO…]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from walkthrough.scenario.sources import bundled_scenarios


def main(interpreter: str, format: str, *scenarios: str) -> None:
    """Exports each scenario, and runs it; a CalledProcessError where a number is not as recorded."""

    def last_line(name: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / f"{name.replace('-', '_')}_script.py"
            export = [sys.executable, "-m", "walkthrough", "export", name, "-o", str(script), "--format", format]
            subprocess.run(export, check=True)
            said = subprocess.run([interpreter, str(script)], check=True, capture_output=True, text=True).stdout
            return said.strip().splitlines()[-1]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        names = scenarios or sorted(bundled_scenarios())
        for name, line in zip(names, pool.map(last_line, names), strict=True):
            print(name, line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
