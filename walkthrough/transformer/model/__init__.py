"""The parts of the model, each as the paper has it."""
