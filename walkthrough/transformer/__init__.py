"""The Transformer as the paper has it: operations composed, and named where they are recorded. No arithmetic."""
