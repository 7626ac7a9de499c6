"""The tests of the page's modules, which are JavaScript themselves: one file a module, in folders as theirs."""

from __future__ import annotations

import json
import os
import subprocess

from tests.views.page.js.engine import HERE, NODE, needs_node
from walkthrough.views.page.data import language_data


@needs_node
def test_the_modules_do_what_their_tests_say() -> None:
    """All in one process: to start one for each file takes longer than they do."""
    imports = "\n".join(f'import "{file.as_uri()}";' for file in sorted(HERE.rglob("*.test.mjs")))
    command = [str(NODE), "--input-type=module", "--test-reporter=tap", "-"]
    environment = {**os.environ, "LANGUAGE_OF_PAGE": json.dumps(language_data("en"))}
    done = subprocess.run(command, input=imports, capture_output=True, encoding="utf-8", env=environment)
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if "# Subtest" not in line)
    assert "# fail 0" in done.stdout
