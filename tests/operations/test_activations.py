"""The format's activations are those that are defined."""

from __future__ import annotations

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.scenario.schema import feed_forward as schema


def test_every_activation_of_the_format_is_an_operation() -> None:
    assert set(schema.ACTIVATIONS) == {*ACTIVATIONS, "none"}
