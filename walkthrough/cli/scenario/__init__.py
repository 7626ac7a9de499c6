"""Commands about scenario files: which there are, a new one, and whether one is right."""
