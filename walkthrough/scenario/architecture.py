"""Walks a scenario in the order of the calculation and checks that its parts fit: every width follows from the last."""

from __future__ import annotations

from walkthrough.scenario.attention_shapes import AttentionCheck, read_width
from walkthrough.scenario.head_shapes import check_head
from walkthrough.scenario.schema import Attention, ScenarioSpec, SequenceSpec
from walkthrough.scenario.sequence_shapes import Stream, check_sequence
from walkthrough.scenario.sequences import decoder_sequence, sequence_of
from walkthrough.scenario.shapes import Shapes
from walkthrough.scenario.stack_shapes import StackCheck


def check_architecture(keys: ScenarioSpec, shapes: Shapes) -> None:
    """Checks all parts of a scenario; what is wrong goes to the problems of `shapes`."""
    _check_choices(keys, shapes)
    stream = _encoded(keys, shapes)
    if keys.attention is not None and not keys.has("encoder") and not keys.has("decoder"):
        output = AttentionCheck(keys.attention, shapes, stream, stream).check()
        stream = Stream(stream.sequence, stream.rows, output.width, output.ended)
    elif keys.decoder is not None:
        stream = _decoded(keys, stream, shapes)
    check_head(keys, stream, shapes)
    if keys.generate is not None or keys.training is not None:
        from walkthrough.scenario.continuation import check_generate, check_training  # few scenarios go on

        check_generate(keys, stream.sequence, shapes)
        check_training(keys, stream, shapes)


def _check_choices(keys: ScenarioSpec, shapes: Shapes) -> None:
    """Keys that exclude each other."""
    if keys.attention is not None and (keys.has("encoder") or keys.has("decoder")):
        message = "attention stands instead of encoder and decoder, not beside them"
        shapes.problems.add(keys.attention, message, key="attention")
    sections: list[SequenceSpec] = [keys, *([keys.decoder] if keys.decoder is not None else [])]
    for section in sections:
        if section.has("text") and section.has("tokens"):
            message = "both text and tokens are given"
            shapes.problems.add(section.at("tokens"), message, key=section.key_of("tokens"), help="keep one of them")


def _encoded(keys: ScenarioSpec, shapes: Shapes) -> Stream:
    """The first sequence, and the encoder where there is one."""
    if keys.decoder is not None and not keys.has("encoder"):
        read_as = read_width(keys.decoder.layers, shapes)
        return check_sequence(decoder_sequence(keys, keys.decoder), shapes, read_as, more=_appended(keys))
    more = _appended(keys) if not keys.has("decoder") else 0
    layers = keys.encoder.layers if keys.encoder is not None else None
    read_as = read_width(layers if layers else keys.attention, shapes)
    stream = check_sequence(sequence_of(keys), shapes, read_as, _needs_input(keys), more)
    if keys.encoder is not None:
        return StackCheck(keys.encoder, shapes).encode(keys.encoder, stream)
    return Stream(stream.sequence, stream.rows, None) if keys.has("encoder") else stream


def _decoded(keys: ScenarioSpec, stream: Stream, shapes: Shapes) -> Stream:
    """The decoder, of the first sequence or, beside an encoder, of its own."""
    assert keys.decoder is not None
    memory = None
    if keys.has("encoder"):
        memory = stream
        read_as = read_width(keys.decoder.layers, shapes)
        stream = check_sequence(decoder_sequence(keys, keys.decoder), shapes, read_as, more=_appended(keys))
    return StackCheck(keys.decoder, shapes).decode(keys.decoder, stream, memory)


def _appended(keys: ScenarioSpec) -> int:
    """How many generated tokens are read again: all but the last."""
    return keys.generate.max_tokens - 1 if keys.generate is not None else 0


def _needs_input(keys: ScenarioSpec) -> bool:
    """Whether anything is computed from the embeddings: a head given by its scores has no use for them."""
    if keys.encoder is not None:
        return not keys.encoder.has("output")
    if keys.has("encoder"):
        return False
    return keys.attention is None or _reads_input(keys.attention)


def _reads_input(attention: Attention) -> bool:
    if attention.output is not None:
        return False
    if attention.heads is None:
        return not attention.has("heads")
    return any(head.has(weight) for head in attention.heads for weight in ("w_q", "w_k", "w_v"))
