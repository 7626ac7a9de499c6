"""Judges printed numbers: exact, rounding, inherited or wrong, by affine forms over the operations' expressions."""
