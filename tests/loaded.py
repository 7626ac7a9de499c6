"""Importing this loads the program, and all that it keeps once it has run: for processes whose forks are its runs."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
from contextlib import suppress

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does, before numpy is imported

import walkthrough
from tests.cli.program import invoke

for _module in pkgutil.walk_packages(walkthrough.__path__, "walkthrough."):
    if not _module.name.endswith("__main__"):
        with suppress(ImportError):  # of what is not installed
            importlib.import_module(_module.name)
for _line in ("run chai", "run --help", "export chai --format html -o -", "export chai --format xlsx -o -"):
    assert invoke(*_line.split()).exit_code == 0, _line
gc.freeze()
