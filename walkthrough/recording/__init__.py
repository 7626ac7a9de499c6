"""The recorded calculation: values with a path, an operation and inputs; how they are recorded, named and found."""

from walkthrough.recording.recorder import Recorder
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

__all__ = ["Kind", "Recorder", "SelectorError", "Trace", "Value"]
