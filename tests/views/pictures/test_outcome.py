"""What the first screen says at its end, and which words stand at its beginning."""

import pytest

from tests.views.samples import bundled_trace
from walkthrough.views.pictures.model.boxes import Words
from walkthrough.views.pictures.model.flow import model_items
from walkthrough.views.pictures.outcome import likeliest
from walkthrough.views.selection import first_pass


@pytest.mark.parametrize("name", ["lens", "beam"])
def test_the_likeliest_words_are_those_of_the_pass_and_not_of_a_look_inside_or_a_later_pass(name: str) -> None:
    found = likeliest(first_pass(list(bundled_trace(name))))
    assert found is not None
    assert found[0].path == "output_head.probabilities"


def test_a_vocabulary_in_the_order_of_a_later_text_is_no_text() -> None:
    trace = bundled_trace("key-cache")
    items = model_items(trace, first_pass(list(trace)))
    assert [item.labels for item in items if isinstance(item, Words)] == [("the", "tea")]
