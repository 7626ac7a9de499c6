"""From a checkpoint folder, as the transformers library writes them, to a scenario: a layout table for each family."""

from walkthrough.checkpoints.compose import Composed, compose
from walkthrough.checkpoints.problems import CheckpointError
from walkthrough.checkpoints.words import Prompt

__all__ = ["CheckpointError", "Composed", "Prompt", "compose"]
