"""How a text becomes tokens: pairs are counted and merged, and merges are made in another text."""
