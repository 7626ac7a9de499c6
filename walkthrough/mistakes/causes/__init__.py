"""What somebody probably did: the mistakes that wrong numbers are evidence of, each a word and a sentence."""
