"""What an expression can give where its operands are uncertain: intervals and affine forms."""
