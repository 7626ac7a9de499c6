"""JSON outputs say what they are, and keep to their schema: no key it does not know, and each that it promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import walkthrough as wt
from tests.cli.program import invoke, refusal
from tests.examples import all_in_a_thorough_run
from walkthrough.scenario.sources import bundled_scenarios

FOLDER = Path(wt.__file__).parent / "schemas"
NAMES = ["check", "compare", "mark", "trace"]
SOURCES = FOLDER.parents[1] / "docs" / "sources.md"
"""Its table is what `check` finds, which tests/docs/test_docs.py sees to: the wrong numbers, and what does not hold."""
LONG = {"specialise": ["--step", "train.2.scores"], "transformer-base": ["--step", "input", "--step", "head.1.w_q"]}
"""Of the traces of these scenarios only some steps are looked at: the others are of the same kinds."""


@cache
def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoke("schema", "--of", name).stdout)
    return found


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every mapping within a schema."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(inner)


@cache
def strict(name: str) -> Draft202012Validator:
    """The schema with keys that it does not know forbidden, wherever keys are not labels."""
    document = json.loads(json.dumps(schema(name)))
    for node in objects(document):
        if "properties" in node and "type" in node:
            node.setdefault("additionalProperties", False)
    return Draft202012Validator(document)


def check(name: str, *arguments: str, status: tuple[int, ...] = (0,)) -> Any:
    """The output of a command, which says what it is and has kept to the schema of that name where there is one."""
    done = invoke(*arguments)
    assert done.exit_code in status, done.output
    document = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    for one in document if isinstance(document, list) else [document]:
        assert list(one)[:2] == ["format", "version"]
        if name in NAMES:
            assert [f"{error.json_path}: {error.message}" for error in strict(name).iter_errors(one)] == []
        else:
            assert (one["format"], one["version"]) == (f"walkthrough-{name}", 1)
    return document


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_says_who_it_is_and_describes_every_key(name: str) -> None:
    document = schema(name)
    Draft202012Validator.check_schema(document)
    name, version = (document["properties"][key]["const"] for key in ("format", "version"))
    assert document["$id"] == f"urn:{name.replace('-', ':', 1)}:{version}"
    for node in objects(document):
        assert node.get("$ref", "#").startswith("#")
        if "properties" in node and "type" in node:
            assert node.get("additionalProperties") is not False
            for key, inner in node["properties"].items():
                assert inner.get("description"), key
            assert set(node["required"]) <= set(node["properties"])


def test_a_what_if_says_what_was_asked_and_what_was_before() -> None:
    """Of the steps that differ alone, and null where there was none."""
    trace = check("trace", "export", "chai", "--set", "scores[chai, is]=2", "--format", "json")
    assert trace["changed"] == ["scores[chai, is]=2"]
    before = {one["path"]: one["before"][1] for one in trace["steps"] if "before" in one}
    assert before["encoder.1.attention.head.1.scores"][2] == pytest.approx(2.0497805)
    assert "encoder.1.attention.head.1.query" not in before
    longer = check("trace", "export", "tea-gpt", "--set", "head.2.output=0", "--format", "json")
    added = [one["before"] for one in longer["steps"] if one["path"].startswith("generate.8.")]
    assert None in added
    number = check("explain", "explain", "chai", "scores[chai, is]", "--set", "scores=0", "--format", "json")
    assert (number["value"], number["op"], round(number["before"], 3)) == (0, "what_if", 2.050)
    assert "before" not in check("explain", "explain", "chai", "scores[chai, is]", "--format", "json")


def test_a_number_that_is_none_is_nan_and_an_unknown_one_is_null(tmp_path: Path) -> None:
    cell = "weights[tea, tea]"
    broken = check("explain", "explain", "number-formats", cell, "--by-hand", "--format", "json")
    assert (broken["value"], {one["value"] for one in broken["used_by"]}) == ("nan", {"nan"})
    path = tmp_path / "unknown.yaml"
    path.write_text(
        "title: Unknown\ntokens: [tea, is]\nattention: {scale: none, heads: [{scores: [[1, null], [2, 0]]}]}\n"
    )
    unknown = check("explain", "explain", str(path), cell, "--format", "json")
    assert unknown["value"] is None


@pytest.mark.parametrize(
    "name", all_in_a_thorough_run(bundled_scenarios(), {"chai", "cooking-training", "key-cache", "masked-scores"})
)
def test_every_output_of_a_scenario(name: str) -> None:
    step = LONG.get(name, [])
    trace = check("trace", "export", name, "--format", "json", *step)
    check("check", "check", name, "--format", "json", status=(0, 1))
    check("sizes", "shapes", name, "--format", "json")
    check("validate", "validate", name, "--format", "json")
    steps = check("steps", "steps", name, "--format", "json", *step)
    assert [one["path"] for one in steps["steps"]] == [one["path"] for one in trace["steps"]]
    paths = [one["path"] for one in trace["steps"]]
    check("explain", "explain", name, paths[-1], "--format", "json")
    last = trace["steps"][-1]
    cell = f"{paths[-1]}[{last['rows'][0]}, {last['columns'][-1]}]"
    check("explain", "explain", name, cell, "--format", "json", *(["--exact"] if not step else []))


@pytest.mark.parametrize(("score", "expected"), [("null", {"None", "-inf"}), ("1e308", {"inf", "-inf", "nan"})])
def test_infinite_and_unknown_numbers(tmp_path: Path, score: str, expected: set[str]) -> None:
    scenario = tmp_path / "odd.yaml"
    heads = f"[{{scores: [[{score}, 1], [1, {score}]], scale: 1e-9}}]"
    scenario.write_text(f"title: t\ntokens: [a, b]\nattention: {{mask: causal, heads: {heads}}}\n")
    document = check("trace", "export", str(scenario), "--format", "json")
    numbers = {str(one) for step in document["steps"] for row in step["values"] for one in row}
    assert expected <= numbers
    check("explain", "explain", str(scenario), "masked_scores[b, b]", "--format", "json")


def test_the_list_is_in_the_order_of_its_groups() -> None:
    entries = check("list", "list", "--format", "json")["scenarios"]
    assert sorted(one["name"] for one in entries) == sorted(bundled_scenarios())
    assert entries[0]["name"] == "one-head"
    found = re.findall(r"^\| `(.+?)` .*\| (\d+) \| (\d+) \|$", SOURCES.read_text(encoding="utf-8"), re.MULTILINE)
    assert {one["name"] for one in entries if one["published"]} == {name for name, *_ in found}
    wrong = {one["name"] for one in entries if "errors-in-print" in one["groups"]}
    assert wrong == {name for name, *counts in found if counts != ["0", "0"]}
    assert not any(sign in one["lesson"] for one in entries for sign in "`*\n")


def test_the_output_of_a_draft(tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("W_Q = [[1, 0], [0, 1], [0, 2], [0, 0]]\n\n[[1.5, 2.5, 3.5, 4.5]]\n", encoding="utf-8")
    found = check("draft", "check", str(draft), "--scenario", "chai", "--format", "json", status=(1,))
    assert [one["line"] for one in found["cells"]] == [1] * 8
    assert [one["shape"] for one in found["not_placed"]] == ["1×4"]


def test_tensors_of_others(tmp_path: Path) -> None:
    wt_file = tmp_path / "theirs.json"
    document = json.loads(invoke("export", "chai", "-o", "-", "--format", "json").stdout)
    document["steps"][9]["values"][0][0] += 1
    wt_file.write_text(json.dumps(document))
    found = check("compare", "compare", "chai", str(wt_file), "--format", "json", status=(1,))
    assert found["first"] is not None


def test_marks(tmp_path: Path) -> None:
    sheet, key = tmp_path / "sheet.yaml", tmp_path / "key.yaml"
    invoke("worksheet", "help-me", "-o", str(sheet), "--key", str(key))
    key.write_text(key.read_text().replace("1.5", "7.5"))
    damaged = tmp_path / "damaged.yaml"
    damaged.write_text("worksheet: [")
    found = check("mark", "mark", str(sheet), str(key), str(damaged), "--format", "json", status=(2,))
    assert [("error" in one) for one in found["sheets"]] == [False, False, True]


def test_faults_and_warnings_of_files(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.yaml"
    faulty.write_text("title: t\ntokns: [a]\ndropout: {rate: 0.1}\n")
    missing = str(tmp_path / "missing.yaml")
    found = check("validate", "validate", "chai", str(faulty), missing, "--format", "json", status=(2,))
    chai, bad, none = found["files"]
    assert (chai["valid"], chai["problems"]) == (True, [])
    assert {(one["severity"], one["line"], one["key"]) for one in bad["problems"]} >= {("error", 2, "tokns")}
    (problem,) = none["problems"]
    assert (none["valid"], problem["line"], problem["column"], problem["key"]) == (False, None, None, None)


def test_an_unknown_schema_is_refused_with_the_names() -> None:
    told = refusal("schema", "--of", "chek")
    assert "did you mean 'check'" in told
    assert all(name in told for name in ["scenario", *NAMES])
