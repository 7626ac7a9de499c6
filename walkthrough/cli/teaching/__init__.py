"""Commands for a class: sheets to fill in, their marks, and practice."""
