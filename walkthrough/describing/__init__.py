"""From somebody's own PyTorch module, run once, to a scenario: what gives its numbers stands, the rest is asked."""
