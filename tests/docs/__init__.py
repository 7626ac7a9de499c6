"""Keeps README.md and docs/ true: what they show is made by the program, what they should mention they mention."""
