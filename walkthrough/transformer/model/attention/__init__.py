"""Attention: queries, keys and values, what is done to their scores, and what the heads make of it."""
