"""One run of a module, call by call, and where the numbers that each call reads come from."""
