"""How an expression is written: text, LaTeX, MathML, spreadsheet, code, and data for a page."""
