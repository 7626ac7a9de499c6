"""How weights are stored that are used as something else: in few bits, or as a base with a change of low rank."""
