"""A trace as .safetensors: what another library reads from it, byte for byte the format that it describes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load

import walkthrough as wt
from tests.cli.program import run
from walkthrough.views import safetensors
from walkthrough.views.options import Options


def written(trace: wt.Trace, *steps: str) -> bytes:
    out = io.BytesIO()
    safetensors.write(trace, Options(steps), out)
    return out.getvalue()


@pytest.mark.parametrize("name", ["chai", "masked-scores", "tea-gpt", "cooking-training"])
def test_the_library_reads_every_path_with_its_numbers(name: str) -> None:
    trace = wt.trace(wt.load_scenario(name))
    found = load(written(trace))
    assert found.keys() == {path for path, _ in trace.items()}
    for path, value in trace.items():
        assert found[path].dtype == np.float64
        np.testing.assert_array_equal(found[path], value.array)


def test_unknown_and_hidden_numbers_are_nan_and_minus_infinity() -> None:
    scenario = wt.parse_scenario(
        "title: t\ntokens: [a, b]\nattention: {mask: causal, heads: [{scores: [[null, 1], [2, 3]], d_k: 1}]}\n"
    )
    numbers = load(written(wt.trace(scenario)))["attention.head.1.masked_scores"]
    assert np.isnan(numbers[0, 0])
    assert numbers[0, 1] == -np.inf


def test_the_head_says_what_it_is_and_leaves_no_gap() -> None:
    trace = wt.trace(wt.load_scenario("cooking"), arithmetic="by-hand")
    content = written(trace)
    assert content == written(trace)
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    head = json.loads(content[8 : 8 + length])
    about = {"format": "walkthrough-trace", "version": "2", "title": trace.title, "arithmetic": "by hand"}
    assert head.pop("__metadata__") == about
    ends = [0]
    for entry in head.values():
        begin, end = entry["data_offsets"]
        assert begin == ends[-1]
        assert begin % 8 == 0
        ends.append(end)
    assert len(content) == 8 + length + ends[-1]


def test_on_the_command_line_by_its_suffix_and_back_again(tmp_path: Path) -> None:
    file = tmp_path / "chai.safetensors"
    assert run("export", "chai", "-o", str(file), "--step", "head.1").returncode == 0
    with safe_open(file, "numpy") as opened:
        assert opened.metadata()["title"].startswith("One encoder layer")
    assert run("compare", "chai", str(file), "--require", "1").returncode == 0
