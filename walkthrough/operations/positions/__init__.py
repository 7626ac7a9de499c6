"""The position of a token, as numbers: sinusoids that are added, rotations, and biases of distance."""
