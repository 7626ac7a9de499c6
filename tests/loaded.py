"""Importing this loads all of the program: for processes whose forks are its runs."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
from contextlib import suppress

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does, before numpy is imported

import walkthrough

for _module in pkgutil.walk_packages(walkthrough.__path__, "walkthrough."):
    if not _module.name.endswith("__main__"):
        with suppress(ImportError):  # of what is not installed
            importlib.import_module(_module.name)
gc.freeze()
