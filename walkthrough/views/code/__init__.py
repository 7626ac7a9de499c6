"""A trace as a program or a notebook."""
