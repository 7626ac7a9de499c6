"""Modules that hold a part of the model, such as an attention or a layer: what they, and those in them, return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from walkthrough.comparing.matching.layouts.places import last_step_of
from walkthrough.comparing.matching.own.parameters import Parameter
from walkthrough.recording.trace import Trace

STACKS = ("encoder", "decoder")
_ATTENTIONS = ("attention", "self_attention", "cross_attention", "linear_attention")
_PARTS = (*STACKS, *_ATTENTIONS, "feed_forward", "shared")
_AFTER = re.compile(r"residual_\d|(\w*norm\w*)\.output")
"""What may come after a part, in a layer or after the last one."""
_SCORES = ("scores", "scaled_scores", "capped_scores", "biased_scores", "masked_scores")
_PROJECTED = ("query", "key", "value", "query_rotated", "key_rotated", "query_content", "query_rope", "key_content")
_OF_HEADS = (*_SCORES, *_PROJECTED, "output", "key_cache", "value_cache")
_OF_FEED_FORWARD = ("gate", "activation", "hidden", "gated")


def parts_by_module(parameters: Iterable[Parameter]) -> dict[str, list[str]]:
    """The modules that hold all tensors of a part and are no more than that, each with the paths of the part.

    There are several where one part is all that is in another, such as an attention that is a layer; the widest first.
    A layer whose linear modules stand in it side by side is none of its parts: it holds more than each.
    """
    tensors: dict[str, list[str]] = {}
    for one in parameters:
        for part in _parts_around(one.path):
            tensors.setdefault(part, []).append(one.tensor)
    found: dict[str, list[str]] = {}
    for part in sorted(tensors, key=len):
        if module := _common(tensors[part]):
            found.setdefault(module, []).append(part)
    for parts in filter(_are_nested, found.values()):
        layer = next((part for part in parts if part not in STACKS), parts[0])
        parts[:] = [part for part in parts if part in STACKS or set(tensors[part]) == set(tensors[layer])]
    return {module: parts for module, parts in found.items() if _are_nested(parts)}


def _are_nested(parts: Sequence[str]) -> bool:
    """Whether all are in the first."""
    return all(f"{part}.".startswith(f"{parts[0]}.") for part in parts)


def _parts_around(path: str) -> Iterator[str]:
    """The parts that a path is in: encoder, encoder.1, encoder.1.attention, encoder.1.attention.head.1."""
    words = path.split(".")
    for at, word in enumerate(words[:-1]):
        here = ".".join(words[: at + 1])
        if word in _PARTS or word.isdigit():
            yield here


def _common(tensors: Iterable[str]) -> str:
    """The innermost module that all tensors are in; empty for the model itself."""
    modules = [tensor.split(".")[:-1] for tensor in tensors]
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*modules, strict=False))
    return ".".join(words[0] for words in alike)


def outputs_of(part: str, trace: Trace) -> list[str]:
    """What a module that holds a part may return: the part's output, the residual after it, the norm after that."""
    last = f"{part}.output" if f"{part}.output" in trace else ""
    if re.fullmatch(r"(encoder|decoder)\.\d+", part):
        last = last_step_of(part, trace)
    if not last:
        return []
    if re.search(r"\.(head|expert)\.\d+$|\.shared$|^(en|de)coder$", part):
        return [last]
    return [last, *_after(last, part, trace)]


def _after(last: str, part: str, trace: Trace) -> Iterator[str]:
    """The residuals and norms that follow a step before the next part begins."""
    stack, _, rest = part.partition(".")
    layer = f"{stack}.{rest.partition('.')[0]}."
    steps = list(trace)
    for value in steps[steps.index(trace[last]) + 1 :]:
        if value.operation is None:
            continue
        path = value.path
        inside = path.removeprefix(layer) if path.startswith(layer) else path.removeprefix(f"{stack}.")
        if not inside.startswith(("residual_", "norm_", "branch_norm_", "dropout_", "final_norm.")):
            return
        if _AFTER.fullmatch(inside):
            yield path


def outputs_inside(part: str, trace: Trace) -> list[str]:
    """What a part and the parts in it return."""
    inner = (f"{part}.{name}" for name in (*_ATTENTIONS, "feed_forward"))
    return list(dict.fromkeys(path for one in (part, *inner) for path in outputs_of(one, trace)))


def steps_inside(part: str, trace: Trace) -> Mapping[str, str]:
    """The steps of a part that a module without parameters may return; `head.*` are all of its heads.

    By the path of the step: the word that it ends with.
    """
    found: dict[str, str] = {}
    for path, value in trace.items():
        before, _, name = path.rpartition(".")
        if not path.startswith(f"{part}.") or value.operation is None:
            continue
        of_head = re.fullmatch(r"(.*\bhead\.)\d+", before)
        if of_head and name in (*_OF_HEADS, "weights"):
            found[path if part == before else f"{of_head[1]}*.{name}"] = name
        elif name in _OF_FEED_FORWARD:
            found[path] = name
    return found
