"""Training: the loss of a prediction, the backward pass, the update, step by step."""
