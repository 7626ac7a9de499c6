"""The expressions themselves: kinds of nodes, walking through them, their shapes and their values."""
