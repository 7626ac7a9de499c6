"""What mixtures of experts calculate: the choice, the sum by weight, and the clamped gate of gpt-oss."""
