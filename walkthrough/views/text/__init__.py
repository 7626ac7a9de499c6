"""Texts of people on their way into a format: descriptions, long lines, colours."""
