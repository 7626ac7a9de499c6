"""Small arithmetic expressions: how one number of a matrix is computed, and how a matrix formula is written.

An operation says once, as an expression, how a cell of its result comes about (`nodes`). Everything that is later
asked about the cell reads that expression: `evaluate` computes it, `text` and `latex` write it. One reader a file.
"""
