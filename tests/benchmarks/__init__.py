"""Benchmarks, run by hand (`python -m tests.benchmarks.startup`). They report ratios; no test asserts a time."""
