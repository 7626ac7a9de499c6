"""A trace as a workbook that calculates."""
