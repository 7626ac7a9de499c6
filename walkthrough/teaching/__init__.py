"""Worksheets, marking and practice: the judge and the readers, put to a class's use."""
