"""Reports, described once in blocks that know no format."""
