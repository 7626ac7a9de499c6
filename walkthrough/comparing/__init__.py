"""Somebody's own tensors beside a trace: which step each is, which is the first that differs, and why."""
