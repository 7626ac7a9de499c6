"""Marking: the verdicts and points of what was handed in, by the student's own numbers, and what is said of them."""
