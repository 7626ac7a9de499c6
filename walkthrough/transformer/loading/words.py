"""Other words: `--set 'tokens=the cat near the windows'`, where words are looked up."""

from __future__ import annotations

import dataclasses

from walkthrough.errors import UserError, expect_text
from walkthrough.recording.selectors import TOKENS
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.text import in_quotes
from walkthrough.transformer.loading.load import scenario_of, with_few_arrays


class ChangeError(UserError, ValueError):
    """A number or words that cannot be set, or what is neither."""


def exchange_words(scenario: Scenario, words: str) -> Scenario:
    """The scenario with other words than its own, those of the encoder where there are two sentences.

    What belongs to its own words is left out, and said in its warnings.
    Raises ChangeError where no word is looked up, where something belongs to each of its own, for an unknown word.
    """
    expect_text(words, TOKENS, "words with blanks between them")
    if why := _refusal(scenario, words):
        raise ChangeError(f"{_written(words)}: {why}")
    try:
        found = scenario_of(scenario.source._replace(words=words))
    except ScenarioError as error:
        problem = error.problems[0]
        help = f"; {problem.help}" if problem.help else ""
        raise ChangeError(f"{_written(words)}: {problem.message}{help}") from None
    warnings = tuple(one for one in found.warnings if one not in scenario.warnings)
    return dataclasses.replace(with_few_arrays(found), changed=(f"{TOKENS}={words}",), warnings=warnings)


def _written(words: str) -> str:
    return in_quotes(f"{TOKENS}={words}")


def _refusal(scenario: Scenario, words: str) -> str:
    """Why a scenario cannot have other words; empty where it can."""
    if not words.split():
        return "no word is given; write them with blanks between them"
    if scenario.spec.training is not None:
        return "a training has an answer for each of its own words; change the scenario"
    if not _looks_up(scenario.sequence):
        return "no word is looked up in a table; change the scenario"
    return ""


def _looks_up(sequence: TokenSequence) -> bool:
    """Whether another word is another row of a table, or is split by a tokenizer."""
    return sequence.table_size is not None or sequence.tokenizer is not None
