"""The model as boxes: which there are, how large they can be, how they stand in a picture."""
