"""Commands that calculate a scenario: all of it, one number of it, as a page or a file, beside other numbers."""
