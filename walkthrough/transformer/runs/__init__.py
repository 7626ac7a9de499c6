"""What is done with the model: one pass, generation, training."""
