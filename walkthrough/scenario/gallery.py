"""The bundled scenarios in the order and the groups in which they are shown to people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from walkthrough.records import Record
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.scenario.yaml.nodes import MappingNode, ScalarNode
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.scenario.yaml.reading import read_nodes

GROUPS = {
    "start-here": ("Start here", ("one-head", "help-me", "one-block", "chai", "tea-gpt", "cat-gpt")),
    "attention": (
        "Attention and the block",
        ("masked-scores", "cat-sat", "show-me-the-money", "cooking-multihead", "fuchs", "lens", "transformer-base"),
    ),
    "generation": (
        "Words, one after the other",
        (
            "bpe",
            "cooking",
            "tea-gpt",
            "cat-gpt",
            "beam",
            "not-on-your-life",
            "not-on-your-life-teacher-forced",
            "key-cache",
            "tiny-llama",
        ),
    ),
    "training": ("Training", ("first-step", "two-sentences", "cooking-training", "specialise", "warmup", "microgpt")),
    "modern": (
        "From 2017 to today",
        (
            "rotary",
            "shared-keys",
            "alibi",
            "relative-bias",
            "key-cache",
            "latent",
            "soft-cap",
            "sink",
            "pattern",
            "blocks",
            "sandwich",
            "parallel",
            "experts",
            "hot-sweet-cold",
            "number-formats",
            "tiny-llama",
        ),
    ),
    "errors-in-print": ("Errors in print", ("chai", "cat-sat", "show-me-the-money", "cooking", "cooking-multihead")),
}
"""Title and scenarios of every group by its id; in the last one are those in which `check` finds a wrong number."""


class Listed(Record):
    """A bundled scenario as lists show it.

    description: Markdown, as it is written
    groups:      the ids of its groups
    published:   whether it has numbers that a source printed
    """

    name: str
    title: str
    description: str
    groups: tuple[str, ...]
    published: bool


def gallery() -> list[Listed]:
    """The bundled scenarios, each where it first stands in a group."""
    paths = bundled_scenarios()
    names = dict.fromkeys(name for _, members in GROUPS.values() for name in members)
    return [_listed(name, paths[name].read_text(encoding="utf-8")) for name in names if name in paths]


def grouped(scenarios: Iterable[Listed]) -> Iterator[tuple[str, list[Listed]]]:
    """The title of each group and its scenarios; each scenario is in the first of its groups."""
    scenarios = list(scenarios)
    for group, (title, _) in GROUPS.items():
        if members := [one for one in scenarios if one.groups[0] == group]:
            yield title, members


def _listed(name: str, text: str) -> Listed:
    """Title and description are read without checking the rest."""
    node = read_nodes(text, Problems())
    assert isinstance(node, MappingNode)  # the tests check every bundled scenario

    def written(key: str) -> str:
        found = node.get(key)
        return found.text if isinstance(found, ScalarNode) else ""

    groups = tuple(group for group, (_, members) in GROUPS.items() if name in members)
    return Listed(name, written("title"), written("description"), groups, node.get("published") is not None)
