"""The report of a trace: what it begins with, and a section for each value under the headings of its parts."""
