"""Marking a sheet, and the reports on marked ones."""
