"""What modules of one's own are: the scenario says which tensor is which weight, and so which module computes what."""
