"""One row a mistake: the same words say what a program did, by paths, and what somebody probably did, by titles."""

from __future__ import annotations

import walkthrough as wt
from walkthrough.languages.catalogue import ENGLISH, catalogue
from walkthrough.mistakes.mistake import mistake
from walkthrough.mistakes.sentences import say, say_likely
from walkthrough.recording.cells import CellAt

TRACE = wt.trace(wt.load_scenario("help-me"))
SCORES, SCALED = TRACE["attention.head.1.scores"], TRACE["attention.head.1.scaled_scores"]
GERMAN = catalogue("de")


def test_a_cause_is_said_by_paths_with_the_step_it_was_made_in_and_in_any_language() -> None:
    made = mistake("exchanged.state", other=SCORES, one=SCALED)
    said = "computed from attention.head.1.scores instead of attention.head.1.scaled_scores"
    assert say([made]) == said
    assert say([made.made_in(SCALED)]) == f"{said} (attention.head.1.scaled_scores)"
    bases = mistake("epsilon.other", epsilon=0.5), mistake("norm.missing").made_in(SCORES, more=True)
    assert say(bases) == "epsilon is 0.5, or the norm is missing (attention.head.1.scores and others)"
    assert say(bases, GERMAN) == "als Epsilon 0,5 oder die Normierung vergessen (attention.head.1.scores und andere)"


def test_a_likely_cause_is_said_by_titles_and_of_several_what_is_true_of_all() -> None:
    made = mistake("exchanged.state", other=SCORES, one=SCALED)
    assert say_likely([made], GERMAN) == "Vermutlich Scores statt Skalierte Scores verwendet."
    cells = [mistake("copied.cell", cell=CellAt(SCORES, 0, column)) for column in (0, 1)]
    assert say_likely(cells[:1]) == "Probably copied from another cell: S[help, help]."
    assert say_likely(cells) == say_likely([cells[0].in_general]) == "Probably copied from another cell."


def test_what_is_exchanged_is_called_as_the_language_calls_it() -> None:
    made = mistake("exchanged.products", one="query", other="key")
    assert say_likely([made]) == "Probably query and key are swapped."
    assert say_likely([made], GERMAN) == "Vermutlich Anfragen (Queries) und Schlüssel (Keys) vertauscht."


def test_only_what_one_number_has_is_left_out_in_general() -> None:
    meant, whole = mistake("sign.meant", number="−0.5"), mistake("not_scaled", divisor="√d_k")
    assert say_likely([meant.in_general]) == "Probably the sign is flipped."
    assert whole.in_general is whole
    assert say_likely([meant], ENGLISH) == "Probably the sign is flipped: −0.5 would be right from these numbers."
