"""The failures that a person can mend. Knows nothing of the rest of the package."""


class UserError(Exception):
    """What a person who uses the program can put right: it is told as its own message, and the status is 2."""
