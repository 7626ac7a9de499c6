"""The whole scenario of a run: its keys, and what could not be told."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.comparing.describing.followed.flow import Flow
from walkthrough.comparing.describing.followed.known import Product, Unexplained, product_of
from walkthrough.comparing.describing.followed.state import State
from walkthrough.comparing.describing.written.draft import Draft
from walkthrough.comparing.describing.written.ends import put_end, put_start
from walkthrough.comparing.describing.written.folding import Repeated, fold
from walkthrough.comparing.describing.written.layers import Stack, hoist, stack_of
from walkthrough.comparing.describing.written.sections import Keys
from walkthrough.comparing.describing.written.wiring import parts_of, place, settle, stacks


def draft(title: str, file: str, flow: Flow, state: State) -> Draft:
    """What is written of a run.

    title: of the scenario; file: the weights file, as the scenario names it
    """
    made, known = Draft(title, file), flow.memory.all
    placed = place(settle(list(parts_of(known))), known)
    runs = stacks(placed)
    names = ("encoder", "decoder") if len(runs) == 2 else ("",) * len(runs)
    described = [stack_of(run, known, name) for run, name in zip(runs, names, strict=True)]
    stack = described[-1] if described else None
    head = None
    put_start(made, flow, state, described[0].start if described else None)
    if stack is None:
        made.ask("No attention and no feed-forward network was recognised.", "title")
    else:
        _put_stacks(made, flow, state, described)
        head = put_end(made, flow, state, stack)
    inside = (product_of(one) for part in placed for one in (*part.part.inside.products, part.part.output))
    used = {id(one) for one in (*inside, head)}
    for one in known:
        line = (stack.name, "layers") if stack else ("title",)
        is_idle = isinstance(one.made, Product) and id(one) not in used
        if is_idle and not isinstance(one.made.source.made, Unexplained):
            made.ask(f"What {one.made.name or 'the module'} is for was not recognised.", *line)
        elif isinstance(one.made, Unexplained):
            made.ask(f"{one.made.sentence}.", *line)
    return made


def _put_stacks(made: Draft, flow: Flow, state: State, described: Sequence[Stack]) -> None:
    """The stacks one after the other: one, or an encoder and a decoder, which has tokens of its own."""
    _put_stack(made, described[0])
    if len(described) == 2:
        put_start(made, flow, state, described[1].start, "decoder")
        _put_stack(made, described[1])
        if any(one is not described[0].end for one in described[1].memories):
            made.ask("What the cross-attention reads is not what comes out of the encoder.", "decoder")
    elif len(described) > 2:
        made.ask(f"The module has {len(described)} stacks; a scenario has an encoder and a decoder.", "title")


def _put_stack(made: Draft, stack: Stack) -> None:
    """The stack with its layers, those that are alike as one that is repeated."""
    hoist(stack.keys, [one.keys for one in stack.layers])
    folded = list(fold(stack.layers))
    items = list(map(_repeated, folded))
    is_single = len(folded) == 1 and folded[0].count > 1
    final = {"final_norm": stack.keys.pop("final_norm")} if "final_norm" in stack.keys else {}
    made.keys[stack.name] = {
        **made.keys.get(stack.name, {}),
        **stack.keys,
        "layers": items[0] if is_single else items,
        **final,
    }
    for at, one in enumerate(folded):
        path = (stack.name, "layers", *(() if is_single else (at,)), *(("layer",) if one.count > 1 else ()))
        for within, sentence in one.layer.asked:
            is_hoisted = within[-1] == "epsilon" and "layer_norm" in stack.keys
            made.ask(sentence, *((stack.name, "layer_norm") if is_hoisted else (*path, *within)))
    for sentence in stack.questions:
        made.ask(sentence, stack.name, "norm_order")


def _repeated(one: Repeated) -> Keys:
    if one.count == 1:
        return one.layer.keys
    return {"repeat": one.count, **({"first": one.first} if one.first else {}), "layer": one.layer.keys}
