"""Mistakes within an operation, in a file named as that of `operations/`."""
