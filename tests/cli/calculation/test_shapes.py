"""`walkthrough shapes`: the sizes of a scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.cli.program import invoke, refusal, run
from tests.views.page.html_tables import RENDERERS, read


def test_a_scenario(golden: Callable[[str, str], None]) -> None:
    golden("shapes-transformer-base.txt", run("shapes", "transformer-base", "--batch", "32", "--seq", "100").stdout)


def test_the_table_fits_into_80_columns() -> None:
    for scenario in ("chai", "cooking", "fuchs", "not-on-your-life"):
        table = invoke("shapes", scenario).stdout.split("\n\n")[2]
        assert max(map(len, table.splitlines())) <= 80


def test_markdown_and_json_say_the_same() -> None:
    parsed = json.loads(invoke("shapes", "not-on-your-life", "--format", "json").stdout)
    parts = {part["path"]: part for part in parsed["components"]}
    assert parsed["total"]["parameters"] == sum(part["parameters"] for part in parts.values())
    assert parsed["total"]["multiplications"] == sum(part["multiplications"] for part in parts.values())
    text = invoke("shapes", "not-on-your-life", "--format", "markdown").stdout
    header, *table = read(RENDERERS["markdown-it"](text)).tables[0]
    assert header == ["component", "input", "output", "parameters", ""]
    assert len(table) == len(parts), "one layer on each side"
    for path, inward, outward, formula, parameters in table:
        part = parts[path]
        assert [inward, outward, formula, int(parameters.replace(",", ""))] == [
            *(part[key] for key in ("input", "output", "formula", "parameters"))
        ]


def test_layers_that_are_not_alike_are_all_listed(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    layer = "{{feed_forward: {{w_1: {{init: ones}}, b_1: [{}], w_2: {{init: ones}}}}}}"
    layers = ", ".join(layer.format(numbers) for numbers in ("1, 2", "1, 2, 3"))
    path.write_text(f"title: t\ntokens: [a]\nembeddings: [[1]]\nencoder: {{layers: [{layers}]}}\n", "utf-8")
    text = invoke("shapes", str(path)).stdout
    assert re.findall(r"^encoder\.\d", text, re.MULTILINE) == ["encoder.1", "encoder.2"]
    assert "layer 1 of the encoder: 6\n" in text
    assert "layer 2 of the encoder: 9\n" in text
    assert "the 2 layers of the encoder: 15\n" in text


def test_a_scenario_is_wanted() -> None:
    for arguments, message in (((), "Missing argument"), (("chia",), "chai"), (("--d-model", "8"), "--d-model")):
        assert message in refusal("shapes", *arguments)
