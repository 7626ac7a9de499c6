"""Small PyTorch models of several families, as people write them, with mistakes that people make."""
