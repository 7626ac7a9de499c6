"""Each key of the scenario format has an example: in a bundled scenario, in that of a checkpoint, or in a document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.checkpoints.stored_outputs import shapes
from tests.checkpoints.variants import BY_NAME, IDS, Variant, write_folder
from tests.docs.outputs import PAGES
from tests.docs.tables import SECTIONS
from walkthrough.checkpoints import Prompt, compose
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.readers import Context
from walkthrough.scenario.schema.sections import Section, SectionOf
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.nodes import MappingNode
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes

Keys = set[tuple[str, str]]
CHECKPOINTS = (
    *("bert-plain", "gpt2-unscaled", "llama-plain", "llama-biases", "llama-llama3", "llama-linear"),
    *("llama-yarn-mscale", "gptj-plain", "granite-plain", "olmo2-plain", "gemma2-plain", "qwen3_moe-plain"),
    *("deepseek_v3-wide", "gpt_oss-plain"),
)
"""Between them these have all keys that no document and no bundled scenario shows."""


def declared(section: type[Section], name: str) -> tuple[str, str]:
    """The section that declares the key, and the key."""
    return next(base.__name__ for base in reversed(section.__mro__) if name in getattr(base, "KEYS", {})), name


def keys_read(text: str, sections: Iterable[type[Section]], monkeypatch: pytest.MonkeyPatch) -> Keys:
    """The keys that a text has, read as any of the sections that it may be, be it in part."""
    node = read_nodes(text, Problems())
    assert isinstance(node, MappingNode)
    names = {name.text for name, _ in node.entries}
    found = [_keys_read(node, one, monkeypatch) for one in sections if names <= one.NAMES.keys()]
    return {one for keys in found for one in keys}


def _keys_read(node: MappingNode, section: type[Section], monkeypatch: pytest.MonkeyPatch) -> Keys:
    found: Keys = set()
    problems = Problems()
    make = SectionOf._section

    def noting(self: SectionOf, values: dict[str, object], *others: object) -> Section:
        found.update(declared(self.section, name) for name in values)
        return make(self, values, *others)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(SectionOf, "_section", noting)
        SectionOf(section).read(node, Context(problems, folder=Path()))
    return set() if [one for one in problems.found if "is missing" not in one.message] else found


def in_documents(monkeypatch: pytest.MonkeyPatch) -> Keys:
    """Blocks of YAML are scenarios, or begin somewhere within one."""
    found: Keys = set()
    for page in PAGES:
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            found |= keys_read(block, SECTIONS.values(), monkeypatch)
    return found


def of_checkpoint(folder: Path, variant: Variant) -> str:
    write_folder(folder / variant.name, variant, shapes()[variant.name])
    return compose(folder / variant.name, Prompt(ids=",".join(map(str, IDS))), variant.name).text


def test_every_key_has_an_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = {declared(section, name) for section in SECTIONS.values() for name in section.KEYS}
    shown = in_documents(monkeypatch)
    bundled = (path.read_text(encoding="utf-8") for path in bundled_scenarios().values())
    for text in (*bundled, *(of_checkpoint(tmp_path, BY_NAME[name]) for name in CHECKPOINTS)):
        shown |= keys_read(text, [ScenarioSpec], monkeypatch)
    assert sorted(every - shown) == []
    assert shown <= every
