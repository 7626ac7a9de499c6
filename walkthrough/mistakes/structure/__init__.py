"""Mistakes in how a model is put together: its heads, its layers, and what its parts read."""
