"""A trace as a live page."""
