"""Judges what somebody printed of a tokenizer: merges by what the printed ones before them leave, and tokens."""
