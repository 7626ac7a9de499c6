"""The tests of the page's modules, which are JavaScript themselves: one file a module, in folders as theirs."""

from __future__ import annotations

import subprocess

import pytest

from tests.views.page.js.engine import HERE, NODE, needs_node


@needs_node
@pytest.mark.parametrize("name", sorted(str(path.relative_to(HERE)) for path in HERE.rglob("*.test.mjs")))
def test_a_module_does_what_its_tests_say(name: str) -> None:
    done = subprocess.run([str(NODE), "--test", HERE / name], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout
