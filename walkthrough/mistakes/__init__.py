"""What people do wrong, as data: a file for each of operations/, and heads, layers, wiring; `search` tries them."""
