"""Keys at the top of a scenario that have no effect, because what they belong to is not there."""

from __future__ import annotations

from walkthrough.scenario.resolved import has_way_to_logits
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.scenario.schema.rules import sections_in
from walkthrough.scenario.yaml.problems import Problems

_OF_POSITIONS = ("positional_encoding", "rotary", "alibi", "relative_bias", "window")
_BEFORE_HEAD = ("embeddings", "encoder", "decoder", "attention")


def warn_of_idle_keys(spec: ScenarioSpec, problems: Problems) -> None:
    """Warns of each; for a key whose own value is at fault an error is noted already."""
    for name in () if has_way_to_logits(spec) else _BEFORE_HEAD:
        help = f"remove {name}; or write w: null beside the logits"
        problems.idle(spec, name, "output_head already gives the numbers", help)
    for section in (spec, spec.decoder):
        if section is not None and section.positions is not None and not _goes_by_positions(spec):
            problems.idle(section, "positions", "no part of the model goes by them")
    if spec.weights_file is not None and not _is_read(spec, spec.weights_file):
        problems.warn(spec.at("weights_file"), "no matrix is read from this file", key="weights_file")


def _goes_by_positions(spec: ScenarioSpec) -> bool:
    """Whether positions count anywhere."""
    return any(
        getattr(section, name, None) not in (None, "none", False)
        for section in sections_in(spec)
        for name in _OF_POSITIONS
    )


def _is_read(spec: ScenarioSpec, weights_file: str) -> bool:
    """Whether a matrix is read from the default file, or one may be that is at fault."""
    from walkthrough.scenario.tensors.arrays import matrices_in  # few scenarios have a file

    tensors = (matrix.tensor for matrix in matrices_in(spec))
    return any(tensor is not None and tensor.file in (None, weights_file) for tensor in tensors)
