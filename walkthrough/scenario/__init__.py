"""From a YAML file to a checked scenario, or to a list of problems with file, line and column."""
