"""From a file to its headings, texts and tables, a file for each way in which tables are written."""
