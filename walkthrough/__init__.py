"""A step-by-step worked-example calculator for the Transformer: every number says where it comes from.

import walkthrough as wt
t = wt.trace(wt.load_scenario("chai"))
t["encoder.1.attention.head.1.weights"].array
t.select("softmax")
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # steadier, and 50 to 100 ms less start-up; the user's own setting wins

from typing import TYPE_CHECKING, Any  # noqa: E402

from walkthrough.version import __version__  # noqa: E402

if TYPE_CHECKING:
    from walkthrough.library import Trace, Value, trace
    from walkthrough.recording import SelectorError
    from walkthrough.scenario.problems import ScenarioError
    from walkthrough.scenario.scenario import Scenario, load_scenario, parse_scenario

_HOMES = {
    "Scenario": "walkthrough.scenario.scenario",
    "ScenarioError": "walkthrough.scenario.problems",
    "SelectorError": "walkthrough.recording",
    "Trace": "walkthrough.library",
    "Value": "walkthrough.library",
    "load_scenario": "walkthrough.scenario.scenario",
    "parse_scenario": "walkthrough.scenario.scenario",
    "trace": "walkthrough.library",
}

__all__ = [
    "Scenario",
    "ScenarioError",
    "SelectorError",
    "Trace",
    "Value",
    "__version__",
    "load_scenario",
    "parse_scenario",
    "trace",
]


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used, so that `walkthrough --help` loads no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'walkthrough' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
