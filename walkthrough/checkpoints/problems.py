"""What is wrong with a checkpoint: the file, what was found there, what was expected, and what may help."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from walkthrough.errors import UserError
from walkthrough.text import escape_label, escape_text, pluralize

_MOST_SHOWN = 10
DESCRIBE = "of any other PyTorch module, walkthrough.describe(module, inputs, file) writes a scenario, in Python"
"""What may help where the family is not known."""


class CheckpointError(UserError, ValueError):
    """A checkpoint that no scenario can be made of; as text, a line for each fault of a file."""

    def __init__(self, file: Path, faults: str | Sequence[str], help: str = "") -> None:
        self.file = file
        self.faults = [faults] if isinstance(faults, str) else list(faults)
        self.help = help
        super().__init__(file, self.faults, help)

    def __str__(self) -> str:
        name = escape_label(str(self.file))
        lines = [f"{name}: {escape_text(fault)}" for fault in self.faults[:_MOST_SHOWN]]
        if more := len(self.faults) - _MOST_SHOWN:
            lines += [f"… and {pluralize(more, 'more problem')}"] if more > 0 else []
        if self.help:
            lines.append(f"     = help: {escape_text(self.help)}")
        return "\n".join(lines)
