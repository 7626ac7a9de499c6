"""How the next token is chosen from the probabilities: the most likely one, or a drawn one."""
