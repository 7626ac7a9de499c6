"""One expression for all cells of a matrix, and what is read off it for whole arrays."""
