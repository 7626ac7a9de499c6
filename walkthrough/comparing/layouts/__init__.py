"""What other programs call the steps: their names, a table for each program, and what they stand for in a trace."""
