"""What pictures are made of: heat maps, and the model as boxes that hold them. No format is written here."""
