"""Quizzes for learning platforms: a question for each step, which shows the numbers that it is computed from."""
