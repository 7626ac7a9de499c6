"""`walkthrough list`: the bundled scenarios."""

from __future__ import annotations

EXAMPLES = "Example: walkthrough list"


def command() -> None:
    """List the bundled scenarios."""
    from walkthrough.scenario.sources import bundled_scenarios
    from walkthrough.text import escape_label

    paths = bundled_scenarios()
    widest = max(map(len, paths), default=0)
    for name, path in paths.items():
        print(f"{name:<{widest}}  {escape_label(_title(path.read_text(encoding='utf-8')))}")


def _title(text: str) -> str:
    """The title of a scenario, read without checking the rest."""
    from walkthrough.scenario.yaml.nodes import MappingNode, ScalarNode
    from walkthrough.scenario.yaml.problems import Problems
    from walkthrough.scenario.yaml.reading import read_nodes

    node = read_nodes(text, Problems())
    title = node.get("title") if isinstance(node, MappingNode) else None
    return title.text if isinstance(title, ScalarNode) else ""
