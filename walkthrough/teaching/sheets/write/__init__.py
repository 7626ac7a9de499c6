"""Writing a sheet, a module for each kind of file."""
