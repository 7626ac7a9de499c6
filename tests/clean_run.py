"""Runs the scripts of all bundled scenarios with another Python, which has numpy or PyTorch and nothing else.

python -m tests.clean_run INTERPRETER python|torch
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from walkthrough.scenario.sources import bundled


def main(interpreter: str, format: str) -> None:
    """Exports each scenario, and runs it; a CalledProcessError where a number is not as recorded."""
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(bundled()):
            script = Path(folder) / f"{name.replace('-', '_')}_script.py"
            export = [sys.executable, "-m", "walkthrough", "export", name, "-o", str(script), "--to", format]
            subprocess.run(export, check=True)
            said = subprocess.run([interpreter, str(script)], check=True, capture_output=True, text=True).stdout
            print(name, said.strip().splitlines()[-1], flush=True)
            for written in Path(folder).iterdir():
                written.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
