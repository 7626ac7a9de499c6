"""What a report of a trace begins with: what its scenario says of itself, changed numbers, how it calculates."""

from __future__ import annotations

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.selectors import TOKENS
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Description


def about(trace: Trace, words: Catalogue) -> tuple[Description, ...]:
    """The description and the source, as far as there are any."""
    description = trace.description.strip()
    return (*([Description(description)] if description else []), *source(trace, words))


def source(trace: Trace, words: Catalogue) -> tuple[Description, ...]:
    """Where the numbers come from, if the scenario says so."""
    text = " ".join(trace.source.split())
    return (Description(text, words("source")),) if text else ()


def changes(trace: Trace, words: Catalogue) -> str:
    """Which words and numbers are other ones than the scenario's, what became of steps; empty where that is nothing."""
    pairs = [(one.partition("=")[0] == TOKENS, one) for one in trace.changed]
    exchanged = [escape_label(one.partition("=")[2]) for is_words, one in pairs if is_words]
    others = [escape_label(one) for is_words, one in pairs if not is_words]
    sentences = [("changed_words", ", ".join(exchanged)), ("changed", "; ".join(others))]
    return " ".join(words(key, items=items) for key, items in sentences if items)


def arithmetic(trace: Trace, words: Catalogue, decimals: int | None = None) -> str:
    """The sentence that a report begins with; `decimals` as in `Options`."""
    shown = words.pluralize("decimals", trace.decimals if decimals is None else decimals)
    if trace.exact is None:
        return words("full_precision", digits=shown)
    if trace.by_hand is not None and trace.by_hand.format is not None:
        return words("in_format", format=trace.by_hand.format.name, digits=shown)
    digits = {value.digits for value in trace if value.digits is not None and value.operation is not None}
    texts = [words.pluralize("significant" if one.significant else "decimals", one.count) for one in digits]
    if len(texts) == 1:
        return words("by_hand", digits=texts[0])
    return words("by_hand_as_said" if texts else "by_hand_nowhere")
