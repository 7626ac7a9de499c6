"""From the name of a scenario to one that is checked; and scenarios with other numbers."""
