"""Making a sheet: its scenario rewritten, other numbers drawn until they are fit for handwork."""
