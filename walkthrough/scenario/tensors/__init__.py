"""Matrices from files, from numbers in the scenario, or made by a rule."""
