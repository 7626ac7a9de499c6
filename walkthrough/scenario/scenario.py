"""A scenario: its specification as the file gives it, where it came from, and the numbers of its matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from walkthrough.records import NONE, Record
from walkthrough.scenario.schema.keys import Example, ScenarioSpec, read_keys
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.readers import Context
from walkthrough.scenario.schema.tokens import TokenList
from walkthrough.scenario.sequences import TokenSequence, decoder_sequence, sequence_of
from walkthrough.scenario.sources import ScenarioSource, line_of_sheet
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode
from walkthrough.scenario.yaml.problems import Problem, Problems, ScenarioError, WeightsError
from walkthrough.scenario.yaml.reading import read_nodes


class Scenario(Record, eq=False):
    """A scenario: its specification, and where it came from.

    arrays:   the numbers of its matrices; `load_scenario` makes or reads them all
    written:  which numbers of a matrix were set after reading; by hand they are used as written
    changed:  these numbers, as CELL=NUMBER
    sparing:  there are many numbers in files: each is read when it is wanted
    warnings: what has no effect, or may not be read as it was meant
    number:   of the example, from 1, whose sentence it has; of a training on several sentences
    """

    spec: ScenarioSpec
    source: ScenarioSource
    arrays: dict[Matrix, Any]
    warnings: tuple[Problem, ...] = ()
    written: Mapping[Matrix, Any] = NONE
    changed: tuple[str, ...] = ()
    sparing: bool = False
    number: int = 1

    @property
    def sequence(self) -> TokenSequence:
        """The sequence at the top level; with a decoder and no encoder, the decoder's."""
        if self.spec.decoder is not None and self.spec.encoder is None:
            return decoder_sequence(self.spec, self.spec.decoder, self.example)
        return sequence_of(self.spec, self.example)

    @property
    def target(self) -> TokenSequence | None:
        """The decoder's own sequence, beside an encoder."""
        if self.spec.decoder is None or self.spec.encoder is None:
            return None
        return decoder_sequence(self.spec, self.spec.decoder, self.example)

    @property
    def example(self) -> Example | None:
        """The example of a training whose sentence it has; None where the scenario has a sentence of its own."""
        training = self.spec.training
        examples = training.examples if training is not None else None
        return examples[self.number - 1] if examples else None

    @property
    def examples(self) -> list[Scenario]:
        """The scenario with the sentence of each example of its training; where it has none, as it is."""
        count = len(self.spec.training.examples or ()) if self.spec.training is not None else 0
        return [self.replace(number=number) for number in range(1, count + 1)] or [self]

    @property
    def batch_size(self) -> int:
        """How many examples a step of its training takes; 1 of a single sentence."""
        size = self.spec.training.batch_size if self.spec.training is not None else "all"
        return len(self.examples) if isinstance(size, str) or self.example is None else size

    @property
    def batches(self) -> int:
        """After how many steps of a training the same examples come again."""
        count = len(self.examples)
        return count // math.gcd(count, self.batch_size)

    @property
    def targets(self) -> TokenList | None:
        """The right next token at each position, where it trains."""
        section = self.example or self.spec.training
        return section.targets if section is not None else None

    def __repr__(self) -> str:
        return f"<Scenario {self.spec.title!r} from {self.source.name}>"


def numbers_of(matrix: Matrix, scenario: Scenario, sparingly: bool = False) -> Any:
    """The numbers of a matrix of a checked scenario, as a float64 array; a ScenarioError where its file has none.

    sparingly: of a large matrix of a file, what stands for it and reads it piece by piece
    """
    from walkthrough.scenario.tensors.arrays import array_of  # needs numpy

    try:
        return array_of(matrix, scenario.source.folder, scenario.spec.weights_file, sparingly)
    except WeightsError as error:
        node = (matrix.tensor.node.get(error.key) if matrix.tensor is not None else None) or matrix
        raise ScenarioError.at(scenario.source, node, str(error), key=matrix.path, help=error.help) from None


_A_SHEET = "this is a worksheet or an answer key, and no scenario"
_WITH_A_SHEET = "`walkthrough mark` takes it; the scenario that it was made from stands in it under `text`"


def scenario_in(source: ScenarioSource, problems: Problems) -> Scenario | None:
    """The scenario that a text holds, its keys read and nothing else checked; None where there is none to check.

    Raises ScenarioError for a sheet, of which there is nothing else to say.
    """
    if (line := line_of_sheet(source.text)) is not None:
        raise ScenarioError(source.name, [Problem(line, 1, _A_SHEET, help=_WITH_A_SHEET)], source.text)
    node = read_nodes(source.text, problems)
    if isinstance(node, MappingNode) and source.words:
        _exchange_words(node, source.words, problems)
    spec = read_keys(node, Context(problems, folder=source.folder)) if node is not None else None
    return Scenario(spec, source, {}) if spec is not None else None


def _exchange_words(node: MappingNode, words: str, problems: Problems) -> None:
    """Other words for those of the file; what was given for each of those is left out, with a warning."""
    stack = node.get("decoder") if node.get("encoder") is None else None
    both = (one for one in (node, stack) if isinstance(one, MappingNode))
    section = next((one for one in both if one.get("text") is not None or one.get("tokens") is not None), node)
    for at, (name, old) in enumerate(section.entries):
        if name.text == "text":
            section.entries[at] = name, ScalarNode(words, False, old.line, old.column)
        elif name.text == "tokens":
            each: list[Node] = [ScalarNode(word, False, old.line, old.column) for word in words.split()]
            section.entries[at] = name, ListNode(each, old.line, old.column)
    positions = section.get("positions")
    if isinstance(positions, ListNode) and len(positions.items) != len(words.split()):
        _leave_out(section, "positions", problems)
    _leave_out(node, "published", problems)


def _leave_out(section: MappingNode, key: str, problems: Problems) -> None:
    """Takes away what belongs to the words of the file."""
    if (old := section.get(key)) is not None:
        section.entries[:] = [entry for entry in section.entries if entry[0].text != key]
        problems.warn(old, "it belongs to the file's own words, and is left out", key=key)
