"""Reports on a terminal: laid out for its width, in colour where there is colour."""
