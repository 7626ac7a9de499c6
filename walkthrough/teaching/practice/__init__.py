"""Practice: one number after the other, each judged as on a sheet, with hints."""
