"""Sheets, marking and lessons: the judge and the readers, put to a class's use."""
