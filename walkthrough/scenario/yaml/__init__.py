"""YAML text as nodes that know their line and column, and problems that point at them."""
