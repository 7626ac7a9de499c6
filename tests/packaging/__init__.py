"""What is installed: wheel, sdist, and the program in a clean environment."""
