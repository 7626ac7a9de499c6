"""Sheets: what a student is given, from the scenario to the files, and what comes back in them."""
