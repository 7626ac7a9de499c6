"""Which step a table of a draft is: what it is called, whether it fits, and whether its numbers agree."""
