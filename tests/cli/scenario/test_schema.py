"""`walkthrough schema`: JSON, in UTF-8 whatever the terminal."""

from __future__ import annotations

import json

from tests.cli.program import invoke, shell


def test_it_is_a_json_schema() -> None:
    schema = json.loads(invoke("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"title", "tokens", "encoder", "decoder", "attention"} <= set(schema["properties"])


def test_the_encoding_of_the_terminal_does_not_matter() -> None:
    done = shell("PYTHONIOENCODING=ascii walkthrough schema")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == invoke("schema").stdout
