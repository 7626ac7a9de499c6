"""Keys at the top of a scenario that have no effect, because what they belong to is not there."""

from __future__ import annotations

from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.yaml.problems import Problems


def warn_of_idle_keys(spec: ScenarioSpec, problems: Problems) -> None:
    """Warns of each; for a key whose own value is at fault an error is noted already."""
    if spec.weights_file is not None and not _is_read(spec, spec.weights_file):
        problems.warn(spec.at("weights_file"), "no matrix is read from this file", key="weights_file")


def _is_read(spec: ScenarioSpec, weights_file: str) -> bool:
    """Whether a matrix is read from the default file, or one may be that is at fault."""
    from walkthrough.scenario.tensors.arrays import matrices_in  # few scenarios have a file

    matrices = list(matrices_in(spec))
    tensors = [matrix.tensor for matrix in matrices if matrix.tensor is not None]
    return any(tensor.file in (None, weights_file) for tensor in tensors)
