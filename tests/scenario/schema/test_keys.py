"""The JSON Schema of the format: valid, complete, and of one mind with the reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from walkthrough import parse_scenario
from walkthrough.scenario.json_schema import json_schema
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node
from walkthrough.scenario.yaml.problems import Problems, ScenarioError
from walkthrough.scenario.yaml.reading import read_nodes

ROOT = Path(__file__).parents[3]
SCENARIOS = [*sorted((ROOT / "scenarios").glob("*.yaml")), ROOT / "walkthrough" / "scenario" / "starter.yaml"]


def data_of(text: str) -> Any:
    """A YAML text as JSON has it, read by the rules of YAML 1.2."""
    node = read_nodes(text, Problems())
    assert node is not None
    return _data(node)


def _data(node: Node) -> Any:
    if isinstance(node, MappingNode):
        return {key.text: _data(value) for key, value in node.entries}
    if isinstance(node, ListNode):
        return [_data(item) for item in node.items]
    return node.value


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_fits_the_schema(path: Path, validator: Any) -> None:
    found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data_of(path.read_text("utf-8")))]
    assert found == []


@pytest.mark.parametrize(
    "key",
    [
        "softmax: plane",
        "decimals: many",
        "decimals: 16",
        "titel: t",
        "embeddings: {a: x}",
        "embeddings: [[]]",
        "attention: {heads: []}",
        "attention: {mask: casual}",
        "attention: {scale: 0}",
        "attention: {w_q: [[null]]}",
        "encoder: {layers: [{repeat: 2}]}",
        "encoder: {norm_order: before}",
        "output_head: {temperature: 0}",
        "generate: {}",
        "rounding: {steps: {scores: two}}",
        "positional_encoding: {sinusoidal: {base: -1}}",
        "dimensions: {d_model: 0.5}",
        "dropout: {rate: 0.1, masks: {a: {init: ones}}}",
    ],
)
def test_schema_and_reader_refuse_the_same(key: str, validator: Any) -> None:
    text = f"title: t\n{key}\n"
    assert list(validator.iter_errors(data_of(text)))
    with pytest.raises(ScenarioError):
        parse_scenario(text)


@pytest.mark.parametrize(("alibi", "is_refused"), [("false", False), ("true", True), ("[1, 2]", True)])
def test_a_key_that_is_off_excludes_nothing(alibi: str, is_refused: bool, validator: Any) -> None:
    text = (ROOT / "scenarios" / "relative-bias.yaml").read_text("utf-8")
    text = text.replace("  relative_bias:", f"  alibi: {alibi}\n  relative_bias:")
    assert bool(list(validator.iter_errors(data_of(text)))) == is_refused
    with pytest.raises(ScenarioError) if is_refused else nullcontext():
        parse_scenario(text)


def test_the_file_beside_the_scenarios_is_up_to_date() -> None:
    """`walkthrough schema > scenarios/scenario.schema.json` makes it so."""
    assert json_schema()["$id"] == "urn:walkthrough:scenario:1"
    written = (ROOT / "scenarios" / "scenario.schema.json").read_text("utf-8")
    assert json.loads(written) == json_schema()


def sections(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", schema
    yield from schema["$defs"].items()


def test_every_key_and_section_is_described() -> None:
    for name, section in sections(json_schema()):
        assert section["description"], name
        for key, value in section["properties"].items():
            assert value["description"], f"{name}.{key}"


def test_every_reference_leads_somewhere() -> None:
    schema = json_schema()
    text = json.dumps(schema)
    for part in text.split('"$ref": "#/$defs/')[1:]:
        assert part.split('"')[0] in schema["$defs"]
