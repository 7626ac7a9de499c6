"""What the parts of a scenario require of each other, before any size is known: what needs or excludes what."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.recording.selectors import SelectorError, parse_words
from walkthrough.recording.trace import Trace
from walkthrough.scenario.resolved import rounded_steps
from walkthrough.scenario.schema.keys import (
    Attention,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    ScenarioSpec,
    SequenceSpec,
)
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.shapes.check_modern import check_gate, check_rms


def check_structure(spec: ScenarioSpec, problems: Problems) -> None:
    """Keys that exclude each other, and parts that have nothing to do."""
    if spec.attention is not None and (spec.has("encoder") or spec.has("decoder")):
        message = "attention takes the place of encoder and decoder, and cannot be combined with them"
        problems.add(spec.attention, message, key="attention")
    sections: list[SequenceSpec] = [spec, *([spec.decoder] if spec.decoder is not None else [])]
    for section in sections:
        if section.has("text") and section.has("tokens"):
            message = "both text and tokens are given"
            problems.add(section.at("tokens"), message, key=section.key_of("tokens"), help="keep one of them")
    for stack in (spec.encoder, spec.decoder):
        if stack is not None:
            _check_stack(stack, problems)


def _check_stack(stack: Encoder | Decoder, problems: Problems) -> None:
    if isinstance(stack, Encoder):
        _check_encoder(stack, problems)
    layers: Sequence[EncoderLayer | DecoderLayer] = stack.layers or []
    for layer in layers:
        _check_layer(stack, layer, problems)
        check_gate(layer.feed_forward, problems)
    if stack.norm == "rms":
        norms = (getattr(layer, name, None) for layer in layers for name in ("norm_1", "norm_2", "norm_3"))
        check_rms([stack.layer_norm, *norms, stack.final_norm], problems)


def _check_encoder(encoder: Encoder, problems: Problems) -> None:
    if encoder.output is not None and encoder.has("layers"):
        message = "both layers and output are given: the output takes the place of the layers"
        problems.add(encoder.output, message, key=encoder.output.path)
    elif encoder.output is not None:
        for name in ("norm_order", "residual", "norm", "layer_norm", "final_norm"):
            _note_idle(encoder, name, "the encoder's output is given as numbers", problems)
    elif not encoder.has("layers") and not encoder.has("output"):
        problems.add(encoder, "layers is missing: a list of layers", key=encoder.key_of("layers"))


def _check_layer(stack: Encoder | Decoder, layer: EncoderLayer | DecoderLayer, problems: Problems) -> None:
    """Norms belong to parts; a part without one has nothing to norm."""
    is_crossed = isinstance(layer, DecoderLayer) and layer.has("cross_attention")
    parts = {"norm_1": "attention", "norm_2": "cross_attention" if is_crossed else "feed_forward"}
    if isinstance(layer, DecoderLayer):
        parts["norm_3"] = "feed_forward" if is_crossed else "cross_attention"
    for norm, part in parts.items():
        if getattr(layer, norm) is None:
            continue
        if not layer.has(part):
            _note_idle(layer, norm, f"the layer has no {part}", problems)
        elif stack.norm_order == "none":
            _note_idle(layer, norm, "norm_order: none leaves out all layer norms", problems)
    if not any(layer.has(name) for name in ("attention", "feed_forward")) and not is_crossed:
        help = "give it an attention or a feed_forward, or remove it"
        problems.warn(layer, "the layer is empty: it changes nothing", key=layer.path, help=help)


def _note_idle(section: Section, name: str, why: str, problems: Problems) -> None:
    """A key that does nothing is no silent matter."""
    if section.node.get(name) is not None:
        problems.warn(section.at(name), f"{name} has no effect: {why}", key=section.key_of(name), help="remove it")


_LATER = {"loss", "gradient", "update", "train", "training", "generate", "generated", "dropout", "shifted", "sample"}
"""Words of steps that one walk over shapes does not meet."""


def check_rounding(spec: ScenarioSpec, trace: Trace, problems: Problems) -> None:
    """Warns of a selector under rounding.steps that names no step: it would round nothing."""
    for selector in rounded_steps(spec):
        if _LATER.isdisjoint(word for word, _ in parse_words(selector.text)):
            try:
                trace.select(selector.text)
            except SelectorError as error:
                problems.warn(selector, f"this rounds nothing: {error}", key="rounding.steps")


def is_read(spec: ScenarioSpec, sequence: TokenSequence) -> bool:
    """Whether anything is computed from the embeddings of a sequence: a head given by its scores does not use them."""
    if sequence.owner is spec.decoder:
        return True
    if spec.encoder is not None:
        return not spec.encoder.has("output")
    if spec.has("encoder"):
        return False
    return spec.attention is None or _reads_input(spec.attention)


def _reads_input(attention: Attention) -> bool:
    if attention.output is not None:
        return False
    if attention.heads is None:
        return not attention.has("heads")
    return any(head.has(weight) for head in attention.heads for weight in ("w_q", "w_k", "w_v"))
