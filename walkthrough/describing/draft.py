"""A whole scenario of what is known of a run, with the lines that are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.describing.flow import Flow
from walkthrough.describing.folding import fold
from walkthrough.describing.judge import Judge, Keys, factor_of, off
from walkthrough.describing.layers import Stack, stacks_of
from walkthrough.describing.modules import Known, tensors_in
from walkthrough.describing.run import as_rows
from walkthrough.describing.state import State

Path = tuple[Any, ...]
_OUTER = ("encoder", "decoder", "output_head")
_MOST_WORDS = 1000
"""Columns of an output head that get a word each where no table of embeddings has as many rows."""


class Draft:
    """The keys of a scenario, and the questions: of each the path of the line that it is about, and a sentence."""

    def __init__(self, title: str, file: str) -> None:
        self.keys: Keys = {"title": title, "weights_file": file, "matrix_convention": "column"}
        self.questions: list[tuple[Path, str]] = []

    def ask(self, sentence: str, *path: Any) -> None:
        """Asks about a line; where there is no such line, about the one that it would be in."""
        self.questions.append((self.line(*path), sentence))

    def line(self, *path: Any) -> Path:
        """The path of a line; of the one that it would be in, where there is none; at last that of the title."""
        while path and not _has(self.keys, path):
            path = path[:-1]
        return path or ("title",)

    def leave_out(self, line: Path) -> bool:
        """Leaves out what is in a line within the layers, or else all stacks; False where there was nothing."""
        if len(line) < 3:
            return sum(self.keys.pop(name, None) is not None for name in _OUTER) > 0
        held: Any = self.keys
        for one in line[:-1]:
            held = held[one]
        del held[line[-1]]
        return True

    @property
    def lines(self) -> set[Path]:
        """The paths of the lines that are asked about."""
        return {self.line(*path) for path, _ in self.questions}

    @property
    def sentences(self) -> list[str]:
        """The sentences, each once."""
        return list(dict.fromkeys(sentence for _, sentence in self.questions))


def _has(held: Any, path: Path) -> bool:
    if not path:
        return True
    if isinstance(held, list):
        return isinstance(path[0], int) and path[0] < len(held) and _has(held[path[0]], path[1:])
    return isinstance(held, dict) and path[0] in held and _has(held[path[0]], path[1:])


def draft(title: str, file: str, flow: Flow, state: State, judge: Judge) -> Draft:
    """What is written of a run. title: of the scenario; file: the weights file, as the scenario names it."""
    made, (*stacks,) = Draft(title, file), stacks_of(flow.known)
    memories = [one.sources[1] for one in flow.known if one.kind == "attention" and len(one.sources) > 1]
    has_constant = bool(memories) and memories[0].kind == "stored" and len(stacks) == 1
    if has_constant:
        _put_memory(made, memories[0])
    _put_start(made, flow, stacks[0].start if stacks else None, "decoder" if has_constant else "")
    if not stacks:
        made.ask("No attention and no feed-forward network was recognised.", "title")
    elif len(stacks) > 2:
        made.ask(f"The module has {len(stacks)} stacks; a scenario has an encoder and a decoder.", "title")
    behind = flow.known[flow.known.index(stacks[:2][-1].end) + 1 :] if stacks else []
    for at, stack in enumerate(stacks[:2]):
        if at:
            _put_start(made, flow, stack.start, "decoder")
        _put_stack(made, stack)
    if stacks:
        _put_head(made, flow, state, judge, stacks[:2][-1], behind)
        if any(one is not (memories[0] if has_constant else stacks[0].end) for one in memories):
            made.ask("What the cross-attention reads is not what comes out of the encoder.", "decoder")
    line = (stacks[-1].name, "layers") if stacks else ("title",)
    used = {name for one in flow.known if one.kind in ("attention", "feed_forward") for name in tensors_in(one.keys)}
    for one in (one for one in flow.known if one not in behind):
        for _, sentence in one.questions if one.kind == "unknown" else ():
            made.ask(sentence, *line)
        if one.kind == "linear" and not used.intersection(tensors_in(one.keys)):
            made.ask(f"What {one.name or 'the module'} is for was not recognised.", *line)
    return made


def _put_memory(made: Draft, memory: Known) -> None:
    """What the decoder reads beside its own tokens, where the module holds it: the output of an encoder."""
    tokens = [f"memory_{at + 1}" for at in range(len(memory.array))]
    made.keys |= {"tokens": tokens, "embeddings": {**memory.keys}, "encoder": {"output": {**memory.keys}}}


def _put_start(made: Draft, flow: Flow, start: Known | None, stack: str = "") -> None:
    """The tokens, and how they become what the first layer reads. stack: the one that has tokens of its own."""
    keys, path = (made.keys.setdefault(stack, {}), (stack,)) if stack else (made.keys, ())
    norm = start if start is not None and start.kind == "norm" else None
    start = norm.sources[0] if norm is not None else start
    tokens = start.sources[0] if start is not None and start.kind == "start" else start
    ids = tokens.ids if tokens is not None else ()
    same = [one for one in flow.given if tuple(one.array.ravel().tolist()) == ids] or flow.given
    given = same[-1 if stack else 0].array
    if given.dtype.kind == "f":
        rows = as_rows(given)
        keys["tokens"] = [str(at + 1) for at in range(len(rows))]
        keys["embeddings"] = [[float(str(one)) for one in row] for row in rows]
    else:
        words = given.ravel().tolist()
        keys |= {"tokens": list(map(str, words)), "vocabulary": {str(one): one for one in dict.fromkeys(words)}}
        if ids and list(ids) != words:
            made.ask("What is looked up in the embeddings is not the ids that the module was given.", *path, "tokens")
    if start is not None and (ids or start.kind in ("start", "given")):
        keys.update(start.keys)
        for line, sentence in start.questions:
            made.ask(sentence, *path, *line)
    else:
        keys.setdefault("embeddings", [[0.0]] * given.size)
        keys.update(next((one.keys for one in flow.known if one.ids), {}))
        said = "What the first layer reads was not found: embeddings of the tokens do not give it."
        made.ask(said, *path, "embeddings")
    keys |= {"embedding_norm": {**norm.keys}} if norm is not None else {}


def _put_stack(made: Draft, stack: Stack) -> None:
    """The stack with its layers, those that are alike as one that is repeated."""
    folded = list(fold(stack.layers))
    is_single = len(folded) == 1 and folded[0].count > 1
    keys = {**stack.keys}
    final = {"final_norm": keys.pop("final_norm")} if "final_norm" in keys else {}
    layers = {"layers": folded[0].keys if is_single else [one.keys for one in folded]}
    made.keys[stack.name] = {**made.keys.get(stack.name, {}), **keys, **layers, **final}
    for at, one in enumerate(folded):
        path = (stack.name, "layers", *(() if is_single else (at,)), *(("layer",) if one.count > 1 else ()))
        for within, sentence in one.layer.questions:
            is_common = within[-1] == "epsilon" and "layer_norm" in keys
            made.ask(sentence, *((stack.name, "layer_norm") if is_common else (*path, *within)))
    for sentence in stack.questions:
        made.ask(sentence, stack.name, "norm_order")


def _put_head(made: Draft, flow: Flow, state: State, judge: Judge, stack: Stack, behind: list[Known]) -> None:
    """The output head: a module, or the table of the tokens; what is returned may be neither.

    behind: what was calculated after the stack
    """
    embeddings = made.keys[stack.name].get("embeddings", made.keys.get("embeddings"))
    table = embeddings.get("tensor") if isinstance(embeddings, dict) else None
    rows = len(state.tensors[table]) if table in state.tensors else 0
    ends = [stack.end, *(one for one in behind if one.kind == "unknown" and _is_multiple(one, stack.end))]
    head = next((one for one in behind if one.kind == "linear" and one.sources[0] in ends), None)
    seen, end = flow.end, stack.end.array
    is_returned = head is None and seen is not None and np.array_equal(seen, end[-len(seen) :])
    keys = {"w": {"tensor": table}} if head is None else {**head.keys}
    count = rows if head is None else head.array.shape[1]
    options = None if seen is None or is_returned or not count else _options(keys, end, seen, state, judge)
    if options is not None:
        tied = {"tied": True} if keys.pop("w") == {"tensor": table} else {}
        words = {"vocabulary": [str(one) for one in range(min(count, _MOST_WORDS))]} if count != rows else {}
        made.keys["output_head"] = (tied or {"w": head.keys["w"] if head else {}}) | keys | words | options
        if words and count > _MOST_WORDS:
            said = f"What the {count} columns of the logits are called is not known: the embeddings have {rows}."
            made.ask(said, "output_head", "vocabulary")
    rest = [one for one in behind if options is None or one not in (head, *ends)]
    if names := ", ".join(dict.fromkeys(filter(None, (one.name for one in rest)))):
        made.ask(f"What comes after the last layer that was recognised is no output head: {names}.", stack.name)
    elif options is None and not is_returned:
        said = "What the module returns was not found: it is neither hidden states nor logits or their softmax."
        made.ask(said, stack.name)


def _options(keys: Keys, end: Any, seen: Any, state: State, judge: Judge) -> Keys | None:
    """What else is said of an output head with which what was seen comes of the end of a stack; None: it does not."""
    caps: list[Keys] = [{}, *({"logit_cap": cap} for cap in state.stated("cap(?!acity)"))]
    fitting = next((cap for cap in caps if judge.head(keys | cap, end, seen) < np.inf), None)
    divisor = judge.temperature(keys, end, seen) if fitting is None else None
    return {"temperature": divisor} if divisor else fitting


def _is_multiple(one: Known, other: Known) -> bool:
    """Whether numbers are others times a single one, as what the head of a T5 reads."""
    return one.array.shape == other.array.shape and (
        off(factor_of(one.numbers, other.numbers) * other.numbers, one.array) < np.inf
    )
