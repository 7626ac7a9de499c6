"""The keys of the format: what each means, how it is read, and the sections that they are in."""
