"""What was recognised as the keys of a scenario, with the lines that somebody has to look at."""
