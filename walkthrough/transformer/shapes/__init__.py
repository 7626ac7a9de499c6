"""The model walked over shapes: what sizes say of each other, and what does not fit."""
