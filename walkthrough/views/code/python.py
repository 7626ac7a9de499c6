"""A Python script with numpy: a line for each step, and a check of every number."""

from __future__ import annotations

from functools import partial

from walkthrough.expressions.notations.code import NUMPY
from walkthrough.views.code import script

write = write_beside = partial(script.write, NUMPY)
