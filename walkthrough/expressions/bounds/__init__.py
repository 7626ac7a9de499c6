"""What an expression can give where its operands are uncertain: affine forms, each with an interval."""
