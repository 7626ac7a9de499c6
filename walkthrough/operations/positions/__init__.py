"""Where a token stands, as numbers: sinusoids that are added, rotations, and biases of distance."""
