"""Logit lens: the output head after every part, as if the model ended there. nostalgebraist 2020.

Each state is normed by its own statistics, as tuned-lens does; older programs took those of the last state.
"""

from __future__ import annotations

from itertools import takewhile

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Value
from walkthrough.scenario.schema.values import Inspection
from walkthrough.transformer.model.inspection.inside import Inside
from walkthrough.transformer.model.norms import norm_steps
from walkthrough.transformer.model.output_head import LOGITS, predict_from
from walkthrough.transformer.scope import Scope


def why_no_lens(inside: Inside) -> str:
    """Why there are no states that the output head could read; empty where there are."""
    if reason := inside.why_no_stack():
        return reason
    if inside.stack is not None and not inside.stack.residual:
        return "without residuals there is no state that the parts add to"
    return ""


def record_lens(inside: Inside, wanted: Inspection) -> None:
    """Norm, logits, probabilities and prediction of every state; of the last they are the output head's own."""
    *before, (last, _) = _states(inside)
    for path, state in before:
        _record_state(inside, _place_of(inside, path), state)
    recorder, place = inside.s.recorder, _place_of(inside, last).recorder
    if inside.norm_plan is not None:
        _name_again(place.under("norm"), recorder.under(inside.stack_name).under("final_norm"))
    _name_again(place, recorder.under("output_head"))


def _states(inside: Inside) -> list[tuple[str, Value]]:
    """What the stack holds after its input and after each part, with paths: sums, in post-LN normed ones."""
    first = inside.own(inside.input_path)
    assert first is not None
    assert inside.stack is not None
    name = "norm_{}.output" if inside.stack.norm_order == "post" else "residual_{}"
    return [(inside.input_path, first), *inside.of_layers(*(name.format(number) for number in (1, 2, 3)))]


def _place_of(inside: Inside, path: str) -> Scope:
    return Scope(inside.s.calculation, inside.s.recorder.under(f"lens.{path}"), inside.spec.output_head)


def _record_state(inside: Inside, s: Scope, state: Value) -> None:
    plan, logits = inside.norm_plan, inside.logits
    assert logits is not None
    assert logits.operation is not None
    if plan is not None:
        at = f"{inside.stack_name}.final_norm"
        state = norm_steps(s.under("norm"), state, plan, lambda name: inside.given(f"{at}.{name}"))[-1]
    predict_from(
        s, s.record(LOGITS, logits.operation, state, *logits.inputs[1:], columns=logits.columns), inside.stream
    )


def _name_again(place: Recorder, part: Recorder) -> None:
    """Lets what a part has calculated answer to the same names in another place."""
    newest = takewhile(lambda value: not value.path.startswith(place.prefix), reversed(part.trace.values.values()))
    own = [value for value in newest if value.path.startswith(part.prefix) and value.operation is not None]
    for value in reversed(own):
        place.alias_all(value, part)
