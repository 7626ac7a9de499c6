"""What a part of a module may compute: every guess is tried on the numbers that were seen."""
