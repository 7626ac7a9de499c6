"""Drafts: finds the matrices in somebody's text, says which step each is, and has their numbers judged."""
