"""What people do wrong, as data: a mistake changes a step's operation, inputs or settings, and is tried on numbers."""
