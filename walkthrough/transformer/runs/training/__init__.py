"""Training: the loss of a prediction, the way back, the update, step by step."""
