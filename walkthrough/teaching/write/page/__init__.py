"""A sheet as an HTML page: what stands beside what, its tables, and the form that keeps what is typed."""
