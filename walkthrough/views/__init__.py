"""Views: each reads a trace and writes it in one format. They know values, labels and expressions, no transformer."""
