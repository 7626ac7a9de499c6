"""A trace as a LaTeX document."""
