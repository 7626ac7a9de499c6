"""`walkthrough schema`: JSON, in UTF-8 whatever the terminal."""

from __future__ import annotations

import json

from tests.cli.program import shell
from walkthrough.scenario.json_schema import json_schema


def test_the_encoding_of_the_terminal_does_not_matter() -> None:
    done = shell("PYTHONIOENCODING=ascii walkthrough schema")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json_schema()
