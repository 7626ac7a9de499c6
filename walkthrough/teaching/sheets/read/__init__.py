"""Reading what was handed in, by the kind of the file."""
