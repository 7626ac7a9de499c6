"""What looking inside a model calculates with: parts of a sum, attention through layers, what a head does."""
