"""The course: chapters that ask before they show, read from Markdown, and taken in a terminal."""
