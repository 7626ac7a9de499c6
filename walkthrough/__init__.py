"""A step-by-step worked-example calculator for the Transformer: every number says where it comes from.

import walkthrough as wt
t = wt.trace(wt.load_scenario("chai"))
t["encoder.1.attention.head.1.weights"].array
t.select("softmax")
"""

from __future__ import annotations

from walkthrough.version import __version__

TYPE_CHECKING = False  # as in typing, which takes its time to load
if TYPE_CHECKING:
    from typing import Any

    from walkthrough.comparing.capture import capture
    from walkthrough.comparison import assert_same, compare
    from walkthrough.description import describe
    from walkthrough.library import Trace, Value, trace
    from walkthrough.recording import SelectorError
    from walkthrough.scenario.scenario import Scenario
    from walkthrough.scenario.yaml.problems import ScenarioError
    from walkthrough.teaching.marking.grade import mark
    from walkthrough.transformer.loading.load import load_scenario, parse_scenario

_HOMES = {
    "Scenario": "walkthrough.scenario.scenario",
    "ScenarioError": "walkthrough.scenario.yaml.problems",
    "SelectorError": "walkthrough.recording",
    "Trace": "walkthrough.library",
    "Value": "walkthrough.library",
    "assert_same": "walkthrough.comparison",
    "capture": "walkthrough.comparing.capture",
    "compare": "walkthrough.comparison",
    "describe": "walkthrough.description",
    "load_scenario": "walkthrough.transformer.loading.load",
    "mark": "walkthrough.teaching.marking.grade",
    "parse_scenario": "walkthrough.transformer.loading.load",
    "trace": "walkthrough.library",
}

__all__ = [
    "Scenario",
    "ScenarioError",
    "SelectorError",
    "Trace",
    "Value",
    "__version__",
    "assert_same",
    "capture",
    "compare",
    "describe",
    "load_scenario",
    "mark",
    "parse_scenario",
    "trace",
]


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used, so that `walkthrough --help` loads no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'walkthrough' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """What there is to use."""
    return sorted(__all__)
