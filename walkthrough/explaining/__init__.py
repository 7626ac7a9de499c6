"""Says where a number comes from, by reading the expression of its operation."""
