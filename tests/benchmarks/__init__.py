"""Benchmarks, run by hand: `python -m tests.benchmarks.startup`, `… .encoder`. They report ratios; no test asserts a time."""
