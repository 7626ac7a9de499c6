"""Marking one sheet: the verdict on each cell, and what its student probably did."""
