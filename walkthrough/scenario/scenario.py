"""A checked scenario, and loading one: file → nodes → keys → shapes. After this nothing meets bad input."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from walkthrough.scenario.architecture import check_architecture
from walkthrough.scenario.idle import warn_of_idle_keys
from walkthrough.scenario.problems import Problem, Problems, ScenarioError, WeightsError
from walkthrough.scenario.readers import Context
from walkthrough.scenario.reading import read_nodes
from walkthrough.scenario.schema import Dimensions, ScenarioSpec, read_keys
from walkthrough.scenario.sequences import TokenSequence, decoder_sequence, sequence_of
from walkthrough.scenario.shapes import MOST_NUMBERS, Shapes
from walkthrough.scenario.sources import Source, open_source


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario that has been checked: its specification, and where it came from.

    arrays:   the numbers of its matrices by their identity; `load_scenario` makes or reads them all
    warnings: what in it has no effect, or may not be read as it was meant
    """

    spec: ScenarioSpec
    source: Source
    arrays: dict[int, Any] = field(default_factory=dict, repr=False)
    warnings: tuple[Problem, ...] = ()

    @property
    def folder(self) -> Path:
        """Where relative paths of weights files start."""
        return self.source.folder

    @property
    def sequence(self) -> TokenSequence:
        """The sequence at the top level; with a decoder and no encoder, the decoder's."""
        if self.spec.decoder is not None and self.spec.encoder is None:
            return decoder_sequence(self.spec, self.spec.decoder)
        return sequence_of(self.spec)

    @property
    def target(self) -> TokenSequence | None:
        """The decoder's own sequence, beside an encoder."""
        if self.spec.decoder is None or self.spec.encoder is None:
            return None
        return decoder_sequence(self.spec, self.spec.decoder)

    def __repr__(self) -> str:
        return f"<Scenario {self.spec.title!r} from {self.source.name}>"


def load_scenario(name: str | Path) -> Scenario:
    """The scenario of a file, of a bundled name such as `chai`, or of standard input (`-`), with its weights.

    Raises ScenarioError, which holds every problem of the file with its line and column.
    """
    return _with_arrays(read_scenario(name))


def parse_scenario(text: str, name: str = "<text>") -> Scenario:
    """The scenario written in a YAML text, with its weights. Raises ScenarioError."""
    return _with_arrays(scenario_of(Source(name, text, Path())))


def read_scenario(name: str | Path) -> Scenario:
    """A scenario as `load_scenario` gives it, checked, but without its weights. Raises ScenarioError."""
    return scenario_of(open_source(str(name)))


def _with_arrays(scenario: Scenario) -> Scenario:
    """The scenario with the numbers of all its matrices."""
    from walkthrough.scenario.arrays import array_of, matrices_in  # numpy, which reading alone does not need

    for matrix in matrices_in(scenario.spec):
        try:
            scenario.arrays[id(matrix)] = array_of(matrix, scenario.folder, scenario.spec.weights_file)
        except WeightsError as error:
            node = (matrix.tensor.node.get(error.key) if matrix.tensor is not None else None) or matrix
            problem = Problem(node.line, node.column, str(error), matrix.path, error.help)
            raise ScenarioError(scenario.source.name, [problem], scenario.source.text) from None
    return scenario


def scenario_of(source: Source, most_numbers: float = MOST_NUMBERS) -> Scenario:
    """Reads and checks the text of a source; `most_numbers` may be made when it is traced."""
    problems = Problems()
    keys = None
    if (node := read_nodes(source.text, problems)) is not None:
        keys = read_keys(node, Context(problems))
    if keys is not None:
        dimensions = keys.dimensions or Dimensions(node=keys.node, path="")
        out_in = keys.matrix_convention == "column"
        shapes = Shapes(problems, dimensions, out_in, source.folder, keys.weights_file, most_numbers)
        check_architecture(keys, shapes)
        warn_of_idle_keys(keys, problems)
    if problems or keys is None:
        raise ScenarioError(source.name, problems.found, source.text)
    return Scenario(keys, source, warnings=problems.warnings)
