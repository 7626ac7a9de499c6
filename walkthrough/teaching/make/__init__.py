"""Making a sheet: its scenario written anew, other numbers drawn until they are fit for handwork."""
