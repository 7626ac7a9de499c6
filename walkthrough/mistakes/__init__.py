"""What people do wrong, as data: within an operation, or in the structure of the model; `search` tries them."""
