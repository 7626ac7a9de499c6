"""What of a sheet is not as it was handed out."""

from __future__ import annotations

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.titles import Name, path_of
from walkthrough.text import escape_label


class Alteration(Record, eq=False):
    """One difference.

    text:  the name of the sentence that says it
    steps: of a number the one it is in, of steps that can no longer be found all; cell: `[tea, 1]`
    found, given: what is on the sheet, and what was handed out
    """

    text: str
    steps: tuple[Value, ...] = ()
    cell: str = ""
    found: str = ""
    given: str = ""

    def said(self, words: Catalogue, name: Name = path_of) -> str:
        """A sentence. name: how a step is called"""
        steps = ", ".join(name(step, self.cell) for step in self.steps)
        found, given = words.number(escape_label(self.found)), words.number(self.given)
        return words(self.text, steps=steps, found=found, given=given)
