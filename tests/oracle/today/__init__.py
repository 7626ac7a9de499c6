"""Decoders of today at random, with all parts mixed, and what PyTorch makes of them in words of its own."""
