"""A pass seen from within: the stack that the output head follows, its states, and the sum that its last norm reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from walkthrough.operations.inspection.what_if import what_if
from walkthrough.recording.values import Value
from walkthrough.scenario.resolved import NormPlan, final_norm
from walkthrough.scenario.schema.keys import OutputHead, ScenarioSpec, StackSpec
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream, find_row, token_labels


class Inside:
    """What one pass has calculated.

    s:      the place of the whole model
    stream: what the output head has read
    """

    def __init__(self, s: Scope, stream: Stream) -> None:
        self.s = s
        self.stream = stream
        self.spec: ScenarioSpec = s.calculation.spec

    def own(self, path: str) -> Value | None:
        """The value that this pass has calculated under a path, which is told without the prefix of the pass."""
        return self.s.recorder.trace.get(self.s.recorder.prefix + path)

    def given(self, path: str) -> Value | None:
        """A matrix of the file, which all passes share."""
        return self.own(path) or self.s.recorder.trace.get(path)

    @property
    def stack(self) -> StackSpec | None:
        """The stack that the output head follows; None where it follows none."""
        return self.spec.decoder or self.spec.encoder

    @property
    def stack_name(self) -> str:
        """How the paths of this stack begin."""
        return "decoder" if self.spec.decoder is not None else "encoder"

    @cached_property
    def logits(self) -> Value | None:
        """The logits, if they are calculated."""
        found = self.own("output_head.logits")
        return found if found is not None and found.operation is not None else None

    @property
    def norm_plan(self) -> NormPlan | None:
        """The norm after the last layer, where there is one."""
        return None if self.stack is None else final_norm(self.stack)

    @cached_property
    def input_path(self) -> str:
        """The path of what the first layer reads."""
        return "decoder.input" if self.spec.decoder is not None and self.spec.encoder is not None else "input"

    def of_layers(self, *names: str) -> Iterator[tuple[str, Value]]:
        """The values of these names, such as `residual_1`, in every layer of the stack that has them, with paths."""
        layers = getattr(self.stack, "layers", None) or []
        for number in range(1, len(layers) + 1):
            for name in names:
                path = f"{self.stack_name}.{number}.{name}"
                if (value := self.own(path)) is not None:
                    yield path, value

    def residuals(self) -> list[tuple[str, Value]]:
        """The sums of the layers, with their paths."""
        return list(self.of_layers("residual_1", "residual_2", "residual_3"))

    def row_of(self, position: str) -> int | None:
        """The row of a position, from 0, which means the same token in every pass; None where no row is its.

        position: empty for the last row
        """
        if not position:
            return self.stream.places[-1] - self.stream.first if self.stream.places else None
        place = find_row(position, self.names)
        return None if place is None or place < self.stream.first else place - self.stream.first

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the scenario's own tokens."""
        return token_labels(self.s.calculation.scenario.target or self.s.calculation.scenario.sequence)

    def why_no_stack(self) -> str:
        """Why there is no sum that ends in logits; empty where there is one."""
        head: OutputHead | None = self.spec.output_head
        if head is None:
            return "there is no output_head, which makes the logits"
        if self.logits is None:
            return "the logits, or the probabilities, are given"
        if self.logits.operation is what_if:
            return "the logits are others than the model has calculated"
        if self.stack is None or not getattr(self.stack, "layers", None):
            return "the output head follows no layers"
        if self.own(self.input_path) is None:
            return "the layers have no input"
        return ""
