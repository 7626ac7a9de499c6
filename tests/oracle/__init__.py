"""An independent calculation of every step of SPEC §2 with PyTorch, and scenarios to compare the program with it."""
