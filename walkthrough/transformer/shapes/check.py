"""Checks a scenario by walking through its model over shapes: every part says there what it requires."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any

from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.shapes import ShapeRecorder, ShapeValue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import NormPlan, RotaryPlan, count_of
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Attention, FeedForward, OutputHead, ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import Mask, Sinusoidal, TokenList
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.tensors.arrays import matrices_in
from walkthrough.scenario.yaml.problems import Positioned, Problems, WeightsError
from walkthrough.text import counted
from walkthrough.transformer.calculation import Stream
from walkthrough.transformer.model.attention import inner_symbol
from walkthrough.transformer.model.joined import shares_of
from walkthrough.transformer.runs.run import Model
from walkthrough.transformer.shapes import check_attention as attentions
from walkthrough.transformer.shapes import check_sequence as sequences
from walkthrough.transformer.shapes.check_continuation import appended_to, check_cache, check_continuation
from walkthrough.transformer.shapes.check_modern import check_modern, check_rotation
from walkthrough.transformer.shapes.check_structure import check_rounding, check_structure, is_read
from walkthrough.transformer.shapes.claims import MOST_NUMBERS
from walkthrough.transformer.shapes.shape_calculation import ShapeCalculation


def check_shapes(scenario: Scenario, problems: Problems, most_numbers: float = MOST_NUMBERS) -> Trace:
    """Walks through the model of a scenario over shapes, which `init` matrices get and the trace has.

    What is wrong goes to the problems: all that can be said at once.
    """
    _read_shapes(scenario, problems)
    check_structure(scenario.spec, problems)
    return _walk(scenario, problems, most_numbers)


def shape_trace(scenario: Scenario) -> Trace:
    """The shapes of all values of a checked scenario."""
    return _walk(scenario, Problems(), math.inf)


def of_length(scenario: Scenario, tokens: int | None) -> Scenario:
    """The scenario for its shapes, with sequences of so many tokens; None: of those that it has."""
    if tokens is None:
        return scenario
    return dataclasses.replace(scenario, spec=_with_tokens(scenario.spec, tokens))


def _with_tokens(spec: ScenarioSpec, count: int) -> ScenarioSpec:
    """The specification with sequences of so many tokens, whatever these are."""
    changed: Any = copy.copy(spec)
    changed.decoder = copy.copy(spec.decoder)
    for section in (changed, changed.decoder):
        tokens = section and (section.tokens or section.text)
        if tokens:
            section.tokens = TokenList(tokens.words[:1] * count, tokens.nodes[:1] * count)
    return changed  # type: ignore[no-any-return]


def _walk(scenario: Scenario, problems: Problems, most_numbers: float) -> Trace:
    calculation = Check(scenario, problems, most_numbers)
    trace = Trace(scenario.spec.title)
    model, recorder = Model(calculation), ShapeRecorder(trace)
    stream = model.streamed(recorder)
    model.predicted(recorder, stream)
    check_continuation(scenario.spec, stream.sequence, stream.n, calculation.claims)
    calculation.claims.finish()
    check_rounding(scenario.spec, trace, problems)
    if scenario.spec.training is not None and not problems:
        _check_training(scenario, problems)
    return trace


def _check_training(scenario: Scenario, problems: Problems) -> None:
    """Walks through the first step of a training: its masks have places, and what it updates is a parameter."""
    from walkthrough.transformer.runs.dropout import Masks
    from walkthrough.transformer.runs.training import check_training  # few scenarios train

    calculation = Check(scenario, Problems(), math.inf)
    masks = Masks(scenario.spec.dropout, calculation.array, problems) if scenario.spec.dropout is not None else None
    if masks is not None:
        calculation.drop = masks.apply
    check_training(ShapeRecorder(Trace()), scenario, lambda recorder, _: Model(calculation).run(recorder), problems)
    if masks is not None:
        masks.finish()


def _read_shapes(scenario: Scenario, problems: Problems) -> None:
    """Reads the shapes of tensors from the heads of their files; of each file only the head is read."""
    for matrix in matrices_in(scenario.spec):
        if matrix.tensor is not None and matrix.rows is None:
            _read_shape(matrix, scenario, problems)


def _read_shape(matrix: Matrix, scenario: Scenario, problems: Problems) -> None:
    from walkthrough.scenario.tensors.weights import tensor_shape  # wanted only where there are files

    assert matrix.tensor is not None
    try:
        matrix.rows, matrix.columns = tensor_shape(matrix, scenario.folder, scenario.spec.weights_file)
    except WeightsError as error:
        node = matrix.tensor.node.get(error.key) or matrix
        problems.add(node, str(error), key=matrix.path, help=error.help)
        matrix.tensor = None


class Check(ShapeCalculation):
    """A walk over shapes that notes what the parts require, and is not so."""

    def unknown_input(self, sequence: TokenSequence, n: Axis) -> Value | None:
        """Input of the stated width, where there must be some; what it lacks is noted."""
        if not is_read(self.spec, sequence):
            return None
        owner, problems = sequence.owner, self.problems
        if sequence.tokens is None and not owner.has("tokens") and not owner.has("text"):
            _note_missing(problems, owner, "tokens", "text: …, or tokens: […]")
        if sequence.embeddings is None and not owner.has("embeddings"):
            _note_missing(problems, owner, "embeddings", "token → vector, a matrix by id, or a row for each position")
        return self.unknown((n, self.stated("d_model")))

    def width_of_embeddings(self, sequence: TokenSequence, matrix: Matrix) -> Axis:
        """The width that the embeddings have, or should have."""
        stated, read = self.stated("d_model").size, sequences.width_read(self.spec, sequence)
        width = sequences.width_of_embeddings(matrix, stated, read, self.problems)
        if sequence.tokens is not None and width is not None:
            node, key = sequence.tokens.nodes[0], sequence.owner.key_of("tokens")
            self.claims.reserve(len(sequence.tokens) * width, node, key)
        return Axis("d_model", width)

    def rows_of_embeddings(self, sequence: TokenSequence, matrix: Matrix, n: Axis) -> Axis:
        """One for each position, where there is none for each id."""
        return sequences.rows_of_embeddings(sequence, matrix, n, self.problems)

    def shares_of(self, attention: Attention, queries: Stream, keys: Stream) -> dict[str, Axis]:
        """The widths of one head's part in joined weights."""
        return shares_of(self, self.claims, attention, queries, keys)

    def can_follow(self, part: Section, stream: Stream, memory: Stream | None, is_cross: bool) -> bool:
        """A part reads rows that are there, and a cross-attention the keys of an encoder."""
        if stream.ended:
            message = "nothing can follow an attention without values: a head before this has neither w_v nor v"
            self.problems.add(part, message, key=part.path)
        elif is_cross and memory is None:
            self.problems.add(part, "cross_attention needs an encoder", key=part.path)
        elif is_cross and memory is not None and memory.ended:
            message = "cross_attention has no keys: the encoder ends with an attention without values (w_v or v)"
            self.problems.add(part, message, key=part.path)
        else:
            return True
        return False

    def output(self, recorder: Recorder, kind: Kind, part: Attention | FeedForward, stream: Stream) -> Value | None:
        """Records a given output, beside which the other keys of its part do nothing."""
        attentions.note_unused(part, [name for name in part.KEYS if name != "output"], "output", self.problems)
        return super().output(recorder, kind, part, stream)

    def check_sequence(self, sequence: TokenSequence) -> None:
        sequences.check_words(sequence, self.problems)

    def check_positions(self, sequence: TokenSequence, table: Matrix, count: int) -> None:
        sequences.check_positions(sequence, table, count, appended_to(self.spec, sequence), self.problems)

    def check_sinusoidal(self, positions: Sinusoidal, width: Axis) -> None:
        sequences.check_sinusoidal(positions, width, self.problems)

    def check_attention(self, attention: Attention, mask: Mask, queries: Stream, keys: Stream) -> None:
        attentions.check_structure(attention, self.spec.dimensions, self.problems)
        check_modern(attention, keys is not queries, self.problems)
        if keys is queries and self.keeps(queries):
            check_cache(self.spec.generate, attention, mask.causal, self.problems)
        n, m = queries.n.size, keys.n.size
        if n is not None and m is not None:  # scores, and what is made of them
            self.claims.reserve(count_of(attention) * n * m, attention, attention.path)

    def check_rotation(self, plan: RotaryPlan, d_k: Axis, angle: Value) -> None:
        check_rotation(plan, d_k, angle, self.problems)

    def check_mask(self, attention: Attention, mask: Mask, queries: Stream, keys: Stream) -> None:
        attentions.check_mask(self, self.claims, attention, mask, queries, keys)

    def check_norm(self, plan: NormPlan, width: Axis) -> None:
        if plan.sample and width.size == 1 and plan.variance_in is not None:
            message = "the sample variance divides by d − 1: it needs vectors of at least two numbers, these have one"
            section = plan.variance_in
            self.problems.add(section.at("variance"), message, key=section.key_of("variance"))

    def check_size(self, part: FeedForward, n: Axis, d_ff: Axis) -> None:
        if n.size is not None and d_ff.size is not None:
            self.claims.reserve(n.size * d_ff.size, part, part.path)

    def check_residual(self, part: Attention | FeedForward, x: Value, y: Value) -> Value:
        """The output; where it is at fault already nothing more is said, else it is taken as wide as the input."""
        wide, made = x.axes[1], y.axes[1]
        matrix = _last_matrix(part)
        claim = self.claims.of(matrix) if matrix is not None else None
        node: Positioned = matrix or part
        if None in (wide.size, made.size) or wide.size == made.size or (claim is not None and claim.is_faulty):
            return y
        if node not in self.problems:
            message = f"the residual adds an output of width {made} to an input of width {wide}: they must be equal"
            inner = None if claim is None else claim.columns if self.out_in else claim.rows
            help = f"{_remedy(part, inner, x, y)}, or set residual: false"
            self.problems.add(node, message, key=(matrix or part).path, help=help)
        return ShapeValue(y.path, y.kind, (y.axes[0], wide))

    def check_head(self, head: OutputHead, stream: Stream) -> None:
        if stream.ended:
            message = "output_head has no input: the attention before it has no values (w_v or v)"
            self.problems.add(head, message, key=head.path)
        if head.tied and head.w is not None:
            message = "w is given, but tied: true uses the embedding table as w"
            self.problems.add(head.w, message, key=head.key_of("w"))
        embeddings = stream.sequence.embeddings
        if head.tied and isinstance(embeddings, Matrix) and not stream.sequence.by_id:
            message = "tied: true needs an embedding table: token → vector, or a matrix by id with a vocabulary"
            self.problems.add(head.at("tied"), message, key=head.key_of("tied"))

    def check_table(self, head: OutputHead, x: Value, table: Value) -> Value:
        """The table of a tied head is as wide as what it reads, and has a row for each word; it is taken to be so."""
        words, width, wide = table.axes[0].size, table.axes[1], x.axes[1]
        if None not in (width.size, wide.size) and width.size != wide.size:
            message = f"the tied embedding table is {width} wide, expected d_model = {wide}"
            self.problems.add(head.at("tied"), message, key=head.key_of("tied"))
        if head.vocabulary is not None and words not in (None, len(head.vocabulary)):
            message = (
                f"vocabulary has {counted(len(head.vocabulary), 'word')}, the tied table {counted(words or 0, 'row')}"
            )
            help = "remove it: the words of the embeddings are used"
            self.problems.add(head.at("vocabulary"), message, key=head.key_of("vocabulary"), help=help)
        return ShapeValue(table.path, table.kind, (table.axes[0], wide))


def _note_missing(problems: Problems, section: Section, name: str, what: str) -> None:
    problems.add(section, f"{name} is missing: {what}", key=section.key_of(name))


def _last_matrix(part: Attention | FeedForward) -> Matrix | None:
    """The matrix that decides how wide the output of a part is."""
    if part.output is not None:
        return part.output
    return part.w_2 if isinstance(part, FeedForward) else part.w_o


def _remedy(part: Attention | FeedForward, inner: Axis | None, x: Value, y: Value) -> str:
    """How to give the output of a part the width of its input."""
    rows, width = x.axes[0].size or "n", x.axes[1]
    if part.has("output"):
        return f"give an output that is n×d_model = {rows}×{width}"
    if isinstance(part, FeedForward):
        return f"give a w_2 that is d_ff×d_model = {inner or 'd_ff'}×{width}"
    symbol = inner_symbol(part)
    return f"give a w_o that is {symbol}×d_model = {inner or y.axes[1].named(symbol)}×{width}"
