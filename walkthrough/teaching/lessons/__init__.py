"""Lessons that a program gives: practice, and the chapters of the course."""
