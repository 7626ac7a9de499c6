"""The Transformer as the paper has it: compositions of operations, each named where it is recorded. No arithmetic here."""
