"""A class: what was handed out and handed in, and its marks as a report, for programs and as a gradebook."""
